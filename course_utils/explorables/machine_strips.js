// What TheMachine paints: each vector as a row of colour, and the lines of the words that are not in focus; and each
// head in small. A canvas, since there are more than a thousand cells.

// The colours of the theme, as explorables.css has them.
export function coloursOf(node) {
  const style = getComputedStyle(node);
  const names = { Q: "blue", K: "orange", V: "green", less: "purple", X: "soft", line: "line", ink: "ink" };
  return Object.fromEntries(Object.entries(names).map(([name, tone]) =>
    [name, style.getPropertyValue(`--look-${tone}`).trim()]));
}

export function sized(canvas, width, height) {
  const ratio = devicePixelRatio;
  const [wide, high] = [width, height].map((x) => Math.round(x * ratio));
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// rows (n, d) as n strips, the stronger the larger a number is, beside each other's; numbers below 0 in purple.
function strips(context, place, { from, to }, rows, colour, less, aside, thick) {
  const sizes = rows.flat().map(Math.abs);
  const mean = sizes.reduce((sum, x) => sum + x, 0) / sizes.length;
  const most = Math.max(1e-9, Math.min(Math.max(...sizes), 4 * mean)); // one huge number would pale all others
  const cell = (to - from) / rows[0].length;
  const gap = cell > 5 ? 1 : 0;
  rows.forEach((row, i) => row.forEach((x, k) => {
    const [left, top] = place.at(from + k * cell, i, aside - thick / 2);
    context.globalAlpha = 0.1 + 0.9 * Math.min(1, Math.abs(x) / most);
    context.fillStyle = x < 0 ? less : colour;
    if (place.tall) context.fillRect(left, top, thick, cell - gap);
    else context.fillRect(left, top, cell - gap, thick);
  }));
  context.globalAlpha = 1;
}

// The lines of all queries but one, faint, from key to query.
function faintLines(context, place, keys, queries, weights, focus, colour) {
  context.strokeStyle = colour;
  weights.forEach((row, query) => query !== focus && row.forEach((weight, key) => {
    if (weight < 0.02) return;
    context.lineWidth = 0.5 + 3.5 * weight;
    context.beginPath();
    context.moveTo(...place.at(keys, key));
    context.lineTo(...place.at(queries, query));
    context.stroke();
  }));
}

// All that is painted, as far as the machine has run: shows(step) tells.
export function paintStrips(canvas, place, seen, colours, shows, ends) {
  const context = sized(canvas, place.width, place.height);
  const { at } = seen;
  const thick = Math.min(18 * place.scale, place.pitch * 0.62);
  const { X, roles, mixed, out } = place.part;
  if (X) strips(context, place, X, at.X, colours.X, colours.less, 0, thick);
  const third = Math.min(7.5 * place.scale, place.pitch * 0.27);
  ["Q", "K", "V"].forEach((name, i) =>
    strips(context, place, roles, at[name], colours[name], colours.less, (i - 1) * (third + 0.6), third));
  if (shows("mix")) {
    faintLines(context, place, ...ends, seen.weights[1][seen.layer][seen.head], seen.query, colours.line);
    strips(context, place, mixed, at.mixed, colours.V, colours.less, 0, thick);
  }
  if (out && shows("block")) strips(context, place, out, at.out, colours.X, colours.less, 0, thick);
}

// A head in small: its lines, from the keys on one side to the queries on the other.
export function paintHead(canvas, weights, colours) {
  const [width, height] = [canvas.clientWidth || 34, canvas.clientHeight || 26];
  const context = sized(canvas, width, height);
  const y = (i) => 2 + ((height - 4) * (i + 0.5)) / weights.length;
  context.strokeStyle = colours.Q;
  weights.forEach((row, query) => row.forEach((weight, key) => {
    if (weight < 0.1) return;
    context.globalAlpha = weight;
    context.lineWidth = 0.5 + 1.5 * weight;
    context.beginPath();
    context.moveTo(2, y(key));
    context.lineTo(width - 2, y(query));
    context.stroke();
  }));
}
