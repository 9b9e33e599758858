// The model that is open: its curves, its heat map, and a sentence of one's own that it answers while it trains.
import { button, element, place, store, written } from "./elements.js";
import { drawHeatmap, redrawOn, wordedMap } from "./heatmap.js";
import { decoyCounts, decoySentence, sentenceNow } from "./look_session.js";

// One row for each place: its token, the two parts of its score, its weight in the sentence, its mean weight as a mark.
// Returns { node, show }. show(reading, mean, asked)
export function sentenceTable(model) {
  const { vocabulary } = model.get("sizes");
  const size = model.get("length") + 1;
  const put = (i, token) => {
    if (!Number.isInteger(token) || token < 1 || token >= vocabulary) return;
    store(model, { all_tokens: model.get("all_tokens").with(i, token) });
  };
  const rows = Array.from({ length: size }, (_, i) => {
    const input = i ? element("input", { type: "number", min: 1, max: vocabulary - 1, step: 1, class: "look-number",
      "aria-label": `token at position ${i}, 1 to ${vocabulary - 1}`, oninput: () => put(i, input.valueAsNumber),
      onchange: () => (input.value = model.get("all_tokens")[i]) }) : null;
    return tableRow(i, input);
  });
  const head = (text, span = 1) => element("th", { scope: "col", colspan: span }, text);
  const widths = ["3.4em", "4.2em", "4em", "4em", "auto", "3.2em"].map((width) =>
    element("col", { style: `width: ${width}` }));
  const node = element("table", { class: "look-parts" }, element("colgroup", {}, ...widths),
    element("thead", {}, element("tr", {}, head("[CLS] at"), head("token"), head("score: token + place", 2),
      head("weight (line: mean)", 2))),
    element("tbody", {}, ...rows.map(({ row }) => row)));
  const show = (reading, mean, asked) => rows.forEach((row, i) => {
    const token = model.get("all_tokens")[i];
    const typing = document.activeElement === row.input; // a field that is empty for a moment stays so
    if (row.input && row.input.valueAsNumber !== token && !typing) row.input.value = token;
    row.show(reading, mean, asked.includes(i));
  });
  return { node, show };
}

function tableRow(i, input) {
  const [bar, mark] = [element("div", { class: "look-bar" }), element("div", { class: "look-mark" })];
  const cells = ["", "", ""].map(() => element("td"));
  const gauge = element("td", { class: "look-gauge" }, element("div", {}, bar, mark));
  const head = element("th", { scope: "row" }, i ? `${i}` : "[CLS]");
  const row = element("tr", {}, head, element("td", {}, input ?? "—"), cells[0], cells[1], gauge, cells[2]);
  const show = (reading, mean, asked) => {
    row.classList.toggle("look-asked", asked);
    bar.classList.toggle("look-own-bar", asked);
    if (!reading) return;
    [reading.tokenPart[i], reading.placePart[i], reading.row[i]].forEach((x, k) => {
      const text = written(x);
      if (cells[k].textContent !== text) cells[k].textContent = text;
    });
    bar.style.transform = `scaleX(${reading.row[i].toFixed(4)})`; // no layout, only paint
    mark.style.transform = `translateX(${(100 * mean[i]).toFixed(2)}%)`;
  };
  return { row, input, show };
}

// Sentences with decoys, as buttons; beside each, how many models say yes, which is wrong. Returns { node, show }.
export function decoyButtons(model) {
  const ask = (count) => {
    const tokens = decoySentence(model, count);
    store(model, { all_tokens: model.get("all_tokens").map((token, i) => tokens[i] ?? token) });
  };
  const all = decoyCounts(model).map((count) => {
    const number = element("b", {});
    return { number, node: button("", () => ask(count), `a sentence with ${count} decoys and a no`) };
  });
  all.forEach(({ node, number }, i) => node.append(`${decoyCounts(model)[i]} decoys: `, number));
  const node = element("div", { class: "look-fools", role: "group", "aria-label": "sentences with decoys" },
    "The answer is no. How many say yes? ", ...all.map((one) => one.node));
  const show = ({ answers }) => all.forEach(({ number }, i) => {
    number.textContent = `${answers.filter((all) => all[i + 1] >= 0.5).length} of ${answers.length}`;
  });
  return { node, show };
}

// The heat map of the sentence. Returns { node, show, stop }.
export function sentenceMap(model) {
  const canvas = element("canvas", { role: "img", "aria-label": "where every token looks; As text holds the numbers" });
  const names = sentenceNow(model).map((_, i) => (i ? `${i}` : "[CLS]"));
  let weights = null;
  const draw = () => {
    const numbers = !model.get("presenter") && canvas.clientWidth > 31 * names.length; // of 12 pixels, or none
    if (weights) drawHeatmap(canvas, weights, { numbers, picked: { row: 0 } });
  };
  const node = element("figure", { class: "look-square" }, wordedMap(canvas, names, names),
    element("figcaption", {}, "rows are queries; faint is 0, strong 1"));
  const show = (reading) => {
    weights = reading?.all;
    draw();
  };
  return { node, show, stop: redrawOn(canvas, draw) };
}
