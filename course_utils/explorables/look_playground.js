// LookPlayground: twenty small Transformers train in the page, and the question is whether they look.
import { element, frame, goals, place, store, written } from "./elements.js";
import { seedCards, SHARP } from "./look_cards.js";
import { recipePanel, runButtons } from "./look_controls.js";
import { trainingCurves } from "./look_curves.js";
import { decoyButtons, sentenceMap, sentenceTable } from "./look_opened.js";
import { lookTasks } from "./look_goals.js";
import { readLook } from "./look_reading.js";
import { joinSession, modelNames, recipeFits, recipeNow, resultNow, sentenceNow, sizesNow } from "./look_session.js";
import { hearClicker, storyCards } from "./look_story.js";
import { askedPlaces } from "./look_task.js";
import { caption, heading, recipeLine, tellPlayground, verdict } from "./look_words.js";

const TABLES = ["length", "question"]; // what the opened model is shown in is made anew for these

function render({ model, el }) {
  const { root, body, controls, tell } = frame(model, el, {
    title: "LookPlayground.",
    instruction: "",
  });
  let session = null;
  const story = storyCards(model);
  const run = runButtons(model, () => session);
  const cards = seedCards(model);
  const [says, answer] = [element("p", { class: "look-say" }), element("p", { class: "look-answer" })];
  const [opened, title] = [element("div", { class: "look-open" }), root.querySelector(".look-title")];
  const given = model.get("given"); // the training alone
  const reduced = model.get("reduced"); // one number, one picture and one button; all else unfolds
  const recipe = element("details", { class: "look-panel", open: !model.get("presenter") },
    element("summary", {}, "The recipe"), recipePanel(model));
  root.classList.add("look-playground");
  const tasks = goals(lookTasks(model));
  if (!given) controls.append(tasks.node);
  if (reduced) body.append(firstPicture());
  else if (given) {
    root.classList.add("look-given");
    const recipeWords = recipeLine(model);
    place(root, { "aria-label": `Training, seed ${model.get("first_seed")}. ${recipeWords}` }); // a page has several
    body.append(element("p", { class: "look-answer" }, recipeWords), says, run.node, opened, answer);
  } else body.append(story.node, says, run.node, cards.node, recipe, answer, opened);
  let parts = null;

  // What a fresh visitor sees. A link to what only the fold shows opens it, and so does a click on a model.
  function firstPicture() {
    const first = model.get("_initial");
    const inside = element("div", { class: "look-stage" }, story.node, run.node, recipe, answer, opened);
    const isElse = (name) => `${model.get(name)}` !== `${first[name]}`;
    const fold = element("details", { class: "look-fold", open: ["opened", "all_tokens"].some(isElse) },
      element("summary", {}, "Open one model"), inside, controls.parentNode);
    cards.node.addEventListener("click", () => (fold.open = true));
    root.classList.add("look-reduced");
    return element("div", { class: "look-first-picture" }, says, cards.node, caption(model), story.onward, fold);
  }

  function rebuild() {
    parts?.map.stop();
    parts?.curves.stop();
    parts = { table: sentenceTable(model), map: sentenceMap(model), curves: trainingCurves(),
      fools: decoyButtons(model) };
    opened.replaceChildren(element("div", { class: "look-scroll look-list look-words" }, parts.table.node),
      parts.map.node, parts.curves.node, parts.fools.node);
  }

  // What the worker posted, at most once a frame.
  function draw(seen) {
    const fits = seen.size === model.get("length") + 1;
    const asked = askedPlaces(recipeNow(model));
    run.show();
    if (!fits) return;
    cards.show(seen, asked);
    verdict(says, model, seen, SHARP);
    if (seen.opened !== model.get("opened")) return;
    const reading = readLook(sizesNow(model), seen.weights, sentenceNow(model));
    parts.table.show(reading, seen.rows[seen.opened], asked);
    parts.map.show(reading);
    parts.fools.show(seen);
    parts.curves.show(seen.curve, model.get("epochs"), seen.rewardedFrom);
    tasks.show({ ...seen, says: reading.answer >= 0.5 });
    const name = modelNames(model)[seen.opened];
    answer.replaceChildren(`Your sentence: ${name} says `, element("strong", {}, reading.answer >= 0.5 ? "yes" : "no"),
      `, probability of yes `, element("strong", {}, written(reading.answer)), ".");
  }

  function write() {
    title.replaceChildren(...heading(model));
    story.show();
    cards.show(null, []);
    run.show();
    const result = resultNow(model);
    const reading = result?.opened === model.get("opened")
      ? readLook(sizesNow(model), Float64Array.from(result.weights), sentenceNow(model)) : null;
    tell(...tellPlayground(model, result, reading, SHARP));
  }

  rebuild();
  session = joinSession(model, draw);
  if (model.get("running") && model.get("step") === 0) {
    // Who wants no motion presses Start.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) store(model, { running: false });
    else session.waitFor(root, draw);
  }
  for (const name of TABLES) model.on(`change:${name}`, rebuild);
  root.querySelector('[title="back to the start"]').addEventListener("click", () => session.restart());
  const key = given ? () => {} : story.key; // no other recipe comes
  root.addEventListener("keydown", key);
  root.addEventListener("look-step", (event) => story.step(event.detail) && event.preventDefault()); // talk/stage.js
  const stopHearing = hearClicker(model, root, key);
  if (!reduced) place(body, { class: "look-body look-stage" });
  write();
  let due = false; // several traits change in one go: one text for all of them
  const writeSoon = () => {
    if (!due) queueMicrotask(() => (due = false) || write());
    due = true;
  };
  const told = [...Object.keys(recipeNow(model)), "opened", "all_tokens", "step", "running", "_result"];
  for (const name of told) model.on(`change:${name}`, writeSoon);
  return () => {
    session.leave(draw);
    parts?.map.stop();
    parts?.curves.stop();
    stopHearing();
  };
}

export default { render, fits: recipeFits };
