// TrainingReplay: the epochs of a training to scrub or to play, and a sentence that the model of each epoch answers.
import { cellUnder, drawHeatmap, legend, redrawOn, wordedMap } from "./heatmap.js";
import { nested, readCls } from "./maths.js";
import { button, drawOn, element, frame, goals, place, slider, store, svg, written } from "./elements.js";

const WAIT = 700; // milliseconds from epoch to epoch while playing
const [LEFT, RIGHT, WIDTH] = [34, 228, 240]; // of the chart
const PANELS = { loss: { top: 24, bottom: 92, digits: 3 }, accuracy: { top: 128, bottom: 196, digits: 2 } };

const places = (n) => Array.from({ length: n }, (_, i) => (i ? `position ${i}` : "[CLS]"));
const tokenNames = (tokens) => tokens.map((token, i) => (i ? `${token}` : "[CLS]"));
const listed = (names, weights) => names.map((name, i) => `${name} ${written(weights[i])}`).join(", ");
const yesNo = (answer) => (answer >= 0.5 ? "yes" : "no");

// All that is shown: the figures and mean weights of the epoch, and what its model makes of the sentence.
function replayed(model, classifiers) {
  const [epoch, tokens] = [model.get("epoch"), model.get("tokens")];
  const of = (name) => model.get(name)[epoch];
  const figures = { loss: of("loss"), accuracy: of("accuracy"), mean: of("weights") };
  return { epoch, tokens, last: model.get("loss").length - 1, ...figures, ...readCls(classifiers(epoch), tokens) };
}

// The whole picture in words; training_replay.py writes the same.
function tellReplay(model, seen) {
  const names = places(seen.tokens.length);
  const most = (row) => row.indexOf(Math.max(...row));
  return [
    `Epoch ${seen.epoch} of ${seen.last}, on ${model.get("n_sentences")} sentences: ` +
      `loss ${written(seen.loss, 3)}, accuracy ${written(seen.accuracy)}`,
    `[CLS] looks, on average: ${listed(names, seen.mean[0])}`,
    ...seen.mean.slice(1).map((row, i) =>
      `${names[i + 1]} looks most, on average: ${listed([names[most(row)]], [row[most(row)]])}`),
    `Sentence: ${tokenNames(seen.tokens).join(" ")}`,
    `${model.get("question")[0]} ${yesNo(seen.answer)}, probability of yes ${written(seen.answer)}`,
    `[CLS] looks, in this sentence: ${listed(tokenNames(seen.tokens), seen.row)}`,
  ].join("\n");
}

// Loss and accuracy over the epochs, with a line at the present one. Drag in it to scrub. Returns { node, show }.
function chart(model, last) {
  const x = (epoch) => (last ? LEFT + (epoch / last) * (RIGHT - LEFT) : (LEFT + RIGHT) / 2);
  const node = svg("svg", { viewBox: `0 0 ${WIDTH} 220`, class: "look-handle", role: "img",
    "aria-label": "loss and accuracy of each epoch; As text holds the numbers" });
  const line = svg("line", { class: "look-now", y1: PANELS.loss.top, y2: PANELS.accuracy.bottom });
  node.append(line);
  const shows = Object.entries(PANELS).map(([name, { top, bottom, digits }]) => {
    const values = model.get(name);
    const highest = Math.max(1e-9, ...(name === "accuracy" ? [1] : values));
    const y = (value) => bottom - (value / highest) * (bottom - top);
    const path = values.map((value, epoch) => `${epoch ? "L" : "M"}${x(epoch)} ${y(value)}`).join("");
    const dot = svg("circle", { class: "look-now", r: 6 });
    const title = svg("text", { class: "look-above-line", x: LEFT, y: top - 8 });
    const tick = (value) => svg("text", { class: "look-tick", x: LEFT - 7, y: y(value) + 5 },
      written(value, value === Math.round(value) ? 0 : 1));
    node.append(svg("line", { class: "look-axis", x1: LEFT, x2: RIGHT, y1: bottom, y2: bottom }), tick(0),
      tick(highest), svg("path", { class: "look-curve", d: path }), title, dot);
    return (epoch) => {
      title.textContent = `${name} ${written(values[epoch], digits)}`;
      place(dot, { cx: x(epoch), cy: y(values[epoch]) });
    };
  });
  const end = (epoch) => svg("text", { class: "look-tick look-end", x: x(epoch), y: 215 }, `${epoch}`);
  node.append(svg("text", { class: "look-tick look-end", x: (LEFT + RIGHT) / 2, y: 215 }, "epoch"),
    ...(last ? [end(0), end(last)] : []));
  const nearest = (at) => Math.min(last, Math.max(0, Math.round(((at - LEFT) / (RIGHT - LEFT)) * last)));
  const scrub = ({ clientX, buttons }) => {
    const { left, width } = node.getBoundingClientRect();
    if (buttons) store(model, { epoch: nearest(((clientX - left) / width) * WIDTH) });
  };
  node.addEventListener("pointerdown", scrub);
  node.addEventListener("pointermove", scrub);
  const show = (epoch) => {
    place(line, { x1: x(epoch), x2: x(epoch) });
    for (const act of shows) act(epoch);
  };
  return { node, show };
}

// Plays the epochs one after the other, and stops where the student takes over. Returns { node, show, stop }.
function player(model, last) {
  let [timer, at] = [0, 0];
  const go = (epoch) => store(model, { epoch: (at = epoch) });
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    node.textContent = "Play";
  };
  const step = () => {
    go(Math.min(last, at + 1));
    if (at === last) stop();
  };
  const play = () => {
    go(model.get("epoch") === last ? 0 : model.get("epoch"));
    timer = setInterval(step, WAIT);
    node.textContent = "Pause";
  };
  const node = button("Play", () => (timer ? stop() : play()), "the epochs, one after the other");
  return { node, stop, show: (epoch) => timer && epoch !== at && stop() };
}

// One row for each position: its mean weight, the token that can be changed, and its weight in this sentence.
function positions(model, start, most) {
  const gauge = (kind) => {
    const bar = element("div", { class: `look-bar ${kind}` });
    const number = element("td");
    return { cells: [element("td", { class: "look-gauge" }, element("div", {}, bar)), number],
      show: (weight) => place(bar, { style: `width: ${100 * weight}%` }) && (number.textContent = written(weight)) };
  };
  const rows = places(start.length).map((name, i) => {
    const [mean, own] = [gauge(""), gauge("look-own-bar")];
    const put = (token) => {
      if (!Number.isInteger(token) || token < 1 || token > most) return;
      store(model, { tokens: model.get("tokens").with(i, token) });
    };
    const input = i ? element("input", { type: "number", min: 1, max: most, step: 1, class: "look-number",
      "aria-label": `token at ${name}, 1 to ${most}`, oninput: () => put(input.valueAsNumber),
      onchange: () => (input.value = model.get("tokens")[i]) }) : "[CLS]";
    const row = element("tr", {}, element("th", { scope: "row" }, name), ...mean.cells, element("td", {}, input),
      ...own.cells);
    const show = (seen) => {
      mean.show(seen.mean[0][i]);
      own.show(seen.row[i]);
      if (i && input.valueAsNumber !== seen.tokens[i]) input.value = seen.tokens[i];
    };
    return { row, show };
  });
  const head = (text, colspan = 1) => element("th", { scope: "col", colspan }, text);
  const heads = [head("[CLS] looks at"), head("on average", 2), head("token"), head("in this sentence", 2)];
  const widths = ["name", "bar", "number", "token", "bar", "number"].map((one) =>
    element("col", { class: `look-col-${one}` }));
  const node = element("table", { class: "look-replay" }, element("colgroup", {}, ...widths),
    element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows.map(({ row }) => row)));
  return { node, show: (seen) => rows.forEach((row) => row.show(seen)) };
}

function render({ model, el }) {
  const { body, tell } = frame(model, el, {
    title: "TrainingReplay.",
    instruction: "Play the epochs, or drag the slider. Then change the tokens: the model of that epoch answers.",
  });
  const packed = model.get("classifiers");
  const all = Object.entries(packed).map(([name, one]) => [name, nested(one)]); // each array over all epochs
  const classifiers = (epoch) => Object.fromEntries(all.map(([name, arrays]) => [name, arrays[epoch]]));
  const [start, last] = [model.get("tokens"), model.get("loss").length - 1];
  const [curves, playing] = [chart(model, last), player(model, last)];
  const table = positions(model, start, packed.tokens.shape[1] - 1);
  const canvas = element("canvas", { role: "img", "aria-label": "mean weights; As text holds the numbers" });
  const [says, under] = [element("p", { class: "look-says look-reply" }), element("p", {})];
  const names = places(start.length);
  const numbers = names.map((name, i) => (i ? `${i}` : name)); // of the positions: there is little room
  const scrub = slider(model, "epoch", "epoch", { min: 0, max: last, step: 1, digits: 0 });
  body.append(
    element("div", { class: "look-epochs" }, playing.node, scrub), says,
    element("div", { class: "look-curves" }, curves.node),
    element("div", { class: "look-scroll look-list look-positions" }, table.node),
    element("div", { class: "look-side" }, wordedMap(canvas, numbers, numbers), under),
  );
  const tasks = goals([["another answer of the same epoch, with another token", ({ answer, epoch }) =>
    yesNo(answer) !== yesNo(readCls(classifiers(epoch), start).answer)]]);
  body.append(tasks.node);
  let seen = null;

  function drawMap() {
    if (seen) drawHeatmap(canvas, seen.mean, { numbers: true, picked: { row: 0 } });
  }

  function draw() {
    seen = replayed(model, classifiers);
    playing.show(seen.epoch);
    curves.show(seen.epoch);
    table.show(seen);
    tasks.show(seen);
    const strong = (text) => element("strong", {}, text);
    says.replaceChildren(`${model.get("question")[0]} The model of epoch ${seen.epoch} says `,
      strong(yesNo(seen.answer)), ". Probability of yes: ", strong(written(seen.answer)));
    under.replaceChildren(
      `Mean over ${model.get("n_sentences")} sentences: rows look (queries) at columns (keys). `, legend());
    drawMap();
    tell(tellReplay(model, seen), `Epoch ${seen.epoch}: ${yesNo(seen.answer)}, ${written(seen.answer)}`);
  }

  canvas.addEventListener("pointermove", (event) => {
    const { row, column } = cellUnder(event, names.length, names.length);
    under.textContent = `${names[row]} looks at ${names[column]}: ${written(seen.mean[row][column])}, on average`;
  });
  drawOn(model, ["epoch", "tokens"], draw);
  const stopDrawing = redrawOn(canvas, drawMap);
  return () => [playing.stop(), stopDrawing()];
}

export default { render };
