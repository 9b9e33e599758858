// Loss, accuracy and look of one training, batch by batch, on a canvas with axes.
import { element } from "./elements.js";
import { redrawOn } from "./heatmap.js";

const LINES = [["loss", "--look-ink", [2, 3]], ["accuracy", "--look-blue", [8, 4]], ["look", "--look-orange", []]];

// The sums that a training noted -> [[x, y], ...] of one line, x from 0 to 1; what was not trained yet is left out.
export function pointsOf(curve, kind) {
  const n = curve.length / 4, points = [];
  for (let i = 0; i < n; i += 1) {
    const count = curve[3 * n + i];
    if (count) points.push([(i + 0.5) / n, curve[kind * n + i] / count]);
  }
  return points;
}

// Returns { node, show, stop }. show(curve, epochs, rewardedFrom)
export function trainingCurves() {
  const canvas = element("canvas", { role: "img", "aria-label": "loss, accuracy and look; As text holds the numbers" });
  let seen = null;
  const draw = () => seen && drawCurves(canvas, ...seen);
  const node = element("figure", { class: "look-chart" }, canvas);
  return { node, stop: redrawOn(canvas, draw), show: (...now) => {
    seen = now;
    draw();
  } };
}

// Where the name of each line stands, above the axes: its left end and its baseline. A name that would stick out on the
// right begins the next row.
export function placesOfNames(widths, letter, width) {
  let [at, line] = [0, letter];
  return widths.map((wide) => {
    if (at && at + 1.3 * letter + wide > width) [at, line] = [0, line + 1.3 * letter];
    const place = [at, line];
    at += 2.1 * letter + wide;
    return place;
  });
}

function drawCurves(canvas, curve, epochs, rewardedFrom) {
  const [ratio, style] = [devicePixelRatio, getComputedStyle(canvas)];
  const colour = (name) => style.getPropertyValue(name).trim();
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const size = [width, height].map((x) => Math.round(x * ratio));
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  const context = canvas.getContext("2d");
  const letter = parseFloat(style.fontSize);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `${letter}px ${style.fontFamily}`;
  const names = placesOfNames(LINES.map(([name]) => context.measureText(name).width), letter, width);
  const [left, right, bottom] = [2 * letter, width - 0.6 * letter, height - 1.5 * letter];
  const top = names.at(-1)[1] + 0.9 * letter;
  const x = (share) => left + share * (right - left);
  const y = (value) => bottom - Math.min(value, 1) * (bottom - top);
  drawAxes(context, { x, y, letter, epochs, ink: colour("--look-soft"), line: colour("--look-line") });
  if (rewardedFrom >= 0) drawReward(context, x(rewardedFrom / epochs), top, bottom, letter, colour("--look-soft"));
  LINES.forEach(([name, kind, dashes], i) => {
    context.strokeStyle = context.fillStyle = colour(kind);
    context.lineWidth = letter / 6;
    context.setLineDash(dashes);
    context.beginPath();
    pointsOf(curve, i).forEach((point) => context.lineTo(x(point[0]), y(point[1])));
    context.stroke();
    context.beginPath();
    const [at, line] = names[i];
    context.moveTo(at, line - 0.4 * letter);
    context.lineTo(at + letter, line - 0.4 * letter);
    context.stroke();
    context.textAlign = "left";
    context.fillText(name, at + 1.3 * letter, line);
  });
  context.setLineDash([]);
}

function drawAxes(context, { x, y, letter, epochs, ink, line }) {
  context.lineWidth = 1;
  context.setLineDash([]);
  for (const value of [0, 0.5, 1]) {
    context.strokeStyle = line;
    context.beginPath();
    context.moveTo(x(0), y(value));
    context.lineTo(x(1), y(value));
    context.stroke();
    context.fillStyle = ink;
    context.textAlign = "right";
    context.fillText(`${value}`, x(0) - 0.4 * letter, y(value) + 0.35 * letter);
  }
  context.textAlign = "left";
  context.fillText("0", x(0), y(0) + 1.3 * letter);
  context.textAlign = "center";
  context.fillText("epoch", x(0.5), y(0) + 1.3 * letter);
  context.textAlign = "right";
  context.fillText(`${epochs}`, x(1), y(0) + 1.3 * letter);
}

// A line where the reward begins to count.
function drawReward(context, at, top, bottom, letter, ink) {
  context.strokeStyle = context.fillStyle = ink;
  context.beginPath();
  context.moveTo(at, top);
  context.lineTo(at, bottom);
  context.stroke();
  context.textAlign = "left";
  context.fillText("reward", at + 0.3 * letter, (top + bottom) / 2);
}
