// What CutByHand shows, as numbers and as words: computed here, or by the kernel for a model that is too large for a
// page. No drawing here.
import { dot, nested, sigmoid, sum } from "./maths.js";
import { sendThroughAll, unpackStack } from "./stack_reader.js";
import { written } from "./elements.js";

export const STATE = ["sentence", "hide", "given", "layer", "head", "query", "key"];
const N_OTHERS = 100;
const TRIES = 8;

export const stateOf = (model) => Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// A whole number that looks as if drawn; cut_changes.py has the same.
export function mixed(i, place) {
  let h = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0;
  return (h ^ (h >>> 12)) >>> 0;
}

// Other sentences of the same build, each once: words give way to others of their kind; as in cut_changes.py.
export function builtAlike(words, kinds, n = N_OTHERS) {
  const has = (group) => group.some((one) => words.includes(one));
  const groups = kinds.filter((kind) => kind.some(has));
  const [found, whole] = [new Map(), words.join(" ")];
  for (let i = 0; i < TRIES * n && found.size < n; i += 1) {
    const changes = new Map();
    groups.forEach((kind, place) => {
      const rest = kind.filter((group) => !has(group));
      if (!rest.length) return;
      kind.filter(has).forEach((group, k) => {
        const other = rest[mixed(i, 8 * place + k) % rest.length];
        group.forEach((one, at) => changes.set(one, other[at]));
      });
    });
    const sentence = words.map((one) => changes.get(one) ?? one);
    if (sentence.join(" ") !== whole) found.set(sentence.join(" "), sentence);
  }
  return [...found.values()];
}

// The words of a typed text; commas and full stops stand alone, as in cut_changes.py.
export const wordsOf = (text) => text.replaceAll(",", " , ").replaceAll(".", " . ").split(/\s+/).filter(Boolean);

// The places that another sentence leaves alone: whole heads, and edges with the same token at both ends; as in
// cut_changes.py.
export const fitting = (places, before, after) => places.filter(([, , ...ends]) =>
  ends.slice(0, 2).every((i) => i < after.length && before[i] === after[i]));

// A model that the page computes. read(words, changes) -> { p, layers }, layers as sendThroughAll gives them.
export function inPage({ arrays, vocabulary, kinds, length, epsilon }) {
  const stack = unpackStack(arrays);
  const numbers = new Map(vocabulary.map((text, token) => [text, token]));
  const most = length ?? stack.positions.length - 1;
  const knows = (text) => !text.startsWith("[") && numbers.get(text) > 0;
  const read = (words, changes) => {
    const tokens = [0, ...words.map((text) => numbers.get(text))];
    const start = tokens.map((token, i) => stack.tokens[token].map((x, k) => x + stack.positions[i][k]));
    const { X, layers } = sendThroughAll(stack.blocks, start, { norm: "after", epsilon }, changes);
    return { p: sigmoid(dot(X[0], stack.answer) + stack.answer_bias[0]), layers };
  };
  const problem = (words) => {
    const unknown = words.filter((text) => !knows(text));
    if (unknown.length) return `The model does not know ${unknown.map((one) => `“${one}”`).join(", ")}.`;
    if (length && words.length !== length) return `A sentence has ${length} numbers; these are ${words.length}.`;
    if (!words.length || words.length > most) return `A sentence has 1 to ${most} words; these are ${words.length}.`;
    return "";
  };
  return { read, problem, knows, others: (words) => builtAlike(words, kinds) };
}

// The state and what follows from it, where the page computes: all that is shown but the other sentences.
export function seenInPage(model, source) {
  const state = stateOf(model);
  const words = wordsOf(state.sentence);
  const changes = { hide: state.hide, given: state.given };
  const [own, cut] = [source.read(words, {}), source.read(words, changes)];
  const { Q, K } = cut.layers[state.layer];
  const weights = [own, cut].map(({ layers }) => layers.map((layer) => layer.weights));
  const seen = { ...state, names: ["[CLS]", ...words], answers: [own.p, cut.p], weights };
  return parted(seen, Q[state.head], K[state.head]);
}

// The same where the kernel computed it; null while its answer to the present state is under way.
export function seenFromKernel(model) {
  const [told, state] = [model.get("_told"), stateOf(model)];
  if (!same(told.state, state)) return null;
  const [Q, K] = [nested(told.Q), nested(told.K)];
  const seen = { ...state, names: told.tokens, answers: told.answers, weights: told.weights.map(nested) };
  return parted(seen, Q, K);
}

// With the scores of the row that is shown, and the parts of one of them.
function parted(seen, Q, K) {
  const root = Math.sqrt(Q[0].length);
  const products = Q[seen.query].map((x, i) => x * K[seen.key][i]);
  const rows = seen.weights.map((all) => all[seen.layer][seen.head]);
  const scores = K.map((key) => dot(Q[seen.query], key) / root);
  return { ...seen, rows, products, scores, q: Q[seen.query], k: K[seen.key] };
}

// What the model says of the other sentences: how many get the answer that this one gets uncut, how many answers turn.
export function compared(before, after, { answers: [own] }, { threshold }) {
  const alike = before.filter((x) => (x >= threshold) === (own >= threshold)).length;
  const turned = before.filter((x, i) => (x >= threshold) !== (after[i] >= threshold)).length;
  const moved = sum(before.map((x, i) => Math.abs(after[i] - x))) / before.length;
  return { n: before.length, alike, turned, moved, before, after };
}

export const isChanged = ({ hide, given }) => hide.length + given.length > 0;
export const named = ({ names }, i) => `${names[i]} (${i})`;
const placed = (seen, [layer, head, query, key, weight]) => `layer ${layer}, head ${head}` +
  (query === undefined ? "" : `, ${named(seen, query)} → ${named(seen, key)}`) +
  (weight === undefined ? "" : ` ${written(weight)}`);
const listed = (seen, places) => places.map((one) => placed(seen, one)).join("; ") || "nothing";
export const answerOf = ({ answers, threshold }, x) => answers[x >= threshold ? 1 : 0];

function says(seen, said) {
  const [own, cut] = seen.answers.map((x) => `${answerOf(said, x)}, ${said.asked} ${written(x, 3)}`);
  return `The model says: ${own}.${isChanged(seen) ? ` With the changes: ${cut}.` : ""}`;
}

export function saysOthers(others, said) {
  if (!others.n) return "No other sentence of this build is known.";
  return `Of ${others.n} other sentences of this build, ${others.alike} get the same answer uncut. ` +
    `The same changes turn ${others.turned} of their answers; ${said.asked} moves by ` +
    `${written(others.moved, 3)} on average.`;
}

export const saysGivenBack = (count) => count === 1 ? "1 change did not fit the new sentence and was given back."
  : `${count} changes did not fit the new sentence and were given back.`;

// The whole picture in words; cut_by_hand.py writes the same. others: null while they are computed.
export function tellCuts(seen, said, others) {
  const { layer, head, query, key, scores, rows, products } = seen;
  const looks = scores.map((score, j) => `${named(seen, j)} score ${written(score)}, ` +
    `weight ${written(rows[1][query][j])}, uncut ${written(rows[0][query][j])}`);
  const parts = products.map((x, i) => `${i}: ${written(x)}`).join(", ");
  return [
    seen.names.join(" "),
    `Cut: ${listed(seen, seen.hide)}. Given: ${listed(seen, seen.given)}.`,
    says(seen, said),
    ...(isChanged(seen) && others ? [saysOthers(others, said)] : []),
    `layer ${layer}, head ${head}: ${named(seen, query)} looks at: ${looks.join("; ")}.`,
    `${named(seen, query)} · ${named(seen, key)}, by dimension: ${parts}. Their sum ${written(sum(products))}, ` +
      `divided by √${products.length}: ${written(scores[key])}.`,
  ].join("\n");
}

export function briefCuts(seen, said) {
  const x = seen.answers[1];
  return `${answerOf(said, x)}, ${said.asked} ${written(x, 3)}. ${named(seen, seen.query)} looks at ` +
    `${named(seen, seen.key)}: ${written(seen.rows[1][seen.query][seen.key])}.`;
}
