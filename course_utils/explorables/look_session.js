// One training for all views of a widget: it starts and steers the worker as the traits say, and hands on what it sees.
import { store } from "./elements.js";
import { trainer } from "./look_worker.js";

// The traits that decide what is trained; a change of any of them begins the training anew.
export const RECIPE = ["question", "position", "target", "other", "length", "decoys", "reward", "patience",
  "learning_rate", "batch_size", "epochs", "first_seed"];
const STEERING = ["running", "pace", "opened", "all_tokens"];

export const recipeNow = (model) => Object.fromEntries(RECIPE.map((name) => [name, model.get(name)]));
export const isNow = (model, recipe) => Object.entries(recipe).every(([name, value]) => model.get(name) === value);
export const sentenceNow = (model) => model.get("all_tokens").slice(0, model.get("length") + 1);
export const sizesNow = (model) => ({ ...model.get("sizes"), size: model.get("length") + 1 });

// Whether the places lie in the sentence and differ, and the question has both answers, as in look_recipes.py.
export function recipeFits(model) {
  const { question, position, other, length, target } = recipeNow(model);
  const { first_weights: own, sizes, _initial } = Object.fromEntries(
    ["first_weights", "sizes", "_initial"].map((name) => [name, model.get(name)]));
  return position <= length && (question !== "equal" || (other <= length && other !== position))
    && (question !== "above" || target < sizes.vocabulary - 1) && (own.length === 1 || length === _initial.length);
}

// What was measured, as long as it belongs to the present recipe and batch; null before that. As in look_playground.py.
export function resultNow(model) {
  const result = model.get("_result");
  if (!result.recipe || result.step !== model.get("step")) return null;
  return RECIPE.every((name) => result.recipe[name] === model.get(name)) ? result : null;
}

// What the models are called: by their seeds, and the first one `yours` where it begins with the student's weights.
export function modelNames(model) {
  const [own, first] = [model.get("first_weights").length > 1, model.get("first_seed")];
  return Array.from({ length: model.get("seeds") }, (_, i) => (own && !i ? "yours" : `seed ${first + i}`));
}

// A sentence whose answer is no and that sounds like a yes: `count` decoys, none where the answer stands.
export function decoySentence(model, count) {
  const [length, position, target] = ["length", "position", "target"].map((name) => model.get(name));
  const { vocabulary } = model.get("sizes");
  const others = Array.from({ length }, (_, i) => i + 1).filter((place) => place !== position).slice(0, count);
  const decoy = model.get("question") === "above" ? vocabulary - 1 : target;
  const tokens = [0, ...Array.from({ length }, (_, i) => (i + 7 === target ? 6 : i + 7))];
  if (model.get("question") === "above") tokens.fill(1, 1);
  for (const place of others) tokens[place] = decoy;
  return tokens.map((token) => Math.min(token, vocabulary - 1));
}

export const decoyCounts = (model) => [2, 3, 4, 5].filter((count) => count < model.get("length"));

const sessions = new WeakMap(); // a widget that is shown twice trains once; its views share this object of its state

// Joins the training of a widget. draw(seen): called once a frame at most. Returns the session; leave(draw) ends it.
export function joinSession(model, draw) {
  const key = model.get("_initial");
  if (!sessions.has(key)) sessions.set(key, new Session(key));
  const session = sessions.get(key);
  session.enter(model, draw);
  return session;
}

class Session {
  constructor(key) {
    Object.assign(this, { key, views: new Map(), eyes: new Map() });
    Object.assign(this, { seen: null, run: 0, trained: null, sent: "", stored: 0, frame: 0 });
    this.trainer = trainer((seen) => this.take(seen));
  }

  enter(model, draw) {
    this.views.set(draw, model);
    for (const name of [...RECIPE, ...STEERING]) model.on(`change:${name}`, () => this.followSoon());
    model.on("change:step", () => this.goTo(this.model?.get("step")));
    this.follow();
    if (this.seen) draw(this.seen);
  }

  leave(draw) {
    this.views.delete(draw);
    this.close(draw);
    if (this.views.size) return this.steer(); // nobody waits any more for a view that is gone
    this.trainer.stop();
    sessions.delete(this.key);
  }

  get model() {
    return [...this.views.values()][0];
  }

  // Several traits change in one go, one after the other: the worker hears of it once.
  followSoon() {
    if (!this.following) queueMicrotask(() => (this.following = false) || this.follow());
    this.following = true;
  }

  // Does what the traits say now.
  follow() {
    if (!this.model) return;
    const recipe = JSON.stringify(recipeNow(this.model));
    if (recipe === this.trained) return this.steer();
    this.restart(this.trained === null ? this.model.get("step") : 0);
  }

  // What the worker has to know besides the recipe.
  steering() {
    const { model } = this;
    const sentences = [sentenceNow(model), ...decoyCounts(model).map((count) => decoySentence(model, count))];
    const [running, pace, opened] = ["running", "pace", "opened"].map((name) => model.get(name));
    return { playing: running && !this.eyes.size, pace, opened, sentences };
  }

  // A playground that runs from the start begins when somebody sees one of its views.
  waitFor(node, draw) {
    if (this.views.size > 1 && !this.eyes.size) return; // another view was seen
    const eye = new IntersectionObserver((all) => {
      if (!all.some((one) => one.isIntersecting)) return;
      [...this.eyes.keys()].forEach((view) => this.close(view));
      this.steer();
    });
    this.eyes.set(draw, eye);
    eye.observe(node);
    this.steer();
  }

  close(draw) {
    this.eyes.get(draw)?.disconnect();
    this.eyes.delete(draw);
  }

  steer() {
    const message = this.steering();
    if (JSON.stringify(message) === this.sent) return;
    this.sent = JSON.stringify(message);
    this.trainer.send(message);
  }

  // Begins anew, and goes to the batch `until` at once.
  restart(until = 0) {
    const { model } = this;
    const { learning_rate: rate, batch_size: batch, ...rest } = recipeNow(model);
    const { vocabulary, ...widths } = model.get("sizes");
    const recipe = { ...rest, rate, batch, vocabulary, widths };
    const seeds = Array.from({ length: model.get("seeds") }, (_, i) => model.get("first_seed") + i);
    const own = model.get("first_weights");
    const [weights, steering] = [own.length > 1 ? Float64Array.from(own) : null, this.steering()];
    Object.assign(this, { run: this.run + 1, trained: JSON.stringify(recipeNow(model)) });
    this.sent = JSON.stringify(steering);
    this.trainer.send({ start: { recipe, seeds, weights, run: this.run }, until, ...steering });
    this.stored = until;
    if (model.get("step") !== until) store(model, { step: until });
  }

  // Another batch was asked for, by Python or by Reset.
  goTo(step) {
    if (step === undefined || step === this.stored) return;
    if (step < (this.seen?.step ?? 0)) this.restart(step);
    else this.trainer.send({ until: step });
    this.stored = step;
  }

  oneStep() {
    store(this.model, { running: false });
    this.trainer.send({ more: 1 });
  }

  take(seen) {
    if (seen.run !== this.run || !this.model) return;
    this.seen = seen;
    if (seen.settled && seen.step) {
      this.stored = seen.step;
      store(this.model, { step: seen.step, _result: this.result(seen) });
    }
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (calm && !seen.settled) return; // a picture after each epoch is enough
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.seen.run !== this.run) return; // another training has begun since
      for (const draw of this.views.keys()) draw(this.seen);
    });
  }

  result({ step, epoch, accuracy, look, rows, weights, opened }) {
    const [numbers, table] = [Array.from(accuracy), rows.map((row) => Array.from(row))];
    return { recipe: recipeNow(this.model), step, epoch, accuracy: numbers, look: Array.from(look), rows: table,
      opened, weights: Array.from(weights) };
  }
}
