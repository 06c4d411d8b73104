// Pieces that several views are made of.

// An element with attributes (functions are listeners) and children; texts are never read as HTML.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const badge = (verdict) =>
  make("span", { class: "badge " + verdict }, make("span", { "aria-hidden": "true" }, VERDICTS[verdict].mark), " ", VERDICTS[verdict].text);

const LEGIBLE = 120; // characters of a species; of a longer one, only the patterns are shown in lists

// Rows that appear as one scrolls near them, so many at a time.
function lazily(list, container, row, step = 100) {
  let shown = 0;
  const end = make("div", { class: "sentinel" });
  const more = () => {
    end.before(...list.slice(shown, shown + step).map((each) => row(each)));
    shown = Math.min(list.length, shown + step);
    if (shown >= list.length) watcher.disconnect();
  };
  const watcher = new IntersectionObserver((seen) => { if (seen.some((each) => each.isIntersecting)) more(); }, { rootMargin: "800px" });
  container.append(end);
  if (list.length) more();
  if (shown < list.length) watcher.observe(end);
}

// `others`: how many functions more it is included into.
function loopRow(loop, others = 0) {
  const more = others ? " and " + others + " more" : "";
  return make("a", { class: "row", href: "#/loop/" + loop.number, "data-loop": loop.number },
    make("span", { class: "share" }, percent(loop.share)),
    badge(loop.verdict),
    make("span", { class: "place" }, make("b", {}, place(loop)), " ", make("span", { class: "dim" }, loop.function + more + "  " + loop.name)),
    make("span", { class: "why" + (isParallel(loop) ? " species" : "") }, isParallel(loop) && loop.why.length > LEGIBLE ? loop.patterns : loop.why));
}

const rowHead = () =>
  make("div", { class: "row head", "aria-hidden": "true" },
    make("span", { class: "share" }, "time"), make("span", {}, "verdict"), make("span", {}, "loop"), make("span", {}, "species, or why not"));

// How many loops have which verdict, as a bar.
function bar(list) {
  const counts = Object.keys(VERDICTS).map((verdict) => [verdict, list.filter((loop) => loop.verdict === verdict).length]);
  const label = counts.filter(([, count]) => count).map(([verdict, count]) => count + " " + VERDICTS[verdict].text).join(", ");
  return make("span", { class: "bar", role: "img", "aria-label": label, title: label },
    counts.filter(([, count]) => count).map(([verdict, count]) => make("span", { class: "part " + verdict, style: "flex-grow:" + count })));
}

const tip = document.getElementById("tip");

// What is shown while the pointer is over a loop's mark, or the mark has the focus.
function showTip(anchor, loop) {
  const lines = [loop.why, ...loop.tuples.slice(0, 6), ...loop.words.map((each) => "if " + each)];
  if (loop.distances) lines.push("distances " + loop.distances);
  tip.replaceChildren(make("div", {}, badge(loop.verdict), " ", loop.class), ...lines.map((line) => make("div", { class: "mono" }, line)));
  tip.hidden = false;
  const box = anchor.getBoundingClientRect();
  const below = box.bottom + tip.offsetHeight + 8 < innerHeight;
  tip.style.left = Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (below ? box.bottom + 4 : Math.max(4, box.top - tip.offsetHeight - 4)) + "px";
}

const hideTip = () => { tip.hidden = true; };
