// The drawing of TheMachine: words, vectors, the heads one behind the other, what stands around them, and the answer.
import { boxAt, layout } from "./machine_layout.js";
import { frameOf, partsOf } from "./machine_frame.js";
import { coloursOf, paintStrips } from "./machine_strips.js";
import { covers } from "./machine_changes.js";
import { isChanged, isVectors } from "./machine_reading.js";
import { lines } from "./machine_lines.js";
import { answered, numberInShort } from "./machine_words.js";
import { inShort, redrawOn } from "./heatmap.js";
import { arrowKey, element, place, settle, short, store, svg, word, written } from "./elements.js";

export const STEPS = ["vectors", "scores", "weights", "mix", "block", "answer"];
// What stands above a part, or in its middle; and with which step it comes.
const HEADS = { word: "looked at", X: "vectors", roles: "Q, K, V", sheet: "weights", asker: "who looks",
  mixed: "output", add: "add,\nnorm", think: "feed-\nforward", again: "add,\nnorm", out: "out", answer: "answer" };
const NEW = { vectors: ["X", "roles"], scores: ["sheet"], weights: ["sheet"], mix: ["mixed"],
  block: ["add", "think", "again", "out"], answer: ["answer"] };

// Buttons in a row of which one is a stop of the Tab key; the arrow keys go from one to the next.
function buttons(role, act, choose) {
  const group = element("div", { class: "look-words", role: role === "radio" ? "radiogroup" : "group" });
  const all = [];
  const add = (i) => {
    const name = word("");
    const onkeydown = (event) => {
      const way = arrowKey(event);
      const next = way && all[i + Math.sign(way[0] - way[1])];
      if (!next) return;
      next.node.focus();
      choose?.(i + Math.sign(way[0] - way[1]));
    };
    const attributes = role === "radio" ? { role } : {};
    const stopHere = () => all.forEach((one) => place(one.node, { tabindex: one.node === node ? 0 : -1 }));
    const acts = { onkeydown, onclick: () => act(i), onfocus: stopHere };
    const node = element("button", { type: "button", class: "look-word", ...attributes, ...acts }, name);
    all.push({ node, name });
    group.append(node);
  };
  const show = (count, stop) => {
    while (all.length < count) add(all.length);
    all.splice(count).forEach(({ node }) => node.remove());
    if (group.contains(document.activeElement)) return; // the stop is where the focus is
    all.forEach(({ node }, i) => place(node, { tabindex: i === stop ? 0 : -1 }));
  };
  return { group, all, show };
}

// hand: what changes places. scope(): where a word is hidden. point(key): a key under the pointer, or null.
export function drawing(model, said, hand, scope, point) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  const boxes = svg("svg", { "aria-hidden": "true" });
  const arcs = lines(model, hand, point);
  const over = svg("svg", { role: "presentation" }, arcs.node);
  const words = buttons("button", (key) => { store(model, { key }); hand.toggleWord(key, scope()); });
  const askers = buttons("radio", (query) => store(model, { query }), (query) => store(model, { query }));
  place(words.group, { "aria-label": "words that are looked at: press one to hide it" });
  place(askers.group, { "aria-label": "who looks" });
  const numbers = element("div", { "aria-hidden": "true" });
  const heads = element("div", { "aria-hidden": "true" });
  const isShort = said.arrays && !isVectors(said); // else it may need several lines
  const answer = element("div", { class: isShort ? "look-answer" : "look-answer look-in-words" });
  const stage = element("div", { class: "look-machine" }, boxes, canvas, over, heads, numbers, words.group, askers.group,
    answer);
  let [seen, geometry, colours, made, framed, texts] = [null, null, null, "", "", []];

  const shows = (step) => seen.step === "all" || STEPS.indexOf(step) <= STEPS.indexOf(seen.step);

  function fit() {
    const width = stage.clientWidth;
    if (!width) return false;
    const em = parseFloat(getComputedStyle(stage).fontSize);
    const now = JSON.stringify([width, em, seen.names, said.n_layers]);
    colours ??= coloursOf(stage);
    if (now === made) return true;
    made = now;
    geometry = layout(width, em, seen.names.length, partsOf(said), said.n_layers * said.n_heads > 24 ? 26 : 34);
    const { height, scale, pitch } = geometry;
    stage.style.height = canvas.style.height = `${height}px`;
    for (const one of [boxes, over]) place(one, { viewBox: `0 0 ${width} ${height}`, width, height });
    stage.style.setProperty("--small", `${Math.min(13 * scale, pitch * 0.74)}px`);
    stage.style.setProperty("--answer", `${13 * scale}px`);
    stage.classList.toggle("look-tall", geometry.tall);
    texts = seen.names.map((text) => short(text));
    const [span, loop] = [(name) => element("span", {}, HEADS[name]), element("span", {})];
    heads.replaceChildren(...Object.keys(geometry.part).map(span), loop);
    return true;
  }

  const ends = () => {
    const { sheet } = geometry.part;
    const room = (geometry.tall ? 18 : 47) * geometry.scale;
    return [sheet.from + room, sheet.to - (geometry.tall ? 8 : 18) * geometry.scale];
  };

  // The heads of the parts; what is new with the present step in bold, as in the drawing.
  function drawHeads() {
    const { part, tall, scale, at, n, pitch, height } = geometry;
    Object.entries(part).forEach(([name, { from, to }], i) => {
      const isBar = name === "add" || name === "again";
      const [x, y] = isBar ? at((from + to) / 2, (n - 1) / 2) : tall ? [0, from - 19 * scale] : [(from + to) / 2, 0];
      const node = heads.children[i];
      if (name === "sheet") node.textContent = seen.step === "scores" ? "scores" : "weights";
      if (name === "answer" && isVectors(said)) node.textContent = `output of ${short(seen.names[seen.query], 9)}`;
      if (name === "answer" && said.block_kind) {
        node.textContent = seen.layer < said.n_layers - 1 ? `answer, after layer ${said.n_layers - 1}` : "answer";
      }
      if (isBar && said.block_kind === "norm before") node.textContent = "add";
      if (name === "answer" && tall) node.textContent = ""; // its arrow stands there
      const isNew = NEW[seen.step]?.includes(name);
      const kind = ["look-head", isBar && "look-head-bar", isNew && "look-new"].filter(Boolean).join(" ");
      settle(node, { class: kind, style: `left: ${x}px; top: ${y}px` });
    });
    const goesOn = part.X && !tall && seen.layer < said.n_layers - 1;
    heads.lastChild.textContent = goesOn ? `and through layer ${seen.layer + 1}` : "";
    const style = goesOn ? `left: ${part.X.from + 120 * scale}px; top: ${height - 4 * scale - 1}px` : "";
    settle(heads.lastChild, { class: "look-head look-loop", style });
  }

  function drawWords() {
    const { part } = geometry;
    const { names, hide, query, key } = seen;
    words.show(names.length, key);
    askers.show(names.length, query);
    names.forEach((text, i) => {
      const where = [seen.layer, seen.head, query, i];
      const hidden = hide.some((one) => one.length === 4 && one[2] === null && covers(one, where));
      const [left, right] = [words.all[i], askers.all[i]];
      for (const { name } of [left, right]) if (name.textContent !== texts[i]) name.textContent = texts[i];
      settle(left.node, { style: boxAt(geometry, part.word, i), "aria-pressed": `${hidden}`, title: text,
        "aria-label": `hide “${texts[i]}”, token ${i}`, class: i === key ? "look-word look-at-key" : "look-word" });
      settle(right.node, { style: boxAt(geometry, part.asker, i), "aria-checked": `${i === query}`, title: text,
        "aria-label": `“${texts[i]}”, token ${i}` });
    });
  }

  // The number of each line at the end of its key: the score, as long as there is no weight.
  function drawNumbers([from]) {
    const { at, tall, pitch, scale } = geometry;
    const values = seen.step === "scores" ? seen.scores : seen.row;
    const write = tall ? inShort : written;
    const room = pitch >= (tall ? 24 : 13) && shows("scores");
    const count = room ? (said.causal ? seen.query + 1 : seen.names.length) : 0;
    while (numbers.children.length > count) numbers.lastChild.remove();
    while (numbers.children.length < count) numbers.append(element("span", { class: "look-value" }));
    [...numbers.children].forEach((node, i) => {
      const [x, y] = at(from - (tall ? 9 : 5) * scale, i);
      node.textContent = write(values[i]);
      settle(node, { style: `left: ${x.toFixed(1)}px; top: ${y.toFixed(1)}px`,
        class: i === seen.key ? "look-value look-focus" : "look-value" });
    });
  }

  function drawAnswer() {
    const { part, at, tall, n, width, scale } = geometry;
    const row = said.block_kind ? (said.causal ? n - 1 : 0) : seen.query;
    const [x, y] = at(part.answer.from, row);
    const high = 88 * scale;
    const top = tall ? y : Math.min(Math.max(geometry.head, y - high / 2), geometry.height - high);
    const left = tall ? Math.min(Math.max(0, x - 60 * scale), width - 150 * scale) : x;
    settle(answer, { style: `left: ${left}px; top: ${top}px; width: ${tall ? 150 * scale : part.answer.to - x}px` });
    const moved = isVectors(said) ? answered(seen, 0)[1] !== answered(seen, 1)[1] : seen.labels[0] !== seen.labels[1];
    answer.classList.toggle("look-turned", moved);
    const [own, now] = [0, 1].map((i) => answered(seen, i));
    const number = isVectors(said) ? [] : [element("span", {}, `${numberInShort(said, seen)} = ${now[1]}`)];
    const before = isChanged(seen) ? [element("span", {}, `uncut ${own.join(" ").trim()}`)] : [];
    answer.replaceChildren(element("strong", {}, now[0] || now[1]), ...number, ...before);
    answer.hidden = !shows("answer");
  }

  function draw(next) {
    seen = next ?? seen;
    if (!seen || !fit()) return;
    const now = JSON.stringify([made, seen.step, seen.layer, said.block_kind || seen.query]);
    if (now !== framed) boxes.replaceChildren(...frameOf(geometry, said, seen, shows));
    framed = now;
    paintStrips(canvas, geometry, seen, colours, shows, ends());
    arcs.draw(seen, geometry, ends(), shows, said.causal);
    drawHeads();
    drawWords();
    drawNumbers(ends());
    drawAnswer();
  }
  const again = () => {
    colours = null;
    draw();
  };
  return { node: stage, draw, stop: redrawOn(stage, again) };
}
