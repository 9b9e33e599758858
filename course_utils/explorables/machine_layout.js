// Where the parts of TheMachine stand: from left to right, or from top to bottom where there is little room, as in
// images/machine.py. Along the machine in pixels, across it in rows, one for each token. No drawing here.

const SHEET = 110; // pixels that the lines need at least
const SMALLEST = 0.9; // of the letters: where they would have to be smaller, it runs from top to bottom

// How much room each part takes along the machine at a letter of 15 px, wide and tall, and the gap before it.
const ROOM = {
  word: [86, 84, 0], X: [62, 46, 8], roles: [46, 40, 22], sheet: [0, 190, 12], asker: [86, 84, 16], mixed: [44, 36, 16],
  add: [40, 28, 12], think: [38, 30, 10], again: [40, 28, 10], out: [62, 46, 12], answer: [146, 68, 18],
};

// parts: the names of the parts that there are. most: of the room for one token across, in pixels.
// -> { tall, pitch, scale, width, height, at(along, row, aside), part: { name: { from, to } } }
export function layout(width, em, n, parts, most) {
  const needed = parts.reduce((sum, name) => sum + ROOM[name][0] + ROOM[name][2], SHEET + 6);
  const tall = width < SMALLEST * needed;
  const scale = tall ? em / 15 : Math.min(em / 15, width / needed);
  const head = (tall ? 6 : 29) * scale;
  const gapOf = (name) => (tall ? 22 : ROOM[name][2]) * scale;
  const lengths = Object.fromEntries(parts.map((name) => [name, ROOM[name][tall ? 1 : 0] * scale]));
  const whole = parts.reduce((sum, name) => sum + lengths[name] + gapOf(name), 0);
  if (!tall) lengths.sheet = Math.min(420 * scale, width - whole - 4);
  const part = {};
  let along = tall ? 0 : 1;
  for (const name of parts) {
    along += gapOf(name);
    part[name] = { from: along, to: along + lengths[name] };
    along += lengths[name];
  }
  const pitch = tall ? (width - 2) / n : Math.min(most, Math.max(15, 288 / n)) * scale;
  const across = (row, aside = 0) => (tall ? 1 : head) + pitch * (row + 0.5) + aside;
  const at = (place, row, aside) => (tall ? [across(row, aside), place] : [place, across(row, aside)]);
  const below = parts.includes("X") ? 16 : 10; // for the way to the next layer, and its words
  const height = tall ? along + 4 : head + Math.max(pitch * n + below * scale, 96 * scale);
  return { tall, pitch, scale, n, part, at, width, head, height };
}

// The style of a box over one row, from one place along the machine to another.
export function boxAt({ at, tall, pitch }, { from, to }, row, most = 26) {
  const thick = Math.min(pitch - 1, most);
  const [left, top] = at(from, row, -thick / 2);
  const [width, height] = tall ? [thick, to - from] : [to - from, thick];
  const sides = Object.entries({ left, top, width, height });
  return sides.map(([side, x]) => `${side}: ${x.toFixed(1)}px`).join("; ");
}
