// A file's text with its loops beside it, and the dependence of the selected one drawn between its two ends.
const LINE = 20; // pixels, as in the style
const CHUNK = 100; // lines that appear together
const LANE = 9; // pixels for each depth
const SVG = "http://www.w3.org/2000/svg";
const WORDS = "auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|_Bool|_Complex";
const TOKEN = new RegExp("(?<comment>/\\*[^]*?(?:\\*/|(?![^]))|//[^\\n]*)|(?<text>\"(?:\\\\[^]|[^\"\\\\\\n])*\"?|'(?:\\\\[^]|[^'\\\\\\n])*'?)|(?<directive>^[ \\t]*#[^\\n]*)|(?<keyword>\\b(?:" + WORDS + ")\\b)|(?<number>\\b\\d[\\w.]*)", "gm");

// Per line, its pieces: a text, or a text with the kind of token that it is.
function highlighted(text) {
  const lines = [[]];
  const add = (piece, kind) => piece.split("\n").forEach((part, index) => {
    if (index) lines.push([]);
    if (part) lines[lines.length - 1].push(kind ? make("span", { class: kind }, part) : part);
  });
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    add(text.slice(at, match.index));
    add(match[0], Object.keys(match.groups).find((kind) => match.groups[kind] !== undefined));
    at = match.index + match[0].length;
  }
  add(text.slice(at));
  return lines;
}

let shown = null; // the file that is on the screen: {file, code, lines, left}

function fileView(file, loop) {
  const name = files[file].name;
  const aside = make("aside", { id: "details", "aria-label": "Loop", tabindex: "0" });
  if (files[file].text === null) {
    shown = null;
    aside.replaceChildren(...(loop ? details(loop) : []));
    return [make("h1", { class: "path" }, name), make("p", {}, "The report does not have the text of this file."), aside];
  }
  const raw = files[file].text.replace(/\r\n?/g, "\n").split("\n");
  const depth = byFile[file].reduce((most, each) => Math.max(most, each.depth + 1), 0);
  const left = depth * LANE + 8 + (String(raw.length).length + 2) * 8;
  const code = make("div", { class: "code", tabindex: "0", "aria-label": "Source of " + name });
  const sheet = make("div", { class: "sheet", style: "height:" + raw.length * LINE + "px;--left:" + left + "px" });
  code.append(sheet);
  shown = { file, code, sheet, lines: raw, left };
  sheet.append(make("div", { class: "selected", hidden: true }), ...byFile[file].map(lane), ...chunks(file, code), svg("svg", { class: "arrows", "aria-hidden": "true" }));
  return [make("div", { class: "split" },
    make("section", { class: "source" }, make("h1", { class: "path" }, name, " ", bar(byFile[file])), code), aside)];
}

function lane(loop) {
  const attributes = {
    class: "lane " + loop.verdict, "data-loop": loop.number, title: loop.name + ": " + VERDICTS[loop.verdict].text,
    style: "top:" + (loop.line - 1) * LINE + "px;height:" + (loop.end_line - loop.line + 1) * LINE + "px;left:" + loop.depth * LANE + "px",
    click: () => { location.hash = "#/loop/" + loop.number; },
  };
  return make("div", attributes);
}

// The lines of the file in blocks that are filled when one scrolls near them.
function chunks(file, code) {
  const lines = highlighted(shown.lines.join("\n"));
  const starts = new Map();
  for (const loop of byFile[file]) starts.set(loop.line, [...(starts.get(loop.line) || []), loop]);
  const watcher = new IntersectionObserver((seen) => {
    for (const each of seen) if (each.isIntersecting) {
      const first = Number(each.target.dataset.first);
      each.target.append(...lines.slice(first, first + CHUNK).map((pieces, index) => line(first + index + 1, pieces, starts)));
      watcher.unobserve(each.target);
    }
  }, { root: code, rootMargin: "1000px" });
  const blocks = [];
  for (let first = 0; first < lines.length; first += CHUNK) {
    const height = Math.min(CHUNK, lines.length - first) * LINE;
    blocks.push(make("div", { class: "chunk", "data-first": first, style: "height:" + height + "px" }));
    watcher.observe(blocks[blocks.length - 1]);
  }
  return blocks;
}

function line(number, pieces, starts) {
  return make("div", { class: "line", "data-line": number }, make("span", { class: "number" }, String(number)), make("code", {}, pieces),
    (starts.get(number) || []).map((loop) => mark(loop)));
}

function mark(loop) {
  const button = make("button", { type: "button", class: "mark " + loop.verdict, "data-loop": loop.number,
    "aria-label": loop.name + ": " + VERDICTS[loop.verdict].text + ", " + loop.why,
    click: () => { location.hash = "#/loop/" + loop.number; },
    mouseenter: () => showTip(button, loop), mouseleave: hideTip, focus: () => showTip(button, loop), blur: hideTip },
  VERDICTS[loop.verdict].mark + " " + VERDICTS[loop.verdict].text);
  return button;
}

// Shows a loop of the file on the screen: its lines, its dependences, and what is known of it.
function select(loop) {
  hideTip();
  document.getElementById("details").replaceChildren(...details(loop));
  document.getElementById("details").scrollTop = 0;
  if (!shown) return;
  const area = shown.sheet.querySelector(".selected");
  area.hidden = false;
  area.className = "selected " + loop.verdict;
  area.style.top = (loop.line - 1) * LINE + "px";
  area.style.height = (loop.end_line - loop.line + 1) * LINE + "px";
  for (const each of shown.sheet.querySelectorAll(".lane")) each.classList.toggle("current", Number(each.dataset.loop) === loop.number);
  drawDependences(loop);
  reveal(loop.line);
}

function reveal(number) {
  if (!shown) return;
  const top = (number - 1) * LINE;
  const { scrollTop, clientHeight } = shown.code;
  if (top < scrollTop + LINE || top > scrollTop + clientHeight * 0.7) shown.code.scrollTop = Math.max(0, top - clientHeight / 4);
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// How wide a character of the source is.
function characterWidth() {
  const probe = make("code", { class: "probe" }, "0".repeat(100));
  shown.sheet.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return width;
}

// The box around the reference that begins at a line and column: a name, its members and subscripts.
function box(number, column, width) {
  const characters = Array.from(shown.lines[number - 1] || "");
  let end = column - 1;
  const word = /[\w$]/;
  while (end < characters.length && word.test(characters[end])) end++;
  for (let open = 0; end < characters.length; end++) {
    const next = characters[end];
    if (next === "[") open++;
    else if (next === "]") open--;
    else if (!open && !(next === "." || word.test(next) || (next === "-" && characters[end + 1] === ">") || (next === ">" && characters[end - 1] === "-"))) break;
    if (open < 0) break;
  }
  end = Math.max(end, column);
  const [from, to] = [visual(characters, column - 1), visual(characters, end)];
  return { x: shown.left + from * width - 2, y: (number - 1) * LINE + 2, w: (to - from) * width + 4, h: LINE - 4 };
}

// How many columns of the screen stand before a character.
function visual(characters, end) {
  let at = 0;
  for (const each of characters.slice(0, end)) at = each === "\t" ? at - (at % 8) + 8 : at + 1;
  return at;
}

function drawDependences(loop) {
  const old = shown.sheet.querySelector(".arrows");
  const arrows = svg("svg", { class: "arrows " + loop.verdict, "aria-hidden": "true", width: Math.max(shown.sheet.scrollWidth, 1), height: shown.lines.length * LINE },
    svg("defs", {}, svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
      svg("path", { d: "M0,0 L8,4 L0,8 z" }))));
  const width = characterWidth();
  for (const reason of loop.reasons) {
    const ends = reason.places.filter(([file]) => file === shown.file).map(([, number, column]) => box(number, column, width));
    for (const { x, y, w, h } of ends) arrows.append(svg("rect", { x, y, width: w, height: h, rx: 3 }));
    for (const end of ends.slice(1)) if (end.x !== ends[0].x || end.y !== ends[0].y) arrows.append(...arrow(ends[0], end, distance(loop, reason)));
  }
  old.replaceWith(arrows);
}

// Does text stand in the line next to that of two boxes, above (-1) or below (1), where an arc would be?
function crowded(from, to, side) {
  const text = shown.lines[Math.round((from.y - 2) / LINE) + side] || "";
  const width = characterWidth();
  const [low, high] = [Math.min(from.x, to.x), Math.max(from.x + from.w, to.x + to.w)].map((x) => Math.floor((x - shown.left) / width));
  return text.replace(/\t/g, "        ").slice(Math.max(0, low), high).trim() !== "";
}

const distance = (loop, reason) => (reason.message.match(/\((?:at )?([^()]*distance[^()]*)\)/) || [null, reason.code])[1];

function arrow(from, to, text) {
  const [a, b] = [{ x: from.x + from.w / 2, y: from.y }, { x: to.x + to.w / 2, y: to.y }];
  let path, label;
  if (a.y === b.y) {
    const side = crowded(from, to, -1) && !crowded(from, to, 1) ? 1 : -1; // above the line, or below
    const [edge, bend] = [side < 0 ? a.y : a.y + from.h, side * 20];
    path = "M" + a.x + "," + edge + " C" + a.x + "," + (edge + bend) + " " + b.x + "," + (edge + bend) + " " + b.x + "," + edge;
    label = { x: (a.x + b.x) / 2, y: edge + (side < 0 ? -18 : 27), anchor: "middle" };
  } else {
    const [right, left] = [from.x + from.w, to.x + to.w];
    const out = Math.max(right, left) + 40 + Math.min(60, Math.abs(a.y - b.y) / 4);
    const [start, end] = [from.y + from.h / 2, to.y + to.h / 2];
    path = "M" + right + "," + start + " C" + out + "," + start + " " + out + "," + end + " " + left + "," + end;
    label = { x: out - 10, y: (start + end) / 2 + 4, anchor: "start" };
  }
  return [svg("path", { class: "arrow", d: path, "marker-end": "url(#head)" }),
    svg("text", { x: label.x, y: label.y, "text-anchor": label.anchor }, text)];
}
