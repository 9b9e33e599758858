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
  const reduced = model.get("reduced"); // the story, how many look, and the models
  const recipe = element("details", { class: "look-panel", open: !model.get("presenter") },
    element("summary", {}, "The recipe"), recipePanel(model));
  root.classList.add("look-playground");
  const tasks = goals(lookTasks(model));
  if (reduced) {
    root.classList.add("look-reduced");
    body.append(story.node, says, cards.node, element("p", { class: "look-answer" }, caption(model)));
  } else if (given) {
    root.classList.add("look-given");
    const recipeWords = recipeLine(model);
    place(root, { "aria-label": `Training, seed ${model.get("first_seed")}. ${recipeWords}` }); // a page has several
    body.append(element("p", { class: "look-answer" }, recipeWords), says, run.node, opened, answer);
  } else {
    body.append(story.node, says, run.node, cards.node, recipe, answer, opened);
    controls.append(tasks.node);
  }
  let parts = null;

  function rebuild() {
    parts?.map?.stop();
    parts?.curves?.stop();
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
    if (reduced || seen.opened !== model.get("opened")) return;
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
    title.replaceChildren(element("strong", {}, "Does it look?"), ` ${heading(model)}`);
    story.show();
    cards.show(null, []);
    run.show();
    const result = resultNow(model);
    const reading = result?.opened === model.get("opened")
      ? readLook(sizesNow(model), Float64Array.from(result.weights), sentenceNow(model)) : null;
    tell(...tellPlayground(model, result, reading, SHARP));
  }

  if (!reduced) rebuild();
  session = joinSession(model, draw);
  if (model.get("running") && model.get("step") === 0) {
    // Who wants no motion presses Start.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) store(model, { running: false });
    else session.waitFor(root, draw);
  }
  for (const name of reduced ? [] : TABLES) model.on(`change:${name}`, rebuild);
  root.querySelector('[title="back to the start"]').addEventListener("click", () => session.restart());
  const key = given ? () => {} : story.key; // no other recipe comes
  root.addEventListener("keydown", key);
  root.addEventListener("look-step", (event) => story.step(event.detail) && event.preventDefault()); // talk/stage.js
  const stopHearing = hearClicker(model, root, key);
  place(body, { class: "look-body look-stage" });
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
