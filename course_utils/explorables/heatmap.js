// A heat map on a canvas: rows are queries, columns are keys. It draws 64 x 64 cells within a frame.
import { element, short, word } from "./elements.js";

// The three colours of the scale and the two of the numbers, as the theme sets them in explorables.css.
export function heatColours(node) {
  const style = getComputedStyle(node);
  const hex = (name) => style.getPropertyValue(name).trim();
  const stops = ["--look-heat-0", "--look-heat-1", "--look-heat-2"].map((name) => rgb(hex(name)));
  return { stops, dark: hex("--look-on-light"), light: hex("--look-on-dark") };
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// A share from 0 to 1 -> [red, green, blue], straight between the stops, as Matplotlib's scale in plots.py.
export function heatColour(share, stops) {
  const x = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(x), stops.length - 2);
  return stops[low].map((from, i) => Math.round(from + (x - low) * (stops[low + 1][i] - from)));
}

// Black and white stand out equally at a luminance of 0.18.
export function isLight(colour) {
  const [red, green, blue] = colour.map((channel) => (channel / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

const LEAST = 12; // pixels: smaller digits are not written

// How large the weights can be written into cells, in pixels, and whether as 0.25 or as .25; 0 where there is no room.
function sizeOfDigits(canvas, width, height, ratio) {
  const least = LEAST * ratio * (canvas.closest(".look-presenter") ? 2 : 1);
  const [whole, brief] = [2.6, 1.75].map((wide) => Math.min(width / wide, height / 1.4, Math.max(15 * ratio, least)));
  if (whole >= least) return [whole, false];
  return [brief >= least ? Math.max(least, Math.min(brief, width / 2.2)) : 0, true]; // room between one and the next
}

export const inShort = (weight) => weight.toFixed(2).replace(/^0/, "").replace("1.00", "1");

// Draw weights (n_queries, n_keys) over the whole canvas, white for 0 and the strongest colour for 1. numbers: write
// each weight into its cell, where there is room. picked: { row, column }, framed. The bitmap has the screen's pixels.
// The cells are painted once for an array of weights, and copied while only the frame moves: change no array in place.
export function drawHeatmap(canvas, weights, { numbers = false, picked = {} } = {}) {
  if (!canvas.clientWidth) return; // not on the page at this moment: redrawOn draws it when it is
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  const [cellWidth, cellHeight] = [width / weights[0].length, height / weights.length];
  const colours = heatColours(canvas);
  const digits = numbers ? sizeOfDigits(canvas, cellWidth, cellHeight, ratio) : [0];
  const now = [weights, width, height, JSON.stringify([colours, digits])];
  const [before, cells] = painted.get(canvas) ?? [[], element("canvas")];
  if (now.some((one, i) => one !== before[i])) {
    Object.assign(cells, { width, height }); // empty again
    paintCells(cells.getContext("2d"), weights, [cellWidth, cellHeight], colours, digits, ratio);
    painted.set(canvas, [now, cells]);
  }
  context.clearRect(0, 0, width, height);
  context.drawImage(cells, 0, 0);
  outline(context, picked, cellWidth, cellHeight, weights, ratio);
}

const painted = new WeakMap(); // canvas -> [what its cells were painted from, the cells]

function paintCells(context, weights, [cellWidth, cellHeight], { stops, dark, light }, [size, brief], ratio) {
  const gap = cellWidth > 8 * ratio ? ratio : 0;
  Object.assign(context, { textAlign: "center", textBaseline: "middle", font: `${size}px sans-serif` });
  weights.forEach((row, i) => row.forEach((weight, j) => {
    const colour = heatColour(weight, stops);
    context.fillStyle = `rgb(${colour})`;
    context.fillRect(j * cellWidth, i * cellHeight, cellWidth - gap, cellHeight - gap);
    if (!size) return;
    context.fillStyle = isLight(colour) ? dark : light;
    context.fillText(brief ? inShort(weight) : weight.toFixed(2), (j + 0.5) * cellWidth, (i + 0.5) * cellHeight);
  }));
}

function outline(context, { row, column }, cellWidth, cellHeight, weights, ratio) {
  context.strokeStyle = getComputedStyle(context.canvas).getPropertyValue("--look-orange");
  context.lineWidth = 3 * ratio;
  if (row != null) context.strokeRect(0, row * cellHeight, weights[0].length * cellWidth, cellHeight);
  if (column != null) context.strokeRect(column * cellWidth, 0, cellWidth, weights.length * cellHeight);
}

// A canvas between its words, queries left and keys above. More than 24 would be too small to read: they are left out.
export function wordedMap(canvas, queries, keys) {
  const strip = (side, words) => element("div", { class: `look-strip look-${side}`, "aria-hidden": "true" },
    ...(words.length > 24 ? [] : words.map((text) => element("div", { title: text }, word(short(text, 9))))));
  const style = `--words: ${Math.max(queries.length, keys.length)}`; // the more words, the smaller they are written
  return element("div", { class: "look-map", style }, strip("above", keys), strip("beside", queries), canvas);
}

// What the colours stand for.
export const legend = () => element("span", { class: "look-legend" }, "weight 0 ", element("i", {}), " 1");

// The cell { row, column } under the pointer.
export function cellUnder(event, rows, columns) {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  const cell = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
  return { row: cell((event.clientY - top) / height, rows), column: cell((event.clientX - left) / width, columns) };
}

// Call draw when the theme, the size or the zoom changes; drawings on a canvas do not follow these by themselves.
// Returns a function that stops it: give it back from render.
export function redrawOn(canvas, draw) {
  const theme = new MutationObserver(draw);
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
  const size = new ResizeObserver(draw);
  size.observe(canvas);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", draw);
  return () => [theme.disconnect(), size.disconnect(), system.removeEventListener("change", draw)];
}
