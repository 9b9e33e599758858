// The parts of CutByHand that one handles: the grid of heads, the row with its sliders, the parts of a score.
import { named } from "./cut_reading.js";
import { arrowKey, button, element, place, short, store, tickMarks, word, written } from "./elements.js";

const bySize = (a, b) => a.length - b.length || a.map((x, i) => x - b[i]).find((x) => x) || 0;
const at = (model) => ["layer", "head", "query", "key"].map((name) => model.get(name));
const is = (one, other) => other.every((x, i) => one[i] === x);

// What changes the places that are cut or given.
export function places(model) {
  const without = (name, where) => model.get(name).filter((one) => one.length < where.length || !is(one, where));
  const put = (changes) => store(model, changes);
  const lookedAt = (hide, where) => hide.filter((one) => one.length === 4 && is(one, where)).length;
  const cutEdge = (where, n) => {
    const hide = [...without("hide", where), where].sort(bySize);
    if (lookedAt(hide, where.slice(0, 3)) === n) return; // something has to be looked at
    put({ hide, given: without("given", where), key: where[3] });
  };
  return {
    toggleEdge: (n) => {
      const where = at(model);
      const isCut = model.get("hide").some((one) => one.length === 4 && is(one, where));
      if (isCut) put({ hide: without("hide", where) });
      else cutEdge(where, n);
    },
    toggleHead: (where) => {
      const hide = model.get("hide");
      const left = hide.filter((one) => one.length !== 2 || !is(one, where));
      put({ hide: left.length < hide.length ? left : [...hide, where].sort(bySize) });
    },
    give: (where, weight, n) => { // one weight for each row: it takes the place of another one
      if (weight <= 0) return cutEdge(where, n);
      const given = [...without("given", where.slice(0, 3)), [...where, weight]].sort(bySize);
      put({ given, hide: without("hide", where), key: where[3] });
    },
    giveBack: (where) => put({ hide: without("hide", where), given: without("given", where) }),
  };
}

// All heads, a row for each layer. The arrow keys or a click show one; Enter, or the button, cuts it.
export function headGrid(model, { n_layers: nLayers, n_heads: nHeads }) {
  const choose = (layer, head) => {
    const within = (x, count) => Math.min(count - 1, Math.max(0, x));
    store(model, { layer: within(layer, nLayers), head: within(head, nHeads) });
  };
  const cells = Array.from({ length: nLayers * nHeads }, (_, i) => {
    const [layer, head] = [Math.floor(i / nHeads), i % nHeads];
    const onkeydown = (event) => {
      const way = arrowKey(event);
      if (way) {
        choose(layer - Math.sign(way[1]), head + Math.sign(way[0]));
        return cells[model.get("layer") * nHeads + model.get("head")].show.focus();
      }
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      places(model).toggleHead([layer, head]);
    };
    const show = element("button", { type: "button", role: "radio", class: "look-asker", onkeydown,
      onclick: () => (is(at(model), [layer, head]) ? places(model).toggleHead([layer, head]) : choose(layer, head)) },
      `${head}`);
    return { layer, head, show, td: element("td", {}, show) };
  });
  const rows = Array.from({ length: nLayers }, (_, layer) => element("tr", {},
    element("th", { scope: "row" }, `layer ${layer}`),
    ...cells.filter((one) => one.layer === layer).map(({ td }) => td)));
  const cut = button("", () => places(model).toggleHead(at(model).slice(0, 2)));
  const node = element("div", {}, element("p", {}, "Heads: click one, and once more to cut it. ", cut),
    element("table", { class: "look-cut-heads", role: "radiogroup", "aria-label": "head; Enter cuts it",
      style: `--heads: ${nHeads}` }, ...rows));
  const isOff = (hide, one) => hide.some((where) => where.length === 2 && is(where, one));
  const draw = ({ hide, layer, head }) => {
    cut.textContent = `${isOff(hide, [layer, head]) ? "Give back" : "Cut"} layer ${layer}, head ${head}`;
    for (const one of cells) {
      const [chosen, off] = [one.layer === layer && one.head === head, isOff(hide, [one.layer, one.head])];
      place(one.show, { "aria-checked": `${chosen}`, tabindex: chosen ? 0 : -1,
        "aria-label": `layer ${one.layer}, head ${one.head}${off ? ", cut" : ""}` });
      one.td.classList.toggle("look-off", off);
    }
  };
  return { node, draw };
}

// The row of the token that looks: each key with its score, and its weight to drag; at 0 the edge is cut.
export function cutRow(model) {
  const [title, rows, ticks] = [element("p", {}), element("tbody", {}), tickMarks(0, 0.25, 0.5, 0.75, 1)];
  const head = ["looked at", "score", "weight", "", ""].map((text) =>
    text ? element("th", { scope: "col" }, text) : element("td"));
  const node = element("div", { class: "look-scroll look-list look-cut-row" }, title,
    element("table", { class: "look-parts" }, element("thead", {}, element("tr", {}, ...head)), rows), ticks);
  let [lines, count] = [[], 0];
  const line = (j) => {
    const where = () => [...at(model).slice(0, 3), j];
    const [name, number, score] = [word(""), element("td"), button("", () => store(model, { key: j }))];
    const drag = () => {
      const before = [model.get("hide"), model.get("given")];
      places(model).give(where(), Number(slider.value), count);
      if (before[0] === model.get("hide") && before[1] === model.get("given")) slider.value = shown; // no other key
    };
    const slider = element("input", { type: "range", min: 0, max: 1, step: 0.01, list: ticks.id, oninput: drag });
    let shown = 0;
    const back = button("↺", () => places(model).giveBack(where()), "give the model's own weight back");
    const tr = element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, score),
      element("td", { class: "look-gauge" }, slider), number, element("td", {}, back));
    return { tr, draw: (seen) => {
      const weight = seen.rows[1][seen.query][j];
      const changed = [...seen.hide, ...seen.given].some((one) => one.length > 3 && is(one, where()));
      name.textContent = short(seen.names[j], 9);
      score.textContent = written(seen.scores[j]);
      place(score, { "aria-pressed": `${j === seen.key}`,
        "aria-label": `score of ${named(seen, j)}: ${written(seen.scores[j])}, show its parts` });
      shown = weight;
      if (Number(slider.value) !== weight) slider.value = weight;
      place(slider, { "aria-label": `weight of ${named(seen, j)}`, "aria-valuetext": written(weight) });
      number.textContent = written(weight);
      back.style.visibility = changed ? "visible" : "hidden";
      tr.classList.toggle("look-asked", changed);
    } };
  };
  const draw = (seen) => {
    if (seen.names.length !== count) {
      count = seen.names.length;
      lines = seen.names.map((_, j) => line(j));
      rows.replaceChildren(...lines.map(({ tr }) => tr));
    }
    const who = element("strong", {}, word(named(seen, seen.query)));
    const off = seen.hide.some((one) => one.length === 2 && is(one, [seen.layer, seen.head]));
    title.replaceChildren(who, ` looks, layer ${seen.layer}, head ${seen.head}${off ? ", which is cut" : ""}`);
    lines.forEach((one) => one.draw(seen));
  };
  return { node, draw };
}

// The dimensions of q · k that make the chosen score.
export function scoreParts() {
  const [title, sumLine] = [element("p", {}), element("p", {})];
  const bars = element("div", { class: "look-dims", "aria-hidden": "true" });
  const node = element("div", { class: "look-cut-parts" }, title, bars, sumLine);
  const draw = (seen) => {
    const largest = Math.max(...seen.products.map(Math.abs)) || 1;
    const best = seen.products.reduce((top, x, i) => (Math.abs(x) > Math.abs(seen.products[top]) ? i : top), 0);
    title.replaceChildren("Parts of the score ", word(named(seen, seen.query)), " · ", word(named(seen, seen.key)),
      `: dimension ${best} gives most, `,
      `${written(seen.q[best])} · ${written(seen.k[best])} = ${written(seen.products[best])}.`);
    const one = () => element("span", {}, element("i", {}));
    if (bars.children.length !== seen.products.length) bars.replaceChildren(...seen.products.map(one));
    seen.products.forEach((x, i) => {
      const bar = bars.children[i].firstChild;
      place(bars.children[i], { title: `dimension ${i}: ${written(x)}` });
      place(bar, { class: x < 0 ? "look-minus" : "look-plus", style: `height: ${(50 * Math.abs(x)) / largest}%` });
    });
    const total = seen.products.reduce((a, b) => a + b, 0);
    const n = seen.products.length;
    const [all, score] = [written(total), written(seen.scores[seen.key])];
    sumLine.textContent = `All ${n} add up to ${all}; divided by √${n}: ${score}.`;
  };
  return { node, draw };
}
