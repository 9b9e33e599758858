// The cards of a prediction: arrow keys move, Enter, Space, a number or a click chooses, and then Shift+Enter goes on.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function card(choice, position, choose) {
  const button = element("button",
    { type: "button", role: "radio", class: "look-choice", "aria-checked": "false", onclick: () => choose(position) },
    element("span", { class: "look-choice-key", "aria-hidden": "true" }, `${position + 1}`),
    element("span", { class: "look-choice-word" }, element("span", { dir: "auto" }, choice)));
  return button;
}

// What stands on a card once the choice is made: a sign, its words, and why. Colour comes on top.
function mark(button, { right, chosen }, why) {
  const sign = right ? "✓" : chosen ? "✗" : "";
  const words = [chosen ? "your choice" : "", right ? "the answer" : ""].filter(Boolean).join(", and ");
  button.classList.toggle("look-right", right);
  button.classList.toggle("look-wrong", chosen && !right);
  button.setAttribute("aria-checked", `${chosen}`);
  button.setAttribute("aria-disabled", "true");
  if (!sign) return;
  button.querySelector(".look-choice-key").textContent = sign;
  button.querySelector(".look-choice-word").append(
    " ", element("span", { class: "look-choice-mark" }, words),
    ...(why ? [" ", element("span", { class: "look-choice-why", dir: "auto" }, why)] : []));
}

// In JupyterLab, Shift+Enter runs the cell that has the focus. Elsewhere the focus stays on the card.
function goOn(el) {
  const cell = el.closest(".jp-Cell");
  if (cell) cell.focus({ preventScroll: true });
}

// Which card a key leads to; null where the key is none of ours.
function target(key, position, count) {
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  if (key in steps) return (position + steps[key] + count) % count;
  return { Home: 0, End: count - 1 }[key] ?? null;
}

function render({ model, el }) {
  const [choices, said, right] = ["choices", "said", "right"].map((name) => model.get(name));
  const status = element("p", { class: "look-hidden", role: "status", "aria-live": "polite" });
  const hint = element("p", { class: "look-choice-hint" }, "Choose one: click it, or use the arrow keys and Enter, or press the number at its left. Then the answer shows.");

  function choose(position) {
    if (model.get("chosen") >= 0 || !(position in choices)) return;
    model.set("chosen", position);
    model.save_changes();
    goOn(el);
  }

  const cards = choices.map((choice, position) => card(choice, position, choose));
  const group = element("div", { role: "radiogroup", class: "look-choices", "aria-label": model.get("question") }, ...cards);

  function current(position) {
    cards.forEach((button, i) => (button.tabIndex = i === position ? 0 : -1));
  }

  function press(event) {
    const command = event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key === "Enter");
    if (command) return;
    event.stopPropagation(); // single keys are commands in JupyterLab: 1 makes a heading, the arrows leave the cell
    const next = target(event.key, cards.indexOf(document.activeElement), cards.length);
    if (next !== null) {
      event.preventDefault();
      current(next);
      cards[next].focus();
    } else if (/^[1-9]$/.test(event.key)) {
      choose(Number(event.key) - 1);
    }
  }

  function draw() {
    const chosen = model.get("chosen");
    if (chosen < 0) return;
    cards.forEach((button, i) => mark(button, { right: i === right, chosen: i === chosen }, i === right || i === chosen ? said[i] : ""));
    current(chosen);
    hint.textContent = chosen === right ? "✓ Right." : "✗ Not this one. Your card says why.";
    status.textContent = chosen === right
      ? `Right: ${choices[right]}. ${said[right]}`
      : `You chose: ${choices[chosen]}. ${said[chosen]} The answer is: ${choices[right]}. ${said[right]}`;
  }

  current(0);
  group.addEventListener("keydown", press);
  model.on("change:chosen", draw);
  el.append(element("section", { class: "look-prediction", "aria-label": model.get("title") },
    element("p", { class: "look-choice-title" }, model.get("title")),
    element("p", { class: "look-question", dir: "auto" }, model.get("question")), group, hint, status));
  draw();
}

export default { render };
