// All loops, to search in and to filter. The address of the view says which filters are set.
const FILTERS = ["q", "verdict", "reason", "species", "class", "only", "sort"];

function loopsView(parameters) {
  const wanted = Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) || ""]));
  const found = sorted(loops.filter((loop) => matches(loop, wanted)), wanted.sort);
  const list = make("div", { id: "list" }, rowHead());
  lazily(found, list, loopRow);
  return [
    make("h1", {}, "Loops"),
    make("form", { class: "filters", "aria-label": "Filters", submit: (event) => event.preventDefault(), change: changed },
      choice("verdict", "verdict", wanted.verdict, Object.keys(VERDICTS).map((each) => [each, VERDICTS[each].text])),
      choice("class", "class", wanted.class, countBy(loops, (loop) => loop.class).map(([each]) => [each, each])),
      choice("reason", "reason", wanted.reason, Object.keys(data.reasons).map((code) => [code, code + " " + data.reasons[code].title])),
      choice("species", "species", wanted.species, countBy(loops.filter(isParallel), (loop) => loop.patterns).map(([each]) => [each, each])),
      choice("only", "which", wanted.only, [["decisive", "those that decide"], ["open", "opportunities"], ["outermost", "outermost"]]),
      choice("sort", "order", wanted.sort, [["file", "by file"], ["verdict", "by verdict"]], "by time"),
      make("a", { href: "#/loops" }, "Reset")),
    make("p", { class: "dim", role: "status", id: "count" }, found.length + " of " + loops.length + " loops"),
    list,
  ];
}

function choice(name, label, value, options, first = "all") {
  return make("label", {}, label + " ",
    make("select", { name }, make("option", { value: "" }, first),
      options.map(([key, text]) => make("option", { value: key, selected: key === value }, text.length > 60 ? text.slice(0, 59) + "…" : text))));
}

function changed(event) {
  const parameters = here().parameters;
  if (event.target.value) parameters.set(event.target.name, event.target.value);
  else parameters.delete(event.target.name);
  const name = event.target.name;
  location.hash = "#/loops?" + parameters;
  requestAnimationFrame(() => document.querySelector("select[name=" + name + "]")?.focus());
}

function matches(loop, wanted) {
  const words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => haystack(loop).includes(word))
    && (!wanted.verdict || loop.verdict === wanted.verdict)
    && (!wanted.class || loop.class === wanted.class)
    && (!wanted.species || (isParallel(loop) && loop.patterns === wanted.species))
    && (!wanted.reason || loop.reasons.some((each) => each.code === wanted.reason))
    && (!wanted.only || { decisive: loop.decisive, open: loop.open, outermost: loop.depth === 0 }[wanted.only]);
}

function haystack(loop) {
  loop.text ??= [place(loop), loop.function, loop.name, VERDICTS[loop.verdict].text, loop.class, loop.species || "", loop.header || "", ...loop.tags,
    ...loop.reasons.flatMap((each) => [each.code, each.message])].join("\n").toLowerCase();
  return loop.text;
}

function sorted(list, order) {
  const inFile = (a, b) => a.file - b.file || a.line - b.line || a.column - b.column;
  const rank = (loop) => ranks.get(loop.number) || Infinity;
  const verdict = (loop) => Object.keys(VERDICTS).indexOf(loop.verdict);
  if (order === "file") return list.sort(inFile);
  if (order === "verdict") return list.sort((a, b) => verdict(a) - verdict(b) || inFile(a, b));
  return list.sort((a, b) => (rank(a) === rank(b) ? inFile(a, b) : rank(a) - rank(b)));
}
