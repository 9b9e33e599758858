// course_utils/models/writer_reader.py in JavaScript: which word may come next, and where the writer looks. No drawing here.
import { layerNorm, linear, mayLook } from "./maths.js";
import { sendThroughAll } from "./stack_reader.js";

const EPSILON = 1e-3; // of the layer normalisation, as in writer_reader.py

// tokens (n), changes as sendThroughAll takes them -> scores (n_words) of the word after the last token, layers as it
// gives them, and weights (n_layers, n_heads, n, n)
export function readWriter(writer, tokens, hide = [], given = []) {
  const start = tokens.map((token, i) => writer.tokens[token].map((x, k) => x + writer.positions[i][k]));
  const mask = mayLook(tokens.length, true, 0); // back, and never ahead
  const settings = { norm: "before", epsilon: EPSILON, mask };
  const { X, layers } = sendThroughAll(writer.blocks, start, settings, { hide, given });
  const last = layerNorm(X.at(-1), writer.gain, writer.bias, EPSILON);
  const [scores] = linear([last], writer.W_next, writer.b_next);
  return { scores, layers, weights: layers.map(({ weights }) => weights) };
}
