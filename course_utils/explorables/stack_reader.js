// A stack of blocks as layers.py and reading.py read it, in JavaScript: what each token becomes, where it looks, and
// what a cut changes. No drawing here.
import { attentionScores, gelu, layerNorm, linear, masked, mix, nested, softmax, sum } from "./maths.js";

// Arrays as Python packed them, "0.W_Q" for an array of block 0 -> { tokens, ..., blocks: [{ W_Q, ... }, ...] }
export function unpackStack(arrays) {
  const stack = { blocks: [] };
  for (const [name, array] of Object.entries(arrays)) {
    const [layer, part] = name.split(".");
    if (part) (stack.blocks[layer] ??= {})[part] = nested(array);
    else stack[name] = nested(array);
  }
  return stack;
}

const plus = (X, Y) => X.map((x, i) => x.map((one, k) => one + Y[i][k]));

// The columns of one head: X (n, n_heads * width) -> (n, width)
function ofHead(X, head, nHeads) {
  const width = X[0].length / nHeads;
  return X.map((x) => x.slice(head * width, (head + 1) * width));
}

// A row of weights in which one key has the weight that a hand gave it. The other keys share the rest in proportion;
// where all of them have 0, evenly, and those that may not be looked at get nothing.
export function withGiven(row, key, weight, sees) {
  const others = row.map((_, j) => j !== key && sees[j]);
  if (!others.some(Boolean)) return row;
  const left = sum(row.filter((_, j) => others[j]));
  const even = 1 / others.filter(Boolean).length;
  return row.map((w, j) => (j === key ? weight : others[j] ? (1 - weight) * (left > 0 ? w / left : even) : 0));
}

// One head: Q, K, V (n, d) -> { weights (n, n), output (n, d) }. cut: pairs (query, key) that may not be used, where a
// query of null stands for all; given: triples (query, key, weight).
export function look(Q, K, V, mask, cut, given) {
  const sees = Q.map((_, i) => K.map((_, j) => !mask || mask[i][j]));
  for (const [query, key] of cut) sees.forEach((row, i) => (query === null || query === i) && (row[key] = false));
  const weights = masked(attentionScores(Q, K), sees).map(softmax);
  for (const [query, key, weight] of given) weights[query] = withGiven(weights[query], key, weight, sees[query]);
  return { weights, output: mix(weights, V) };
}

// The places of one layer, or of one head in it, without that first number; null stands for all.
export const placesOf = (places, which) =>
  places.filter(([first]) => first === null || first === which).map(([, ...rest]) => rest);

// One block: X (n, d_model) -> { X: what comes out, start: what went in, Q, K, V (n_heads, n, d),
// weights (n_heads, n, n), mixed (n_heads, n, d_v), brought (n, d_model): what all heads bring together }.
// norm: "before" or "after".
// hide: [head], which then passes on nothing, or [head, query, key]; given: [head, query, key, weight].
export function sendThrough(block, X, { norm, epsilon, mask = null }, { hide = [], given = [] } = {}) {
  const nHeads = block.n_heads[0];
  const normed = (rows, part, place) => (place !== norm ? rows
    : rows.map((x) => layerNorm(x, block.gains[part], block.biases[part], epsilon)));
  const input = normed(X, 0, "before");
  const [Q, K, V] = ["Q", "K", "V"].map((name) => {
    const all = linear(input, block[`W_${name}`], block[`b_${name}`]);
    return Array.from({ length: nHeads }, (_, head) => ofHead(all, head, nHeads));
  });
  const edges = hide.filter((place) => place.length > 1);
  const heads = Q.map((_, head) =>
    look(Q[head], K[head], V[head], mask, placesOf(edges, head), placesOf(given, head)));
  const off = hide.filter((place) => place.length === 1).map(([head]) => head);
  const passed = ({ output }, head, i) => (off.includes(head) ? output[i].map(() => 0) : output[i]);
  const merged = X.map((_, i) => heads.flatMap((one, head) => passed(one, head, i)));
  const brought = linear(merged, block.W_O, block.b_O);
  let out = normed(plus(X, brought), 0, "after");
  if (block.W_in) {
    const wide = linear(normed(out, 1, "before"), block.W_in, block.b_in).map((row) => row.map(gelu));
    out = normed(plus(out, linear(wide, block.W_out, block.b_out)), 1, "after");
  }
  const [weights, mixed] = ["weights", "output"].map((name) => heads.map((one) => one[name]));
  return { X: out, start: X, Q, K, V, weights, mixed, brought };
}

// X (n, d_model) through all blocks, with one vocabulary of changes, as reading.py: hide, places [layer, head] or
// [layer, head, query, key], where null stands for all; given, places with a weight as a fifth entry.
export function sendThroughAll(blocks, X, settings, { hide = [], given = [] } = {}) {
  const layers = blocks.map((block, layer) => {
    const sent = sendThrough(block, X, settings, { hide: placesOf(hide, layer), given: placesOf(given, layer) });
    X = sent.X;
    return sent;
  });
  return { X, layers };
}
