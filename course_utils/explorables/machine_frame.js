// What TheMachine always has, whatever it reads: its parts, its boxes, and the ways around and out of attention.
import { svg } from "./elements.js";

// The parts that a model has, in the order in which a sentence passes them.
export function partsOf(said) {
  const around = said.block_kind ? ["add", ...(said.block_kind === "norm" ? [] : ["think", "again"]), "out"] : [];
  return ["word", ...(said.block_kind ? ["X"] : []), "roles", "sheet", "asker", "mixed", ...around, "answer"];
}

// The boxes and arrows that are always there.
export function frameOf(geometry, said, seen, shows) {
  const { part, at, pitch, n, tall, scale, head } = geometry;
  const rect = (from, to, low, high, shift, attributes) => {
    const [[x1, y1], [x2, y2]] = [at(from, 0, low + shift), at(to, n - 1, high + shift)];
    return svg("rect", { x: x1, y: y1, width: x2 - x1, height: y2 - y1, rx: 6 * scale, ...attributes });
  };
  const half = pitch / 2 - 1;
  const behind = Math.min(3, said.n_heads);
  const sheets = Array.from({ length: behind }, (_, i) => {
    const [back, front] = [behind - 1 - i, i];
    return rect(part.sheet.from + 5 * back * scale, part.sheet.to - 5 * front * scale, -half, half, -4 * back * scale,
      { class: "look-sheet" });
  });
  const later = (step) => (shows(step) ? "" : "look-later");
  const bars = ["add", "again"].filter((name) => part[name]).map((name) =>
    rect(part[name].from, part[name].to, -half, half, 0, { class: `look-bar-box ${later("block")}` }));
  const cells = part.think ? seen.names.map((_, i) => {
    const [[x1, y1], [x2, y2]] = [at(part.think.from, i, -pitch * 0.38), at(part.think.to, i, pitch * 0.38)];
    const size = { x: x1, y: y1, width: x2 - x1, height: y2 - y1, rx: 4 };
    return svg("rect", { ...size, class: `look-bar-box ${later("block")}` });
  }) : [];
  const path = (points, kind) => svg("path", { class: `look-way ${kind}`,
    d: points.map(([along, row, aside = 0], i) => {
      const [x, y] = at(along, row, aside);
      return `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    }).join("") });
  const tip = ([along, row, aside], way) => {
    const [x, y] = at(along, row, aside);
    const [a, b] = tall === (way === "along") ? [0, 1] : [1, 0];
    return svg("path", { class: "look-tip", d: `M${x} ${y}l${-7 * a - 4 * b} ${-7 * b - 4 * a}l${8 * b} ${8 * a}z` });
  };
  const ways = [];
  const top = -half - (tall ? 0 : 7 * scale);
  if (part.add && !tall) {
    const middle = (part.add.from + part.add.to) / 2;
    const from = part.X.to - 6;
    ways.push(path([[from, 0, -half], [from, 0, top], [middle, 0, top], [middle, 0, -half]], later("block")));
    if (part.again) {
      const next = (part.again.from + part.again.to) / 2;
      ways.push(path([[middle + 8, 0, top], [next, 0, top], [next, 0, -half]], later("block")));
    }
  }
  const end = (part.out ?? part.mixed).to;
  const row = said.block_kind ? (said.causal ? n - 1 : 0) : seen.query;
  if (shows("answer")) {
    ways.push(path([[end + 3, row], [part.answer.from - 4, row]], ""), tip([part.answer.from - 2, row, 0], "along"));
  }
  if (said.n_layers > 1 && part.X && !tall && seen.layer < said.n_layers - 1) {
    const [from, to] = [part.out, part.X].map((one) => (one.from + one.to) / 2);
    const [last, low] = [n - 1, half + 12 * scale];
    ways.push(path([[from, last, half - 4], [from, last, low], [to, last, low], [to, last, half + 2]], later("block")));
  }
  return [...sheets, ...bars, ...cells, ...ways];
}
