// What is in focus in TheMachine, beside its drawing: the line by ordinary controls, its formula with the numbers in
// it, and the line of code that does what the hand did.
import { isCut, isForced } from "./machine_changes.js";
import { codeOf, formulas, named } from "./machine_words.js";
import { button, element, place, store, tickMarks, written } from "./elements.js";

const SHOWN = ["scores", "weights", "mix"]; // when all steps are done at once

function positions(model, name, label) {
  const node = element("select", { class: "look-button", "aria-label": label,
    onchange: () => store(model, { [name]: Number(node.value) }) });
  let made = "";
  const draw = (seen) => {
    if (made !== seen.names.join(" ")) {
      node.replaceChildren(...seen.names.map((_, i) => element("option", { value: i }, named(seen, i))));
      made = seen.names.join(" ");
    }
    node.value = seen[name];
  };
  return { node, draw };
}

export function focusPanel(model, said, hand) {
  const [asker, key] = [positions(model, "query", "who looks"), positions(model, "key", "looks at")];
  const ticks = tickMarks(0, 0.25, 0.5, 0.75, 1);
  const slider = element("input", { type: "range", min: 0, max: 1, step: 0.01, list: ticks.id, "aria-label": "weight",
    oninput: () => {
      hand.force(model.get("key"), Number(slider.value));
      slider.value = shown;
    } });
  let shown = 0;
  const number = element("output", {});
  const cut = button("", () => hand.toggleLine(model.get("key")));
  const scope = element("select", { class: "look-button", "aria-label": "where a word is hidden" },
    ...[["everywhere", "everywhere"], ["layer", "in this layer"], ["head", "in this head"]]
      .map(([value, text]) => element("option", { value }, text)));
  const hide = button("Hide the word", () => hand.toggleWord(model.get("key"), scope.value));
  const several = said.n_layers * said.n_heads > 1;
  const row = element("div", { class: "look-line-row" }, asker.node, " looks at ", key.node,
    element("label", { class: "look-label" }, "weight ", slider, number), ticks, cut, hide,
    ...(several ? [scope] : []));
  const told = element("div", { class: "look-formulas" });
  const node = element("div", { class: "look-focus-panel" }, row, told);
  const draw = (seen, pointed) => {
    asker.draw(seen);
    key.draw(seen);
    const where = [seen.layer, seen.head, seen.query, seen.key];
    shown = seen.row[seen.key];
    slider.value = shown;
    number.textContent = written(shown);
    place(slider, { "aria-valuetext": written(shown) });
    cut.textContent = isForced(seen, where) || isCut(seen, where) ? "Put it back" : "Cut the line";
    const all = formulas(seen, said.block_kind, pointed ?? seen.key);
    const answer = seen.logit === undefined ? ""
      : `answer = sigmoid(out of [CLS] · w + b) = sigmoid(${written(seen.logit)}) = ${written(seen.answers[1], 3)}`;
    const lines = seen.step === "all" ? SHOWN.map((name) => all[name]) : [all[seen.step] ?? (answer || all.mix)];
    told.replaceChildren(...lines.map((text) => element("p", {}, text)));
  };
  return { node, draw, scope: () => (several ? scope.value : "everywhere") };
}

// The code, and a button that copies it with the lines before it.
export function codeLine(said) {
  const code = element("code", {});
  let whole = "";
  const copy = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(whole);
      copy.textContent = "Copied";
    } catch { // a page that may not: what is selected can be copied by hand
      getSelection().selectAllChildren(code);
      copy.textContent = "Selected";
    }
  }, "copy these lines, and those that make the input");
  const node = element("div", { class: "look-code" }, copy, code);
  const draw = (seen) => {
    const { before, lines } = codeOf(seen, said);
    code.textContent = lines.join("\n");
    whole = [...before, ...lines].join("\n");
    copy.textContent = "Copy";
  };
  return { node, draw };
}
