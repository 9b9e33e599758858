// The questionnaire: one question a screen, every answer kept at once. No answer is called right or wrong before both
// questionnaires, before and after the course, are finished.
import { button, element, keepFromLab, store } from "../explorables/elements.js";
import { answersHere, answersOf, asCode, download, formOf, keepHere } from "./answer_codes.js";
import { results } from "./questionnaire_results.js";

const LETTERS = ["a", "b", "c", "d", "?"];
const LONGEST = 120; // seconds between two actions; what is more was a pause
const PATIENCE = 5000; // milliseconds until Python should have written an answer down
const LOST = "Your last answer is not in the file yet: the kernel is busy or gone. If this stays, run the cell again.";

// A text in which *words* between stars are emphasised.
export const rich = (text) => text.split("*").map((part, i) => (i % 2 ? element("em", {}, part) : part));

function sittingOf(content, name) {
  return content[name] ?? { form: formOf(content.code, name), answers: {}, seconds: 0, finished: false };
}

function render({ model, el }) {
  const name = model.get("sitting");
  const forms = model.get("forms");
  const onPage = model.get("keeps") === "page";
  const screen = element("div", {});
  const live = element("p", { class: "look-hidden", role: "status", "aria-live": "polite" });
  const label = `Questionnaire ${name} the course`;
  const root = element("section", { class: "look look-questionnaire", "aria-label": label }, screen, live);
  let last = performance.now();
  let trouble = "";
  let waiting = 0;

  if (onPage) model.set("content", answersHere(model.get("version")));
  const content = () => model.get("content");
  const sitting = () => sittingOf(content(), name);
  const items = () => forms[sitting().form];
  const unanswered = () => items().flatMap((item, i) => (item.id in sitting().answers ? [] : [i]));

  function keep(changed) {
    store(model, { content: changed });
    trouble = onPage && !keepHere(changed) ? "This browser keeps nothing. Download your answers before you leave." : "";
    clearTimeout(waiting);
    if (model.get("keeps") === "file") waiting = setTimeout(() => tell(LOST), PATIENCE);
  }

  function tell(words) {
    trouble = words;
    screen.querySelector(".look-problem")?.replaceWith(warning());
  }

  function note(changes) {
    const now = performance.now();
    const seconds = Math.round(sitting().seconds + Math.min(LONGEST, (now - last) / 1000));
    last = now;
    keep({ ...content(), [name]: { ...sitting(), ...changes, seconds } });
  }

  function show(nodes, spoken) {
    screen.replaceChildren(...nodes, warning());
    live.textContent = spoken;
  }

  // Go to another screen, with the focus on its beginning, so that the keyboard goes on from there.
  function go(draw, ...given) {
    last = performance.now();
    draw(...given);
    screen.querySelector("[data-begin]")?.focus({ preventScroll: false });
  }

  function warning() {
    const words = trouble || model.get("trouble");
    return element("p", { class: "look-problem", role: words ? "alert" : null }, words);
  }

  const heading = (text) => element("h2", { tabindex: -1, "data-begin": true }, text);

  function start() {
    const left = unanswered();
    const begun = left.length < items().length;
    const goOn = left.length ? `Go on with question ${left[0] + 1}` : "To the end";
    const input = element("input", { type: "text", maxlength: 9, size: 9, autocomplete: "off", spellcheck: "false",
      "aria-label": "my code" });
    const refuse = element("p", { role: "status" });
    const take = () => {
      const code = asCode(input.value);
      refuse.textContent = code ? "" : "This is no code: it has six letters and digits. Look again.";
      if (!code) return;
      const { inventory, code: old } = content();
      if (code !== old) keep(onPage ? answersOf(code, inventory) : { inventory, code });
      go(sitting().finished ? end : start);
    };
    input.addEventListener("keydown", (event) => event.key === "Enter" && take());
    show([
      heading(name === "before" ? "Before the course" : "After the course"),
      element("p", {}, `${items().length} questions, one on each screen, made for ten minutes. There are no marks, `
        + "and nobody learns who you are. Where you do not know an answer, say so: that is a good answer here."),
      element("p", {}, "Your code is ", element("strong", { class: "look-code" }, content().code),
        ". Write it down: it puts your answers before and after the course together."),
      name === "after" && !content().before ? element("p", {},
        "No answers from before the course are here. If you gave some elsewhere, type that code.") : "",
      element("p", {}, model.get("place")),
      element("p", {}, button(begun ? goOn : "Begin",
        () => go(left.length ? question : end, left[0] ?? 0))),
      element("p", {}, element("label", {}, "I have a code already: ", input), " ", button("Use it", take), refuse),
      ...(onPage ? [fromFile()] : []),
    ], "");
  }

  function fromFile() {
    const input = element("input", { type: "file", accept: ".json", onchange: async () => {
      try {
        const found = JSON.parse(await input.files[0].text());
        if (found.inventory !== content().inventory || asCode(found.code) !== found.code) throw new Error();
        keep({ ...answersOf(found.code, found.inventory), ...found });
      } catch {
        trouble = "This is no file of answers to these questions.";
      }
      go(sitting().finished ? end : start);
    } });
    return element("p", {}, element("label", {}, "I have a file of answers: ", input));
  }

  function question(i) {
    const item = items()[i];
    const chosen = sitting().answers[item.id];
    const choices = [...item.options, "I do not know yet"];
    const choose = (letter) => {
      note({ answers: { ...sitting().answers, [item.id]: letter } });
      tell(trouble);
    };
    const next = () => (i + 1 < items().length ? go(question, i + 1) : go(end));
    const rows = choices.map((text, at) => {
      const radio = element("input", { type: "radio", name: `${name}-${item.id}`, value: LETTERS[at],
        checked: chosen === LETTERS[at], onchange: () => choose(LETTERS[at]) });
      return element("label", { class: "look-option" }, radio, element("span", {}, ...rich(text)));
    });
    const press = (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      const radios = rows.map((row) => row.querySelector("input"));
      if (event.key === "Enter" && radios.includes(event.target)) {
        event.preventDefault();
        next();
      } else if (/^[1-5]$/.test(event.key)) {
        radios[event.key - 1].focus();
        radios[event.key - 1].click();
      }
    };
    const picture = item.picture ? [element("img", { src: item.picture, alt: item.alt }), element("details", {},
      element("summary", {}, "The picture in words"), element("p", {}, item.alt))] : [];
    const legend = element("legend", { tabindex: -1, "data-begin": true },
      element("span", { class: "look-quiet" }, `Question ${i + 1} of ${items().length}`), " ", ...rich(item.question));
    show([
      element("fieldset", { onkeydown: press }, legend, ...picture, ...rows),
      element("p", { class: "look-buttons" }, button("Back", () => (i ? go(question, i - 1) : go(start))),
        button(i + 1 < items().length ? "Next" : "To the end", next),
        element("span", { class: "look-quiet" }, "Tab and arrow keys, or 1 to 5; Enter goes on.")),
    ], "");
  }

  function end() {
    if (sitting().finished) return finished();
    const left = unanswered();
    const links = left.map((i) => button(`Question ${i + 1}`, () => go(question, i)));
    show([
      heading("The end"),
      element("p", {}, left.length ? "These questions have no answer yet: " : "Every question has an answer."),
      ...(left.length ? [element("p", { class: "look-buttons" }, ...links)] : []),
      element("p", {}, "After you have finished, nothing can be changed."),
      element("p", { class: "look-buttons" }, button("Back", () => go(question, items().length - 1)),
        button("Finish", () => { note({ finished: true }); go(finished); })),
    ], "");
  }

  function finished() {
    const both = ["before", "after"].every((one) => sittingOf(content(), one).finished);
    const share = element("input", { type: "checkbox", checked: model.get("share"),
      onchange: () => store(model, { share: share.checked }) });
    show([
      heading(`Finished: ${name} the course`),
      element("p", {}, "Thank you. Your code is ", element("strong", { class: "look-code" }, content().code),
        name === "before" ? ". Keep it until the course is over." : "."),
      element("p", {}, model.get("place")),
      ...(onPage ? [element("p", {}, button("Download my answers", () => download(content())))] : []),
      ...(!onPage && name === "after" ? [element("p", {}, element("label", {}, share,
        " Add what the checks noted: for each exercise the tries, the mistakes and the minutes."))] : []),
      ...(both ? results(content(), forms, model.get("concepts"), model.get("sealed"))
        : [element("p", {}, name === "before" ? "What is right shows after the second questionnaire."
          : "What is right shows when both are finished.")]),
    ], "");
  }

  // Other answers were taken up, or Python found more of them: begin again, and the keyboard stays where it is.
  let code = content().code;
  const again = () => {
    const draw = sitting().finished ? end : start;
    if (root.contains(document.activeElement)) go(draw); else draw();
  };
  model.on("change:content", () => {
    if (content().code === code) return;
    code = content().code;
    again();
  });
  model.on("change:place", again);
  model.on("change:trouble", () => tell(trouble));
  model.on("change:stored", () => {
    clearTimeout(waiting);
    if (trouble === LOST) tell("");
  });
  root.addEventListener("keydown", keepFromLab);
  el.append(root);
  if (sitting().finished) end(); else start();
}

export default { render };
