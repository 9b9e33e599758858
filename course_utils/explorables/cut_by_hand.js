// CutByHand: cut looks and heads of a trained model by hand, beside what the same cut does in a hundred sentences.
import {
  answerOf, briefCuts, compared, inPage, isChanged, named, same, saysOthers, seenFromKernel, seenInPage, STATE, stateOf,
  tellCuts, wordsOf,
} from "./cut_reading.js";
import { PATIENCE, asleep, sentenceField } from "./cut_sentence.js";
import { cellUnder, drawHeatmap, legend, redrawOn, wordedMap } from "./heatmap.js";
import { cutRow, headGrid, places, scoreParts } from "./cut_parts.js";
import { arrowKey, button, drawOn, element, frame, goals, place, store, svg, written } from "./elements.js";

const REST = 250; // milliseconds without a change: then the other sentences are asked
const LAST = 200; // entries of the log

// The weights of the head that is shown; a click on a cell, or Enter, cuts its edge or gives it back.
function cutMap(model, seenNow) {
  const canvas = element("canvas", { tabindex: 0, role: "slider", "aria-label": "edge",
    "aria-roledescription": "map of edges, for the four arrow keys; Enter cuts" });
  const node = element("div", {});
  let names = [];
  const move = (query, key) => {
    const within = (x) => Math.min(names.length - 1, Math.max(0, x));
    store(model, { query: within(query), key: within(key) });
  };
  canvas.addEventListener("keydown", (event) => {
    const way = arrowKey(event);
    if (way) return move(model.get("query") - Math.sign(way[1]), model.get("key") + Math.sign(way[0]));
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    places(model).toggleEdge(names.length);
  });
  canvas.addEventListener("click", (event) => {
    const { row, column } = cellUnder(event, names.length, names.length);
    store(model, { query: row, key: column });
    places(model).toggleEdge(names.length);
  });
  const paint = () => {
    const seen = seenNow();
    if (!seen) return;
    drawHeatmap(canvas, seen.rows[1], { numbers: true, picked: { row: seen.query, column: seen.key } });
    crosses(canvas, seen);
  };
  const draw = (seen) => {
    if (!same(names, seen.names)) {
      names = seen.names;
      node.replaceChildren(wordedMap(canvas, names, names),
        element("p", {},
          "Rows look (queries), columns are looked at (keys). A click cuts an edge, or gives it back. ", legend()));
    }
    place(canvas, { "aria-valuenow": seen.query * names.length + seen.key, "aria-valuetext":
      `${named(seen, seen.query)} looks at ${named(seen, seen.key)}: ${written(seen.rows[1][seen.query][seen.key])}` });
    paint();
  };
  return { node, draw, stop: redrawOn(canvas, paint) };
}

// A cross over each edge of the shown head that is cut.
function crosses(canvas, { hide, layer, head, names }) {
  const context = canvas.getContext("2d");
  const side = canvas.width / names.length;
  context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--look-orange");
  context.lineWidth = 2 * devicePixelRatio;
  for (const [l, h, i, j] of hide.filter((one) => one.length === 4)) {
    if (l !== layer || h !== head) continue;
    const [x, y, far] = [(j + 0.2) * side, (i + 0.2) * side, 0.6 * side];
    context.beginPath();
    context.moveTo(x, y); context.lineTo(x + far, y + far);
    context.moveTo(x + far, y); context.lineTo(x, y + far);
    context.stroke();
  }
}

// What the model says, uncut and now; and what the same changes do in the other sentences, each a dot.
function answers(said) {
  const [own, cut] = [element("strong", {}), element("strong", {})];
  const dots = [0, 1].map((row) => svg("g", { class: row ? "look-second" : "look-first" }));
  // Where the answer turns.
  const middle = svg("line", { stroke: "currentColor", "stroke-opacity": 0.5, x1: 117, x2: 117, y1: 0, y2: 40 });
  const strip = svg("svg", { viewBox: "0 0 200 40", "aria-hidden": "true" }, middle,
    svg("text", { x: 0, y: 14 }, "uncut"), svg("text", { x: 0, y: 34 }, "cut"), ...dots);
  const line = element("p", { class: "look-others-say" });
  const node = element("div", { class: "look-cut-says" },
    element("p", { class: "look-cut-answer" }, "Uncut ", own, "; with your changes ", cut, "."),
    element("div", { class: "look-control" }, line, strip));
  const write = (x) => `${answerOf(said, x)} (${written(x, 3)})`;
  const draw = (seen, others) => {
    [own, cut].forEach((one, i) => (one.textContent = write(seen.answers[i])));
    cut.classList.toggle("look-turned", answerOf(said, seen.answers[0]) !== answerOf(said, seen.answers[1]));
    line.textContent = !isChanged(seen) ? "Nothing is cut yet. Click a cell of the map, cut a head, or drag a weight."
      : others ? saysOthers(others, said) : "The other sentences are being read …";
    strip.classList.toggle("look-no-dots", !isChanged(seen) || !others?.n);
    if (!others?.n) return;
    const [low, high] = said.threshold ? [0, 1] : [-0.5, 0.5];
    const at = (x) => 44 + (146 * (Math.min(high, Math.max(low, x)) - low)) / (high - low);
    [others.before, others.after].forEach((all, row) => dots[row].replaceChildren(...all.map((x, i) =>
      svg("circle", { cx: at(x), cy: 7 + 20 * row + 1.5 * (i % 5), r: 2, "fill-opacity": 0.5, stroke: "none" }))));
  };
  return { node, draw, wait: (reason) => (line.textContent = reason) };
}

// What was tried: Python reads it as `log`, and the last entries stand below the picture.
function notebook(model, said) {
  const list = element("ol", { class: "look-log" });
  const node = element("details", {}, element("summary", {}, "What you tried"), list);
  const add = (seen, others) => {
    const [uncut, answer] = seen.answers;
    const entry = { sentence: seen.sentence, hide: seen.hide, given: seen.given, uncut, answer,
      others: others.n, alike: others.alike, turned: others.turned, moved: others.n ? others.moved : 0 };
    const log = model.get("log");
    if (isChanged(seen) && !same(log.at(-1), entry)) store(model, { log: [...log, entry].slice(-LAST) });
  };
  drawOn(model, ["log"], () => list.replaceChildren(...model.get("log").slice(-8).map((one) => element("li", {},
    `${[...one.hide, ...one.given.map((at) => at.with(4, written(at[4])))].map((at) => `[${at}]`).join(" ")}: ` +
    `${answerOf(said, one.uncut)} → ${answerOf(said, one.answer)}; ${one.turned} of ${one.others} others turn`))));
  return { node, add };
}

// What there is to reach. source: null where the kernel reads the sentence.
function cutGoals(said, source) {
  const turned = ({ answers: [own, cut] }) => answerOf(said, own) !== answerOf(said, cut);
  const heads = (now) => now.hide.filter((place) => place.length === 2).length;
  return goals(source ? [
    ["another answer, with one cut", (now) => turned(now) && now.hide.length === 1 && !now.given.length],
    ["another answer, with one dragged weight", (now) => turned(now) && now.given.length === 1 && !now.hide.length],
  ] : [["another answer, with two heads cut", (now) => turned(now) && heads(now) === 2 && now.hide.length === 2]]);
}

// The others, here and now, or null where the kernel still reads them.
function readOthers(model, source, said, seen) {
  if (source) {
    const all = source.others(wordsOf(seen.sentence));
    const answersOf = (changes) => all.map((words) => source.read(words, changes).p);
    return compared(answersOf({}), answersOf({ hide: seen.hide, given: seen.given }), seen, said);
  }
  const told = model.get("_told");
  if (told.others && same(told.state, stateOf(model))) return compared(...told.others, seen, said);
  store(model, { _asked: { state: stateOf(model), count: (model.get("_asked").count ?? 0) + 1 } });
  return null;
}

function render({ model, el }) {
  const { body, controls, tell, root } = frame(model, el, {
    title: "CutByHand.", instruction: "Cut an edge or a head, or drag a weight. What does the model say then?" });
  root.classList.add("look-hand");
  const said = model.get("_model");
  const source = said.arrays ? inPage(said) : null;
  let [seen, others, known, timer] = [null, null, "", 0];
  const field = sentenceField(model, source);
  const map = cutMap(model, () => seen);
  const [grid, says, row, parts] = [headGrid(model, said), answers(said), cutRow(model), scoreParts()];
  const tried = notebook(model, said);
  const tasks = cutGoals(said, source);
  const othersNow = () => readOthers(model, source, said, seen);
  body.append(field.node, says.node, element("div", { class: "look-cut-left" }, map.node, tasks.node),
    element("div", { class: "look-cut-side" }, grid.node, row.node, parts.node));
  controls.append(button("Give all back", () => store(model, { hide: [], given: [] })), tried.node);

  function settle() {
    if (!seen || !isChanged(seen)) return;
    others = othersNow();
    if (!others) return;
    tried.add(seen, others);
    show();
  }

  function show() {
    says.draw(seen, others);
    tell(tellCuts(seen, said, others), briefCuts(seen, said));
  }

  function draw() {
    seen = source ? seenInPage(model, source) : seenFromKernel(model);
    root.classList.toggle("look-waiting", !seen);
    clearTimeout(timer);
    root.classList.toggle("look-asleep", !seen && !known); // nothing to show yet
    if (!seen) return (timer = setTimeout(() => says.wait(asleep()), PATIENCE));
    const asked = JSON.stringify([seen.sentence, seen.hide, seen.given]);
    if (asked !== known) others = null;
    [field, map, grid, row, parts].forEach((part) => part.draw(seen));
    tasks.show(seen);
    if (!known && source && isChanged(seen)) others = othersNow(); // nobody waits for a key yet
    else if (!others) timer = setTimeout(settle, REST);
    known = asked;
    show();
  }

  drawOn(model, source ? STATE : [...STATE, "_told"], draw);
  return map.stop;
}

export default { render };
