// What a hand changes in TheMachine: lines, words, heads, weights. No drawing here.
import { store } from "./elements.js";

const size = (x) => (x === null ? -1 : x);
const bySize = (a, b) => a.length - b.length || a.map((x, i) => size(x) - size(b[i])).find((x) => x) || 0;

// Whether a place that is hidden, in which null stands for all, holds another one.
export const covers = (place, other) =>
  place.length === other.length && place.every((x, i) => x === null || x === other[i]);

export const isCut = ({ hide }, place) => hide.some((one) => covers(one, place));
export const isForced = ({ given }, place) => given.some((one) => covers(one.slice(0, 4), place));

// The places that another sentence leaves alone: whole heads, and edges with the same token at both ends; as in
// machine_changes.py.
export const fitting = (places, before, after) => places.filter(([, , ...ends]) =>
  ends.slice(0, 2).every((i) => i === null || (i < after.length && before[i] === after[i])));

// Whether a row is left with nothing to look at.
export function leavesNothing(hide, { n_layers: nLayers, n_heads: nHeads, causal }, n) {
  const edges = hide.filter((one) => one.length === 4);
  const all = (count, test) => Array.from({ length: count }, (_, i) => i).some(test);
  return all(nLayers, (layer) => all(nHeads, (head) => {
    const here = edges.filter(([l, h]) => (l === null || l === layer) && (h === null || h === head));
    return here.length > 0 && all(n, (query) => !all(causal ? query + 1 : n, (key) =>
      !here.some(([, , q, k]) => (q === null || q === query) && k === key)));
  }));
}

// What changes the places that are cut or forced. n(): how many tokens there are. A change that would leave a row with
// nothing to look at is not made.
export function changes(model, said, n) {
  const get = (name) => model.get(name);
  const without = (name, where) => get(name).filter((one) => !covers(one.slice(0, 4), where));
  const row = () => ["layer", "head", "query"].map(get);
  const toggle = (where) => {
    const hide = get("hide");
    const left = hide.filter((one) => !covers(one, where));
    if (left.length < hide.length) return store(model, { hide: left });
    const more = [...hide.filter((one) => !covers(where, one)), where].sort(bySize);
    const given = get("given").filter((one) => !covers(where, one.slice(0, 4)));
    if (!leavesNothing(more, said, n())) store(model, { hide: more, given });
  };
  const force = (key, weight) => { // one weight for each row: it takes the place of another one
    const where = [...row(), key];
    if (weight <= 0) return isCut({ hide: get("hide") }, where) || toggle(where);
    const rest = get("given").filter((one) => !covers(one.slice(0, 3), row()));
    store(model, { hide: without("hide", where), given: [...rest, [...where, Math.min(1, weight)]].sort(bySize), key });
  };
  const giveBack = (key) => {
    const where = [...row(), key];
    store(model, { hide: without("hide", where), given: without("given", where) });
  };
  return {
    toggleLine: (key) => {
      const forced = isForced({ given: get("given") }, [...row(), key]);
      if (forced) giveBack(key);
      else toggle([...row(), key]);
    },
    toggleWord: (key, scope) => {
      const [layer, head] = row();
      toggle([scope === "everywhere" ? null : layer, scope === "head" ? head : null, null, key]);
    },
    toggleHead: (where) => toggle(where),
    force,
    giveBack,
    all: () => store(model, { hide: [], given: [] }),
  };
}
