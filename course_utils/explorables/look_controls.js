// What one sets in LookPlayground: the question, the recipe, and how fast it trains.
import { button, drawOn, element, store, tickMarks, written } from "./elements.js";

const QUESTIONS = {
  target: "token = target?",
  above: "token > target?",
  equal: "two tokens equal?",
};
const PACES = [2, 16, 128, 0]; // batches a second; 0: as fast as the machine can
const counts = (least, most, step = 1) =>
  Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, i) => least + step * i);

// A slider over a list of values, with a tick for each (at most `most` of them). list: a function, since the length of
// a sentence decides where its positions end. act(value): what the hand sets. show(value): how it is written.
function stops(model, name, text, list, { show = (x) => `${x}`, act, most = 13, also = [] }) {
  const ticks = tickMarks();
  const input = element("input", { type: "range", min: 0, step: 1, "aria-label": text, list: ticks.id,
    oninput: () => act(list()[input.valueAsNumber]) });
  const output = element("output", {});
  drawOn(model, [name, ...also], () => {
    const [all, value] = [list(), model.get(name)];
    const nearest = all.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(all[best] - value) ? i : best), 0);
    input.max = all.length - 1;
    input.value = nearest;
    output.textContent = show(value);
    input.setAttribute("aria-valuetext", show(value));
    const every = Math.ceil(all.length / most);
    ticks.replaceChildren(...all.map((_, i) => i).filter((i) => i % every === 0)
      .map((i) => element("option", { value: i })));
  });
  return element("label", { class: "look-label look-stop" }, element("span", {}, text), output, input, ticks);
}

// The menu of questions. The place that the second token stands at is asked for where there is one.
function questions(model) {
  const options = Object.entries(QUESTIONS).map(([value, text]) => element("option", { value }, text));
  const change = () => {
    const [position, other] = [model.get("position"), model.get("other")];
    store(model, { question: select.value, ...(position === other ? { other: position === 1 ? 2 : 1 } : {}) });
  };
  const select = element("select", { class: "look-button look-question", "aria-label": "question", onchange: change },
    ...options);
  drawOn(model, ["question"], () => (select.value = model.get("question")));
  return select;
}

// The length of the sentences; no position may lie beyond it.
function lengthens(model, length) {
  const position = Math.min(model.get("position"), length);
  let other = Math.min(model.get("other"), length);
  if (other === position) other = position === 1 ? 2 : 1;
  store(model, { length, position, other });
}

// The panel with all that decides what is trained.
export function recipePanel(model) {
  const [length, { vocabulary }] = [() => model.get("length"), model.get("sizes")];
  const set = (name) => (value) => store(model, { [name]: value });
  const share = (x) => written(x, 1);
  const free = (name, avoided) => (value) => value !== model.get(avoided) && set(name)(value);
  const isEqual = () => model.get("question") === "equal";
  const positions = () => counts(1, length());
  const position = stops(model, "position", "position", positions,
    { act: (value) => (isEqual() ? free("position", "other") : set("position"))(value), also: ["length"] });
  const second = stops(model, "other", "second position", positions,
    { act: free("other", "position"), also: ["length"] });
  drawOn(model, ["question"], () => (second.hidden = !isEqual()));
  const patience = (x) => (x >= 10 ? "none" : `loss < ${written(x, x < 0.1 ? 2 : 1)}`);
  const lengths = model.get("first_weights").length > 1 ? () => [length()] : () => counts(4, 12);
  return element("div", { class: "look-recipe" }, questions(model), position, second,
    stops(model, "target", "target", () => counts(1, vocabulary - 1), { act: set("target") }),
    stops(model, "length", "tokens in a sentence", lengths, { act: (value) => lengthens(model, value) }),
    stops(model, "decoys", "decoys", () => counts(0, 9).map((x) => x / 10), { act: set("decoys"), show: share }),
    stops(model, "reward", "reward for one place", () => counts(0, 10).map((x) => x / 10),
      { act: set("reward"), show: share }),
    stops(model, "patience", "patience: it waits for", () => [10, 1, 0.3, 0.1, 0.03, 0.01],
      { act: set("patience"), show: patience }),
    stops(model, "learning_rate", "learning rate", () => [0.0003, 0.001, 0.003, 0.01, 0.03],
      { act: set("learning_rate"), show: (x) => written(x, 4) }),
    stops(model, "batch_size", "sentences in a batch", () => [16, 32, 64, 125, 250, 500], { act: set("batch_size") }));
}

// Start and pause, one batch, other seeds, and the pace. Returns { node, show }.
export function runButtons(model, session) {
  const press = () => {
    if (session().seen?.done) return [session().restart(), store(model, { running: true })];
    return store(model, { running: !model.get("running") });
  };
  const go = button("Start", press);
  const others = () => store(model, { first_seed: model.get("first_seed") + model.get("seeds") });
  const pace = stops(model, "pace", "speed", () => PACES,
    { act: (value) => store(model, { pace: value }), show: (x) => (x ? `${x} batches/s` : "full") });
  go.classList.add("look-go");
  const start = model.get("given") ? "Train it here" : "Start";
  const node = element("div", { class: "look-run" }, go,
    button("One step", () => session().oneStep(), "train one batch"),
    model.get("given") ? "" : button("Other seeds", others, "other first weights, from the start"), pace);
  const show = () => {
    const done = session()?.seen?.done;
    go.textContent = done ? "Again" : model.get("running") ? "Pause" : start;
  };
  return { node, show };
}
