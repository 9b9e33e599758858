// What NextWord shows, as numbers and as words. No drawing here.
import { softmax, sum } from "./maths.js";
import { readWriter } from "./writer_reader.js";
import { written } from "./elements.js";

export const STATE = ["verdict", "words", "temperature", "hide", "layer", "head", "seed"];
export const TOP = 10; // next words that are shown
export const STOP = ".";
const isWord = (text) => !text.startsWith("["); // [CLS], [PAD] and the verdicts are none

// A number from 0 to 1 and the seed of the next one: mulberry32, by Tommy Ettinger. Without a seed, the page's chance.
export function drawnFrom(seed) {
  if (seed === null) return { share: Math.random(), seed };
  const next = (seed + 0x6d2b79f5) >>> 0;
  let t = Math.imul(next ^ (next >>> 15), 1 | next);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return { share: ((t ^ (t >>> 14)) >>> 0) / 2 ** 32, seed: next };
}

// likely: pairs [word, probability]. The word at which the probabilities, added up, pass `share` of their sum.
export function wordAt(likely, share) {
  let left = share * sum(likely.map(([, p]) => p));
  return (likely.find(([, p]) => (left -= p) < 0) ?? likely.at(-1))[0];
}

// A function of the words so far and the hidden heads. What it read last it does not read again: the temperature and
// the head to show change nothing of it.
export function remembering(model, writer) {
  const numbers = new Map(model.get("vocabulary").map((text, token) => [text, token]));
  let [key, seen] = ["", null];
  return (names, hide) => {
    const asked = JSON.stringify([names, hide]);
    if (asked !== key) [key, seen] = [asked, readWriter(writer, names.map((text) => numbers.get(text)), hide)];
    return seen;
  };
}

// How likely each word is as the next: pairs [word, probability]. scores: of the whole vocabulary.
function likelyNext(model, scores, temperature) {
  const chances = softmax(scores.map((score) => score / temperature));
  return model.get("vocabulary").map((text, token) => [text, chances[token]]).filter(([text]) => isWord(text));
}

// Tasks that the page confirms. readWhole: as `read`, for the writer with all heads on.
export const writingTasks = (model, readWhole) => [
  ["a review up to its full stop", ({ stopped }) => stopped],
  ["a next word with more than 0.9, at temperature 1", ({ shown, temperature }) =>
    temperature === 1 && shown.length > 0 && shown[0][1] > 0.9],
  ["a word that had less than 0.01, and comes first once one head is off", ({ names, hide, shown, temperature }) => {
    if (hide.length !== 1 || !shown.length) return false;
    const before = likelyNext(model, readWhole(names, []).scores, temperature);
    return before.find(([text]) => text === shown[0][0])[1] < 0.01;
  }],
];

// The state and all that follows from it.
export function seenNow(model, read, most) {
  const state = Object.fromEntries(STATE.map((name) => [name, model.get(name)]));
  const { words, hide, layer, head } = state;
  const names = [`[${state.verdict}]`, ...words];
  const { scores, weights } = read(names, hide);
  const stopped = words.at(-1) === STOP;
  const likely = likelyNext(model, scores, state.temperature);
  const shown = stopped ? [] : likely.toSorted((a, b) => b[1] - a[1]).slice(0, TOP);
  const isOff = (h) => hide.some(([l, one]) => l === layer && one === h);
  const rows = weights[layer].map((one) => one.at(-1));
  const on = rows.filter((_, h) => !isOff(h));
  const mean = on.length ? names.map((_, j) => sum(on.map((row) => row[j])) / on.length) : null;
  const end = stopped ? "The review has ended with its full stop."
    : words.length === most ? `${most} words are the most that this writer reads.` : "";
  const seen = { ...state, names, likely, shown, stopped, end, row: head === null ? mean : rows[head] };
  return { ...seen, others: 1 - sum(shown.map(([, p]) => p)), looks: inWhat(seen, head !== null && isOff(head)) };
}

// What the row is, in words.
function inWhat({ names, layer, head, row }, off) {
  const last = `“${names.at(-1)}”`;
  if (!row) return `All heads of layer ${layer} are off: ${last} gets nothing from there`;
  if (head === null) return `${last} looks, mean of the heads that are on in layer ${layer}`;
  return `${last} looks, layer ${layer}, head ${head}${off ? ", which is off" : ""}`;
}

const listed = (pairs, digits) => pairs.map(([text, x]) => `${text} ${written(x, digits)}`).join(", ");

// The whole picture in words; next_word.py writes the same.
export function tellNext(seen) {
  const off = seen.hide.map(([layer, head]) => `layer ${layer}, head ${head}`).join("; ") || "none";
  return [
    seen.names.join(" "),
    `Temperature ${written(seen.temperature)}. Heads that are off: ${off}.`,
    ...(seen.end ? [seen.end] : []),
    ...(seen.stopped ? [] : [`Next word: ${listed(seen.shown, 3)}, all others ${written(seen.others, 3)}`]),
    seen.looks + (seen.row ? `: ${listed(seen.names.map((text, j) => [text, seen.row[j]]), 2)}` : ""),
  ].join("\n");
}

// What a screen reader hears: the word that came last, and the most likely next one.
export function briefly({ names, words, end, shown }) {
  const last = words.length ? `${names.at(-1)}: word ${words.length}.` : `${names[0]}: no word yet.`;
  const next = shown.length ? `Most likely next: ${listed(shown.slice(0, 1), 3)}.` : "";
  return [last, end, next].filter(Boolean).join(" ");
}
