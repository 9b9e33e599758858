// The weights of the classifier as one array, and how they begin.
import { randomFrom } from "./look_task.js";

// Where each array of a Classifier stands among all weights: { name: [start, end] }, in the order of cls_reader.py.
export function layout({ vocabulary, size, d = 8, dK = 8, dV = 8 }) {
  const lengths = { tokens: vocabulary * d, positions: size * d, W_Q: d * dK, b_Q: dK, W_K: d * dK, b_K: dK,
    W_V: d * dV, b_V: dV, W_O: dV * d, b_O: d, norm_scale: d, norm_shift: d, answer: d, answer_bias: 1 };
  let start = 0;
  return Object.fromEntries(Object.entries(lengths).map(([name, length]) => [name, [start, (start += length)]]));
}

// The first weights, as Keras draws them: embeddings from -0.05 to 0.05, matrices by Glorot's rule, biases 0.
export function firstWeights(sizes, seed) {
  const { d = 8, dK = 8, dV = 8 } = sizes;
  const [places, random] = [layout(sizes), randomFrom(7919 * seed + 13)];
  const weights = new Float64Array(places.answer_bias[1]);
  const fill = (name, most) => {
    for (let i = places[name][0]; i < places[name][1]; i += 1) weights[i] = (2 * random() - 1) * most;
  };
  const glorot = (wide) => Math.sqrt(6 / (d + wide));
  const spread = { tokens: 0.05, positions: 0.05, W_Q: glorot(dK), W_K: glorot(dK), W_V: glorot(dV), W_O: glorot(dV),
    answer: glorot(1) };
  for (const [name, most] of Object.entries(spread)) fill(name, most);
  return weights.fill(1, ...places.norm_scale);
}
