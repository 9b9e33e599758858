// What LookPlayground says: the question, the one sentence with the number that matters, and all that is seen, as text.
// look_playground.py writes the same text.
import { element, written } from "./elements.js";
import { isNow, modelNames, sentenceNow } from "./look_session.js";
import { askedPlaces } from "./look_task.js";

const named = (places) => places.map((place) => (place ? `position ${place}` : "[CLS]"));
const listed = (names, weights) => names.map((name, i) => `${name} ${written(weights[i])}`).join(", ");
const where = (model) => `${named(askedPlaces(get(model, ["question", "position", "other"]))).join(" and ")}`;
const get = (model, names) => Object.fromEntries(names.map((name) => [name, model.get(name)]));

// The share of right answers of all models, in percent. Each is a count out of 1,000: whole numbers do not depend on
// the order in which they are added.
const percent = (accuracy) =>
  written(Array.from(accuracy, (x) => Math.round(1000 * x)).reduce((a, b) => a + b) / (10 * accuracy.length), 1);

export function question(model) {
  const { question: kind, position, target, other } = get(model, ["question", "position", "target", "other"]);
  if (kind === "above") return `Is the token at position ${position} above ${target}?`;
  if (kind === "equal") return `Are the tokens at positions ${position} and ${other} equal?`;
  return `Is the token at position ${position} the number ${target}?`;
}

export function heading(model) {
  if (model.get("given")) return [`A small Transformer learns: ${question(model)}`];
  const [n, reduced] = [model.get("seeds"), model.get("reduced")];
  const ask = reduced ? `${n === 20 ? "Twenty" : n} models answer right. Do they look?` : "Does it look?";
  return [element("strong", {}, ask), ` ${n} small ${reduced ? "models" : "Transformers"} learn: ${question(model)} ` +
    "They train here, in this page."];
}

// What the twenty small pictures show, in the reduced playground: the key of their colours, and what a bar is.
export function caption(model) {
  const key = (kind, of) => element("span", {}, element("span", { class: `look-key ${kind}` }), ` ${of}`);
  return element("p", { class: "look-caption" },
    element("span", { class: "look-bar-keys" }, key("look-own-bar", where(model)), key("", "any other place")),
    "Each small picture is one model: a bar is the share of its attention that one place gets, and the dotted line all " +
    "of it.");
}

// The scene that is told, and what it means to look, below the number of the reduced playground.
function told(model, { accuracy, epoch, step }, sharp) {
  const now = model.get("scenes").find(({ recipe }) => isNow(model, recipe));
  const scene = now ? [element("b", {}, now.title), `. ${now.line} `] : ["A recipe of your own. "];
  const right = step ? `After epoch ${epoch} of ${model.get("epochs")}, ${percent(accuracy)} % of the answers to new ` +
    "sentences are right. " : "Nothing is trained yet. ";
  return [element("span", {}, ...scene), element("span", {}, `${right}A model looks if ${where(model)} gets at least ` +
    `${written(sharp)} of its attention.`)];
}

// The sentence with the number that matters.
export function verdict(node, model, seen, sharp) {
  const { accuracy, look, epoch, step } = seen;
  const n = look.filter((share) => share >= sharp).length;
  const strong = (text) => element("strong", {}, text);
  if (model.get("given")) return node.replaceChildren(...(step ? [`Epoch ${epoch} of ${model.get("epochs")}, on ` +
    "unseen sentences: ", strong(`${percent(accuracy)} %`), ` right, weight on ${where(model)}: `,
    strong(written(look[0]))] : ["Nothing is trained yet."]));
  if (model.get("reduced"))
    return node.replaceChildren(strong(`${step ? n : "?"} of ${look.length} look`), ...told(model, seen, sharp));
  if (!step) return node.replaceChildren("Nothing is trained yet. ", strong("Press Start"), ", or choose a recipe.");
  return node.replaceChildren(
    `Epoch ${epoch} of ${model.get("epochs")}, on unseen sentences: `, strong(`${percent(accuracy)} %`), " right. ",
    strong(`${n} of ${look.length}`), ` really look at ${where(model)}.`);
}

export function recipeLine(model) {
  const now = (name) => model.get(name);
  const wait = now("patience") >= 10 ? "from the first batch on" : `once a loss was below ${written(now("patience"))}`;
  return `Recipe: decoys ${written(now("decoys"))}; reward ${written(now("reward"))} for one place, ${wait}; ` +
    `learning rate ${written(now("learning_rate"), 4)}; batches of ${now("batch_size")}; ${now("epochs")} epochs.`;
}

// The whole picture in words, and in short for a screen reader.
export function tellPlayground(model, result, reading, sharp) {
  const tokens = sentenceNow(model);
  const [own, places] = [tokens.map((token, i) => (i ? `${token}` : "[CLS]")), named(tokens.map((_, i) => i))];
  const names = modelNames(model);
  const lines = [`${question(model)} Sentences of ${model.get("length")} tokens.`, recipeLine(model)];
  let brief = "Nothing is trained yet.";
  if (result) {
    const n = result.look.filter((share) => share >= sharp).length;
    brief = `Epoch ${result.epoch} of ${model.get("epochs")}: ${percent(result.accuracy)} % right. ` +
      `${n} of ${names.length} look at ${where(model)}, with a weight of at least ${written(sharp)}.`;
  }
  lines.push(brief, ...(result ? names.map((name, i) =>
    `${name}: ${percent([result.accuracy[i]])} % right, look ${written(result.look[i])}; ` +
    `[CLS] looks, on average: ${listed(places, result.rows[i])}`) : []));
  lines.push(`Sentence: ${own.join(" ")}`);
  if (reading) {
    const answer = `${names[result.opened]} says ${reading.answer >= 0.5 ? "yes" : "no"}, ` +
      `probability of yes ${written(reading.answer)}.`;
    brief += ` ${answer}`;
    const both = (i) => `${written(reading.tokenPart[i])} and ${written(reading.placePart[i])}`;
    const parts = places.map((name, i) => `${name} ${both(i)}`);
    const most = (row) => row.indexOf(Math.max(...row));
    const first = (row) => listed([places[most(row)]], [row[most(row)]]);
    lines.push(answer, `[CLS] looks, in this sentence: ${listed(own, reading.row)}`,
      `Parts of the scores, token and place: ${parts.join(", ")}`,
      ...reading.all.slice(1).map((row, i) => `${places[i + 1]} looks most, in this sentence: ${first(row)}`));
  }
  return [lines.join("\n"), brief];
}
