// What every explorable shares: its frame, its controls, and small helpers for drawing and for keys. No mathematics.

const SVG = "http://www.w3.org/2000/svg";

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// element("p", { class: "look-x", onclick: act }, "text", child) and the same for SVG.
export const element = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS(SVG, tag), attributes, children);
export const place = (node, attributes) => build(node, attributes, []);

// The same for a node that is drawn often: what stays is not set again, so that the page need not style it anew.
export function settle(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== `${value}`) node.setAttribute(name, value);
  }
}

// A word of the student's: any script, either direction, never mixed up with what stands around it.
export const word = (text, attributes = {}) => element("bdi", { dir: "auto", ...attributes }, text);

// The first `most` characters of a word as people count them (an emoji is one), for where there is little room.
export function short(text, most = 10) {
  const characters = Array.from(new Intl.Segmenter().segment(text), (part) => part.segment);
  return characters.length <= most ? text : characters.slice(0, most - 1).join("") + "…";
}

// A number with a fixed count of digits, a real minus sign, and no minus before a zero. base.py writes the same.
export function written(x, digits = 2) {
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? "−" + text : text;
}

// Change several traits at once. Every view of the widget draws anew, and Python hears of it.
export function store(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}

// Call draw now, and again whenever one of the traits changes, from the page or from Python.
export function drawOn(model, names, draw) {
  for (const name of names) model.on(`change:${name}`, draw);
  draw();
}

// The frame of an explorable: title, one line that says what to do, its body, controls, and all that is seen as text.
// label: its name to a screen reader, which tells it from others of its kind on the page.
// Returns { body, controls, tell }. tell(text, short): the full text now, and the short one to a screen reader when the
// hand rests.
export function frame(model, el, { title, instruction, label = title }) {
  const body = element("div", { class: "look-body" });
  const text = element("pre", { class: "look-text", dir: "auto" });
  const live = element("div", { class: "look-hidden", role: "status", "aria-live": "polite" });
  const controls = element("div", { class: "look-own" });
  const reset = button("Reset", () => {
    store(model, model.get("_initial"));
    root.dispatchEvent(new Event("reset"));
  }, "back to the start");
  const row = element("div", { class: "look-controls" }, controls, reset,
    element("details", {}, element("summary", {}, "As text"), text));
  const root = element("section", { class: "look", "aria-label": label },
    element("p", { class: "look-title" }, element("strong", {}, title), " " + instruction), body, row, live);
  drawOn(model, ["presenter"], () => root.classList.toggle("look-presenter", model.get("presenter")));
  root.addEventListener("keydown", keepFromLab);
  el.append(root);
  let timer = 0;
  const tell = (full, brief) => {
    text.textContent = full;
    clearTimeout(timer);
    timer = setTimeout(() => (live.textContent = brief), 500);
  };
  return { root, body, controls, tell };
}

// Single keys are commands in JupyterLab: the arrows move to another cell, x cuts one. While the focus is in an
// explorable, only keys with Ctrl, Alt or Meta get there, and Shift+Enter, which runs the cell.
export function keepFromLab(event) {
  const command = event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key === "Enter");
  if (!command) event.stopPropagation();
}

export function button(text, act, name = null) {
  return element("button", { type: "button", class: "look-button", title: name, onclick: act }, text);
}

// A box to tick that holds a Bool trait.
export function checkbox(model, name, text) {
  const box = element("input", { type: "checkbox", onchange: () => store(model, { [name]: box.checked }) });
  drawOn(model, [name], () => (box.checked = model.get(name)));
  return element("label", { class: "look-label" }, box, " " + text);
}

// A group of buttons of which one is pressed; it holds a trait with one of `choices`, { value: text } where the values
// are texts, and otherwise pairs [value, text].
export function choice(model, name, text, choices) {
  const group = element("div", { class: "look-label", role: "group", "aria-label": text }, text + " ");
  for (const [value, label] of Array.isArray(choices) ? choices : Object.entries(choices)) {
    const one = button(label, () => store(model, { [name]: value }));
    drawOn(model, [name], () => one.setAttribute("aria-pressed", model.get(name) === value));
    group.append(one);
  }
  return group;
}

// Words of which one is chosen, as buttons: by mouse, or with the arrow keys. It holds a Count trait.
// Returns { nodes, show }.
export function wordChoice(model, name, words) {
  const pick = (i) => store(model, { [name]: i });
  const onkeydown = (event) => {
    const way = arrowKey(event);
    if (!way) return;
    const next = Math.min(words.length - 1, Math.max(0, model.get(name) + Math.sign(way[0] - way[1])));
    nodes[next].focus(); // before the page changes: to focus, a browser lays out what has changed
    pick(next);
  };
  const nodes = words.map((text, i) => {
    const acts = { onclick: () => pick(i), onkeydown };
    return element("button", { type: "button", role: "radio", class: "look-asker", title: text, ...acts },
      word(short(text, 9)));
  });
  const show = () => nodes.forEach((node, i) => {
    const chosen = `${i === model.get(name)}`;
    if (node.getAttribute("aria-checked") === chosen) return;
    place(node, { "aria-checked": chosen, tabindex: chosen === "true" ? 0 : -1 });
  });
  return { nodes, show };
}

// A list of ticks for sliders. Each widget is a module of its own, so that counting would give one id to two of them.
export const tickMarks = (...values) => element("datalist", { id: `look-ticks-${Math.random().toString(36).slice(2)}` },
  ...values.map((value) => element("option", { value })));

// A row of a slider: its name, the slider, its number. `scale` maps the trait to the slider's place and back, so that a
// logarithmic one is [Math.log2, (x) => 2 ** x].
export function slider(model, name, text, { min, max, step, digits = 2, scale = [(x) => x, (x) => x] }) {
  const [there, back] = scale;
  const act = () => store(model, { [name]: back(Number(input.value)) });
  const ticks = tickMarks(...[0, 0.25, 0.5, 0.75, 1].map((share) => min + share * (max - min)));
  const input = element("input", { type: "range", min, max, step, list: ticks.id, "aria-label": text, oninput: act });
  const output = element("output", {});
  drawOn(model, [name], () => {
    const number = written(model.get(name), digits);
    input.value = there(model.get(name));
    input.setAttribute("aria-valuetext", number);
    output.textContent = number;
  });
  return element("label", { class: "look-label" }, text + " ", input, ticks, " ", output);
}

// Tasks that the explorable itself confirms: pairs [text, reached(seen)]. What the first picture shows already does not
// count, and what was reached once stays. Returns { node, show }.
export function goals(tasks) {
  const nodes = tasks.map(([text]) => element("li", {}, `☐ ${text}`));
  const from = tasks.map(() => null);
  const show = (seen) => tasks.forEach(([text, reached], i) => {
    const now = reached(seen);
    from[i] ??= now;
    if (from[i] && !now) from[i] = false;
    if (from[i] || !now) return;
    nodes[i].textContent = `☑ ${text}: you reached it`;
    nodes[i].className = "look-reached";
  });
  return { node: element("ul", { class: "look-goals", "aria-label": "tasks", "aria-live": "polite" }, ...nodes), show };
}

// A table of rows [what stands in the head, a number].
export function table(rows) {
  const row = ([head, number]) =>
    element("tr", {}, element("th", { scope: "row" }, ...head), element("td", {}, number));
  return element("table", {}, ...rows.map(row));
}

// [right, up] of an arrow key as -1, 0 or 1, ten times that with Shift; null for other keys. The page does not scroll.
export function arrowKey(event) {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!way || event.ctrlKey || event.metaKey || event.altKey) return null;
  event.preventDefault();
  return way.map((step) => step * (event.shiftKey ? 10 : 1));
}

// Let mouse, pen or finger drag a node: move(x, y) with the pointer in units of the svg's viewBox.
export function draggable(node, drawing, move) {
  const at = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    move(point.x, point.y);
  };
  node.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    node.focus();
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => node.hasPointerCapture(event.pointerId) && at(event));
}

// Why nothing changes where a kernel has to compute. A page of the book has no cell that could be run.
export function unanswered(what) {
  const way = document.querySelector(".book-widget")
    ? "this page has none. Open the lesson in JupyterLab." : "no kernel answers. Run the cell to start it.";
  return `The kernel ${what}, and ${way}`;
}
