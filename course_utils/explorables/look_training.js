// The 777-weight classifier of cls_model.py in the page, in double precision: forward, and its gradient by hand.
// tests/apart/browser/test_look_training.py holds the gradient to central differences and to Keras's tape.
// Like look_tables.js, a worker is made from the source of this class.
import { LookTables } from "./look_tables.js";

export class LookModel extends LookTables {
  // Where [CLS] looks in the sentence that begins at `start` of tokens, into rows from `at` on.
  look(tokens, start, at) {
    const { size, rows, tokenScore, placeScore } = this;
    let highest = -Infinity, total = 0;
    for (let i = 0; i < size; i += 1) {
      const score = tokenScore[tokens[start + i]] + placeScore[i];
      rows[at + i] = score;
      if (score > highest) highest = score;
    }
    for (let i = 0; i < size; i += 1) total += rows[at + i] = Math.exp(rows[at + i] - highest);
    const share = 1 / total;
    for (let i = 0; i < size; i += 1) rows[at + i] *= share;
  }

  // The rows of a batch (n, size) and their mean. Returns the favourite: the place with the most weight on average.
  lookAt(task, order, from, n) {
    const { size, mean } = this;
    if (this.rows.length < n * size) this.rows = new Float64Array(n * size);
    mean.fill(0);
    for (let b = 0; b < n; b += 1) {
      this.look(task.tokens, (order ? order[from + b] : from + b) * size, b * size);
      for (let i = 0; i < size; i += 1) mean[i] += this.rows[b * size + i];
    }
    for (let i = 0; i < size; i += 1) mean[i] /= n;
    return mean.indexOf(Math.max(...mean));
  }

  // The sentence that begins at `start`, with the row that stands at `at`. Leaves the score of yes in this.score[0].
  read(tokens, start, at) {
    const { d, size, w, rows, tokenValue, placeValue, values, y, normal, passed } = this;
    for (let j = 0; j < d; j += 1) y[j] = passed[j];
    for (let i = 0; i < size; i += 1) {
      const weight = rows[at + i], token = tokens[start + i] * d, own = i * d;
      for (let j = 0; j < d; j += 1) {
        const value = tokenValue[token + j] + placeValue[own + j];
        values[own + j] = value;
        y[j] += weight * value;
      }
    }
    let mean = 0, variance = 0;
    for (let j = 0; j < d; j += 1) mean += y[j];
    mean /= d;
    for (let j = 0; j < d; j += 1) variance += (y[j] - mean) * (y[j] - mean);
    const narrow = 1 / Math.sqrt(variance / d + 1e-6);
    let score = w.answer_bias[0];
    for (let j = 0; j < d; j += 1) {
      normal[j] = (y[j] - mean) * narrow;
      score += (normal[j] * w.norm_scale[j] + w.norm_shift[j]) * w.answer[j];
    }
    this.narrow[0] = narrow;
    this.score[0] = score;
  }

  // Adds to the gradient what the sentence says that was just read. toScore: the derivative by its score.
  // focus: how much the reward for the favourite counts in this sentence.
  learnFrom(tokens, start, at, toScore, focus, favourite) {
    const { d, w, g, normal, toY, toPassed } = this;
    let mean = 0, along = 0;
    g.answer_bias[0] += toScore;
    for (let j = 0; j < d; j += 1) {
      const toNormed = toScore * w.answer[j];
      g.answer[j] += toScore * (normal[j] * w.norm_scale[j] + w.norm_shift[j]);
      g.norm_scale[j] += toNormed * normal[j];
      g.norm_shift[j] += toNormed;
      toY[j] = toNormed * w.norm_scale[j];
      mean += toY[j];
      along += toY[j] * normal[j];
    }
    const narrow = this.narrow[0];
    for (let j = 0; j < d; j += 1) {
      toY[j] = narrow * (toY[j] - mean / d - (normal[j] * along) / d);
      toPassed[j] += toY[j];
    }
    this.learnWhere(tokens, start, at, focus, favourite);
  }

  // From the sum back to what was added up, and through the softmax to the scores.
  learnWhere(tokens, start, at, focus, favourite) {
    const { d, size, rows, values, toY, toRow, toTokenValue, toPlaceValue, toTokenScore, toPlaceScore } = this;
    let average = 0;
    for (let i = 0; i < size; i += 1) {
      const weight = rows[at + i], token = tokens[start + i] * d, own = i * d;
      let sum = 0;
      for (let j = 0; j < d; j += 1) {
        const change = toY[j];
        sum += change * values[own + j];
        toTokenValue[token + j] += weight * change;
        toPlaceValue[own + j] += weight * change;
      }
      toRow[i] = sum;
      average += weight * sum;
    }
    const pull = rows[at + favourite] < 1e-9 ? 0 : focus; // a weight of 0 has no logarithm; cls_model.py cuts there too
    for (let i = 0; i < size; i += 1) {
      const weight = rows[at + i];
      const toScore = weight * (toRow[i] - average) + pull * (weight - (i === favourite ? 1 : 0));
      toTokenScore[tokens[start + i]] += toScore;
      toPlaceScore[i] += toScore;
    }
  }

  // Reads n sentences of a task, those that `order` names from `from` on (null: as they stand). Leaves the mean row in
  // this.mean and returns { loss, accuracy, reward }. With learn, the gradient of loss - focus * reward is left in
  // this.gradient, and the reward is not summed up.
  batch(task, order, from, n, { focus = 0, learn = true } = {}) {
    const { size } = this;
    this.prepare();
    const favourite = this.lookAt(task, order, from, n);
    if (learn) this.clear();
    const { rows } = this;
    let loss = 0, right = 0, reward = 0;
    for (let b = 0; b < n; b += 1) {
      const sentence = order ? order[from + b] : from + b, start = sentence * size, label = task.labels[sentence];
      this.read(task.tokens, start, b * size);
      const score = this.score[0];
      const small = Math.exp(-Math.abs(score)), yes = score >= 0 ? 1 / (1 + small) : small / (1 + small);
      loss += Math.max(score, 0) - score * label + Math.log(1 + small);
      right += score >= 0 === (label === 1) ? 1 : 0;
      if (!learn) reward += Math.log(Math.max(rows[b * size + favourite], 1e-9));
      else this.learnFrom(task.tokens, start, b * size, (yes - label) / n, focus / n, favourite);
    }
    if (learn) this.spread();
    return { loss: loss / n, accuracy: right / n, reward: reward / n };
  }

  // The probability of yes for each of some sentences, arrays that begin with [CLS].
  answers(sentences) {
    this.prepare();
    if (this.rows.length < this.size) this.rows = new Float64Array(this.size);
    return sentences.map((tokens) => {
      this.look(tokens, 0, 0);
      this.read(tokens, 0, 0);
      return 1 / (1 + Math.exp(-this.score[0]));
    });
  }
}
