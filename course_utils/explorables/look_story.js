// The recipes as a story: one card for each, and a step to the next or the last one, by button or by clicker.
import { button, element, place, store } from "./elements.js";

// Is this recipe the present one?
const isNow = (model, { recipe }) => Object.entries(recipe).every(([name, value]) => model.get(name) === value);

// Returns { node, show, key }. key(event): Page Down and Page Up, as a clicker sends them.
export function storyCards(model) {
  const scenes = model.get("scenes");
  const now = () => scenes.findIndex((scene) => isNow(model, scene));
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
    button("▶", next, "on in the story (Page Down)")];
  steps.forEach((one) => one.setAttribute("aria-label", one.title));
  const node = element("div", { class: "look-story", role: "group", "aria-label": "recipes, as a story" },
    ...cards, element("div", { class: "look-turn" }, ...steps));
  const key = (event) => {
    const act = { PageDown: next, PageUp: back }[event.key];
    if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act();
  };
  return { node, key, show: () => cards.forEach((card, i) => place(card, { "aria-pressed": `${i === now()}` })) };
}
