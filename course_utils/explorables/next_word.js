// NextWord: a review word by word, the words that may come next, and heads to switch off while you write.
import {
  STATE, STOP, TOP, briefly, drawnFrom, remembering, seenNow, tellNext, wordAt, writingTasks,
} from "./writing_words.js";
import { unpackStack } from "./stack_reader.js";
import {
  arrowKey, button, choice, drawOn, element, frame, goals, place, slider, store, word, written,
} from "./elements.js";

// Buttons as one stop of the Tab key: the arrow keys go from one to the next. Returns a function that makes one the
// stop.
function oneStop(nodes) {
  const stopAt = (chosen) => nodes.forEach((node) => place(node, { tabindex: node === chosen ? 0 : -1 }));
  nodes.forEach((node, i) => {
    node.addEventListener("focus", () => stopAt(node));
    node.addEventListener("keydown", (event) => {
      const way = arrowKey(event);
      const next = way && nodes[i + Math.sign(way[0] - way[1])];
      if (next?.checkVisibility()) next.focus();
    });
  });
  stopAt(nodes[0]);
  return stopAt;
}

// A button that says when it is off, and why. It keeps the focus then.
function offOr(node, reason) {
  place(node, { "aria-disabled": `${Boolean(reason)}`, title: reason });
  if (!reason) node.removeAttribute("title");
}

// The verdict and the words so far, each a button, and under each how much the last word looks at it, as a column.
function wordsSoFar(model, most) {
  const cards = Array.from({ length: most + 1 }, (_, i) => {
    const name = word("");
    const goBack = () => store(model, { words: model.get("words").slice(0, i) });
    const node = element("button", { type: "button", class: "look-asker", onclick: goBack }, name);
    const [bar, number] = [element("span", { class: "look-fill" }), element("small", {})];
    const card = element("span", { class: "look-card" }, node, element("span", { class: "look-column" }, bar), number);
    return { card, node, show: (text, weight, last) => {
      name.textContent = text;
      place(card, { class: last ? "look-card look-last" : "look-card" });
      place(node, { "aria-label": `${text}, weight ${weight === null ? "none" : written(weight)}; go back to it` });
      place(node, { "aria-current": `${last}` });
      place(bar, { style: `height: ${100 * (weight ?? 0)}%` });
      number.textContent = weight === null ? "–" : written(weight);
    } };
  });
  const nodes = cards.map(({ node }) => node);
  const stopAt = oneStop(nodes);
  const group = element("div",
    { class: "look-flow look-cards", role: "group", "aria-label": "the review so far" });
  const show = ({ names, row }) => {
    cards.forEach(({ card, show: fill }, i) => {
      if (i >= names.length) return card.remove();
      if (card.parentNode !== group) group.append(card); // the others stay: one of them may have the focus
      fill(names[i], row && row[i], i === names.length - 1);
    });
    if (!group.contains(document.activeElement)) stopAt(nodes[names.length - 1]);
  };
  return { group, show, focusLast: () => nodes[model.get("words").length].focus() };
}

// Words for a screen reader: the name of a button then holds what is seen on it, in its order.
const unseen = (text) => element("span", { class: "look-hidden" }, text);

// The most likely next words as bars, each a button that writes its word.
function nextWords(put) {
  let shown = [];
  const bars = Array.from({ length: TOP }, (_, i) => {
    const [name, bar, number] = [word(""), element("span", { class: "look-bar" }), element("span", {})];
    const act = () => shown[i] && put(shown[i][0]);
    const node = element("button", { type: "button", class: "look-next", onclick: act }, unseen("write "), name,
      element("span", { class: "look-track" }, bar), unseen(" probability "), number);
    return { node, show: ([text, p], reason) => {
      name.textContent = text;
      place(bar, { style: `width: ${100 * p}%` });
      number.textContent = written(p, 3);
      offOr(node, reason);
    } };
  });
  oneStop(bars.map(({ node }) => node));
  const [caption, others] = [element("p", {}), element("p", { class: "look-others" })];
  const group = element("div", { role: "group", "aria-label": "next word" }, ...bars.map(({ node }) => node), others);
  const node = element("div", { class: "look-nexts" }, caption, group);
  const show = (seen) => {
    shown = seen.shown;
    shown.forEach((pair, i) => bars[i].show(pair, seen.end));
    caption.textContent = seen.end ? `${seen.end} Go back, or start again.`
      : "Which word comes next?";
    others.textContent = `all others ${written(seen.others, 3)}`;
    const [hadFocus, gone] = [group.contains(document.activeElement), seen.stopped];
    group.classList.toggle("look-gone", gone);
    return gone && hadFocus; // what had the focus can no longer hold it
  };
  return { node, show };
}

// A switch for each head.
function headSwitches(model, nLayers, nHeads) {
  const set = ([layer, head], on) => {
    const others = model.get("hide").filter(([l, h]) => l !== layer || h !== head);
    store(model, { hide: on ? others : [...others, [layer, head]].sort((a, b) => a[0] - b[0] || a[1] - b[1]) });
  };
  const boxes = Array.from({ length: nLayers * nHeads }, (_, i) => {
    const at = [Math.floor(i / nHeads), i % nHeads];
    const box = element("input", { type: "checkbox", role: "switch", "aria-label": `layer ${at[0]}, head ${at[1]}`,
      onchange: () => set(at, box.checked) });
    const show = (hide) => (box.checked = !hide.some(([l, h]) => l === at[0] && h === at[1]));
    return { cell: element("td", {}, element("label", { class: "look-switch" }, box, ` ${at[1]}`)), show };
  });
  const rows = Array.from({ length: nLayers }, (_, layer) => element("tr", {},
    element("th", { scope: "row" }, `layer ${layer}`),
    ...boxes.slice(layer * nHeads, (layer + 1) * nHeads).map(({ cell }) => cell)));
  const node = element("table", { class: "look-heads" }, ...rows);
  return { node, show: (hide) => boxes.forEach((box) => box.show(hide)) };
}

function render({ model, el }) {
  const { body, tell } = frame(model, el, {
    title: "NextWord.",
    instruction: "Write a review; click a word to go back. Which heads can you switch off?",
  });
  const writer = unpackStack(model.get("writer"));
  const most = writer.positions.length - 1;
  const [nLayers, nHeads] = [writer.blocks.length, writer.blocks[0].n_heads[0]];
  const read = remembering(model, writer);
  const counted = (count) => Array.from({ length: count }, (_, i) => [i, `${i}`]);
  const soFar = wordsSoFar(model, most);
  const next = nextWords((text) => put(text));
  const heads = headSwitches(model, nLayers, nHeads);
  const looks = element("p", { class: "look-looks" });
  const tasks = goals(writingTasks(model, remembering(model, writer)));
  let seen = null;

  function put(text, changes = {}) {
    if (!seen.end) store(model, { ...changes, words: [...model.get("words"), text] });
  }

  function sample() {
    const { share, seed } = drawnFrom(model.get("seed"));
    put(wordAt(seen.likely, share), { seed });
  }

  const back = (count) => store(model, { words: model.get("words").slice(0, count) });
  const writing = [button("Sample", sample), button("Most likely", () => seen.shown[0] && put(seen.shown[0][0]))];
  const undoing = [button("Back", () => back(-1)), button("Start again", () => back(0))];
  const row = (...nodes) => element("div", { class: "look-buttons" }, ...nodes);
  body.append(
    element("div", { class: "look-below look-review" },
      row(choice(model, "verdict", "verdict", { praise: "[praise]", blame: "[blame]" }), ...writing, ...undoing),
      soFar.group, looks),
    next.node,
    element("div", { class: "look-side look-cuts" },
      element("p", {}, "Tick a head to switch it on. A head that is off passes nothing on."), heads.node,
      slider(model, "temperature", "temperature", { min: 0.1, max: 2, step: 0.1 }),
      element("p", {}, "Under each word: how much the last one looks at it, in"),
      row(choice(model, "layer", "layer", counted(nLayers))),
      row(choice(model, "head", "head", [[null, "mean"], ...counted(nHeads)]))),
    element("div", { class: "look-below" }, tasks.node),
  );

  function draw() {
    seen = seenNow(model, read, most);
    soFar.show(seen);
    heads.show(seen.hide);
    looks.textContent = `${seen.looks}.`;
    writing.forEach((node) => offOr(node, seen.end && `off: ${seen.end}`));
    undoing.forEach((node) => offOr(node, seen.words.length ? "" : "off: no word is written yet"));
    if (next.show(seen)) soFar.focusLast();
    queueMicrotask(() => tasks.show(seen)); // Reset changes several traits: what lies between them was never seen
    tell(tellNext(seen), briefly(seen));
  }

  drawOn(model, STATE, draw);
}

// A full stop ends a review.
const fits = (model) => !model.get("words").slice(0, -1).includes(STOP);

export default { render, fits };
