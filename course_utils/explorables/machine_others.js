// The same changes in other sentences of the same build, for TheMachine: which they are, what their answers do, and
// the log of what was tried.
import { isChanged, same, stateOf, wordsOf } from "./machine_reading.js";
import { sum } from "./maths.js";
import { drawOn, element, store, svg, written } from "./elements.js";

const N_OTHERS = 100;
const TRIES = 8;
const LAST = 200; // entries of the log

// A whole number that looks as if drawn; machine_changes.py has the same.
export function mixed(i, place) {
  let h = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0;
  return (h ^ (h >>> 12)) >>> 0;
}

// Other sentences of the same build, each once: words give way to others of their kind; as in machine_changes.py.
export function builtAlike(words, kinds, n = N_OTHERS) {
  const has = (group) => group.some((one) => words.includes(one));
  const groups = kinds.filter((kind) => kind.some(has));
  const [found, whole] = [new Map(), words.join(" ")];
  for (let i = 0; i < TRIES * n && found.size < n; i += 1) {
    const changes = new Map();
    groups.forEach((kind, place) => {
      const rest = kind.filter((group) => !has(group));
      if (!rest.length) return;
      kind.filter(has).forEach((group, k) => {
        const other = rest[mixed(i, 8 * place + k) % rest.length];
        group.forEach((one, at) => changes.set(one, other[at]));
      });
    });
    const sentence = words.map((one) => changes.get(one) ?? one);
    if (sentence.join(" ") !== whole) found.set(sentence.join(" "), sentence);
  }
  return [...found.values()];
}

// What the model says of the other sentences: how many get the answer that this one gets uncut, how many answers turn.
function compared(before, after, { answers: [own] }, { threshold }) {
  const alike = before.filter((x) => (x >= threshold) === (own >= threshold)).length;
  const turned = before.filter((x, i) => (x >= threshold) !== (after[i] >= threshold)).length;
  const moved = sum(before.map((x, i) => Math.abs(after[i] - x))) / before.length;
  return { n: before.length, alike, turned, moved, before, after };
}

// Reads the others in parts of a few milliseconds, so that no key waits for them; or asks the kernel, where it computes.
// Returns { start(seen, then, atOnce) }: then gets the comparison, unless stop() or another start comes first.
export function readOthers(model, source, said) {
  let [round, uncut] = [0, { words: "", numbers: [] }];
  const stop = () => (round += 1);
  function start(seen, then, atOnce = false) {
    stop();
    const mine = round;
    if (!source) return fromKernel(seen, then);
    const words = wordsOf(seen.sentence);
    const all = said.kinds ? builtAlike(words, said.kinds) : [];
    if (uncut.words !== seen.sentence) uncut = { words: seen.sentence, numbers: [] };
    const after = [];
    const some = () => {
      if (mine !== round) return;
      for (const end = performance.now() + 12; after.length < all.length && (atOnce || performance.now() < end);) {
        const i = after.length;
        uncut.numbers[i] ??= source.read(all[i], {}).number;
        after.push(source.read(all[i], { hide: seen.hide, given: seen.given }).number);
      }
      if (after.length < all.length) return setTimeout(some);
      then(compared(uncut.numbers.slice(0, all.length), after, seen, said));
    };
    some();
  }
  function fromKernel(seen, then) {
    const told = model.get("_told");
    if (told.others && same(told.state, stateOf(model))) return then(compared(...told.others, seen, said));
    store(model, { _asked: { state: stateOf(model), count: (model.get("_asked").count ?? 0) + 1 } });
  }
  return { start, stop };
}

export function saysOthers(others, said) {
  if (!others.n) return said.arrays && !said.kinds.length ? [] : ["No other sentence built like this one is known."];
  return [`Of ${others.n} other sentences built like this one, ${others.alike} get the same answer uncut. ` +
    `The same changes turn ${others.turned} of their answers; ${said.asked} moves by ` +
    `${written(others.moved, 3)} on average.`];
}

const inBrief = ({ n, alike, turned }) => (n
  ? `In ${n} other sentences built like this one, the same changes turn ${turned} answers; ` +
    `uncut, ${alike} get the answer of this one.`
  : "No other sentence built like this one is known.");

// The others in a sentence, and each as two dots, uncut and cut, on a line from one answer to the other.
export function othersLine(said) {
  const dots = [0, 1].map((row) => svg("g", { class: row ? "look-second" : "look-first" }));
  const middle = svg("line", { stroke: "currentColor", "stroke-opacity": 0.5, x1: 117, x2: 117, y1: 0, y2: 40 });
  const strip = svg("svg", { viewBox: "0 0 200 40", "aria-hidden": "true" }, middle,
    svg("text", { x: 0, y: 14 }, "uncut"), svg("text", { x: 0, y: 34 }, "cut"), ...dots);
  const line = element("p", { class: "look-others-say" });
  const node = element("div", { class: "look-control" }, line, strip);
  const draw = (seen, others) => {
    line.textContent = !isChanged(seen) ? "Nothing is changed yet. Click a line to cut it, a word to hide it."
      : others ? inBrief(others) : "The other sentences are being read …";
    strip.classList.toggle("look-no-dots", !isChanged(seen) || !others?.n);
    if (!others?.n) return;
    const [low, high] = said.threshold ? [0, 1] : [-0.5, 0.5];
    const at = (x) => 44 + (146 * (Math.min(high, Math.max(low, x)) - low)) / (high - low);
    [others.before, others.after].forEach((all, row) => dots[row].replaceChildren(...all.map((x, i) =>
      svg("circle", { cx: at(x), cy: 7 + 20 * row + 1.5 * (i % 5), r: 2, "fill-opacity": 0.5, stroke: "none" }))));
  };
  return { node, draw, wait: (reason) => (line.textContent = reason) };
}

// What was tried: Python reads it as `log`, and the last entries stand below the picture.
export function notebook(model, said) {
  const list = element("ol", { class: "look-log" });
  const node = element("details", {}, element("summary", {}, "What you tried"), list);
  const add = (seen, others) => {
    const [uncut, answer] = seen.answers;
    const entry = { sentence: seen.sentence, hide: seen.hide, given: seen.given, uncut, answer,
      others: others.n, alike: others.alike, turned: others.turned, moved: others.n ? others.moved : 0 };
    const log = model.get("log");
    if (isChanged(seen) && !same(log.at(-1), entry)) store(model, { log: [...log, entry].slice(-LAST) });
  };
  const shown = (x) => (Array.isArray(x) ? `(${x.map((one) => written(one)).join(", ")})` : written(x, 3));
  const all = ([layer, head, query, key, weight]) => [layer === null ? "all layers" : `layer ${layer}`,
    head === null ? "all heads" : `head ${head}`, key === undefined ? "taken away"
      : query === null ? `token ${key} hidden` : `token ${key} → ${query} ${weight ?? "cut"}`].join(", ");
  drawOn(model, ["log"], () => list.replaceChildren(...model.get("log").slice(-8).map((one) => element("li", {},
    `${[...one.hide, ...one.given.map((at) => at.with(4, written(at[4])))].map(all).join("; ")}: ` +
    `${shown(one.uncut)} → ${shown(one.answer)}` +
    (one.others ? `; ${one.turned} of ${one.others} others turn` : "")))));
  return { node, add };
}
