// The field of TheMachine for a sentence of one's own.
import { fitting } from "./machine_changes.js";
import { same, wordsOf } from "./machine_reading.js";
import { element, store, unanswered } from "./elements.js";

const TYPING = 700; // milliseconds without a key: then a typed sentence is read
const MOST_WORDS = 20; // that a kernel is asked to read
export const PATIENCE = 3000; // milliseconds for the kernel
export const asleep = () => unanswered("computes this model");

const saysGivenBack = (count) => count === 1 ? "1 change did not fit the new sentence and was given back."
  : `${count} changes did not fit the new sentence and were given back.`;
const sentenceAndChanges = (model) => ["sentence", "hide", "given"].map((name) => model.get(name));

// Takes a typed sentence to the model. A pause may come in the middle of a number: until `end`, what fits is found anew
// among the changes of before.
function typedInPage(model, source) {
  const read = (text) => source.names(wordsOf(text));
  let typing = null; // { before, left }: sentence and changes before the first pause, and after the last one
  const take = (text) => {
    const sentence = wordsOf(text).join(" ");
    if (same(read(sentence), read(model.get("sentence"))) && !typing) return;
    if (!typing || !same(typing.left, sentenceAndChanges(model))) typing = { before: sentenceAndChanges(model) };
    const [from, ...changes] = typing.before;
    const [hide, given] = changes.map((places) => fitting(places, read(from), read(sentence)));
    const [query, key] = ["query", "key"].map((name) =>
      Math.min(model.get(name), read(sentence).length - 1));
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

// The field; words that the model does not know are said. source: null where the kernel reads.
export function sentenceField(model, source) {
  const problem = element("p", { class: "look-problem", role: "status" });
  const [givenBack, typed] = [givenBackLine(model), source && typedInPage(model, source)];
  const field = element("input", { type: "text", class: "look-typed", dir: "auto", "aria-label": "sentence",
    oninput: () => look(), onchange: () => commit(), onkeydown: (event) => event.key === "Enter" && commit() });
  let timer = 0; // until the page reads the sentence, or until the kernel has to have answered
  const wait = (reason) => (problem.textContent = reason &&
    `${reason} The answer below is still that of: ${model.get("sentence")}`);
  const wrongWith = (words) => (source ? source.problem(words) : words.length > 0 && words.length <= MOST_WORDS ? ""
    : `A sentence has 1 to ${MOST_WORDS} words and signs.`);
  // What is wrong with what is typed; the answer is read when the hand rests, or at once with Enter.
  const look = () => {
    const reason = wrongWith(wordsOf(field.value));
    wait(reason || (source ? "" : "Press Enter, and the kernel reads it."));
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
    typed?.end();
  };
  model.on("change:_problem", () => {
    clearTimeout(timer);
    problem.textContent = model.get("_problem").said;
  });
  const draw = ({ sentence }) => {
    if (document.activeElement !== field) field.value = sentence;
    givenBack.draw();
  };
  const reset = () => { // what was typed and not taken goes too
    clearTimeout(timer);
    field.value = model.get("sentence");
    wait("");
  };
  const label = element("label", { class: "look-label" }, "Sentence ", field);
  return { node: element("div", { class: "look-below look-sentence" }, label, problem, givenBack.node), draw, reset };
}
