// All that is known of a loop.
function details(loop) {
  const parent = parentOf(loop);
  const inner = childrenOf(loop);
  return [
    make("h2", {}, loop.name, " ", make("span", { class: "dim" }, "in " + loop.function + ", lines " + loop.line + " to " + loop.end_line)),
    make("p", {}, badge(loop.verdict), " ", make("span", { class: "dim" }, loop.class), " ", VERDICTS[loop.verdict].sentence),
    loop.users ? make("p", { class: "note" }, "It stays as it is: " + loop.users) : null,
    part("Conditions", null, loop.words.map((words, number) => condition(words, loop.conditions[number]))),
    part("Why", null, reasons(loop, true)),
    part(loop.verdict === "serial" ? "Besides" : "Why it is not proven", null, reasons(loop, false)),
    part("Species" + (loop.exact ? "" : " (over-approximated)"), loop.species ? [loop.species] : []),
    part("Characterisations", loop.tuples),
    part("Distances", loop.distances ? [loop.distances] : []),
    cost(loop),
    part("Reductions", loop.reductions),
    part("Each iteration needs its own", [...new Set([...loop.private, ...loop.firstprivate, ...loop.lastprivate, ...loop.lastprivate_conditional])]),
    part("Induction variables", loop.linear),
    part("Tags", loop.tags),
    loop.pragma ? part("For OpenMP", null, [copied(loop.pragma)]) : null,
    part("Around it", null, parent ? [link(parent)] : []),
    part("Inside it", null, inner.map(link)),
  ].filter(Boolean);
}

function part(title, texts, elements = []) {
  const lines = texts ? texts.map((text) => make("div", { class: "mono" }, text)) : elements;
  return lines.length ? make("section", {}, make("h3", {}, title), lines) : null;
}

const link = (loop) =>
  make("div", {}, make("a", { href: "#/loop/" + loop.number }, "line " + loop.line + ", " + loop.name), " ", badge(loop.verdict));

// In words; the C expression is behind them.
const condition = (words, text) => make("details", {}, make("summary", {}, "if " + words), make("div", { class: "mono" }, text));

// Those that prove a verdict, or those that say what is not known.
function reasons(loop, proven) {
  const decided = isParallel(loop) || loop.verdict === "unknown"; // so that none of them is a proof
  return loop.reasons.filter((each) => (decided || each.proven) === proven).map((reason) => why(loop, reason));
}

function why(loop, reason) {
  const page = make("div", { class: "page" });
  const known = data.reasons[reason.code];
  const opened = make("details", { toggle: () => { if (opened.open && !page.hasChildNodes()) page.innerHTML = known.page; } },
    make("summary", {}, reason.code + ": " + known.title), page);
  return make("div", { class: "reason" }, make("p", {}, reason.message),
    make("p", {}, [...new Map(reason.places.map((each) => [each[0] + ":" + each[1], each])).values()].map((each) => [jump(each), " "])), opened);
}

// A place of which a reason speaks: a button that goes there.
function jump([file, number]) {
  const elsewhere = !shown || file !== shown.file;
  if (elsewhere) return make("span", { class: "dim" }, (files[file]?.name || "?") + ":" + number);
  return make("button", { type: "button", class: "jump", click: () => reveal(number) }, "line " + number);
}

function cost(loop) {
  const lines = [];
  if (loop.share !== null) lines.push(percent(loop.share) + " of the time (" + data.basis.split(",")[0].split(";")[0] + ")");
  if (loop.estimate) {
    const { trips, iterations, operations, bytes, sizes } = loop.estimate;
    lines.push((trips ? trips + " iterations a time, " : "") + amount(iterations) + " iterations in all");
    lines.push(amount(operations) + " operations, " + amount(bytes) + "B moved" + (loop.bound ? ", bound by " + loop.bound : ""));
    if (loop.seconds !== null) lines.push("about " + duration(loop.seconds) + " on one core" + (isParallel(loop) ? ", " + duration(loop.together) + " on all" : ""));
    if (sizes.length) lines.push("if " + sizes.map((each) => each.name + " = " + Number(each.value.toPrecision(4))).join(", "));
  }
  return part("Cost, for one call of " + loop.function, null, lines.map((text) => make("div", {}, text)));
}

function copied(text) {
  const button = make("button", { type: "button", click: async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch { getSelection().selectAllChildren(code); }
  } }, "Copy");
  const code = make("code", { class: "mono" }, text);
  return make("div", { class: "pragma" }, code, button);
}
