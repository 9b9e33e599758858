// The lines of TheMachine from each key to the query in focus, as thick as its weights. Each is a slider: a click or
// Enter cuts it or gives it back, the arrow keys left and right, Home and End force its weight, up and down go to the
// next one.
import { isCut, isForced } from "./machine_changes.js";
import { named } from "./machine_words.js";
import { arrowKey, settle, store, svg, written } from "./elements.js";

const STEP = 0.02; // of a forced weight, for one key press; ten times that with Shift

export function lines(model, hand, point) {
  const keys = "left and right change a weight, up and down go to the next line, Enter cuts";
  const node = svg("g", { role: "group", "aria-label": `lines to the word that looks: ${keys}` });
  const all = [];
  const one = (key) => {
    const [halo, hit, line] = ["halo", "hit", "line"].map((name) =>
      svg("line", { class: `look-${name}`, pathLength: 100 }));
    const cross = svg("path", { class: "look-cross" });
    const row = () => ["layer", "head", "query"].map((name) => model.get(name));
    const act = () => {
      store(model, { key });
      hand.toggleLine(key);
    };
    const onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        return act();
      }
      const end = { Home: 0, End: 1 }[event.key];
      if (end !== undefined) {
        event.preventDefault();
        return hand.force(key, end);
      }
      const way = arrowKey(event);
      if (!way) return;
      if (way[0]) return hand.force(key, Number((weightNow + STEP * way[0]).toFixed(2)));
      all[key - Math.sign(way[1])]?.group.focus();
    };
    const group = svg("g", { class: "look-arc", role: "slider", "aria-orientation": "horizontal", "aria-valuemin": 0,
      "aria-valuemax": 1, tabindex: -1, onkeydown, onclick: act, onfocus: () => store(model, { key }),
      onpointerenter: () => point(key), onpointerleave: () => point(null) }, halo, hit, line, cross);
    let weightNow = 0;
    const draw = (seen, geometry, [keys, queries], shows, stop) => {
      const [[x1, y1], [x2, y2]] = [geometry.at(keys, key), geometry.at(queries, seen.query)];
      const weight = seen.row[key];
      weightNow = weight;
      const where = [...row(), key];
      const [cut, forced] = [isCut(seen, where), isForced(seen, where)];
      const ends = { x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1) };
      for (const part of [halo, line]) settle(part, ends);
      settle(hit, { ...ends, x2: (x1 + 0.7 * (x2 - x1)).toFixed(1), y2: (y1 + 0.7 * (y2 - y1)).toFixed(1),
        "stroke-width": Math.min(24, geometry.pitch).toFixed(1) });
      const wide = cut ? 2.5 : shows("weights") ? (weight < 0.005 ? 0.6 : 1 + 11 * weight) : 1.4;
      settle(line, { "stroke-width": (wide * geometry.scale).toFixed(2), "stroke-dasharray": cut ? "36 28" : "none" });
      settle(halo, { "stroke-width": (wide * geometry.scale + 7).toFixed(2) });
      const [mx, my, arm] = [(x1 + x2) / 2, (y1 + y2) / 2, 5 * geometry.scale];
      const across = (way) => `M${mx - arm} ${my - way * arm}L${mx + arm} ${my + way * arm}`;
      settle(cross, { d: cut ? across(1) + across(-1) : "" });
      const kind = [cut && "look-is-cut", forced && "look-is-forced"].filter(Boolean);
      settle(group, { class: ["look-arc", ...kind].join(" "), tabindex: key === stop ? 0 : -1,
        "aria-label": `${named(seen, key)} → ${named(seen, seen.query)}${cut ? ", cut" : ""}`,
        "aria-valuenow": weight.toFixed(2),
        "aria-valuetext": `weight ${written(weight)}${cut ? ", cut" : forced ? ", forced" : ""}` });
    };
    return { group, draw };
  };
  // How many there are changes with the sentence, and a query of a model that writes sees only the words before it.
  const draw = (seen, geometry, ends, shows, causal) => {
    const count = causal ? seen.query + 1 : seen.names.length;
    while (all.length < count) {
      all.push(one(all.length));
      node.append(all.at(-1).group);
    }
    all.splice(count).forEach(({ group }) => group.remove());
    const stop = Math.min(seen.key, count - 1); // of the Tab key
    for (const line of all) line.draw(seen, geometry, ends, shows, stop);
    node.classList.toggle("look-later", !shows("scores"));
  };
  return { node, draw };
}
