// HeadGallery: the weights of all heads of all layers as small pictures; one of them large, word by word.
import { cellUnder, drawHeatmap, heatColour, heatColours, redrawOn, wordedMap } from "./heatmap.js";
import { floats } from "./maths.js";
import { arrowKey, drawOn, element, frame, place, short, store, word, wordChoice, written } from "./elements.js";

const TOLD = 5; // keys named for the query that is pointed at
const MUCH = 1.5; // times the even share: such words are bold
const SHADES = 256;

// { shape, float32: base64 } -> { layers, heads, n, m, head(layer, head) -> rows, largest }
export function unpack({ shape, float32 }) {
  const [layers, heads, n, m] = shape;
  const numbers = floats(float32);
  const row = (start) => Array.from(numbers.subarray(start, start + m));
  const head = (l, h) => Array.from({ length: n }, (_, i) => row(((l * heads + h) * n + i) * m));
  return { layers, heads, n, m, numbers, head, largest: numbers.reduce((a, b) => Math.max(a, b), 0) };
}

// All heads beside each other, one pixel for each weight; drawn once, and then copied.
function paintAll({ layers, heads, n, m, numbers, largest }, node) {
  const { stops } = heatColours(node);
  const shades = Array.from({ length: SHADES }, (_, i) => heatColour(i / (SHADES - 1), stops));
  const all = element("canvas", { width: heads * m, height: layers * n });
  const pixels = new ImageData(heads * m, layers * n);
  for (let k = 0; k < numbers.length; k += 1) {
    const [column, i, block] = [k % m, Math.floor(k / m) % n, Math.floor(k / (m * n))];
    const [x, y] = [(block % heads) * m + column, Math.floor(block / heads) * n + i];
    const colour = shades[Math.round((numbers[k] / largest) * (SHADES - 1))];
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
function wordRows(model, queries, keys) {
  const looks = wordChoice(model, "query", queries);
  looks.nodes.forEach((node, i) => node.addEventListener("pointerenter", () => store(model, { query: i })));
  const bars = keys.map(() => element("span", { class: "look-under" }));
  const numbers = keys.map(() => element("small", {}));
  const seen = keys.map((text, j) =>
    element("span", { class: "look-looked", title: text }, word(short(text, 9)), " ", numbers[j], bars[j]));
  const node = element("div", { class: "look-words" },
    element("p", {}, "Who looks? Point at a word."),
    element("div", { class: "look-flow", role: "radiogroup", "aria-label": "who looks" }, ...looks.nodes),
    element("p", {}, "Where does it look in this head?"), element("div", { class: "look-flow" }, ...seen));
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
  body.append(left, right, words);
  let [data, all, rows, text] = [null, null, [], null];
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
    text = wordRows(model, queries, keys);
    words.replaceChildren(text.node);
    caption.textContent = "In each square, rows look (queries) and columns are looked at (keys). " +
      `The strongest colour is ${written(data.largest)}.`;
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
    const most = keys[rows[query].indexOf(Math.max(...rows[query]))];
    const brief = `Layer ${layer}, head ${head}: ${queries[query]} looks most at ${most}`;
    tell(tellGallery(data, rows, chosen(), queries, keys), brief);
  }

  function paint() {
    if (!rows.length) return;
    all ??= paintAll(data, gallery);
    drawGallery(gallery, all, data, chosen());
    drawHeatmap(large, rows, { top: data.largest, numbers: true, picked: { row: chosen().query } });
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
