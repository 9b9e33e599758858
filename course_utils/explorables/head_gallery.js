// HeadGallery: the weights of all heads of all layers as small pictures; one of them large, word by word.
import { cellUnder, drawHeatmap, heatColour, heatColours, legend, redrawOn, wordedMap } from "./heatmap.js";
import { floats } from "./maths.js";
import {
  arrowKey, button, drawOn, element, frame, goals, place, short, store, word, wordChoice, written,
} from "./elements.js";
import { PATTERNS, bestHeads } from "./head_search.js";

const TOLD = 5; // keys named for the query that is pointed at
const MUCH = 1.5; // times the even share: such words are bold
const SHADES = 256;
const MOST_SIGNS = 200; // of a typed sentence
const PATIENCE = 5000; // milliseconds for the kernel
const ASLEEP = "The kernel reads a sentence, and no kernel answers. Run the cell to start it.";

// { shape, float32: base64 } -> { layers, heads, n, m, numbers, head(layer, head) -> rows }
export function unpack({ shape, float32 }) {
  const [layers, heads, n, m] = shape;
  const numbers = floats(float32);
  const row = (start) => Array.from(numbers.subarray(start, start + m));
  const head = (l, h) => Array.from({ length: n }, (_, i) => row(((l * heads + h) * n + i) * m));
  return { layers, heads, n, m, numbers, head };
}

// All heads beside each other, one pixel for each weight; drawn once, and then copied.
function paintAll({ layers, heads, n, m, numbers }, node) {
  const { stops } = heatColours(node);
  const shades = Array.from({ length: SHADES }, (_, i) => heatColour(i / (SHADES - 1), stops));
  const all = element("canvas", { width: heads * m, height: layers * n });
  const pixels = new ImageData(heads * m, layers * n);
  for (let k = 0; k < numbers.length; k += 1) {
    const [column, i, block] = [k % m, Math.floor(k / m) % n, Math.floor(k / (m * n))];
    const [x, y] = [(block % heads) * m + column, Math.floor(block / heads) * n + i];
    const colour = shades[Math.round(Math.min(1, Math.max(0, numbers[k])) * (SHADES - 1))];
    pixels.data.set(colour, 4 * (y * heads * m + x));
    pixels.data[4 * (y * heads * m + x) + 3] = 255;
  }
  all.getContext("2d").putImageData(pixels, 0, 0);
  return all;
}

// The gallery: each head a square, the chosen one framed.
function drawGallery(canvas, all, { layers, heads, n, m }, { layer, head }) {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  const [side, tall, gap] = [width / heads, height / layers, 3 * ratio];
  context.clearRect(0, 0, width, height);
  context.imageSmoothingEnabled = m > side; // small ones keep their sharp cells
  const style = getComputedStyle(canvas);
  for (let l = 0; l < layers; l += 1) {
    for (let h = 0; h < heads; h += 1) {
      const box = [h * side + gap, l * tall + gap, side - 2 * gap, tall - 2 * gap];
      const chosen = l === layer && h === head;
      context.drawImage(all, h * m, l * n, m, n, ...box);
      context.strokeStyle = style.getPropertyValue(chosen ? "--look-orange" : "--look-line");
      context.lineWidth = (chosen ? 4 : 1) * ratio;
      context.strokeRect(...box);
    }
  }
}

// The whole picture in words; head_gallery.py writes the same.
function tellGallery(data, rows, { layer, head, query }, queries, keys) {
  const row = rows[query];
  const first = row.map((_, j) => j).sort((a, b) => row[b] - row[a]).slice(0, TOLD);
  return [
    `Layer ${layer}, head ${head}, of ${data.layers} · ${data.heads} heads, counted from 0.`,
    `${queries[query]} looks at: ${first.map((j) => `${keys[j]} ${written(row[j])}`).join(", ")}`,
    ...rows.map((one, i) => `${queries[i]}: most at ${keys[one.indexOf(Math.max(...one))]}`),
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
    timer = setTimeout(() => (problem.textContent = ASLEEP), PATIENCE);
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

// The heads that have most of a pattern, as buttons. pair(): the query and the key that are chosen.
function search(model, data, pair) {
  const found = element("span", { class: "look-buttons" });
  const options = Object.keys(PATTERNS).map((name) => element("option", {}, name));
  const acts = { "aria-label": "pattern to search for", onchange: () => show() };
  const select = element("select", { class: "look-button", ...acts }, ...options);
  const show = () => found.replaceChildren(...bestHeads(data(), PATTERNS[select.value](...pair())).map((one) =>
    button(`layer ${one.layer}, head ${one.head}: ${written(one.weight)}`, () => store(model, one.place))));
  return { node: element("p", { class: "look-label" }, "Which heads have most of ", select, found), show };
}

function render({ model, el }) {
  const { body, tell } = frame(model, el, {
    title: "HeadGallery.",
    instruction:
      "Each square is one head. Click one, or go to it with Tab and the arrow keys. Then point at a word below.",
  });
  const gallery = element("canvas", {
    tabindex: 0, role: "slider", "aria-label": "head",
    "aria-roledescription": "gallery of heads, for the four arrow keys",
    onkeydown: (event) => step(arrowKey(event)),
  });
  const large = element("canvas", { role: "img", "aria-label": "weights of the head; As text holds them in words" });
  const [left, right] = [element("div", { class: "look-gallery" }), element("div", { class: "look-side" })];
  const [caption, under] = [element("p", {}), element("p", {})];
  const words = element("div", { class: "look-below" });
  let [data, all, rows, text, key] = [null, null, [], null, null];
  const most = () => rows[model.get("query")].indexOf(Math.max(...rows[model.get("query")]));
  const found = search(model, () => data, () => [data.n, model.get("query"), key ?? most()]);
  const tasks = goals([["a head in which nearly every token looks at the one before", ({ layer, head }) =>
    bestHeads(data, PATTERNS["the token before"](data.n)).some((one) =>
      one.layer === layer && one.head === head && one.weight > 0.8)]]);
  const below = element("div", { class: "look-below" }, found.node, tasks.node);
  body.append(typedSentence(model), left, right, words, below);
  const chosen = () => ({ layer: model.get("layer"), head: model.get("head"), query: model.get("query") });
  const numbered = (count, name = "") => Array.from({ length: count }, (_, i) => (i ? `${i}` : `${name}0`));

  function choose(layer, head) {
    const within = (x, count) => Math.min(count - 1, Math.max(0, x));
    store(model, { layer: within(layer, data.layers), head: within(head, data.heads) });
  }

  function step(way) {
    if (way) choose(chosen().layer - Math.sign(way[1]), chosen().head + Math.sign(way[0]));
  }

  function load() {
    data = unpack(model.get("weights"));
    all = null;
    const [queries, keys] = [model.get("query_words"), model.get("key_words")];
    gallery.style.aspectRatio = `${data.heads} / ${data.layers}`;
    left.style.maxWidth = `${Math.max(16, 4 + 7 * data.heads)}em`;
    left.replaceChildren(wordedMap(gallery, numbered(data.layers, "layer "), numbered(data.heads)), caption);
    right.replaceChildren(under, wordedMap(large, queries, keys));
    text = wordRows(model, queries, keys, (j) => [(key = j), found.show()]);
    key = null;
    const findable = bestHeads(data, PATTERNS["the token before"](data.n))[0]?.weight > 0.8;
    tasks.node.hidden = !findable;
    words.replaceChildren(text.node);
    caption.replaceChildren("In each square, rows look (queries) and columns are looked at (keys). ", legend());
    draw();
  }

  function draw() {
    const { layer, head, query } = chosen();
    if (layer >= data.layers || head >= data.heads) return; // several traits change one after the other
    rows = data.head(layer, head);
    const [queries, keys] = [model.get("query_words"), model.get("key_words")];
    text.show(rows[query]);
    under.replaceChildren(element("strong", {}, `Layer ${layer}, head ${head}`));
    place(gallery, { "aria-valuenow": layer * data.heads + head, "aria-valuetext": `layer ${layer}, head ${head}` });
    paint();
    found.show();
    tasks.show({ layer, head });
    const brief = `Layer ${layer}, head ${head}: ${queries[query]} looks most at ${keys[most()]}`;
    tell(tellGallery(data, rows, chosen(), queries, keys), brief);
  }

  function paint() {
    if (!rows.length) return;
    all ??= paintAll(data, gallery);
    drawGallery(gallery, all, data, chosen());
    drawHeatmap(large, rows, { numbers: true, picked: { row: chosen().query } });
  }

  function repaint() {
    all = null; // the theme may have changed
    paint();
  }

  gallery.addEventListener("pointerdown", (event) => {
    const { row, column } = cellUnder(event, data.layers, data.heads);
    choose(row, column);
  });
  large.addEventListener("pointermove", (event) => {
    const { row, column } = cellUnder(event, data.n, data.m);
    if (row !== chosen().query) store(model, { query: row });
    const pair = [model.get("query_words")[row], model.get("key_words")[column]];
    const [looks, at] = pair.map((one) => word(short(one, 12)));
    under.replaceChildren(looks, " looks at ", at, `: ${written(rows[row][column])}`);
  });
  drawOn(model, ["weights"], load);
  drawOn(model, ["layer", "head", "query"], draw);
  return redrawOn(gallery, repaint);
}

export default { render };
