// What both questionnaires show in the end: right answers for each concept, and each question with its reasons.
import { element } from "../explorables/elements.js";

const SITTINGS = ["before", "after"];
const stars = (text) => text.replaceAll("*", "");

function opened(sealed) {
  const bytes = Uint8Array.from(atob(sealed), (letter) => letter.codePointAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

function gainedTable(rows) {
  const names = ["concept", ...SITTINGS].map((text) => element("th", { scope: "col" }, text));
  const body = rows.map(([name, ...counts]) => element("tr", {}, element("th", { scope: "row" }, name),
    ...counts.map((count) => element("td", {}, count))));
  return element("table", { class: "look-gained" }, element("thead", {}, element("tr", {}, ...names)),
    element("tbody", {}, ...body));
}

function reasons(item, chosen, key) {
  const at = "abcd".indexOf(key.right);
  const own = "abcd".indexOf(chosen ?? "?");
  const right = own === at;
  const why = right ? "" : stars(key.why[own] ?? "");
  const said = own < 0 ? "You gave no answer." : `Your answer: ${item.options[own]}. ${why}`;
  const picture = item.picture ? [element("img", { src: item.picture, alt: item.alt })] : [];
  return element("details", {}, element("summary", {}, `${right ? "✓" : "✗"} ${stars(item.question)}`), ...picture,
    element("p", {}, said), element("p", {}, `Right: ${item.options[at]}. ${stars(key.why[at])}`));
}

export function results(content, forms, concepts, sealed) {
  const keys = opened(sealed);
  const right = (sitting, item) => Number(content[sitting].answers[item.id] === keys[item.id].right);
  const count = (sitting, wanted) => {
    const items = forms[content[sitting].form].filter((item) => wanted === null || item.concept === wanted);
    return `${items.reduce((total, item) => total + right(sitting, item), 0)} of ${items.length}`;
  };
  const row = (name, wanted) => [name, ...SITTINGS.map((sitting) => count(sitting, wanted))];
  return [
    element("p", {}, "Right answers. Two questions say little about one concept; read the reasons below."),
    gainedTable([...concepts.map(([id, name]) => row(name, id)), row("all", null)]),
    ...SITTINGS.flatMap((sitting) => [element("h3", {}, `The questions ${sitting} the course`),
      ...forms[content[sitting].form].map((item) => reasons(item, content[sitting].answers[item.id], keys[item.id]))]),
  ];
}
