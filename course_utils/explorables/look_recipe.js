// A training that is advanced batch by batch: Adam, the order of the sentences, the reward and its patience, and what
// is measured. Like look_training.js, a worker is made from the source of what stands here.
import { askedPlaces, drawTask, randomFrom } from "./look_task.js";
import { LookModel } from "./look_training.js";
import { firstWeights } from "./look_weights.js";

// Adam as Keras has it, epsilon outside of the root and both means corrected in the rate.
export class Adam {
  constructor(n) {
    [this.mean, this.square, this.steps] = [new Float64Array(n), new Float64Array(n), 0];
  }

  step(weights, gradient, rate) {
    const { mean, square } = this;
    this.steps += 1;
    const corrected = (rate * Math.sqrt(1 - 0.999 ** this.steps)) / (1 - 0.9 ** this.steps);
    for (let i = 0; i < weights.length; i += 1) {
      mean[i] += 0.1 * (gradient[i] - mean[i]);
      square[i] += 0.001 * (gradient[i] * gradient[i] - square[i]);
      weights[i] -= (corrected * mean[i]) / (Math.sqrt(square[i]) + 1e-7);
    }
  }
}

// The sentences that all seeds of a recipe share: 8,000 to learn from and 1,000 unseen ones, as Python's make_task.
export function tasksOf(recipe) {
  return { task: drawTask(recipe, 8000, 1), unseen: drawTask(recipe, 1000, 2) };
}

// One model in training. recipe: what drawTask takes, and { reward, patience, rate, batch, epochs }.
// The reward counts once an epoch's loss was below `patience`; with a patience of 10, from the first batch on.
// weights: to begin with (null: drawn from the seed).
export class Training {
  constructor(recipe, { task, unseen }, seed, weights = null) {
    Object.assign(this, { recipe, task, unseen, step: 0, epoch: 0, losses: 0, points: 240 });
    const sizes = { vocabulary: recipe.vocabulary, size: task.size, ...recipe.widths };
    this.model = new LookModel(sizes, weights ? weights.slice() : firstWeights(sizes, seed));
    this.adam = new Adam(this.model.weights.length);
    this.random = randomFrom(seed + 99);
    this.order = Uint32Array.from({ length: task.n }, (_, i) => i);
    this.stepsAnEpoch = Math.floor(task.n / recipe.batch);
    this.rewarded = recipe.reward > 0 && recipe.patience >= 10;
    this.rewardedFrom = this.rewarded ? 0 : -1; // the epoch
    this.row = new Float64Array(task.size);
    this.curve = new Float32Array(4 * this.points); // sums of loss, accuracy and look, and how many, from left to right
    this.shuffle();
    this.measure();
  }

  get steps() {
    return this.stepsAnEpoch * this.recipe.epochs;
  }

  get done() {
    return this.step >= this.steps;
  }

  shuffle() {
    const { order, random } = this;
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = Math.floor(random() * (i + 1)), moved = order[i];
      order[i] = order[j];
      order[j] = moved;
    }
  }

  // One batch.
  advance() {
    const { batch, rate, reward } = this.recipe;
    const from = (this.step % this.stepsAnEpoch) * batch;
    const now = this.model.batch(this.task, this.order, from, batch, { focus: this.rewarded ? reward : 0 });
    this.adam.step(this.model.weights, this.model.gradient, rate);
    this.row.set(this.model.mean);
    this.note(now);
    this.losses += now.loss;
    this.step += 1;
    if (this.step % this.stepsAnEpoch === 0) this.endEpoch();
  }

  note({ loss, accuracy }) {
    const { curve, points } = this;
    const at = Math.floor((this.step / this.steps) * points);
    [loss, accuracy, this.lookOf(this.row), 1].forEach((value, kind) => (curve[kind * points + at] += value));
  }

  endEpoch() {
    const loss = this.losses / this.stepsAnEpoch;
    [this.losses, this.epoch] = [0, this.epoch + 1];
    const { reward, patience } = this.recipe;
    if (reward > 0 && !this.rewarded && loss < patience) [this.rewarded, this.rewardedFrom] = [true, this.epoch];
    this.shuffle();
    this.measure();
  }

  // On unseen sentences: the share of right answers, and where [CLS] looks on average.
  measure() {
    if (this.measured?.step === this.step) return;
    const { accuracy } = this.model.batch(this.unseen, null, 0, this.unseen.n, { learn: false });
    this.row.set(this.model.mean);
    this.measured = { step: this.step, accuracy, look: this.lookOf(this.row) };
  }

  // The weight on the places that the question is about.
  lookOf(row) {
    return askedPlaces(this.recipe).reduce((sum, place) => sum + row[place], 0);
  }
}
