// What TheMachine shows, as numbers: computed here, or by the kernel for a model that is too large for a page.
// No drawing here.
import { dot, nested, sigmoid, softmax } from "./maths.js";
import { look, placesOf, sendThroughAll, unpackStack } from "./stack_reader.js";
import { readWriter } from "./writer_reader.js";

export const STATE = ["sentence", "hide", "given", "layer", "head", "query", "key", "step"];

export const stateOf = (model) => Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
export const isChanged = ({ hide, given }) => hide.length + given.length > 0;

// The words of a typed text; commas and full stops stand alone, as in machine_changes.py.
export const wordsOf = (text) => text.replaceAll(",", " , ").replaceAll(".", " . ").split(/\s+/).filter(Boolean);

const unknownIn = (words, knows) => {
  const unknown = words.filter((text) => !knows(text));
  return unknown.length ? `The model does not know ${unknown.map((one) => `“${one}”`).join(", ")}.` : "";
};

// A model that the page computes. read(words, changes) -> { number, label, logit, layers }, layers as sendThroughAll
// gives them; the number is the probability of yes, or for a writer of the word that it would choose uncut.
function aModel({ arrays, vocabulary, length, epsilon, norm, causal, answers, threshold }) {
  const stack = unpackStack(arrays);
  const numbers = new Map(vocabulary.map((text, token) => [text, token]));
  const most = length ?? stack.positions.length - 1;
  const [first, verdicts] = causal ? [[], vocabulary.slice(-2)] : [["[CLS]"], []];
  const knows = (text) => (text.startsWith("[") ? verdicts.includes(text) : numbers.get(text) > 0);
  const tokensOf = (words) => [...first, ...words].map((text) => numbers.get(text));
  const answered = (words, changes) => {
    const start = tokensOf(words).map((token, i) => stack.tokens[token].map((x, k) => x + stack.positions[i][k]));
    const { X, layers } = sendThroughAll(stack.blocks, start, { norm, epsilon }, changes);
    const logit = dot(X[0], stack.answer) + stack.answer_bias[0];
    const number = sigmoid(logit);
    return { number, label: answers[number >= threshold ? 1 : 0], logit, layers };
  };
  const best = (scores) => scores.indexOf(Math.max(...scores));
  const written = (words, { hide, given }) => {
    const tokens = tokensOf(words);
    const [own, { scores, layers }] = [readWriter(stack, tokens), readWriter(stack, tokens, hide, given)];
    return { number: softmax(scores)[best(own.scores)], label: vocabulary[best(scores)], layers };
  };
  const problem = (words) => {
    const rest = words.slice(verdicts.length ? 1 : 0);
    if (verdicts.length && !verdicts.includes(words[0])) return `A review begins with ${verdicts.join(" or ")}.`;
    if (length && words.length !== length) return `A sentence has ${length} numbers; these are ${words.length}.`;
    if (!words.length || rest.length > most) return `A sentence has 1 to ${most} words; these are ${rest.length}.`;
    return unknownIn(rest, (text) => knows(text) && !text.startsWith("["));
  };
  return { read: causal ? written : answered, problem, knows, names: (words) => [...first, ...words] };
}

// Vectors that are no model: each head of each layer stands alone, and its outputs are the numbers.
function justVectors({ own_words: own, arrays }) {
  const [Q, K, V] = ["Q", "K", "V"].map((name) => nested(arrays[name]));
  const rowsOf = (words) => words.reduce((found, text) => {
    const rows = own.flatMap((one, i) => (one === text ? [i] : []));
    return [...found, rows.find((i) => !found.includes(i)) ?? rows.at(-1)];
  }, []);
  const read = (words, { hide = [], given = [] }) => {
    const rows = rowsOf(words);
    const layers = Q.map((_, layer) => {
      const [here, forced] = [placesOf(hide, layer), placesOf(given, layer)];
      const heads = Q[layer].map((_, head) => {
        const [q, k, v] = [Q, K, V].map((all) => rows.map((i) => all[layer][head][i]));
        const off = here.some((place) => place.length === 1 && place[0] === head);
        const { weights, output } = look(q, k, v, null, placesOf(here.filter((place) => place.length > 1), head),
          placesOf(forced, head));
        return { Q: q, K: k, V: v, weights, mixed: off ? output.map((row) => row.map(() => 0)) : output };
      });
      const ofAll = (name) => [name, heads.map((one) => one[name])];
      return Object.fromEntries(["Q", "K", "V", "weights", "mixed"].map(ofAll));
    });
    return { number: null, label: "", layers };
  };
  const knows = (text) => own.includes(text);
  const problem = (words) => unknownIn(words, knows) ||
    (words.length && words.length <= 2 * own.length ? "" : `A sentence has 1 to ${2 * own.length} of the words.`);
  return { read, problem, knows, names: (words) => words };
}

export const isVectors = (said) => Boolean(said.own_words);
export const inPage = (said) => (isVectors(said) ? justVectors(said) : aModel(said));

// The state and what follows from it, where the page computes: all that is shown but the other sentences. What was read
// last is kept, since most keys move only what is in focus. Returns a function of the model.
export function readingInPage(source) {
  const last = {};
  const read = (name, words, changes) => {
    const asked = JSON.stringify([words, changes]);
    if (last[name]?.asked !== asked) {
      const made = source.read(words, changes);
      last[name] = { asked, made, weights: made.layers.map((layer) => layer.weights) };
    }
    return last[name];
  };
  return (model) => {
    const state = stateOf(model);
    const words = wordsOf(state.sentence);
    const { layer, head, query, hide, given } = state;
    const [own, cut] = [read("own", words, {}), read("cut", words, { hide, given })];
    const at = cut.made.layers[layer];
    const answers = [own, cut].map(({ made }) => made.number ?? made.layers[layer].mixed[head][query]);
    const ofHead = Object.fromEntries(["Q", "K", "V", "mixed"].map((name) => [name, at[name][head]]));
    return parted({ ...state, names: source.names(words), answers, labels: [own.made.label, cut.made.label],
      logit: cut.made.logit, weights: [own.weights, cut.weights],
      at: { ...ofHead, X: at.start, brought: at.brought, out: at.X } });
  };
}

// The same where the kernel computed it; null while its answer to the present state is under way.
export function readingFromKernel({ answers, threshold }) {
  let [last, arrays] = [null, {}];
  return (model) => {
    const [told, state] = [model.get("_told"), stateOf(model)];
    if (!same(told.state, state)) return null;
    if (last !== told.weights) {
      const at = Object.fromEntries(Object.entries(told.at).map(([name, array]) => [name, nested(array)]));
      [last, arrays] = [told.weights, { at, weights: told.weights.map(nested) }];
    }
    const labels = told.answers.map((x) => answers[x >= threshold ? 1 : 0]);
    return parted({ ...state, names: told.tokens, answers: told.answers, labels, ...arrays });
  };
}

// With the row that is shown: its scores, and its weights without and with the changes.
function parted(seen) {
  const { layer, head, query, at } = seen;
  const rows = seen.weights.map((all) => all[layer][head][query]);
  const root = Math.sqrt(at.Q[0].length);
  return { ...seen, own: rows[0], row: rows[1], scores: at.K.map((key) => dot(at.Q[query], key) / root) };
}
