// The field of CutByHand for a sentence of one's own.
import { fitting, same, saysGivenBack, wordsOf } from "./cut_reading.js";
import { element, store, unanswered, word } from "./elements.js";

const TYPING = 700; // milliseconds without a key: then a typed sentence is read
const MOST_WORDS = 20; // that a kernel is asked to read
export const PATIENCE = 3000; // milliseconds for the kernel
export const asleep = () => unanswered("computes this model");

const sentenceAndChanges = (model) => ["sentence", "hide", "given"].map((name) => model.get(name));

// Takes a typed sentence to the model. A pause may come in the middle of a number: until `end`, what fits is found anew
// among the changes of before.
function typedInPage(model) {
  const read = (text) => ["[CLS]", ...wordsOf(text)];
  let typing = null; // { before, left }: sentence and changes before the first pause, and after the last one
  const take = (text) => {
    const words = wordsOf(text);
    const sentence = words.join(" ");
    if (same(read(sentence), read(model.get("sentence"))) && !typing) return;
    if (!typing || !same(typing.left, sentenceAndChanges(model))) typing = { before: sentenceAndChanges(model) };
    const [from, ...changes] = typing.before;
    const [hide, given] = changes.map((places) => fitting(places, read(from), read(sentence)));
    const [query, key] = ["query", "key"].map((name) => Math.min(model.get(name), words.length));
    typing.left = [sentence, hide, given];
    const count = changes.flat().length - hide.length - given.length;
    store(model, { hide, given, query, key, sentence, _given_back: { count, left: typing.left } });
  };
  return { take, end: () => (typing = null) };
}

// Says how many changes did not fit a new sentence, until something else is changed.
function givenBackLine(model) {
  const node = element("p", { class: "look-problem", role: "status" });
  const draw = () => {
    const { count = 0, left } = model.get("_given_back");
    node.textContent = count && same(left, sentenceAndChanges(model)) ? saysGivenBack(count) : "";
  };
  model.on("change:_given_back", draw);
  return { node, draw };
}

// The field, and the words as chips; those that the model does not know are said. source: null where the kernel reads.
export function sentenceField(model, source) {
  const chips = element("div", { class: "look-flow look-chips" });
  const problem = element("p", { class: "look-problem", role: "status" });
  const [givenBack, typed] = [givenBackLine(model), typedInPage(model)];
  const field = element("input", { type: "text", class: "look-typed", dir: "auto", "aria-label": "sentence",
    oninput: () => look(), onchange: () => commit(), onkeydown: (event) => event.key === "Enter" && commit() });
  let timer = 0; // until the page reads the sentence, or until the kernel has to have answered
  const wait = (reason) => (problem.textContent = reason &&
    `${reason} The answer below is still that of: ${model.get("sentence")}`);
  const wrongWith = (words) => (source ? source.problem(words) : words.length > 0 && words.length <= MOST_WORDS ? ""
    : `A sentence has 1 to ${MOST_WORDS} words and signs.`);
  // What is typed, as chips, and what is wrong with it; the answer is read when the hand rests, or at once with Enter.
  const look = () => {
    const words = wordsOf(field.value);
    const reason = wrongWith(words);
    wait(reason || (source ? "" : "Press Enter, and the kernel reads it."));
    if (source) show(words);
    clearTimeout(timer);
    if (source && !reason) timer = setTimeout(put, TYPING);
    return !reason;
  };
  const put = () => {
    const fits = look();
    clearTimeout(timer);
    if (!fits) return;
    wait("");
    if (source) return typed.take(field.value);
    timer = setTimeout(() => wait(asleep()), PATIENCE);
    store(model, { _typed: { sentence: field.value.trim(), count: (model.get("_typed").count ?? 0) + 1 } });
  };
  const commit = () => {
    put();
    typed.end();
  };
  model.on("change:_problem", () => {
    clearTimeout(timer);
    problem.textContent = model.get("_problem").said;
  });
  const show = (words) => chips.replaceChildren(...words.map((text) =>
    element("span", { class: source && !source.knows(text) ? "look-chip look-unknown" : "look-chip" }, word(text))));
  const draw = ({ sentence, names }) => {
    if (document.activeElement !== field) field.value = sentence;
    if (!problem.textContent) show(source ? wordsOf(sentence) : names);
    givenBack.draw();
  };
  const label = element("label", { class: "look-label" }, "Sentence ", field);
  return { node: element("div", { class: "look-below look-sentence" }, label, chips, problem, givenBack.node), draw };
}
