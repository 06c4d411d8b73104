// What there is, what matters, and what was lost.
const TOP = 10;
const SHOWN = 12; // rows of the smaller tables, before one asks for more

function overview() {
  return [
    make("h1", {}, "Loops of " + (files.length === 1 ? files[0].name : files.length + " files")),
    make("p", { class: "summary" }, data.summary),
    lost(),
    verdicts(),
    rewarding(),
    predictions(),
    make("div", { class: "columns" },
      counts("Why loops stay serial", "reason", countBy(loops.filter((loop) => !isParallel(loop)), (loop) => [...new Set(loop.reasons.map((each) => each.code))]),
        (code) => code + " " + data.reasons[code].title),
      counts("Species of parallel loops", "species", countBy(loops.filter(isParallel), (loop) => loop.patterns), (name) => name)),
    opportunities(),
  ];
}

function lost() {
  if (!data.lost.length) return null;
  return make("details", { class: "lost", open: data.lost.length <= TOP },
    make("summary", {}, data.lost.length + " thing" + (data.lost.length === 1 ? " was" : "s were") + " not analysed"),
    make("ul", {}, data.lost.map((each) =>
      make("li", {}, make("b", {}, each.file + ":" + each.line), " ", each.message, each.code ? " [" + each.code + "]" : ""))));
}

function verdicts() {
  const parts = Object.keys(VERDICTS).map((verdict) => [verdict, loops.filter((loop) => loop.verdict === verdict).length]);
  return make("section", { "aria-label": "Loops by verdict" },
    bar(loops),
    make("p", { class: "legend" }, parts.filter(([, count]) => count).map(([verdict, count]) =>
      make("a", { href: "#/loops?verdict=" + verdict }, make("span", { class: "part swatch " + verdict }), " ", make("b", {}, String(count)), " ", badge(verdict)))));
}

function rewarding() {
  if (!data.ranking.length) return null;
  const ranked = data.ranking.map((number) => loops[number]);
  const section = make("section", { id: "rewarding" }, make("h2", {}, "Where the time is"), make("p", { class: "dim" }, data.basis));
  section.append(...most("Biggest opportunities", ranked.filter((loop) => loop.open)));
  section.append(...most("Biggest obstacles", ranked.filter((loop) => !isParallel(loop))));
  section.append(make("p", {}, make("a", { href: "#/loops?only=decisive" }, "All " + ranked.length + " loops that decide")));
  return section;
}

// The first loops of a list, below a title; one that is included into several functions stands there once.
function most(title, list) {
  const places = new Map();
  for (const loop of list) {
    const at = place(loop) + ":" + loop.column;
    places.set(at, [...(places.get(at) || []), loop]);
  }
  const rows = [...places.values()].slice(0, TOP).map(([first, ...others]) => loopRow(first, others.length));
  return rows.length ? [make("h3", {}, title), rowHead(), ...rows] : [];
}

function counts(title, filter, list, name) {
  const table = make("table", {});
  const line = ([key, count]) => make("tr", {},
    make("td", { class: "count" }, String(count)),
    make("td", {}, make("a", { href: "#/loops?" + filter + "=" + encodeURIComponent(key) }, name(key))));
  return make("section", {}, make("h2", {}, title), fill(table, list, line), list.length ? null : make("p", { class: "dim" }, "None."));
}

// The first rows of a table, and a button for the others.
function fill(table, list, line) {
  table.append(...list.slice(0, SHOWN).map(line));
  if (list.length <= SHOWN) return table;
  const more = make("button", { type: "button", click: () => { table.append(...list.slice(SHOWN).map(line)); more.remove(); } }, "Show all " + list.length);
  return make("div", {}, table, more);
}

// Files, those with most time in parallel loops first.
function byOpportunity() {
  const worth = byFile.map((list) => list.reduce((sum, loop) => sum + (loop.open ? loop.share || 0 : 0), 0));
  return files.map((_, file) => file).sort((a, b) => worth[b] - worth[a] || byFile[b].length - byFile[a].length || (files[a].name < files[b].name ? -1 : 1))
    .map((file) => ({ file, worth: worth[file] }));
}

function fileRow({ file, worth }) {
  const state = { failed: "not analysed", partial: "analysed in part" }[files[file].status];
  const open = byFile[file].filter((loop) => loop.open).length;
  return make("a", { class: "row file", href: "#/file/" + file },
    make("span", { class: "share" }, percent(worth)),
    make("b", {}, files[file].name),
    make("span", {}, open + " to win of " + byFile[file].length, state ? make("em", {}, " " + state) : null),
    bar(byFile[file]));
}

function opportunities() {
  const list = byOpportunity();
  const section = make("section", {}, make("h2", {}, "Files by opportunity"),
    make("p", { class: "dim" }, "The time in loops that could run in parallel, of the time in all loops."));
  section.append(...list.slice(0, SHOWN).map(fileRow));
  if (list.length > SHOWN) section.append(make("p", {}, make("a", { href: "#/files" }, "All " + list.length + " files")));
  return section;
}

function filesView() {
  const box = make("div", {});
  lazily(byOpportunity(), box, fileRow);
  return [make("h1", {}, "Files by opportunity"), box];
}
