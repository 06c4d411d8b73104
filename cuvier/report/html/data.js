// The data of the report, and what is looked up in them.
const data = JSON.parse(document.getElementById("data").textContent);
const loops = data.loops;
const files = data.files;
loops.forEach((loop, number) => { loop.number = number; });
const byFile = files.map(() => []);
for (const loop of loops) byFile[loop.file].push(loop);
for (const list of byFile) list.sort((a, b) => a.line - b.line || a.column - b.column || a.depth - b.depth);
const ids = new Map(loops.map((loop) => [loop.file + "\0" + loop.id, loop]));
const ranks = new Map(data.ranking.map((number, rank) => [number, rank + 1]));

const VERDICTS = {
  parallel: { mark: "∥", text: "parallel", sentence: "Its iterations may run in any order." },
  conditional: { mark: "∥?", text: "conditional", sentence: "Its iterations may run in any order where the conditions hold." },
  serial: { mark: "→", text: "serial", sentence: "Its iterations must run in order." },
  unproven: { mark: "→?", text: "not proven parallel", sentence: "Its iterations may depend on each other, so it stays serial." },
  unknown: { mark: "?", text: "unknown", sentence: "The analysis gave up; the loop is left as it is." },
};

const parentOf = (loop) => (loop.parent === null ? null : ids.get(loop.file + "\0" + loop.parent) || null);
const childrenOf = (loop) => byFile[loop.file].filter((each) => each.parent === loop.id && each.function === loop.function);
const place = (loop) => files[loop.file].name + ":" + loop.line;
const isParallel = (loop) => loop.verdict === "parallel" || loop.verdict === "conditional";

function countBy(list, key) {
  const counts = new Map();
  for (const each of list) for (const name of [key(each)].flat()) if (name) counts.set(name, (counts.get(name) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function percent(share) {
  if (share === null) return "";
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return (100 * share).toFixed(share >= 0.0995 || share === 0 ? 0 : 1) + " %";
}

function amount(number) {
  for (const [factor, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (number >= factor && number < 1e15) return (number / factor).toPrecision(3) + " " + letter;
  return number < 1e15 ? String(Math.round(number)) : number.toExponential(1);
}

function duration(seconds) {
  for (const [factor, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]])
    if (seconds >= factor) return (seconds / factor).toPrecision(3) + " " + unit;
  return (seconds / 1e-9).toPrecision(3) + " ns";
}
