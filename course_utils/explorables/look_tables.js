// What all sentences of a batch share in the 777-weight classifier: the query of [CLS] and the look-ups that follow
// from it, and the way back from their derivatives to the weights. No drawing.
// A Web Worker is made from the source of this class, so it reads no constant outside of itself.
//
// Why it is fast: [CLS] is the same in every sentence, so its query is one vector q, and with u = W_K q / sqrt(d_k)
// the score of a token at a place is a sum of two look-ups, tokens[token]·u + positions[place]·u. b_K adds the same
// to all scores of a row, so it changes nothing and has the gradient 0. What a token passes on is such a sum as well:
// its vector and the place's, each through W_V W_O, and the biases once, since the weights of a row sum to 1.
import { layout } from "./look_weights.js";

// The weights, their gradient and all the memory that a batch needs: nothing is allocated while it trains.
// A subclass reads the sentences.
export class LookTables {
  constructor(sizes, weights) {
    const { vocabulary, size, d = 8, dK = 8, dV = 8 } = sizes;
    Object.assign(this, { vocabulary, size, d, dK, dV });
    this.weights = weights;
    this.gradient = new Float64Array(weights.length);
    const places = layout(sizes);
    const views = (all) => Object.fromEntries(Object.entries(places).map(([name, at]) => [name, all.subarray(...at)]));
    [this.w, this.g] = [views(this.weights), views(this.gradient)];
    const zeros = (lengths) => Object.fromEntries(
      Object.entries(lengths).map(([name, length]) => [name, new Float64Array(length)]));
    // x0: what [CLS] is. q, u: its query, alone and through W_K. tokenScore, placeScore: the two look-ups.
    // through: W_V W_O. passed: x0 + b_V W_O + b_O. tokenValue, placeValue: what each passes on. values: what the
    // tokens of one sentence do. A name with `to` holds the derivative of the loss by it.
    Object.assign(this, zeros({ x0: d, q: dK, u: d, tokenScore: vocabulary, placeScore: size, through: d * d, passed: d,
      tokenValue: vocabulary * d, placeValue: size * d, toPassed: d, toQ: dK, toU: d, toTokenScore: vocabulary,
      toPlaceScore: size, toThrough: d * d, toTokenValue: vocabulary * d, toPlaceValue: size * d, mean: size,
      values: size * d, y: d, normal: d, toY: d, toRow: size, score: 1, narrow: 1 }));
    this.rows = new Float64Array(0);
  }

  // All that does not depend on the sentence.
  prepare() {
    const { d, dK, dV, size, vocabulary, w, x0, q, u, through, passed } = this;
    for (let j = 0; j < d; j += 1) x0[j] = w.tokens[j] + w.positions[j];
    q.set(w.b_Q);
    for (let i = 0; i < d; i += 1) for (let k = 0; k < dK; k += 1) q[k] += x0[i] * w.W_Q[i * dK + k];
    const scale = 1 / Math.sqrt(dK);
    u.fill(0);
    for (let i = 0; i < d; i += 1) for (let k = 0; k < dK; k += 1) u[i] += w.W_K[i * dK + k] * q[k] * scale;
    this.lookUp(w.tokens, vocabulary, this.tokenScore);
    this.lookUp(w.positions, size, this.placeScore);
    through.fill(0);
    for (let j = 0; j < d; j += 1) passed[j] = x0[j] + w.b_O[j];
    for (let k = 0; k < dV; k += 1) {
      for (let j = 0; j < d; j += 1) {
        passed[j] += w.b_V[k] * w.W_O[k * d + j];
        for (let i = 0; i < d; i += 1) through[i * d + j] += w.W_V[i * dV + k] * w.W_O[k * d + j];
      }
    }
    this.passOn(w.tokens, vocabulary, this.tokenValue);
    this.passOn(w.positions, size, this.placeValue);
  }

  passOn(vectors, n, values) {
    const { d, through } = this;
    values.fill(0);
    for (let v = 0; v < n * d; v += d) {
      for (let k = 0; k < d; k += 1) {
        const x = vectors[v + k];
        for (let j = 0; j < d; j += 1) values[v + j] += x * through[k * d + j];
      }
    }
  }

  lookUp(vectors, n, scores) {
    const { d, u } = this;
    for (let v = 0; v < n; v += 1) {
      let score = 0;
      for (let j = 0; j < d; j += 1) score += vectors[v * d + j] * u[j];
      scores[v] = score;
    }
  }

  clear() {
    for (const sums of [this.gradient, this.toPassed, this.toThrough, this.toU, this.toQ, this.toTokenScore,
      this.toPlaceScore, this.toTokenValue, this.toPlaceValue]) sums.fill(0);
  }

  // From what all sentences share back to the weights.
  spread() {
    this.spreadValues();
    this.spreadScores();
    const { d, dK, w, g, x0, toPassed, toQ } = this;
    g.b_Q.set(toQ);
    for (let i = 0; i < d; i += 1) {
      let toX0 = toPassed[i]; // what [CLS] is goes by attention too
      for (let k = 0; k < dK; k += 1) {
        g.W_Q[i * dK + k] = x0[i] * toQ[k];
        toX0 += w.W_Q[i * dK + k] * toQ[k];
      }
      g.tokens[i] += toX0;
      g.positions[i] += toX0;
    }
  }

  spreadValues() {
    const { d, dV, w, g, toThrough, toPassed } = this;
    this.spreadThrough(w.tokens, g.tokens, this.vocabulary, this.toTokenValue);
    this.spreadThrough(w.positions, g.positions, this.size, this.toPlaceValue);
    g.b_O.set(toPassed);
    for (let k = 0; k < dV; k += 1) {
      for (let j = 0; j < d; j += 1) {
        g.b_V[k] += w.W_O[k * d + j] * toPassed[j];
        g.W_O[k * d + j] += w.b_V[k] * toPassed[j];
        for (let i = 0; i < d; i += 1) {
          g.W_V[i * dV + k] += toThrough[i * d + j] * w.W_O[k * d + j];
          g.W_O[k * d + j] += w.W_V[i * dV + k] * toThrough[i * d + j];
        }
      }
    }
  }

  spreadThrough(vectors, gradients, n, toValues) {
    const { d, through, toThrough } = this;
    for (let v = 0; v < n * d; v += d) {
      for (let k = 0; k < d; k += 1) {
        const x = vectors[v + k];
        let sum = 0;
        for (let j = 0; j < d; j += 1) {
          toThrough[k * d + j] += x * toValues[v + j];
          sum += toValues[v + j] * through[k * d + j];
        }
        gradients[v + k] += sum;
      }
    }
  }

  spreadScores() {
    const { d, dK, w, g, q, toU, toQ } = this;
    this.spreadLookUp(w.tokens, g.tokens, this.vocabulary, this.toTokenScore);
    this.spreadLookUp(w.positions, g.positions, this.size, this.toPlaceScore);
    const scale = 1 / Math.sqrt(dK);
    for (let i = 0; i < d; i += 1) {
      for (let k = 0; k < dK; k += 1) {
        g.W_K[i * dK + k] = toU[i] * q[k] * scale;
        toQ[k] += w.W_K[i * dK + k] * toU[i] * scale;
      }
    }
  }

  spreadLookUp(vectors, gradients, n, toScores) {
    const { d, u, toU } = this;
    for (let v = 0; v < n; v += 1) {
      for (let j = 0; j < d; j += 1) {
        gradients[v * d + j] += toScores[v] * u[j];
        toU[j] += toScores[v] * vectors[v * d + j];
      }
    }
  }
}
