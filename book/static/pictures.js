// A figure of the page opens large, and on a phone the code that only draws one is folded.

// A figure is as wide as a phone, and its lettering too small there: a tap or the button opens it at its full size.
function openLarge(picture) {
  const close = node("button", { type: "button", className: "look-button", onclick: () => dialog.close() }, "Close");
  const large = node("img", { src: picture.currentSrc || picture.src, alt: picture.alt });
  const dialog = node("dialog", { className: "book-large", ariaLabel: "Figure" }, close, node("div", { tabIndex: 0 }, large));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal(); // Escape closes it, and the focus goes back
}

function offerLarge() {
  for (const picture of document.querySelectorAll(".bd-article :is(.plot, .book-drawing) img")) {
    const button = node("button", { type: "button", className: "look-button book-enlarge" }, "Enlarge");
    for (const one of [picture, button]) {
      one.addEventListener("click", () => button.checkVisibility() && openLarge(picture));
    }
    (picture.closest("picture") ?? picture).after(button);
  }
}

function foldDrawingCode() {
  const isNarrow = matchMedia("(max-width: 599px)").matches;
  for (const code of document.querySelectorAll(".tag_draws > .cell_input")) {
    const fold = node("details", { className: "book-code", open: !isNarrow }, node("summary", {}, "Code of this figure"));
    code.replaceWith(fold);
    fold.append(code);
  }
}

// Paper is light, and shows the solutions if the reader asks for them.
function printWith(withSolutions) {
  const closed = [...document.querySelectorAll(".bd-article details:not([open], .look details)")];
  if (withSolutions) for (const fold of closed) fold.open = true;
  addEventListener("afterprint", () => closed.forEach((fold) => (fold.open = false)), { once: true });
  print();
}

function offerPrint() {
  if (!document.querySelector(".book-as-run")) return; // no lesson
  const button = (words, all) =>
    node("button", { type: "button", className: "look-button", onclick: () => printWith(all) }, words);
  const buttons = [button("Print", false), button("Print with hints and solutions", true)];
  document.querySelector(".bd-article").append(node("p", { className: "book-print" }, ...buttons));
}

function lightOnPaper() {
  const [paper, root] = [matchMedia("print"), document.documentElement];
  let before = null;
  const set = () => {
    if (paper.matches && before === null) [before, root.dataset.theme] = [root.dataset.theme, "light"];
    else if (!paper.matches && before !== null) [root.dataset.theme, before] = [before, null];
  };
  paper.addEventListener("change", set);
  set();
}
