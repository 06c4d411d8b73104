// What loops would take on machines: a table for each, and the roofline.
function predictions() {
  const found = data.predictions;
  if (!found || !found.machines[0].loops.length) return null;
  const picture = make("figure", { class: "picture" });
  picture.innerHTML = found.picture; // made by Cuvier, names in it are text
  return make("section", { id: "predictions" }, make("h2", {}, "What loops would take"),
    make("p", { class: "dim" }, found.basis), picture, found.machines.map(predictedOn));
}

function predictedOn(machine) {
  const table = make("table", {});
  const line = ([number, ...cells]) => make("tr", {},
    make("td", {}, make("a", { href: "#/loop/" + number }, place(loops[number])), " ", make("span", { class: "dim" }, loops[number].name)),
    cells.map((text) => make("td", {}, text)));
  table.append(make("tr", { class: "dim" }, make("th", { scope: "col" }, "loop"), machine.heads.map((head) => make("th", { scope: "col" }, head))));
  return make("section", {}, make("h3", {}, machine.title), make("div", { class: "scroll" }, fill(table, machine.loops, line)),
    machine.notes.map((note) => make("p", { class: "dim" }, note)));
}
