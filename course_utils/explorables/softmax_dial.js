// SoftmaxDial: scores to drag, a temperature and d_k to turn, and the weights that come out.
import { entropy, gradientSize, softmax } from "./maths.js";
import { checkbox, drawOn, element, frame, goals, slider, store, table, word, written } from "./elements.js";

const STATE = ["scores", "temperature", "d_k", "scaled"];
const STEP = 0.1;

// How many times its score a key brings to the softmax. A score is in units of a typical dot product of random vectors,
// which is sqrt(d_k) in size; dividing by sqrt(d_k) takes that out again.
export function factorOf({ temperature, d_k, scaled }) {
  return (scaled ? 1 : Math.sqrt(d_k)) / temperature;
}

// All that is shown: what enters the softmax (n_keys), weights (n_keys), entropy in bits, size of the gradient.
export function dial(state) {
  const inputs = state.scores.map((score) => score * factorOf(state));
  const weights = softmax(inputs);
  return { inputs, weights, bits: entropy(weights), most: Math.log2(weights.length), gradient: gradientSize(weights) };
}

export function inWords({ weights, bits, most }) {
  if (weights.length === 1) return "A single key gets all the weight.";
  if (Math.max(...weights) > 0.95)
    return "One key takes nearly all the weight, and a small change of the scores changes hardly anything.";
  if (bits > 0.95 * most) return "All keys share nearly evenly: no key is chosen.";
  return "The keys share, and can still change places.";
}

const TASKS = [
  ["one key takes nearly all", ({ weights }) => weights.length > 1 && Math.max(...weights) > 0.95],
  ["all keys share evenly", ({ weights, bits, most }) => weights.length > 1 && bits > 0.95 * most],
];

const dividing = (state) => (state.scaled ? "divided by √d_k" : "not divided by √d_k");

// The whole picture in words; softmax_dial.py writes the same.
export function asText(words, state, withSize) {
  const seen = dial(state);
  const size = withSize ? `, d_k ${state.d_k}, ${dividing(state)}` : "";
  const rows = words.map((text, j) =>
    `${text}: score ${written(state.scores[j])}, into softmax ${written(seen.inputs[j])}, ` +
    `weight ${written(seen.weights[j])}`);
  const last = `entropy ${written(seen.bits)} of ${written(seen.most)} bits, ` +
    `size of the gradient ${written(seen.gradient, 3)}`;
  return [`temperature ${written(state.temperature)}${size}`, ...rows, last, inWords(seen)].join("\n");
}

// One key: its word, the score as a bar to drag from the middle, what enters the softmax, and the weight as a bar.
function makeRow(text, reach, onscore) {
  const score = element("input", {
    type: "range", min: -reach, max: reach, step: "any", "aria-label": `score of ${text}`, class: "look-score",
    oninput: () => onscore(Number(score.value)), onkeydown: (event) => stepped(event, score, onscore),
  });
  const [given, enters, weight] = [element("td"), element("td"), element("td")];
  const bar = element("div", { class: "look-bar" });
  const name = element("th", { scope: "row", title: text }, word(text));
  const drag = element("td", { class: "look-drag" }, score);
  return { row: element("tr", {}, name, drag, given, enters, element("td", { class: "look-share" }, bar), weight),
    score, given, enters, bar, weight };
}

// The slider's own keys would move it by a hundredth of its way; here they move it to the next tenth.
function stepped(event, score, onscore) {
  const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  onscore(Number(score.value) + way * STEP * (event.shiftKey ? 10 : 1));
}

function fillRow({ score, given, enters, bar, weight }, shown, seen, j, reach) {
  const value = shown.scores[j];
  score.value = value;
  score.setAttribute("aria-valuetext", written(value));
  const edge = 50 + (50 * Math.max(-1, Math.min(1, value / reach)));
  score.style.setProperty("--from", `${Math.min(50, edge)}%`);
  score.style.setProperty("--to", `${Math.max(50, edge)}%`);
  given.textContent = written(value);
  enters.textContent = written(seen.inputs[j]);
  bar.style.width = `${100 * seen.weights[j]}%`;
  weight.textContent = written(seen.weights[j]);
}

function render({ model, el }) {
  const words = model.get("words");
  const withSize = model.get("_initial").d_k > 1;
  const { body, controls, tell } = frame(model, el, {
    title: "SoftmaxDial.",
    instruction: withSize
      ? "Drag the scores. Then make d_k larger, with and without the division by √d_k: when does one key take all?"
      : "Drag the scores. Then turn the temperature down and up: when does one key take all, and when do all share?",
  });
  const state = () => Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
  const reach = Math.max(4, Math.ceil(1.2 * Math.max(...model.get("_initial").scores.map(Math.abs))));
  const rows = words.map((text, j) => makeRow(text, reach, (value) => setScore(j, value)));
  const heads = ["key", "score", "", "into softmax", "weight", ""].map((text) =>
    text ? element("th", { scope: "col" }, text) : element("td"));
  const grid = element("table", { class: "look-keys" },
    element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows.map(({ row }) => row)));
  const [readout, tasks] = [element("div", {}), goals(TASKS)];
  body.append(element("div", { class: "look-scroll" }, grid),
    element("div", { class: "look-readout" }, readout, tasks.node));
  const log = [Math.log2, (x) => 2 ** x];
  controls.append(slider(model, "temperature", "temperature", { min: -4, max: 4, step: 0.25, scale: log }));
  if (withSize)
    controls.append(
      slider(model, "d_k", "d_k", { min: 0, max: 10, step: 1, digits: 0, scale: log }),
      checkbox(model, "scaled", "divide by √d_k"),
    );

  function setScore(j, value) {
    const rounded = Number((Math.round(value / STEP) * STEP).toFixed(1));
    const inside = Math.max(-reach, Math.min(reach, rounded));
    store(model, { scores: model.get("scores").map((score, i) => (i === j ? inside : score)) });
  }

  function draw() {
    const shown = state();
    const seen = dial(shown);
    rows.forEach((row, j) => fillRow(row, shown, seen, j, reach));
    const size = withSize && !shown.scaled ? ` × √${shown.d_k}` : "";
    readout.replaceChildren(
      element("p", {}, `into softmax = score${size} ÷ ${written(shown.temperature)}`),
      table([
        [["entropy, in bits"], `${written(seen.bits)} of ${written(seen.most)} at most`],
        [["size of the gradient"], `${written(seen.gradient, 3)} of 0.250 at most`],
      ]),
      element("p", { class: "look-verdict" }, element("strong", {}, inWords(seen))),
    );
    tasks.show(seen);
    const best = seen.weights.indexOf(Math.max(...seen.weights));
    tell(asText(words, shown, withSize), `${words[best]} weighs ${written(seen.weights[best])}. ${inWords(seen)}`);
  }

  drawOn(model, STATE, draw);
}

export default { render };
