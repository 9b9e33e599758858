// The page's mathematics: course_utils/attention.py in JavaScript, for matrices as arrays of rows. No drawing here.
// tests/apart/browser/test_page_maths.py compares each function with Python's on random input, in a real browser.

export const sum = (row) => row.reduce((total, x) => total + x, 0);
export const dot = (a, b) => a.reduce((total, x, i) => total + x * b[i], 0);
export const norm = (a) => Math.hypot(...a);

// scores (n_keys) -> weights (n_keys): at least 0, sum 1. -Infinity weighs 0. The maximum goes first, against overflow.
export function softmax(scores) {
  const highest = Math.max(...scores);
  if (!Number.isFinite(highest)) throw new RangeError("a row needs at least one key to look at, and finite scores");
  const exponentials = scores.map((score) => Math.exp(score - highest));
  const total = sum(exponentials);
  return exponentials.map((x) => x / total);
}

// Q (n_queries, d_k), K (n_keys, d_k) -> scores (n_queries, n_keys); without a scale it is 1 / sqrt(d_k).
export function attentionScores(Q, K, scale = 1 / Math.sqrt(Q[0].length)) {
  return Q.map((query) => K.map((key) => dot(query, key) * scale));
}

// Hide what the mask hides: mask (n_queries, n_keys) of booleans, true = may look; null hides nothing.
export function masked(scores, mask) {
  return mask ? scores.map((row, i) => row.map((score, j) => (mask[i][j] ? score : -Infinity))) : scores;
}

// The mask (n, n) of booleans in which causal hides later tokens and padding hides the last tokens from all.
export function mayLook(n, causal, padding) {
  const places = Array.from({ length: n }, (_, i) => i);
  return places.map((i) => places.map((j) => j < n - padding && (!causal || j <= i)));
}

// weights (n_queries, n_keys), V (n_keys, d_v) -> output (n_queries, d_v)
export function mix(weights, V) {
  return weights.map((row) => V[0].map((_, column) => row.reduce((total, w, j) => total + w * V[j][column], 0)));
}

// All four steps. Returns { scores, weights, output }; the scores are those before the mask.
export function attention(Q, K, V, { mask = null, scale } = {}) {
  const scores = attentionScores(Q, K, scale);
  const weights = masked(scores, mask).map(softmax);
  return { scores, weights, output: mix(weights, V) };
}

// How many keys share the weight, in bits: 0 when one key has all, log2(n) when all share evenly.
export const entropy = (weights) => 0 - sum(weights.map((w) => (w > 0 ? w * Math.log2(w) : 0)));

// The largest derivative of any weight by any score. It stands on the diagonal: w_i w_j <= w_i (1 - w_i).
export const gradientSize = (weights) => Math.max(...weights.map((w) => w * (1 - w)));

// The bytes that Python packed -> numbers, flat; and in rows: { shape, float32 } -> nested arrays of that shape.
export const floats = (bytes) =>
  new Float32Array(Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)).buffer);

export function nested({ shape, float32 }) {
  const cut = (numbers, [length, ...rest]) => {
    if (!rest.length) return Array.from(numbers);
    const size = numbers.length / length;
    return Array.from({ length }, (_, i) => cut(numbers.subarray(i * size, (i + 1) * size), rest));
  };
  return cut(floats(float32), shape);
}

// X (n, d_in), W (d_in, d_out), b (d_out) -> X W + b (n, d_out). Row after row of W: a writer reads in a third of the
// time that it takes column after column.
export function linear(X, W, b = W[0].map(() => 0)) {
  return X.map((x) => {
    const row = b.slice();
    for (let i = 0; i < x.length; i += 1) for (let j = 0; j < row.length; j += 1) row[j] += x[i] * W[i][j];
    return row;
  });
}

// x (d) -> mean 0 and variance 1, then stretched and shifted; 1e-6 as in cls_reader.py.
export function layerNorm(x, scale, shift, epsilon = 1e-6) {
  const mean = sum(x) / x.length;
  const variance = sum(x.map((one) => (one - mean) ** 2)) / x.length;
  return x.map((one, i) => ((one - mean) / Math.sqrt(variance + epsilon)) * scale[i] + shift[i]);
}

// x times the share of the normal law below x, by the fit that layers.py names; the constant of the polynomial first.
const TAIL = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806,
  0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];

export function gelu(x) {
  const z = Math.SQRT1_2 * Math.min(Math.abs(x), 50);
  const t = 1 / (1 + 0.5 * z);
  const series = TAIL.reduceRight((total, coefficient) => total * t + coefficient);
  return Math.max(x, 0) - 0.5 * Math.abs(x) * t * Math.exp(series - z * z);
}

export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

// cls_reader.py: the arrays of a Classifier and tokens (seq_len) -> where [CLS] looks, and the probability of yes.
export function readCls(c, tokens) {
  const X = tokens.map((token, i) => c.tokens[token].map((x, k) => x + c.positions[i][k]));
  const [K, V] = [linear(X, c.W_K, c.b_K), linear(X, c.W_V, c.b_V)];
  const { weights, output } = attention(linear(X.slice(0, 1), c.W_Q, c.b_Q), K, V); // only [CLS] asks
  const [mixed] = linear(output, c.W_O, c.b_O);
  const h = layerNorm(X[0].map((x, k) => x + mixed[k]), c.norm_scale, c.norm_shift);
  return { row: weights[0], answer: sigmoid(dot(h, c.answer) + c.answer_bias[0]) };
}
