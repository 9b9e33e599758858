// What one model makes of one sentence: the parts of each score, where every token looks, and the answer.
import { attentionScores, linear, softmax } from "./maths.js";
import { LookModel } from "./look_training.js";
import { layout } from "./look_weights.js";

// weights: all of them in the order of cls_reader.py. Returns { tokenPart, placePart, row, all, answer }: the parts of
// the scores of [CLS] and its weights (n,), the weights of all queries (n, n), the probability of yes.
export function readLook(sizes, weights, tokens) {
  const model = new LookModel(sizes, weights);
  const [answer] = model.answers([tokens]);
  const all = everyRow(sizes, weights, tokens);
  const tokenPart = tokens.map((token) => model.tokenScore[token]);
  const placePart = tokens.map((_, i) => model.placeScore[i]);
  return { tokenPart, placePart, row: all[0], all, answer };
}

function everyRow(sizes, weights, tokens) {
  const places = layout(sizes);
  const { d = 8, dK = 8 } = sizes;
  const rows = (name, width) => {
    const flat = weights.subarray(...places[name]);
    return Array.from({ length: flat.length / width }, (_, i) => Array.from(flat.subarray(i * width, (i + 1) * width)));
  };
  const [vectors, positions] = [rows("tokens", d), rows("positions", d)];
  const X = tokens.map((token, i) => vectors[token].map((x, k) => x + positions[i][k]));
  const bias = (letter) => Array.from(weights.subarray(...places[`b_${letter}`]));
  const through = (letter) => linear(X, rows(`W_${letter}`, dK), bias(letter));
  return attentionScores(through("Q"), through("K")).map(softmax);
}
