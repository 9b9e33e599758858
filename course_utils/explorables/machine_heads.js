// The heads of TheMachine, a row for each layer, each head with its lines in small. A click or the arrow keys show one;
// the button beside them, or Enter on the head that is shown, takes its output away or gives it back.
import { covers } from "./machine_changes.js";
import { coloursOf, paintHead } from "./machine_strips.js";
import { redrawOn } from "./heatmap.js";
import { arrowKey, button, element, settle, store } from "./elements.js";

const AFTER = 60; // milliseconds: the large drawing comes first

export function headTabs(model, said, hand) {
  const { n_layers: nLayers, n_heads: nHeads } = said;
  const small = nLayers * nHeads > 24; // then there is no room for a picture
  const choose = (layer, head) => {
    const within = (x, count) => Math.min(count - 1, Math.max(0, x));
    store(model, { layer: within(layer, nLayers), head: within(head, nHeads) });
  };
  const shown = () => ["layer", "head"].map((name) => model.get(name));
  const tabs = Array.from({ length: nLayers * nHeads }, (_, i) => {
    const [layer, head] = [Math.floor(i / nHeads), i % nHeads];
    const canvas = small ? null : element("canvas", { "aria-hidden": "true" });
    const onkeydown = (event) => {
      const way = arrowKey(event);
      if (way) {
        choose(layer - Math.sign(way[1]), head + Math.sign(way[0]));
        return tabs[model.get("layer") * nHeads + model.get("head")].node.focus();
      }
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      const isShown = layer === model.get("layer") && head === model.get("head");
      if (isShown) hand.toggleHead([layer, head]);
      else choose(layer, head);
    };
    const node = element("button", { type: "button", role: "radio", class: "look-tab", onkeydown,
      onclick: () => choose(layer, head) }, `${head}`, ...(canvas ? [canvas] : []));
    return { layer, head, node, canvas };
  });
  const rows = Array.from({ length: nLayers }, (_, layer) => element("span", { class: "look-tabs" },
    element("span", {}, `layer ${layer}, head`), ...tabs.filter((one) => one.layer === layer).map(({ node }) => node)));
  const off = button("", () => hand.toggleHead(shown()));
  const group = element("div", { class: small ? "look-layers look-many" : "look-layers", role: "radiogroup",
    "aria-label": "head; Enter or Space takes the one that is shown away, or gives it back" }, ...rows);
  const node = element("div", { class: "look-tab-rows" }, group, off);
  let [weights, seen, colours, timer] = [null, null, null, 0];
  const paint = () => {
    colours ??= coloursOf(node);
    for (const { layer, head, canvas } of tabs) if (canvas) paintHead(canvas, weights[layer][head], colours);
  };
  const draw = (now) => {
    seen = now;
    const isOff = (at) => seen.hide.some((one) => covers(one, at));
    for (const { layer, head, node: tab } of tabs) {
      const [chosen, away] = [layer === seen.layer && head === seen.head, isOff([layer, head])];
      settle(tab, { "aria-checked": `${chosen}`, tabindex: chosen ? 0 : -1,
        class: away ? "look-tab look-off" : "look-tab",
        "aria-label": `layer ${layer}, head ${head}${away ? ", taken away" : ""}` });
    }
    off.textContent = isOff([seen.layer, seen.head]) ? `Put head ${seen.head} back` : `Take head ${seen.head} away`;
    if (weights === seen.weights[1]) return;
    const isFirst = !weights;
    weights = seen.weights[1];
    clearTimeout(timer);
    if (isFirst) paint();
    else timer = setTimeout(paint, AFTER);
  };
  const stop = redrawOn(node, () => {
    colours = null;
    if (seen) paint();
  });
  return { node, draw, stop };
}
