// From the address to a view, and from keys to addresses.
const main = document.getElementById("main");
const query = document.getElementById("query");

function here() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, number] = path.split("/");
  return { view: view || "overview", number: Number(number), parameters: new URLSearchParams(search || "") };
}

function route() {
  const { view, number, parameters } = here();
  hideTip();
  for (const each of document.querySelectorAll("nav a")) {
    const current = each.dataset.view === view || (each.dataset.view === "files" && (view === "file" || view === "loop"));
    if (current) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  if (view !== "loop" && view !== "file") shown = null;
  if (view === "loop" && loops[number]) openLoop(loops[number]);
  else if (view === "file" && files[number]) openFile(number);
  else if (view === "loops") show(loopsView(parameters), parameters.get("q") || "");
  else if (view === "files") show(filesView());
  else show(overview());
}

function show(parts, words = "") {
  main.className = "";
  if (query.value !== words && document.activeElement !== query) query.value = words;
  main.replaceChildren(...parts.filter(Boolean));
  scrollTo(0, 0);
}

function openFile(file) {
  main.className = "wide";
  main.replaceChildren(...fileView(file, null));
  document.getElementById("details").replaceChildren(
    make("h2", {}, byFile[file].length + (byFile[file].length === 1 ? " loop" : " loops")),
    ...byFile[file].slice(0, 300).map((loop) => make("div", { style: "padding-left:" + loop.depth + "em" }, link(loop))));
}

function openLoop(loop) {
  main.className = "wide";
  if (!shown || shown.file !== loop.file) main.replaceChildren(...fileView(loop.file, loop));
  select(loop);
}

// The loop before or after the one on the screen, in its file.
function step(by) {
  const { view, number } = here();
  const rows = [...main.querySelectorAll("a.row")];
  if (rows.length) {
    const next = rows.indexOf(document.activeElement) + by;
    rows[Math.max(0, Math.min(rows.length - 1, next))].focus();
  } else if (view === "loop" || view === "file") {
    const list = byFile[view === "file" ? number : loops[number].file];
    const at = view === "file" ? -1 : list.indexOf(loops[number]);
    const next = list[Math.max(0, Math.min(list.length - 1, at + by))];
    if (next) location.hash = "#/loop/" + next.number;
  }
}

// The loop that matters next, or before.
function rank(by) {
  const { view, number } = here();
  const at = view === "loop" ? data.ranking.indexOf(number) : -1;
  const next = data.ranking[Math.max(0, Math.min(data.ranking.length - 1, at + by))];
  if (next !== undefined) location.hash = "#/loop/" + next;
}

const KEYS = {
  "/": () => { query.focus(); query.select(); },
  "?": () => document.getElementById("keys").showModal(),
  o: () => { location.hash = "#/"; },
  l: () => { location.hash = "#/loops"; },
  f: () => { location.hash = "#/files"; },
  j: () => step(1),
  k: () => step(-1),
  n: () => rank(1),
  p: () => rank(-1),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { hideTip(); if (document.activeElement === query) query.blur(); return; }
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) || document.getElementById("keys").open;
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});

let waiting = 0;
query.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const { view, parameters } = here();
    const wanted = view === "loops" ? parameters : new URLSearchParams();
    if (query.value) wanted.set("q", query.value);
    else wanted.delete("q");
    const hash = "#/loops?" + wanted;
    if (view === "loops") { history.replaceState(null, "", hash); route(); } else location.hash = hash;
  }, 120);
});
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  main.querySelector("a.row")?.focus();
});
document.getElementById("help").addEventListener("click", KEYS["?"]);
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
addEventListener("hashchange", () => { clearTimeout(waiting); route(); }); // who has gone on is not called back to a search
route();
