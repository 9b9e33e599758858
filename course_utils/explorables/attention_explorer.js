// AttentionExplorer: one word asks, all words answer; the four steps with the numbers of that word.
import {
  byLetters, explain, gameInWords, rootOf, scoreOf, seenBy, STATE, tellAttention, vector,
} from "./attention_words.js";
import { cellUnder, drawHeatmap, legend, redrawOn, wordedMap } from "./heatmap.js";
import {
  button, checkbox, choice, drawOn, element, frame, place, short, store, svg, word, wordChoice, written,
} from "./elements.js";

const STEPS = { project: "1 Project", score: "2 Score", normalise: "3 Normalise", mix: "4 Mix" };
const MOST_WORDS = 64;
const LARGEST = 1e6; // of a number of a vector

// A field for one number of one vector: to type, or with the arrow keys up and down.
function field(model, name, at, k, label) {
  const put = (x) => {
    if (!Number.isFinite(x) || Math.abs(x) > LARGEST) return;
    store(model, { [name]: model.get(name).map((row, i) => (i === at() ? row.with(k, x) : row)) });
  };
  const onkeydown = (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const step = (event.altKey ? 0.01 : event.shiftKey ? 1 : 0.1) * (event.key === "ArrowUp" ? 1 : -1);
    put(Number((model.get(name)[at()][k] + step).toFixed(6)));
  };
  const input = element("input", {
    type: "number", step: 0.1, class: `look-number look-of-${name}`, "aria-label": label, onkeydown,
    oninput: () => put(input.valueAsNumber), onchange: () => show(),
  });
  const show = () => {
    const shown = Number(model.get(name)[at()][k].toFixed(6));
    if (input.valueAsNumber !== shown) input.value = shown;
  };
  return { node: input, show };
}

const edited = (name, head) => ({ name, head: () => head });
const PRODUCT = { less: "look-less", head: () => "q · k", cell: (seen, j) => written(seen.products[j]) };
const SCORE = { less: "look-no-aim", head: (seen) => (seen.scaled ? `q · k / ${rootOf(seen)}` : "score"), cell: scoreOf };
const COLUMNS = {
  project: [edited("K", "key k"), edited("V", "value v")],
  score: [edited("K", "key k"), PRODUCT, SCORE],
  normalise: [{ ...SCORE, head: () => "score" },
    { head: () => "e^(score − largest)", cell: (seen, j) => written(seen.exponentials[j]) }],
  mix: [edited("V", "value v"),
    { head: () => "weight · v", cell: (seen, j) => vector(seen.V[j].map((x) => x * seen.row[j])) }],
};

// The rows of the present step. Returns { node, show }.
function steps(model, start) {
  const shows = [];
  const cellOf = (column, j) => {
    if (!column.name) {
      const node = element("td", { class: column.less ?? "" });
      shows.push((seen) => (node.textContent = column.cell(seen, j)));
      return node;
    }
    const label = (k) => `${column.head()} of ${start.tokens[j]}, number ${k + 1}`;
    const fields = start[column.name][j].map((_, k) => field(model, column.name, () => j, k, label(k)));
    shows.push(...fields.map((one) => one.show));
    return element("td", {}, ...fields.map((one) => one.node));
  };
  const askers = wordChoice(model, "query", start.tokens);
  const lines = start.tokens.map(() => svg("line", { x1: 0, x2: 100, "vector-effect": "non-scaling-stroke" }));
  const web = element("td", { class: "look-web", rowspan: start.tokens.length, "aria-hidden": "true" },
    svg("svg", { viewBox: `0 0 100 ${start.tokens.length}`, preserveAspectRatio: "none" }, ...lines));
  const gauges = start.tokens.map(() => ({ bar: element("div", { class: "look-bar" }),
    mark: element("div", { class: "look-mark" }), number: element("td") }));
  const columns = COLUMNS[start.step];
  const rows = start.tokens.map((token, j) => element("tr", {},
    element("td", {}, askers.nodes[j]), ...(j ? [] : [web]),
    element("th", { scope: "row", title: token }, word(short(token, 9))), ...columns.map((one) => cellOf(one, j)),
    element("td", { class: "look-gauge" }, element("div", {}, gauges[j].bar, gauges[j].mark)), gauges[j].number));
  const head = (text, colspan = 1, kind = "") => element("th", { scope: "col", colspan, class: kind }, text);
  const heads = [head("who looks?"), element("td"), head("looked at"),
    ...columns.map((one) => head(one.head(start), 1, one.less))];
  const node = element("table", { class: "look-steps" },
    element("thead", {}, element("tr", {}, ...heads, head("weight", 2))), element("tbody", {}, ...rows));

  function show(seen) {
    for (const act of shows) act(seen);
    askers.show();
    node.classList.toggle("look-playing", Boolean(seen.game)); // on a phone there is room for what the game is about
    seen.tokens.forEach((_, j) => {
      const weight = seen.row[j];
      place(lines[j], weight < 0.005 ? { "stroke-width": 0 } : { y1: seen.query + 0.5, y2: j + 0.5,
        "stroke-width": 1 + 8 * weight, "stroke-opacity": 0.3 + 0.7 * weight });
      rows[j].classList.toggle("look-unseen", !seen.sees[j]);
      gauges[j].bar.style.width = `${100 * weight}%`;
      gauges[j].mark.style.left = seen.game ? `${100 * seen.game.wanted[j]}%` : "";
      gauges[j].mark.hidden = !seen.game;
      gauges[j].number.textContent = written(weight);
    });
  }
  return { node, show };
}

// To choose a sentence, or to type one.
function sentences(model) {
  const all = model.get("_sentences");
  let made = null; // the words that were typed here
  const take = ({ tokens, Q, K, V, query, causal }) => store(model, { tokens, Q, K, V, query, causal, padding: 0 });
  const onchange = () => all[select.value] && take(all[select.value]);
  const options = [...all.map(({ name }, i) => [i, name]), ["own", "your own words"]];
  const select = element("select", { class: "look-button", onchange },
    ...options.map(([value, name]) => element("option", { value }, name)));
  const typed = element("input", {
    type: "text", class: "look-typed", dir: "auto", placeholder: "your own words",
    "aria-label": "your own words, with spaces between them",
    onkeydown: (event) => event.key === "Enter" && read(),
  });
  const read = () => {
    const tokens = typed.value.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
    if (!tokens.length) return;
    const vectors = tokens.map(byLetters);
    made = tokens;
    take({ tokens, Q: vectors, K: vectors, V: vectors, query: 0, causal: false });
  };
  const show = ({ tokens, Q }) => {
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    const near = all.filter((one) => same(one.tokens, tokens));
    const found = near.find((one) => same(one.Q, Q)) ?? near[0];
    select.value = found ? all.indexOf(found) : "own";
    invented.textContent = same(tokens, made) || same(Q, tokens.map(byLetters))
      ? "The numbers of these words are invented: they come from the letters, and mean nothing." : "";
  };
  const invented = element("span", { class: "look-invented", role: "status" });
  const node = element("div", { class: "look-label" },
    element("label", { class: "look-label" }, "Sentence ", select), typed, button("Read", read, "use your own words"),
    invented);
  return { node, show };
}

function paddingField(model) {
  const oninput = () => {
    const most = model.get("tokens").length - 1;
    const count = input.valueAsNumber;
    if (Number.isInteger(count)) store(model, { padding: Math.min(most, Math.max(0, count)) });
    if (count > most) show();
  };
  const input = element("input", { type: "number", class: "look-number", min: 0, step: 1, oninput });
  const show = () => (input.value = model.get("padding"));
  drawOn(model, ["padding"], show);
  return element("label", { class: "look-label" }, "padding mask: hide the last ", input, " words");
}

function render({ model, el }) {
  const { body, controls, tell } = frame(model, el, {
    title: "AttentionExplorer.",
    instruction:
      "Choose a word on the left: the lines show where it looks. Go through the four steps. Change any number.",
  });
  const chosen = sentences(model);
  const [says, game] = [element("p", { class: "look-says" }), element("p", { class: "look-game" })];
  const [asking, asker] = [element("div", { class: "look-label" }), word("")];
  const [list, map] = [element("div", { class: "look-scroll look-list" }), element("div", { class: "look-side" })];
  const under = element("p", {});
  const canvas = element("canvas", { role: "img", "aria-label": "all weights; As text holds the numbers" });
  const first = element("div", { class: "look-label" }, choice(model, "step", "Step", STEPS), asking);
  body.append(first, says, game, list, map);
  controls.append(chosen.node, checkbox(model, "scaled", "divide by √d_k"), checkbox(model, "causal", "causal mask"),
    paddingField(model));
  let [made, rows, query, seen] = ["", null, [], null];

  function makeAnew() {
    const { tokens, Q } = seen;
    rows = steps(model, seen);
    query = Q[0].map((_, k) => field(model, "Q", () => model.get("query"), k, `query, number ${k + 1}`));
    list.replaceChildren(rows.node);
    asking.replaceChildren("query of ", asker, " ", ...query.map((one) => one.node));
    map.replaceChildren(wordedMap(canvas, tokens, tokens), under);
  }

  function drawMap() {
    if (seen) drawHeatmap(canvas, seen.weights, { numbers: true, picked: { row: seen.query } });
  }

  function draw() {
    seen = seenBy(model);
    if (!seen) return;
    const now = JSON.stringify([seen.tokens, seen.step, seen.scaled, seen.Q[0].length, seen.V[0].length]);
    if (now !== made) makeAnew();
    made = now;
    drawMap(); // while the page is as the last frame left it: its size asks for no layout then
    asker.textContent = short(seen.tokens[seen.query]);
    for (const one of query) one.show();
    rows.show(seen);
    chosen.show(seen);
    says.replaceChildren(...explain(seen));
    game.hidden = !seen.game;
    if (seen.game) game.replaceChildren(element("strong", {}, "Game: "), ...gameWords());
    under.replaceChildren("Click a row: it looks (query) at the columns (keys). ", legend());
    const [asks, gets] = [seen.query, seen.top].map((i) => seen.tokens[i]);
    tell(tellAttention(seen), `${asks} looks most at ${gets}: ${written(seen.row[seen.top])}`);
  }

  function gameWords() {
    const goal = "change the keys until every bar ends at its mark. ";
    return [seen.game.reached ? "" : goal, ...gameInWords(seen, word(seen.tokens[seen.game.worst]))];
  }

  const cell = (event) => cellUnder(event, seen.tokens.length, seen.tokens.length);
  canvas.addEventListener("pointerdown", (event) => store(model, { query: cell(event).row }));
  canvas.addEventListener("pointermove", (event) => {
    const { row, column } = cell(event);
    const [looks, at] = [word(seen.tokens[row]), word(seen.tokens[column])];
    under.replaceChildren(looks, " looks at ", at, `: ${written(seen.weights[row][column])}`);
  });
  drawOn(model, [...STATE, "game"], draw);
  return redrawOn(canvas, drawMap);
}

export default { render };
