// All seeds of a recipe, trained one batch each in turn, in a Web Worker, so that no frame waits for a training.
// The worker is made from the source of these functions and classes: nothing is fetched, and it works from a file, too.
// Where no worker can be made, the same trains on the page in short slices.
import { answerIs, askedPlaces, drawSentence, drawTask, randomFrom } from "./look_task.js";
import { Adam, tasksOf, Training } from "./look_recipe.js";
import { LookModel } from "./look_training.js";
import { LookTables } from "./look_tables.js";
import { firstWeights, layout } from "./look_weights.js";

// receive(message) takes any of these, and post(seen) gets what a page draws, thirty times a second:
//   start: the recipe, with seeds, weights (for the first seed, or null) and until (the batch to go to first)
//   until: the batch to go to at once   more: so many batches more   playing: go on after that
//   pace: batches a second, 0 for all that it can
//   opened: the seed whose weights and curves are posted   sentences: those that every seed answers
export class Trainings {
  constructor(post, { slice, soon }) {
    Object.assign(this, { post, slice, soon, all: [], playing: false, pace: 0, opened: 0, sentences: [], until: 0 });
    Object.assign(this, { waiting: false, posted: 0, from: 0, taken: 0, run: 0 });
  }

  receive({ start, more, ...changes }) {
    Object.assign(this, changes);
    if (start) this.begin(start);
    if (more) this.until = this.all[0].step + more;
    [this.from, this.taken] = [performance.now(), 0];
    if (this.all.length) this.show(true);
    this.wake(0);
  }

  begin({ recipe, seeds, weights, run }) {
    const tasks = tasksOf(recipe);
    this.all = seeds.map((seed, i) => new Training(recipe, tasks, seed, i === 0 ? weights : null));
    this.run = run;
  }

  get ready() {
    const [first] = this.all;
    return first && !first.done && (this.playing || first.step < this.until);
  }

  wake(wait) {
    if (this.waiting || !this.ready) return;
    this.waiting = true;
    this.soon(() => {
      this.waiting = false;
      this.work();
    }, wait);
  }

  work() {
    const end = performance.now() + this.slice;
    const catchingUp = this.all[0]?.step < this.until;
    while (this.ready && this.due(catchingUp) && performance.now() < end) this.turn();
    if (performance.now() - this.posted >= 32) this.show(false); // thirty pictures a second leave frames for the hand
    this.wake(this.pace && !catchingUp ? 16 : 0);
  }

  // Is it time for the next batch?
  due(catchingUp) {
    if (!this.pace || catchingUp) return true;
    if ((performance.now() - this.from) * this.pace < 1000 * (this.taken + 1)) return false;
    this.taken += 1;
    return true;
  }

  turn() {
    for (const training of this.all) training.advance();
    const [first] = this.all;
    const stops = first.step === this.until && !this.playing;
    if (first.done || stops || first.step % first.stepsAnEpoch === 0) this.show(true);
  }

  // settled: everything is measured on unseen sentences now.
  show(settled) {
    const { all, opened, sentences } = this;
    const [first, chosen] = [all[0], all[Math.min(opened, all.length - 1)]];
    if (settled) all.forEach((training) => training.measure());
    const numbers = (of) => Float64Array.from(all, of);
    this.posted = performance.now();
    this.post({ run: this.run, settled, opened, step: first.step, steps: first.steps, epoch: first.epoch,
      done: first.done, size: first.task.size, rows: all.map(({ row }) => row.slice()),
      accuracy: numbers(({ measured }) => measured.accuracy), look: numbers(({ measured }) => measured.look),
      answers: all.map(({ model }) => model.answers(sentences)),
      rewardedFrom: chosen.rewardedFrom, curve: chosen.curve.slice(), weights: chosen.model.weights.slice() });
  }
}

// The same trainings, as the text of a worker.
export function workerText() {
  const parts = [randomFrom, answerIs, askedPlaces, drawSentence, drawTask, layout, firstWeights, LookTables, LookModel,
    Adam, tasksOf, Training, Trainings];
  const serve = () => {
    const { port1, port2 } = new MessageChannel(); // it waits for nothing, as a timer would after a few rounds
    let act = null;
    port1.onmessage = () => act();
    const soon = (next, wait) => (wait ? setTimeout(next, wait) : port2.postMessage((act = next) && 0));
    const trainings = new Trainings((seen) => self.postMessage(seen), { slice: 12, soon });
    self.onmessage = ({ data }) => trainings.receive(data);
  };
  return [...parts.map(String), `(${serve})();`].join("\n");
}

// Starts a trainer that calls seen(what) for each picture. Returns { send, stop }.
export function trainer(seen) {
  const sent = [];
  let send = trainHere(seen), worker = null;
  const fallBack = () => {
    worker?.terminate();
    worker = null;
    send = trainHere(seen);
    sent.forEach((message) => send(message));
  };
  try {
    const url = URL.createObjectURL(new Blob([workerText()], { type: "text/javascript" }));
    worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.onmessage = ({ data }) => seen(data);
    worker.onerror = fallBack;
    send = (message) => worker.postMessage(message);
  } catch {
    worker = null; // this page may not make one
  }
  return {
    send(message) {
      if (message.start) sent.length = 0; // what came before belongs to another training
      sent.push(message);
      send(message);
    },
    stop: () => [worker?.terminate(), (send = () => {})],
  };
}

function trainHere(seen) {
  const trainings = new Trainings(seen, { slice: 6, soon: (act, wait) => setTimeout(act, wait) });
  return (message) => trainings.receive(message);
}
