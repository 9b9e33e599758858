// The words of TheMachine: its formulas with the numbers in them, the code that does what the hand did, and all that
// is seen as text. machine_words.py and the_machine.py write the same. No drawing here.
import { isChanged, isVectors, wordsOf } from "./machine_reading.js";
import { saysOthers } from "./machine_others.js";
import { sum } from "./maths.js";
import { written } from "./elements.js";

const FEW = 4; // numbers of a vector that are written out; of a longer one, one less

export const named = ({ names }, i) => `${names[i]} (${i})`;

export function firstFew(vector) {
  const few = vector.length <= FEW ? vector : vector.slice(0, FEW - 1);
  return `(${few.map((x) => written(x)).join(", ")}${few === vector ? "" : ", …"})`;
}

// The two largest of these terms, with what they are multiplied by.
function terms(pairs, sizes) {
  const order = sizes.map((_, i) => i).sort((a, b) => Math.abs(sizes[b]) - Math.abs(sizes[a])).slice(0, 2);
  return order.map((i) => pairs[i].join(" · ")).join(" + ") + (pairs.length > 2 ? " + …" : "");
}

function weightInWords({ scores, row, own, layer, head, query, given }, key) {
  const number = written(row[key]);
  const forced = given.find((one) => one[0] === layer && one[1] === head && one[2] === query);
  if (forced?.[3] === key) return `weight = ${number}, forced; the other keys share ${written(1 - row[key])}`;
  if (forced) return `weight = ${number}, its part of the ${written(1 - forced[4])} that is left`;
  if (!row[key]) {
    const why = own[key] ? "this line is cut" : "too thin to be drawn";
    return `weight = ${number}: ${why}, and the other keys share the budget`;
  }
  const seen = scores.filter((_, j) => row[j] > 0);
  const largest = Math.max(...seen);
  return `weight = e^(${written(scores[key])} − ${written(largest)}) / sum = ` +
    `${written(Math.exp(scores[key] - largest))} / ${written(sum(seen.map((x) => Math.exp(x - largest))))} = ${number}`;
}

// What each step computes for the query in focus and one key, by the name of the step.
export function formulas(seen, kind, key = seen.key) {
  const { at, query, row, scores } = seen;
  const [q, k, v] = [at.Q[query], at.K[key], at.V[key]];
  const [products, root] = [q.map((x, i) => x * k[i]), written(Math.sqrt(q.length))];
  const parts = terms(q.map((x, i) => [written(x), written(k[i])]), products);
  const mixture = terms(row.map((weight, j) => [written(weight), firstFew(at.V[j])]), row);
  const told = {
    vectors: `key of ${named(seen, key)}: ${firstFew(k)}, value: ${firstFew(v)}; ` +
      `query of ${named(seen, query)}: ${firstFew(q)}`,
    scores: `score = q · k / √${q.length} = (${parts}) / ${root} = ${written(sum(products))} / ${root} = ` +
      written(scores[key]),
    weights: weightInWords(seen, key),
    mix: `output of ${named(seen, query)} = ${mixture} = ${firstFew(at.mixed[query])}`,
  };
  if (!at.out) return told;
  const after = { norm: ", normalised", "norm after": ", normalised, through feed-forward, normalised" };
  const said = after[kind] ?? ", and what feed-forward adds";
  const block = `out of ${named(seen, query)} = vector + what the heads bring = ` +
    `${firstFew(at.X[query])} + ${firstFew(at.brought[query])}${said} = ${firstFew(at.out[query])}`;
  return { ...told, block };
}

const inPython = (x, i) => (x === null ? "None" : i === 4 && Number.isInteger(x) ? x.toFixed(1) : `${x}`);
const places = (all) => `[${all.map((one) => `(${one.map(inPython).join(", ")})`).join(", ")}]`;

// The lines that come before, and those that do what the hand did.
export function codeOf(seen, said) {
  const { sentence, hide, given, names } = seen;
  const words = wordsOf(sentence);
  if (isVectors(said)) {
    return { before: ["import numpy as np", "from course_utils.attention import scaled_dot_product_attention"],
      lines: codeOfVectors(seen, said) };
  }
  const encode = ["from course_utils.tasks.review_task import encode",
    `tokens = [encode("${words.join(" ")}".split())]`];
  const [before, call] = !said.arrays ? [[`sentence = ${JSON.stringify(sentence)}`], "model(sentence"]
    : said.length ? [[`tokens = [[0, ${words.join(", ")}]]`], "model(tokens"]
      : said.causal ? [[`tokens = [[${names.map((one) => said.vocabulary.indexOf(one)).join(", ")}]]`], "model(tokens"]
        : [encode, "model(tokens"];
  const changes = (hide.length ? `, hide=${places(hide)}` : "") +
    (given.length ? `, attention=with_weights(${places(given)})` : "");
  if (given.length) before.unshift("from course_utils.models.reading import with_weights");
  return { before, lines: [`${call}${changes})`] };
}

// Vectors are no model that could be called: their mask and their weights are changed.
function codeOfVectors({ names, hide, given, layer, head }, { n_layers: nLayers, n_heads: nHeads }) {
  const of = nLayers * nHeads === 1 ? "" : `[${layer}, ${head}]`;
  const here = ([l, h]) => (l === null || l === layer) && (h === null || h === head);
  const mine = hide.filter((place) => place.length === 4 && here(place));
  const forced = given.filter(here).flatMap(([, , query, key, weight]) => [
    `weights[${query}] *= (1 - ${inPython(weight, 4)}) / (1 - weights[${query}, ${key}])`,
    `weights[${query}, ${key}] = ${inPython(weight, 4)}`, `output[${query}] = weights[${query}] @ V${of}`]);
  const mask = mine.length ? [`mask = np.ones((${names.length}, ${names.length}), bool)`] : [];
  const away = hide.some((place) => place.length === 2 && here(place)) ? ["output[:] = 0"] : [];
  return [...mask, ...mine.map(([, , query, key]) => `mask[${query ?? ":"}, ${key}] = False`),
    `output, weights = scaled_dot_product_attention(Q${of}, K${of}, V${of}${mine.length ? ", mask" : ""})`,
    ...forced, ...away];
}

function placed(seen, [layer, head, ...edge]) {
  const place = layer === null ? "everywhere" : `layer ${layer}${head === null ? "" : `, head ${head}`}`;
  if (!edge.length) return place;
  const [query, key, ...weight] = edge;
  const line = query === null ? `all lines from ${named(seen, key)}` : `${named(seen, query)} → ${named(seen, key)}`;
  return [`${place}, ${line}`, ...weight.map((x) => written(x))].join(" ");
}
const listed = (seen, all) => all.map((one) => placed(seen, one)).join("; ") || "nothing";

// What the number of the answer is, in short: P(praise). A writer is asked about the word that it chooses uncut.
export function numberInShort({ asked }, { labels }) {
  const of = asked.split("the probability of ")[1];
  return of === undefined ? asked : `P(${of.includes(" ") ? labels[0] : of})`;
}

// An answer in words and in numbers: [0] uncut, [1] with the changes.
export const answered = ({ answers, labels }, i) => [labels[i], Array.isArray(answers[i]) ? firstFew(answers[i])
  : written(answers[i], 3)];

function says(seen, said) {
  const whole = (i) => answerInWords(seen, said, i);
  const start = isVectors(said) ? `The output of ${named(seen, seen.query)} is` : "The model says:";
  return `${start} ${whole(0)}.${isChanged(seen) ? ` With the changes: ${whole(1)}.` : ""}`;
}

// The whole picture in words. others: null while they are computed.
export function tellMachine(seen, said, others) {
  const { layer, head, query, scores, row, own, step } = seen;
  const looks = scores.map((score, j) => `${named(seen, j)} score ${written(score)}, ` +
    `weight ${written(row[j])}, uncut ${written(own[j])}`);
  const code = codeOf(seen, said);
  return [
    seen.names.join(" "),
    `Cut: ${listed(seen, seen.hide)}. Given: ${listed(seen, seen.given)}.`,
    says(seen, said),
    ...(isChanged(seen) && others && !isVectors(said) ? saysOthers(others, said) : []),
    `Step: ${step}.`,
    `layer ${layer}, head ${head}: ${named(seen, query)} looks at: ${looks.join("; ")}.`,
    ...Object.values(formulas(seen, said.block_kind)),
    ...code.before, ...code.lines,
  ].join("\n");
}

const answerInWords = (seen, said, i) => answered(seen, i).filter(Boolean)
  .join(isVectors(said) ? "" : `, ${said.asked} `);

// What a voice says once the hand rests: the answer, the look, what is changed, and the step.
export function briefly(seen, said) {
  const { layer, head, query, key, row, step, hide, given } = seen;
  const place = said.n_layers * said.n_heads > 1 ? `Layer ${layer}, head ${head}: ` : "";
  const changed = isChanged(seen) ? ` Changed: ${listed(seen, [...hide, ...given])}.` : "";
  return `${answerInWords(seen, said, 1)}. ${place}${named(seen, query)} looks at ${named(seen, key)}: ` +
    `${written(row[key])}.${changed}${step === "all" ? "" : ` Step: ${step}.`}`;
}
