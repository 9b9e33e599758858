// The page's mathematics: course_utils/attention.py in JavaScript, for matrices as arrays of rows. No drawing here.
// tests/browser/test_page_maths.py compares each function with Python's on random input, in a real browser.

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
