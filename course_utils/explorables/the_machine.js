// TheMachine: the drawing of the course, running on a trained model: see the numbers on their way, and change them.
import { briefly, tellMachine } from "./machine_words.js";
import {
  inPage, isChanged, isVectors, readingFromKernel, readingInPage, same, STATE, stateOf, wordsOf,
} from "./machine_reading.js";
import { PATIENCE, asleep, sentenceField } from "./machine_sentence.js";
import { notebook, othersLine, readOthers } from "./machine_others.js";
import { changes, leavesNothing } from "./machine_changes.js";
import { codeLine, focusPanel } from "./machine_focus.js";
import { drawing, STEPS } from "./machine_drawing.js";
import { headTabs } from "./machine_heads.js";
import { button, drawOn, element, frame, goals, store } from "./elements.js";

const REST = 250; // milliseconds without a change: then the other sentences are asked

// One step further, through each layer and to the answer; or all at once.
function stepper(model, said) {
  const steps = STEPS.filter((name) => said.block_kind || name !== "block");
  const onward = () => {
    const [step, layer] = [model.get("step"), model.get("layer")];
    const next = steps[steps.indexOf(step) + 1];
    if (step === "all" || step === "answer") store(model, { step: "vectors", layer: 0 });
    else if (next === "answer" && said.block_kind && layer < said.n_layers - 1) {
      store(model, { step: "vectors", layer: layer + 1 });
    } else store(model, { step: next });
  };
  const all = button("All at once", () => store(model, { step: "all" }));
  drawOn(model, ["step"], () => all.setAttribute("aria-pressed", model.get("step") === "all"));
  return element("div", { class: "look-label" }, button("Next step ▸", onward), all);
}

// What there is to reach. source: null where the kernel reads the sentence.
function machineGoals(said, source) {
  const heads = ({ hide }) => hide.filter((place) => place.length === 2).length;
  const one = ({ hide, given }, cuts, forced) => hide.length === cuts && given.length === forced;
  if (!source) {
    const twoHeads = (now) => turned(now) && heads(now) === 2 && one(now, 2, 0);
    return goals([["another answer, with two heads taken away", twoHeads]]);
  }
  const what = isVectors(said) ? "the output moves by more than 0.5" : "another answer";
  return goals([[`${what}, with one cut`, (now) => turned(now) && one(now, 1, 0) && now.hide[0].length === 4],
    [`${what}, with one forced weight`, (now) => turned(now) && one(now, 0, 1)]]);
  function turned({ answers: [own, cut], labels }) {
    return isVectors(said) ? own.some((x, i) => Math.abs(x - cut[i]) > 0.5) : labels[0] !== labels[1];
  }
}

function render({ model, el }) {
  const said = model.get("_model");
  const { body, controls, tell, root } = frame(model, el, {
    title: "TheMachine.", label: `TheMachine: ${model.get("_initial").sentence}`,
    instruction: "Click or tap a line to cut it, a word that is looked at to hide it, or another word that looks." });
  root.classList.add("look-hand");
  root.addEventListener("reset", () => field.reset());
  const source = said.arrays ? inPage(said) : null;
  const read = source ? readingInPage(source) : readingFromKernel(said);
  let [seen, others, known, timer, pointed] = [null, null, "", 0, null];
  const hand = changes(model, said, () => seen.names.length);
  const field = sentenceField(model, source);
  const panel = focusPanel(model, said, hand);
  const machine = drawing(model, said, hand, panel.scope, (key) => {
    pointed = key;
    if (seen) panel.draw(seen, pointed);
  });
  const [tabs, code, line] = [headTabs(model, said, hand), codeLine(said), othersLine(said)];
  const [tried, tasks] = [notebook(model, said), machineGoals(said, source)];
  const asked = readOthers(model, source, said);
  const several = said.n_layers * said.n_heads > 1;
  const alone = "These vectors are stored: each head stands alone, and no change leaves it.";
  const hasOthers = !isVectors(said) && (!source || said.kinds.length > 0); // a writer knows no others
  const beside = hasOthers ? [line.node] : isVectors(said) && several ? [element("p", { class: "look-alone" }, alone)] : [];
  field.node.append(stepper(model, said));
  body.append(field.node, ...(several ? [tabs.node] : []), machine.node, panel.node,
    element("div", { class: "look-below look-tab-rows" }, ...beside, tasks.node));
  controls.append(code.node, button("Put all back", hand.all), tried.node);

  function found(now) {
    others = now;
    tried.add(seen, others);
    show();
  }

  function show() {
    line.draw(seen, others);
    tell(tellMachine(seen, said, others), briefly(seen, said));
  }

  function draw() {
    seen = read(model);
    root.classList.toggle("look-waiting", !seen);
    clearTimeout(timer);
    root.classList.toggle("look-asleep", !seen && !known); // nothing to show yet
    if (!seen) return (timer = setTimeout(() => line.wait(asleep()), PATIENCE));
    const now = JSON.stringify([seen.sentence, seen.hide, seen.given]);
    if (now !== known) others = null;
    [field, machine, panel, tabs, code].forEach((part) => part.draw(seen));
    tasks.show(seen);
    asked.stop();
    if (!others && isChanged(seen)) {
      if (!known && source) asked.start(seen, (first) => (others = first), true); // nobody waits for a key yet
      else timer = setTimeout(() => asked.start(seen, found), REST);
    }
    known = now;
    show();
  }

  // One press may change several traits: one drawing shows them all.
  let due = false;
  const soon = () => {
    if (due) return;
    due = true;
    queueMicrotask(() => {
      due = false;
      draw();
    });
  };
  for (const name of [...STATE, "presenter", ...(source ? [] : ["_told"])]) model.on(`change:${name}`, soon);
  draw();
  return () => [machine.stop(), tabs.stop(), asked.stop()];
}

// Whether the page knows the words, every token of a change is there, and each row has something to look at; as in
// the_machine.py. A sentence that a kernel has to read fits only if it was read.
function fits(model) {
  const [said, told] = ["_model", "_told"].map((name) => model.get(name));
  const { sentence, hide, given, query, key } = stateOf(model);
  const source = said.arrays && inPage(said);
  const words = wordsOf(sentence);
  if (source ? source.problem(words) : sentence !== told.state.sentence) return false;
  const n = (source ? source.names(words) : told.tokens).length;
  const rows = given.map((place) => `${place.slice(0, 3)}`);
  const ends = [...hide, ...given].flatMap((place) => place.slice(2, 4));
  return [query, key, ...ends].every((i) => i < n) && new Set(rows).size === rows.length
    && !leavesNothing(hide, said, n) && !(said.causal && given.some(([, , asks, looked]) => looked > asks));
}

export default { render, fits };
