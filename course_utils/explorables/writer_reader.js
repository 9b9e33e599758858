// course_utils/writer_reader.py in JavaScript: which word may come next, and where the writer looks. No drawing here.
import { attention, gelu, layerNorm, linear, mayLook, nested } from "./maths.js";

const EPSILON = 1e-3; // of the layer normalisation, as in writer_reader.py

// Arrays as Python packed them, by the names of writer_reader.AXES -> { tokens, ..., blocks: [{ W_Q, ... }, ...] }
export function unpackWriter(arrays) {
  const writer = { blocks: [] };
  for (const [name, array] of Object.entries(arrays)) {
    const [layer, part] = name.split(".");
    if (part) (writer.blocks[layer] ??= {})[part] = nested(array);
    else writer[name] = nested(array);
  }
  return writer;
}

const plus = (X, Y) => X.map((x, i) => x.map((one, k) => one + Y[i][k]));
const normed = ({ gains, biases }, part, X) => X.map((x) => layerNorm(x, gains[part], biases[part], EPSILON));

// The columns of one head: X (n, n_heads * width) -> (n, width)
function ofHead(X, head, nHeads) {
  const width = X[0].length / nHeads;
  return X.map((x) => x.slice(head * width, (head + 1) * width));
}

// One block with the norm before its parts: X (n, d_model), off: the heads that pass on nothing. Returns
// { X (n, d_model), weights (n_heads, n, n) }. A head that is off looks all the same.
function sendThrough(block, X, off) {
  const nHeads = block.n_heads[0];
  const mask = mayLook(X.length, true, 0); // back, and never ahead
  const QKV = ["W_Q", "W_K", "W_V"].map((name) => linear(normed(block, 0, X), block[name]));
  const heads = Array.from({ length: nHeads }, (_, head) =>
    attention(...QKV.map((all) => ofHead(all, head, nHeads)), { mask }));
  const passed = ({ output }, head, i) => (off.includes(head) ? output[i].map(() => 0) : output[i]);
  const merged = X.map((_, i) => heads.flatMap((one, head) => passed(one, head, i)));
  const looked = plus(X, linear(merged, block.W_O));
  const wide = linear(normed(block, 1, looked), block.W_in, block.b_in).map((row) => row.map(gelu));
  return { X: plus(looked, linear(wide, block.W_out, block.b_out)), weights: heads.map(({ weights }) => weights) };
}

// tokens (n), hide: pairs [layer, head] -> scores (n_words) of the word behind the last token, and
// weights (n_layers, n_heads, n, n)
export function readWriter(writer, tokens, hide = []) {
  let X = tokens.map((token, i) => writer.tokens[token].map((x, k) => x + writer.positions[i][k]));
  const weights = writer.blocks.map((block, layer) => {
    const sent = sendThrough(block, X, hide.filter(([l]) => l === layer).map(([, head]) => head));
    X = sent.X;
    return sent.weights;
  });
  const last = layerNorm(X.at(-1), writer.gain, writer.bias, EPSILON);
  return { scores: linear([last], writer.W_next, writer.b_next)[0], weights };
}
