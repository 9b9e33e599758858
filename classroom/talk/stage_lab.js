// The stage in the demo's JupyterLab, a prebuilt extension without a bundler.
// A heading and the cell below it are a part.
// NOTES and MACHINES come from demo.py, which writes this file with stage.js before it.
const STYLE = `.on-stage :is(.jp-Notebook-footer, .jp-cell-toolbar, .jp-InputPrompt, .jp-OutputPrompt, .jp-Collapser,
    .jp-OutputArea-promptOverlay, .stage-away, .jp-CodeCell > .jp-Cell-inputWrapper) { display: none !important; }
  .on-stage .jp-Notebook .jp-Cell { border-color: transparent !important; box-shadow: none !important; padding: 0 4px; }
  .on-stage .jp-MarkdownOutput { border-color: transparent !important; }
  .on-stage .jp-Notebook .jp-WindowedPanel-viewport { padding: 2px; }
  .on-stage .jp-RenderedHTMLCommon { font-size: clamp(17px, 2vw, 34px); line-height: 1.3; }
  .on-stage .jp-RenderedHTMLCommon h2 { margin: 0 !important; font-weight: bold; }
  .on-stage .jp-RenderedHTMLCommon p { margin: 0 0 0.2em; }
  .on-stage .jp-RenderedHTMLCommon img { width: 100%; }`;

const begins = (model) => model.sharedModel.getSource().startsWith("## ");

// The cells of each part: one that begins with a heading of the second level begins a part.
function partsOf(notebook) {
  const parts = [];
  for (const cell of notebook.widgets.filter((one) => !one.isDisposed)) { // while it closes, they go one by one
    if (begins(cell.model)) parts.push([]);
    parts.at(-1)?.push(cell);
  }
  return parts;
}

function raise(panel) {
  const [notebook, fills] = [panel.content, new WeakMap()];
  const scroller = panel.node.querySelector(".jp-WindowedPanel-outer") ?? notebook.node;
  let [now, part] = [0, []];
  const looks = () => part.flatMap((cell) => [...cell.node.querySelectorAll("section.look")]);
  const room = (look) => scroller.getBoundingClientRect().bottom - look.getBoundingClientRect().top - 6;
  const meet = () => looks().forEach((look) => {
    if (!fills.has(look)) fills.set(look, keepFilled(look, () => room(look)));
  });
  const fill = () => looks().forEach((look) => fills.get(look)?.());
  const arrange = () => { // JupyterLab puts cells and outputs onto the page one after the other
    part = partsOf(notebook)[now] ?? [];
    notebook.widgets.forEach((cell) => cell.node.classList.toggle("stage-away", !part.includes(cell)));
    meet();
  };
  const show = (i) => {
    now = i;
    arrange();
    scroller.scrollTop = 0;
    fill();
  };
  const parts = [...panel.model.cells].filter((cell) => begins(cell)).length;
  panel.node.classList.add("on-stage");
  panel.toolbar.hide();
  const stage = makeStage({ parts, looks, notes: NOTES, machines: MACHINES, show });
  stage.go(0);
  const observers = [new ResizeObserver(fill), new MutationObserver(arrange)];
  observers[0].observe(scroller);
  observers[1].observe(notebook.node, { childList: true, subtree: true });
  panel.disposed.connect(() => {
    observers.forEach((observer) => observer.disconnect());
    stage.end();
  });
}

const plugin = {
  id: "learning-to-look-stage:plugin",
  description: "One part a screen, and the keys of a clicker.",
  autoStart: true,
  activate: (app) => {
    document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
    app.docRegistry.addWidgetExtension("Notebook", {
      createNew(panel, context) {
        Promise.all([context.ready, panel.revealed]).then(() => raise(panel));
      },
    });
  },
};

window._JUPYTERLAB ??= {};
window._JUPYTERLAB["learning-to-look-stage"] = {
  init: () => {},
  get: () => Promise.resolve(() => ({ __esModule: true, default: plugin })),
};
