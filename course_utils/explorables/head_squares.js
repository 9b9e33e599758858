// The squares of HeadGallery: all heads of all layers, small, one of them chosen.
import { cellUnder, heatColour, heatColours, legend, wordedMap } from "./heatmap.js";
import { arrowKey, element, place, store } from "./elements.js";

const SHADES = 256;

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

// To click, or to walk through with the arrow keys.
export function headSquares(model) {
  const canvas = element("canvas", {
    tabindex: 0, role: "slider", "aria-label": "head",
    "aria-roledescription": "gallery of heads, for the four arrow keys",
    onkeydown: (event) => step(arrowKey(event)),
  });
  const [node, caption] = [element("div", { class: "look-gallery" }), element("p", {})];
  let [data, all] = [null, null];
  const chosen = () => ({ layer: model.get("layer"), head: model.get("head") });
  const numbered = (count, name = "") => Array.from({ length: count }, (_, i) => (i ? `${i}` : `${name}0`));
  const choose = (layer, head) => {
    const within = (x, count) => Math.min(count - 1, Math.max(0, x));
    store(model, { layer: within(layer, data.layers), head: within(head, data.heads) });
  };
  const step = (way) => {
    if (way) choose(chosen().layer - Math.sign(way[1]), chosen().head + Math.sign(way[0]));
  };
  canvas.addEventListener("pointerdown", (event) => {
    const { row, column } = cellUnder(event, data.layers, data.heads);
    choose(row, column);
  });
  const load = (unpacked) => {
    [data, all] = [unpacked, null];
    canvas.style.aspectRatio = `${data.heads} / ${data.layers}`;
    node.style.maxWidth = `${Math.max(16, 4 + 7 * data.heads)}em`;
    node.replaceChildren(wordedMap(canvas, numbered(data.layers, "layer "), numbered(data.heads)), caption);
    caption.replaceChildren("In each square, rows look (queries) and columns are looked at (keys). ", legend());
  };
  const draw = () => {
    const { layer, head } = chosen();
    place(canvas, { "aria-valuenow": layer * data.heads + head, "aria-valuetext": `layer ${layer}, head ${head}` });
    all ??= paintAll(data, canvas);
    drawGallery(canvas, all, data, chosen());
  };
  const repaint = () => {
    all = null; // the theme may have changed
    draw();
  };
  return { node, canvas, load, draw, repaint };
}
