// Twenty models as small multiples: where [CLS] looks in each, and how many answers are right. One of them is open.
import { arrowKey, element, place, store, written } from "./elements.js";
import { modelNames } from "./look_session.js";

export const SHARP = 0.99; // of the weight, on the place that the question is about: it really looks

// Returns { node, show }. show(seen, asked): where each model looks now; asked: the places of the question.
export function seedCards(model) {
  const pick = (i) => store(model, { opened: i });
  const keys = (event) => {
    const way = arrowKey(event);
    if (!way) return;
    const perRow = cards.filter(({ node }) => node.offsetTop === cards[0].node.offsetTop).length;
    const next = model.get("opened") + Math.sign(way[0]) - perRow * Math.sign(way[1]);
    if (next < 0 || next >= cards.length) return;
    pick(next);
    cards[next].node.focus();
  };
  const cards = modelNames(model).map((name, i) => seedCard(name, { onclick: () => pick(i), onkeydown: keys }));
  const node = element("div", { class: "look-seeds", role: "radiogroup", "aria-label": "models" },
    ...cards.map((card) => card.node));
  const show = (seen, asked, names = modelNames(model)) => cards.forEach((card, i) => {
    const open = i === model.get("opened");
    place(card.node, { "aria-checked": `${open}`, tabindex: open ? 0 : -1 });
    if (seen) card.show(names[i], seen.rows[i], seen.accuracy[i], seen.look[i], asked, seen.step > 0);
  });
  return { node, show };
}

// A look that is not sharp is never rounded up to one that is.
const shown = (share) => written(share < SHARP ? Math.min(share, SHARP - 0.01) : share);

function seedCard(name, acts) {
  const [bars, look, right] = [element("div", { class: "look-bars" }), element("b"), element("span")];
  const attributes = { type: "button", role: "radio", class: "look-seed", "aria-label": name, ...acts };
  const node = element("button", attributes, bars, look, right);
  const show = (own, row, accuracy, share, asked, trained) => {
    if (bars.children.length !== row.length) bars.replaceChildren(...Array.from(row, () => element("i")));
    Array.from(row).forEach((weight, place) => {
      bars.children[place].style.transform = `scaleY(${Math.max(weight, 0.03).toFixed(3)})`; // no layout, only paint
      bars.children[place].classList.toggle("look-own-bar", asked.includes(place));
    });
    const [percent, number] = [`${written(100 * accuracy, 0)} %`, shown(share)];
    if (look.textContent !== number) look.textContent = number;
    if (right.textContent !== percent) right.textContent = percent;
    node.classList.toggle("look-sharp", trained && share >= SHARP);
    const label = `${own}: look ${number}, ${percent} right`;
    if (node.getAttribute("aria-label") !== label) node.setAttribute("aria-label", label);
  };
  return { node, show };
}
