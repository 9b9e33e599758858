// The pages of the book: each widget moves without a kernel, a link holds its picture, and a prediction is remembered.

const SETTLED = 300; // milliseconds without a change after which the address is written
const STORE = "learning-to-look: ";

// What the browser keeps. A browser that keeps nothing only forgets.
const memory = {
  get(key) {
    try { return localStorage.getItem(STORE + key); } catch { return null; }
  },
  set(key, value) {
    try { localStorage.setItem(STORE + key, value); } catch { /* a private window, or no room */ }
  },
  forget(key) {
    try { localStorage.removeItem(STORE + key); } catch { /* nothing was kept */ }
  },
};

function node(tag, attributes, ...children) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
}

function writeAddress(id, model) {
  const initial = model.get("_initial");
  const moved = Object.keys(initial).filter((name) => JSON.stringify(model.get(name)) !== JSON.stringify(initial[name]));
  const query = moved.map((name) => `${name}=${encodeURIComponent(JSON.stringify(model.get(name)))}`).join("&");
  return `#${id}${query ? `?${query}` : ""}`;
}

function show(holder, state, kind) {
  const view = node("div", { className: "book-live" });
  const model = pageModel({ ...structuredClone(state), _reads: false, ...holder.wanted }); // nobody reads a new sentence
  kind.render({ model, el: view });
  return { view, model };
}

// The widget as the link wants it, or as the lesson left it if the link asks for what it cannot show.
function start(holder, kind, state) {
  const isWanted = Boolean(holder.wanted);
  try {
    if (!isWanted || fits(holder.wanted, state, kind)) return show(holder, state, kind);
  } catch (error) {
    if (!isWanted) throw error;
  }
  holder.wanted = null;
  const shown = show(holder, state, kind);
  shown.view.append(node("p", { role: "status" }, "The link does not fit this picture, so it stands as at first."));
  return shown;
}

// The address follows what the reader does. A training that begins by itself writes nothing into it.
function linkTo(holder, model, view) {
  const link = node("a", { className: "book-link", href: writeAddress(holder.id, model) }, "Link to this picture");
  const said = node("span", { role: "status" });
  let waiting, isMoved = false;
  const move = (event) => (isMoved ||= event.key !== "Tab");
  for (const event of ["pointerdown", "keydown", "input"]) view.addEventListener(event, move, { capture: true });
  const write = () => {
    link.href = writeAddress(holder.id, model);
    history.replaceState(null, "", link.href);
  };
  for (const name of Object.keys(model.get("_initial"))) {
    model.on(`change:${name}`, () => {
      clearTimeout(waiting);
      if (isMoved) waiting = setTimeout(write, SETTLED);
    });
  }
  link.addEventListener("click", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    write();
    const told = (words) => () => (said.textContent = words);
    navigator.clipboard?.writeText(link.href).then(told(" copied"), told(" It stands in the address of this page."));
  });
  return node("p", { className: "book-below" }, link, said);
}

// What the page cannot compute is said before somebody tries it.
function needsAKernel(state) {
  const told = Object.keys(state._told ?? {}).length; // by a kernel, of a model that is too large for a page
  const what = state._reads ? "A sentence of your own is read in JupyterLab."
    : told && "This model is too large for a page: cuts and other sentences are computed in JupyterLab.";
  return what ? [node("p", { className: "book-below" }, what)] : [];
}

// A prediction is remembered by its question and by the words of the choice, so that a new order changes nothing.
function remember(model) {
  const [question, choices] = [model.get("question"), model.get("choices")];
  const chosen = choices.indexOf(memory.get(question));
  if (chosen >= 0) model.set("chosen", chosen);
  model.on("change:chosen", () => {
    memory.set(question, choices[model.get("chosen")]);
    uncover(model);
    sumUp();
  });
}

function uncover(model) {
  if (model.get("chosen") < 0) return;
  const number = /\d+/.exec(model.get("title"));
  for (const cover of document.querySelectorAll(`.book-cover[data-answers="${number}"]`)) {
    cover.open = true;
    const summary = cover.querySelector("summary");
    summary.dataset.covered ??= summary.textContent;
    summary.textContent = `What answers prediction ${number}:`;
  }
}

const predictions = [];
const asking = []; // the places of the predictions

function sumUp() {
  const asked = predictions.filter((model) => model.get("title").startsWith("Prediction"));
  const made = asked.filter((model) => model.get("chosen") >= 0);
  const right = made.filter((model) => model.get("chosen") === model.get("right"));
  const line = (model) => {
    const [chosen, good] = [model.get("chosen"), model.get("chosen") === model.get("right")];
    if (chosen < 0) return node("li", {}, `– ${model.get("question")} (choose first)`);
    return node("li", {}, `${good ? "✓" : "✗"} ${model.get("question")} `, node("strong", {}, model.get("choices")[chosen]));
  };
  for (const place of document.querySelectorAll(".book-recap")) {
    const head = made.length ? `${right.length} of ${made.length} predictions came true` : "No prediction was made yet";
    const again = made.length ? [node("button", { type: "button", className: "look-button", onclick: askAgain }, "Ask me again")] : [];
    place.replaceChildren(...(asked.length ? [node("p", {}, head), node("ul", {}, ...asked.map(line)), ...again] : []));
  }
}

// Only the predictions begin anew: what was trained on the page stays.
function askAgain() {
  for (const model of predictions.splice(0)) memory.forget(model.get("question"));
  for (const cover of document.querySelectorAll(".book-cover[open]")) {
    const summary = cover.querySelector("summary");
    summary.textContent = summary.dataset.covered ?? summary.textContent;
    cover.open = false;
  }
  for (const holder of asking.splice(0)) {
    holder.querySelector(".book-live").remove();
    begin(holder, []);
  }
  sumUp();
  document.querySelector(".look-prediction .look-choice").focus();
}

function begin(holder, wanted) {
  const state = JSON.parse(holder.querySelector("script[type='application/json']").textContent);
  const kind = window.learningToLook?.[holder.dataset.kind];
  if (!kind) return;
  if (wanted[0] === holder.id) holder.wanted = wanted[1];
  const isPrediction = "chosen" in state;
  const { view, model } = start(holder, kind, state);
  if (isPrediction) {
    predictions.push(model);
    asking.push(holder);
    remember(model);
    uncover(model);
  } else {
    view.append(...needsAKernel(state), linkTo(holder, model, view));
    holder.model = model;
  }
  holder.classList.add("book-alive");
  holder.append(view);
}

// The explorables know JupyterLab's word for light and dark; the theme of the book has another.
function followTheme() {
  document.body.dataset.jpThemeLight = `${document.documentElement.dataset.theme !== "dark"}`;
}

const SMALLEST = 0.7; // of a formula's usual size

// A formula that is wider than its place is drawn smaller. If that is not enough it scrolls, and the keyboard has to
// reach it; Tab goes past all others.
function fitFormulas() {
  for (const formula of document.querySelectorAll("mjx-container[display]")) {
    formula.dataset.usual ??= parseFloat(formula.style.fontSize) || 100;
    let size = 1;
    const draw = () => (formula.style.fontSize = `${size * formula.dataset.usual}%`);
    draw();
    // Not all of a formula shrinks alike, so the first step may fall short.
    while (formula.scrollWidth > formula.clientWidth && size > SMALLEST) {
      size = Math.max(SMALLEST, (0.99 * size * formula.clientWidth) / formula.scrollWidth);
      draw();
    }
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
    else formula.removeAttribute("tabindex");
  }
}

function goTo(wanted) {
  const holder = document.getElementById(wanted[0]);
  if (!holder?.classList.contains("book-widget")) return;
  for (let fold = holder.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  holder.scrollIntoView({ block: holder.offsetHeight < innerHeight * 0.8 ? "center" : "start" });
}

surviveTypos();
document.addEventListener("DOMContentLoaded", () => {
  followTheme();
  new MutationObserver(followTheme).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const wanted = readAddress(location.hash);
  for (const holder of document.querySelectorAll(".book-widget")) begin(holder, wanted);
  sumUp();
  for (const begins of [foldDrawingCode, offerLarge, offerPrint, lightOnPaper, offerFilters]) begins();
  performance.mark("alive");
  window.addEventListener("load", () => {
    goTo(wanted);
    window.MathJax?.startup.promise.then(fitFormulas);
  });
  window.addEventListener("resize", fitFormulas);
  window.addEventListener("hashchange", () => {
    if (location.hash.includes("?")) location.reload(); // somebody put another picture's link into the address
  });
});
