// The recipes as a story: one card for each, and a step to the next or the last one, by button or by clicker.
import { button, element, place, store } from "./elements.js";
import { isNow } from "./look_session.js";

// Returns { node, onward, show, key, step }. onward: one button, which names the scene that it tells. key(event): Page Down and Page Up, as a clicker sends them. step(way): 1 or -1;
// returns whether the story goes on there.
export function storyCards(model) {
  const scenes = model.get("scenes");
  const now = () => scenes.findIndex(({ recipe }) => isNow(model, recipe));
  const tell = (i) => scenes[i] && store(model, { ...scenes[i].recipe, step: 0, running: true });
  const cards = scenes.map(({ title, line }, i) => {
    const parts = [element("strong", {}, title), element("span", {}, line)];
    return element("button", { type: "button", class: "look-scene", onclick: () => tell(i) }, ...parts);
  });
  const untold = () => model.get("step") === 0 && !model.get("running"); // the first step tells the scene that is set
  const atEnd = () => now() === scenes.length - 1; // one press too many does not wipe the ending
  const next = () => (untold() ? tell(Math.max(now(), 0)) : atEnd() ? null : tell(now() + 1));
  const back = () => tell(Math.max(now() - 1, 0));
  const steps = [button("◀", back, "back in the story (Page Up)"),
    button("▶", next, "forward in the story (Page Down)")];
  steps.forEach((one) => one.setAttribute("aria-label", one.title));
  const node = element("div", { class: "look-story", role: "group", "aria-label": "recipes, as a story" },
    ...cards, element("div", { class: "look-turn" }, ...steps));
  const ahead = () => (untold() ? Math.max(now(), 0) : (now() + 1) % scenes.length);
  const [what, why] = [element("strong"), element("span")];
  const onward = element("button", { type: "button", class: "look-scene look-onward", onclick: () => tell(ahead()) },
    what, why);
  const show = () => {
    const { title, line } = scenes[ahead()];
    cards.forEach((card, i) => place(card, { "aria-pressed": `${i === now()}` }));
    what.textContent = `${untold() ? "Begin" : ahead() ? "Next scene" : "Once more"}: ${title}`;
    why.textContent = line;
  };
  const step = (way) => {
    if (way > 0 ? atEnd() && !untold() : untold() || now() < 1) return false;
    (way > 0 ? next : back)();
    return true;
  };
  const key = (event) => {
    const act = { PageDown: next, PageUp: back }[event.key];
    if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act();
  };
  return { node, onward, key, step, show };
}

// What uses Page Down and Page Up itself, or is being typed into.
const OWN_KEYS = "input, textarea, select, [contenteditable='true'], [role='slider'], .cm-editor";

// Is at least half of a node in the window, or half of the window full of it?
function isInSight(node) {
  const { top, bottom, height } = node.getBoundingClientRect();
  const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
  return node.checkVisibility() && seen > 0 && seen >= Math.min(height, innerHeight) / 2;
}

// On a stage a clicker tells the story wherever the focus is, as long as the playground is seen; elsewhere it does so
// when nothing has the focus. A field that was scrolled out of sight is not being typed into. Returns what ends it.
export function hearClicker(model, root, key) {
  const hear = (event) => {
    if (event.defaultPrevented || root.contains(event.target)) return; // its own keys it hears itself
    const owner = event.target.closest?.(OWN_KEYS);
    const onStage = model.get("presenter") && isInSight(root) && !(owner && isInSight(owner));
    if (onStage || event.target === document.body) key(event);
  };
  document.addEventListener("keydown", hear, true); // on its way down: other explorables keep keys from the notebook
  return () => document.removeEventListener("keydown", hear, true);
}
