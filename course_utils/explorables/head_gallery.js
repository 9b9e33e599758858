// HeadGallery: the weights of all heads of all layers as small pictures; one of them large, word by word.
import { cellUnder, drawHeatmap, redrawOn, wordedMap } from "./heatmap.js";
import { floats } from "./maths.js";
import {
  button, drawOn, element, frame, goals, short, store, unanswered, word, wordChoice, written,
} from "./elements.js";
import { PATTERNS, bestHeads } from "./head_search.js";
import { headSquares } from "./head_squares.js";

const TOLD = 5; // keys named for the query that is pointed at
const MUCH = 1.5; // times the even share: such words are bold
const NEARLY_ALL = 0.8; // of the weight on the token before: then a head has this pattern
const MOST_SIGNS = 200; // of a typed sentence
const PATIENCE = 5000; // milliseconds for the kernel

// { shape, float32: base64 } -> { layers, heads, n, m, numbers, head(layer, head) -> rows }
export function unpack({ shape, float32 }) {
  const [layers, heads, n, m] = shape;
  const numbers = floats(float32);
  const row = (start) => Array.from(numbers.subarray(start, start + m));
  const head = (l, h) => Array.from({ length: n }, (_, i) => row(((l * heads + h) * n + i) * m));
  return { layers, heads, n, m, numbers, head };
}

// The words that share the largest weight of a row.
const wordsAtMost = (row, keys) => keys.filter((_, j) => row[j] === Math.max(...row)).join(", ");

// The whole picture in words; head_gallery.py writes the same.
function tellGallery(data, rows, { layer, head, query }, queries, keys) {
  const row = rows[query];
  const first = row.map((_, j) => j).sort((a, b) => row[b] - row[a]).slice(0, TOLD);
  return [
    `Layer ${layer}, head ${head}, of ${data.layers} · ${data.heads} heads, counted from 0.`,
    `${queries[query]} looks at: ${first.map((j) => `${keys[j]} ${written(row[j])}`).join(", ")}`,
    ...rows.map((one, i) => `${queries[i]}: most at ${wordsAtMost(one, keys)}`),
  ].join("\n");
}

// The words that can look, and the words that are looked at: the more, the longer the bar under a word.
// pick(j): a click on a word that is looked at.
function wordRows(model, queries, keys, pick) {
  const looks = wordChoice(model, "query", queries);
  looks.nodes.forEach((node, i) => node.addEventListener("pointerenter", () => store(model, { query: i })));
  const bars = keys.map(() => element("span", { class: "look-under" }));
  const numbers = keys.map(() => element("small", {}));
  const seen = keys.map((text, j) =>
    element("span", { class: "look-looked", title: text, onclick: () => pick(j) },
      word(short(text, 9)), " ", numbers[j], bars[j]));
  const node = element("div", { class: "look-words" },
    element("p", {}, "Who looks? Point at a word."),
    element("div", { class: "look-flow", role: "radiogroup", "aria-label": "who looks" }, ...looks.nodes),
    element("p", {}, "Where does it look in this head? Click a word: which heads look there?"),
    element("div", { class: "look-flow" }, ...seen));
  const show = (row) => {
    looks.show();
    row.forEach((weight, j) => {
      bars[j].style.width = `${100 * weight}%`;
      numbers[j].textContent = written(weight);
      seen[j].classList.toggle("look-most", weight > MUCH / row.length);
    });
  };
  return { node, show };
}

// A field for a sentence, where the kernel can read one. Returns its node.
function typedSentence(model) {
  if (!model.get("_reads")) return "";
  const problem = element("span", { class: "look-invented", role: "status" });
  let timer = 0;
  const read = () => {
    const sentence = field.value.trim();
    clearTimeout(timer);
    if (!sentence || sentence.length > MOST_SIGNS) {
      problem.textContent = `A sentence has 1 to ${MOST_SIGNS} signs.`;
      return;
    }
    timer = setTimeout(() => (problem.textContent = unanswered("reads a sentence")), PATIENCE);
    store(model, { _typed: { sentence, count: (model.get("_typed").count ?? 0) + 1 } });
  };
  const field = element("input", { type: "text", class: "look-typed", dir: "auto", "aria-label": "a sentence of yours",
    placeholder: "a sentence of yours", onkeydown: (event) => event.key === "Enter" && read() });
  const answered = () => {
    clearTimeout(timer);
    problem.textContent = model.get("_answered").said;
  };
  model.on("change:_answered", answered);
  const go = button("Read", read, "its weights come from the kernel");
  return element("p", { class: "look-label" }, field, go, problem);
}

// The heads that have most of a pattern, as buttons. pair(): the query and the key that are chosen. Returns
// { node, show, ofPair }; ofPair() searches for the heads that look there, the first of the patterns.
function search(model, data, pair) {
  const found = element("span", { class: "look-buttons" });
  const options = Object.keys(PATTERNS).map((name) => element("option", {}, name));
  const acts = { "aria-label": "pattern to search for", onchange: () => show() };
  const select = element("select", { class: "look-button", ...acts }, ...options);
  const show = () => found.replaceChildren(...bestHeads(data(), PATTERNS[select.value](...pair())).map((one) =>
    button(`layer ${one.layer}, head ${one.head}: ${written(one.weight)}`, () => store(model, one.place))));
  const ofPair = () => {
    select.selectedIndex = 0;
    show();
  };
  return { node: element("p", { class: "look-label" }, "Which heads have most of ", select, found), show, ofPair };
}

// The chosen head, large, with what it holds where the hand points.
function largeHead(model) {
  const canvas = element("canvas", { role: "img", "aria-label": "weights of the head; As text holds them in words" });
  const [node, under] = [element("div", { class: "look-side" }), element("p", {})];
  let [data, rows] = [null, []];
  canvas.addEventListener("pointermove", (event) => {
    const { row, column } = cellUnder(event, data.n, data.m);
    if (row !== model.get("query")) store(model, { query: row });
    const pair = [model.get("query_words")[row], model.get("key_words")[column]];
    const [looks, at] = pair.map((one) => word(short(one, 12)));
    under.replaceChildren(looks, " looks at ", at, `: ${written(rows[row][column])}`);
  });
  const load = (unpacked) => {
    data = unpacked;
    node.replaceChildren(under, wordedMap(canvas, model.get("query_words"), model.get("key_words")));
  };
  const paint = () => drawHeatmap(canvas, rows, { numbers: true, picked: { row: model.get("query") } });
  const draw = (shown, { layer, head }) => {
    rows = shown;
    under.replaceChildren(element("strong", {}, `Layer ${layer}, head ${head}`));
    paint();
  };
  return { node, load, draw, paint };
}

function render({ model, el }) {
  const { body, tell } = frame(model, el, {
    title: "HeadGallery.",
    instruction:
      "Each square is one head. Click one, or go to it with Tab and the arrow keys. Then point at a word below.",
  });
  const [squares, large] = [headSquares(model), largeHead(model)];
  const words = element("div", { class: "look-below" });
  let [data, rows, text, key] = [null, [], null, null];
  const most = () => rows[model.get("query")].indexOf(Math.max(...rows[model.get("query")]));
  const found = search(model, () => data, () => [data.n, model.get("query"), key ?? most()]);
  const before = () => bestHeads(data, PATTERNS["the token before"](data.n)).filter((one) => one.weight > NEARLY_ALL);
  const tasks = goals([["a head in which nearly every token looks at the one before", ({ layer, head }) =>
    before().some((one) => one.layer === layer && one.head === head)]]);
  body.append(typedSentence(model), squares.node, large.node, words,
    element("div", { class: "look-below" }, found.node, tasks.node));

  function load() {
    data = unpack(model.get("weights"));
    if (model.get("key_words").length !== data.m) return; // the words come next
    squares.load(data);
    large.load(data);
    text = wordRows(model, model.get("query_words"), model.get("key_words"), (j) => [(key = j), found.ofPair()]);
    key = null;
    tasks.node.hidden = !before().length;
    words.replaceChildren(text.node);
    draw();
  }

  function draw() {
    const [layer, head, query] = ["layer", "head", "query"].map((name) => model.get(name));
    if (layer >= data.layers || head >= data.heads) return; // several traits change one after the other
    rows = data.head(layer, head);
    text.show(rows[query]);
    squares.draw();
    large.draw(rows, { layer, head });
    found.show();
    tasks.show({ layer, head });
    const [queries, keys] = [model.get("query_words"), model.get("key_words")];
    const brief = `Layer ${layer}, head ${head}: ${queries[query]} looks most at ${wordsAtMost(rows[query], keys)}`;
    tell(tellGallery(data, rows, { layer, head, query }, queries, keys), brief);
  }

  drawOn(model, ["weights", "key_words"], load); // two sentences may have the same weights
  drawOn(model, ["layer", "head", "query"], draw);
  return redrawOn(squares.canvas, () => {
    if (!rows.length) return;
    squares.repaint();
    large.paint();
  });
}

export default { render };
