// What AttentionExplorer shows, as numbers and as words. No drawing here.
import { attention, attentionScores, mayLook } from "./maths.js";
import { word, written } from "./elements.js";

export const STATE = ["tokens", "Q", "K", "V", "query", "step", "scaled", "causal", "padding"];

// Two numbers from the letters of a token, which mean nothing; example_sentences.py computes the same.
export function byLetters(token) {
  const number = Array.from(token).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 997, 0);
  const angle = (2 * Math.PI * number) / 997;
  return [Math.cos(angle), Math.sin(angle)].map((x) => Number((2 * x).toFixed(1)));
}

// The state and all that follows from it for the token that looks; null while only some of the state has changed.
export function seenBy(model) {
  const state = Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
  const { tokens, Q, K, V, query, scaled, causal, padding } = state;
  const n = tokens.length;
  if ([Q, K, V].some((matrix) => matrix.length !== n) || Q[0].length !== K[0].length) return null;
  if (query >= n || padding >= n) return null;
  const { mask, scores, weights, output } = attended(model, [n, Q, K, V, scaled, causal, padding]);
  const mine = { sees: mask[query], scores: scores[query], row: weights[query], output: output[query] };
  const products = attentionScores([Q[query]], K, 1)[0];
  const highest = Math.max(...mine.scores.filter((_, j) => mine.sees[j]));
  const exponentials = mine.scores.map((score, j) => (mine.sees[j] ? Math.exp(score - highest) : 0));
  const top = mine.row.indexOf(Math.max(...mine.row));
  const game = playing(model, state, mine.row);
  return { ...state, ...mine, weights, products, exponentials, highest, top, game };
}

const lastOf = new WeakMap(); // model -> [what its attention was computed from, the attention]

// The attention of all tokens: the same arrays as before while nothing but the token that looks has changed.
function attended(model, from) {
  const [before, last] = lastOf.get(model) ?? [[], null];
  if (from.every((one, i) => one === before[i])) return last;
  const [n, Q, K, V, scaled, causal, padding] = from;
  const mask = mayLook(n, causal, padding);
  const made = { mask, ...attention(Q, K, V, { mask, scale: scaled ? undefined : 1 }) };
  lastOf.set(model, [from, made]);
  return made;
}

// The game's row, where its token looks, and the key that is furthest from it; null where it cannot be played.
function playing(model, { tokens, query }, row) {
  const game = model.get("_game");
  if (!model.get("game") || query !== game.query || tokens.join(" ") !== game.tokens.join(" ")) return null;
  const off = row.map((weight, j) => Math.abs(weight - game.row[j]));
  const worst = off.indexOf(Math.max(...off));
  return { wanted: game.row, worst, reached: off[worst] <= game.close };
}

export const vector = (numbers) => `(${numbers.map((x) => written(x)).join(", ")})`;
export const rootOf = (seen) => `√${seen.Q[0].length}`;
export const scoreOf = (seen, j) => (seen.sees[j] ? written(seen.scores[j]) : "hidden");

// The whole picture in words; attention_explorer.py writes the same.
export function tellAttention(seen) {
  const { tokens, Q, K, V, query, causal, padding, game, row } = seen;
  const masks = [causal && "causal", padding && `padding of ${padding}`].filter(Boolean).join(" and ") || "none";
  const lines = tokens.map((token, j) =>
    `${token}: key ${vector(K[j])}, q · k ${written(seen.products[j])}, ` +
    `${seen.sees[j] ? "score " : ""}${scoreOf(seen, j)}, weight ${written(row[j])}, value ${vector(V[j])}`);
  return [
    `${tokens[query]} looks, token ${query + 1} of ${tokens.length}. Its query is ${vector(Q[query])}.`,
    `Scores are q · k${seen.scaled ? ` / ${rootOf(seen)}` : ""}. Mask: ${masks}.`,
    ...lines,
    `Output: ${vector(seen.output)}`,
    ...(game ? [`Game: ${gameInWords(seen, tokens[game.worst]).join("")}`] : []),
  ].join("\n");
}

export function gameInWords({ game, row }, name) {
  if (game.reached) return ["reached. All weights are those of the table, to two decimals."];
  return [name, ` (${game.worst}) is furthest off: ${written(row[game.worst])}, wanted ${written(game.wanted[game.worst])}.`];
}

// What the present step does, with the numbers of the key that gets most.
export function explain(seen) {
  const { Q, K, V, query, top, row, tokens } = seen;
  const [asks, answers] = [word(tokens[query]), word(tokens[top])];
  const sum = seen.exponentials.reduce((total, x) => total + x, 0);
  const products = Q[query].map((x, k) => `${written(x)} · ${written(K[top][k])}`).join(" + ");
  const order = row.map((_, j) => j).sort((a, b) => row[b] - row[a]);
  const terms = order.slice(0, 2).map((j) => `${written(row[j])} · ${vector(V[j])}`).join(" + ");
  const divided = seen.scaled ? `, divided by ${rootOf(seen)}: ${written(seen.scores[top])}` : "";
  const exponential = `e^(${written(seen.scores[top])} − ${written(seen.highest)})`;
  return {
    project: ["Each word has a query (what it looks for), a key (what it offers) and a value (what it gives)."],
    score: ["The query of ", asks, " meets each key. ", answers,
      `: ${products} = ${written(seen.products[top])}${divided}`],
    normalise: ["Larger scores take more, and all shares sum to 1. ", answers,
      `: ${exponential} / sum = ${written(seen.exponentials[top])} / ${written(sum)} = ${written(row[top])}`],
    mix: ["The output of ", asks,
      ` mixes the values: ${terms}${row.length > 2 ? " + …" : ""} = ${vector(seen.output)}`],
  }[seen.step];
}
