// VectorPad: two arrows to drag, and what their dot product makes of them.
import { dot, norm } from "./maths.js";
import {
  arrowKey, button, checkbox, draggable, drawOn, element, frame, goals, place, short, store, svg, table, word, written,
} from "./elements.js";

const HALF = 200; // the drawing is 400 units wide and high, the origin in its middle
const ROOM = 178; // from the origin to the edge of the plane; the rest is room for names
const SMALLEST = 1e-6; // length for which the plane is made smaller; the page writes two digits
const STICKY = 5; // degrees within which a dragged arrow snaps
const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);

// All that is shown about two vectors. Of a vector of length 0 there is no angle.
export function compare(a, b) {
  const [product, lengthA, lengthB] = [dot(a, b), norm(a), norm(b)];
  const cosine = lengthA && lengthB ? Math.min(1, Math.max(-1, product / (lengthA * lengthB))) : null;
  const degrees = cosine == null ? null : (Math.acos(cosine) * 180) / Math.PI;
  const projection = lengthA ? product / lengthA : 0; // of b on a, with its sign
  return { product, lengthA, lengthB, cosine, degrees, projection, sign: inWords(written(product)) };
}

const TASKS = [
  ["a dot product of 0", ({ product, cosine }) => cosine !== null && Math.abs(product) < 0.005],
  ["a cosine of −1", ({ cosine }) => cosine !== null && cosine < -0.995],
];

// What the number that is shown says; -0.001 is shown as 0.00.
function inWords(shown) {
  if (shown.startsWith("−")) return "they disagree";
  return Number(shown) ? "they agree" : "nothing in common";
}

// The vector that stands at `degrees` (0, 90 or 180) to `fixed`, as long as `moved`, on the side where `moved` is.
export function turned(moved, fixed, degrees) {
  const length = norm(fixed);
  if (!length) return moved;
  const [x, y] = fixed.map((number) => (number / length) * norm(moved));
  const side = fixed[0] * moved[1] - fixed[1] * moved[0] < 0 ? -1 : 1;
  return { 0: [x, y], 90: [-side * y, side * x], 180: [-x, -y] }[degrees];
}

// How far the plane reaches and how far apart its lines are: 1, 2 or 5 times a power of ten, 4 to 8 of them to an edge.
export function plane(vectors) {
  const longest = 1.15 * Math.max(...vectors.map(norm));
  const far = longest > SMALLEST ? longest : 5;
  const power = 10 ** Math.floor(Math.log10(far / 4));
  const step = power * [1, 2, 5, 10].find((times) => far / (power * times) <= 8);
  return { step, reach: step * Math.ceil(far / step) };
}

const pair = (v) => `(${written(v[0])}, ${written(v[1])})`;
const factor = (x) => (written(x).startsWith("−") ? `(${written(x)})` : written(x));
const sums = (a, b) => `${written(a[0])} · ${factor(b[0])} + ${written(a[1])} · ${factor(b[1])}`;
const orNone = (x, digits, unit = "") => (x == null ? "none" : written(x, digits) + unit);

// The whole picture in words; vector_pad.py writes the same.
export function asText(a, b, [nameA, nameB]) {
  const seen = compare(a, b);
  return [
    `${nameA} = ${pair(a)}, length ${written(seen.lengthA)}`,
    `${nameB} = ${pair(b)}, length ${written(seen.lengthB)}`,
    `${nameA} · ${nameB} = ${sums(a, b)} = ${written(seen.product)}: ${seen.sign}`,
    `angle ${orNone(seen.degrees, 1, "°")}, cosine ${orNone(seen.cosine, 2)}, ` +
      `projection of ${nameB} on ${nameA} ${written(seen.projection)}`,
  ].join("\n");
}

function fillReadout(readout, a, b, [nameA, nameB]) {
  const seen = compare(a, b);
  const product = [word(nameA, { class: "look-first" }), " · ", word(nameB, { class: "look-second" })];
  readout.replaceChildren(
    element("p", { class: "look-big" }, ...product, ` = ${written(seen.product)}`),
    element("p", {}, element("strong", {}, seen.sign)),
    element("p", {}, `${sums(a, b)} = ${written(seen.product)}`),
    table([
      [[word(nameA)], pair(a)],
      [[word(nameB)], pair(b)],
      [["length of ", word(nameA)], written(seen.lengthA)],
      [["length of ", word(nameB)], written(seen.lengthB)],
      [["angle"], orNone(seen.degrees, 1, "°")],
      [["cosine"], orNone(seen.cosine, 2)],
      [[element("span", { class: "look-key" }), " projection of ", word(nameB), " on ", word(nameA)],
        written(seen.projection)],
    ]),
  );
}

function drawGrid(grid, { step, reach }) {
  const lines = [];
  for (let k = -Math.round(reach / step); k <= Math.round(reach / step); k += 1) {
    const at = (k * step * ROOM) / reach;
    const half = Math.sqrt(Math.max(0, ROOM * ROOM - at * at));
    const kind = k === 0 ? "look-axis" : "look-grid";
    lines.push(
      svg("line", { class: kind, x1: HALF + at, x2: HALF + at, y1: HALF - half, y2: HALF + half }),
      svg("line", { class: kind, y1: HALF - at, y2: HALF - at, x1: HALF - half, x2: HALF + half }),
    );
  }
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ends = [-1, 1].map((side) =>
    svg("text", { class: "look-tick", x: HALF + side * ROOM, y: HALF + 18 }, written(side * reach, digits)));
  grid.replaceChildren(svg("circle", { class: "look-grid", cx: HALF, cy: HALF, r: ROOM }), ...lines, ...ends);
}

// The shaft and head of an arrow to (x, y), its name above or below the tip, and the tip that can be moved.
function drawArrow({ shaft, name, tip }, vector, [x, y], below) {
  const length = distance([x, y], [HALF, HALF]);
  const [ux, uy] = length ? [(x - HALF) / length, (y - HALF) / length] : [1, 0];
  const head = Math.min(20, length);
  const [hx, hy] = [x - ux * head, y - uy * head];
  const corners = `${x} ${y}L${hx - uy * 7} ${hy + ux * 7}L${hx + uy * 7} ${hy - ux * 7}Z`;
  place(shaft, { d: `M${HALF} ${HALF}L${hx} ${hy}M${corners}` });
  const anchor = x > 330 ? "end" : x < 70 ? "start" : "middle"; // never across the edge of the drawing
  const shift = { end: 14, start: -14, middle: 0 }[anchor];
  place(name, { x: x + shift, y: y + (below ? 26 : -24), "text-anchor": anchor });
  place(tip, { cx: x, cy: y, "aria-valuenow": norm(vector).toFixed(2), "aria-valuetext": pair(vector) });
}

function makeArrow(name, colour, onkeydown) {
  const tip = svg("circle", {
    r: 11, class: `look-handle ${colour}`, "fill-opacity": 0.35, "stroke-width": 2.5, tabindex: 0, onkeydown,
    role: "slider", "aria-roledescription": "tip of an arrow, for the four arrow keys", "aria-label": name,
  });
  const label = svg("text", { class: `look-name ${colour}`, "dominant-baseline": "middle" }, short(name));
  return { tip, name: label, shaft: svg("path", { class: `look-arrow ${colour}` }) };
}

function render({ model, el }) {
  const names = model.get("names");
  const { body, controls, tell } = frame(model, el, {
    title: "VectorPad.",
    instruction:
      "Drag the two round tips, or go to a tip with Tab and press the arrow keys. When is the dot product 0?",
  });
  const state = () => ({ a: model.get("a"), b: model.get("b") });
  let view = plane(Object.values(state()));
  const drawing = svg("svg", { viewBox: "0 0 400 400", role: "group", "aria-label": "two arrows from the origin" });
  const [grid, shadow, fall] = [svg("g"), svg("line", { class: "look-shadow" }), svg("line", { class: "look-fall" })];
  const arrows = {
    a: makeArrow(names[0], "look-first", (event) => step("a", arrowKey(event))),
    b: makeArrow(names[1], "look-second", (event) => step("b", arrowKey(event))),
  };
  const parts = ["shaft", "name", "tip"].flatMap((part) => [arrows.a[part], arrows.b[part]]);
  drawing.append(grid, shadow, fall, ...parts);
  const readout = element("div", {});
  const tasks = goals(TASKS);
  body.append(element("div", { class: "look-pad" }, drawing),
    element("div", { class: "look-readout" }, readout, tasks.node));
  const turns = [0, 90, 180].map((degrees) =>
    button(`${degrees}°`, () => store(model, { b: turned(state().b, state().a, degrees) })));
  controls.append(
    element("div", { class: "look-label" }, "Turn ", word(names[1]), " to ", ...turns),
    checkbox(model, "snap", "snap to 0°, 90° and 180° while dragging"),
  );

  // Round to a tenth of the distance between two lines, so that the numbers can be checked by hand; stay in the plane.
  function move(which, vector) {
    const tenth = view.step / 10;
    const rounded = inside(vector).map((x) => Number((Math.round(x / tenth) * tenth).toPrecision(12)));
    store(model, { [which]: rounded });
  }

  function inside(vector) {
    return vector.map((x) => x * Math.min(1, view.reach / (norm(vector) || 1)));
  }

  function step(which, way) {
    if (way) move(which, state()[which].map((x, i) => x + (way[i] * view.step) / 10));
  }

  function drag(which, vector) {
    const fixed = state()[which === "a" ? "b" : "a"];
    const { degrees } = compare(vector, fixed);
    const near = [0, 90, 180].find((right) => degrees != null && Math.abs(degrees - right) < STICKY);
    if (near == null || !model.get("snap")) move(which, vector);
    else store(model, { [which]: turned(inside(vector), fixed, near) });
  }

  for (const [which, { tip }] of Object.entries(arrows))
    draggable(tip, drawing, (x, y) =>
      drag(which, [((x - HALF) / ROOM) * view.reach, ((HALF - y) / ROOM) * view.reach]));

  const toScreen = ([x, y]) => [HALF + (x / view.reach) * ROOM, HALF - (y / view.reach) * ROOM];

  function draw() {
    const { a, b } = state();
    if (Math.max(norm(a), norm(b)) > view.reach + view.step / 10) view = plane([a, b]); // Python may set any vector
    drawGrid(grid, view);
    const [tipA, tipB] = [toScreen(a), toScreen(b)];
    const meet = distance(tipA, tipB) < 40; // then one name goes above and one below
    drawArrow(arrows.a, a, tipA, tipA[1] > HALF);
    drawArrow(arrows.b, b, tipB, meet ? tipA[1] <= HALF : tipB[1] > HALF);
    const { projection, lengthA, product, sign } = compare(a, b);
    const foot = toScreen(lengthA ? a.map((x) => (x / lengthA) * projection) : [0, 0]);
    place(shadow, { x1: HALF, y1: HALF, x2: foot[0], y2: foot[1] });
    place(fall, { x1: tipB[0], y1: tipB[1], x2: foot[0], y2: foot[1] });
    fillReadout(readout, a, b, names);
    tasks.show(compare(a, b));
    tell(asText(a, b, names), `${names.join(" · ")} = ${written(product)}, ${sign}`);
  }

  drawOn(model, ["a", "b"], draw);
}

export default { render };
