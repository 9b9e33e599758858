// A lesson in JupyterLab on the next day. JupyterLab loads this file as it is, as a prebuilt extension without a bundler.
// The setting beside it, saveState, keeps the widgets in the notebook's file. This mends what that leaves open:
// a widget that is asked for before it is restored, one whose state was never saved, and a notebook that counts as
// changed because it was opened.
(() => {
  const LOST = /^Error displaying widget/;
  const WAITING = /^Loading widget/;
  const WIDGET = "application/vnd.jupyter.widget-view+json";
  const PATIENCE = 8000; // milliseconds; a widget that a kernel holds is there at once
  const WAKE = "This is what was saved. Run the cell, and it answers again.";

  // Pictures on white paper glare in a dark theme: they are turned to dark paper, and their hues stay.
  // In texts only the drawings of the course are: a photograph stays what it is.
  const DARK = `body[data-jp-theme-light="false"] :is(.jp-RenderedImage img, .jp-RenderedMarkdown img[src*="svg"]) {
    filter: invert(0.9) hue-rotate(180deg); }`;

  // Where a kernel is gone, JupyterLab puts a red broken chain, which looks like an error, above a widget that works.
  // A line above the outputs of its cell says what is the case, if there is anything to operate, and not on a stage.
  const STYLE = `.jp-Notebook .jupyter-widgets-disconnected::before { content: none; }
  .jp-Notebook .jp-Cell-outputArea:has(.jupyter-widgets-disconnected
      :is(button, input, select, textarea, [tabindex="0"])):not(:has(.look-presenter))::before {
    content: "As saved. Run the cell, and Python hears of it again."; color: var(--jp-ui-font-color1); display: block;
    font: italic var(--jp-ui-font-size1) var(--jp-ui-font-family);
    padding: 0 0 4px calc(var(--jp-cell-prompt-width) + var(--jp-code-padding)); }`;

  // The widgets of a file come back once the kernel has answered. A view that needs one earlier looks for it for 2
  // seconds, ten times a second. A widget that comes after the last look but before the 2 seconds are over is reported
  // as lost, and nobody looks again. So the view waits for the restore first.
  function waitForRestore(manager) {
    if (!manager || Object.hasOwn(manager, "get_model")) return;
    const ask = manager.get_model.bind(manager);
    const restored = new Promise((resolve) => manager.restored.connect(resolve));
    const late = () => new Promise((resolve) => setTimeout(resolve, PATIENCE)); // a restore that failed says nothing
    manager.get_model = async (id) => {
      if (!manager.has_model(id) && !manager.restoredStatus) await Promise.race([restored, late()]);
      return ask(id);
    };
  }

  // Each renderer of a widget is given its manager: there the manager is met before anybody asks it for a widget.
  function meetManagers({ rendermime }) {
    if (!rendermime.mimeTypes.includes(WIDGET)) return;
    const renderer = rendermime.createRenderer(WIDGET);
    const kind = Object.getPrototypeOf(renderer);
    const given = Object.getOwnPropertyDescriptor(kind, "manager");
    renderer.dispose();
    if (!given?.set || given.set.waits) return;
    const set = function (manager) {
      waitForRestore(manager);
      given.set.call(this, manager);
    };
    set.waits = true;
    Object.defineProperty(kind, "manager", { ...given, set });
  }

  // The output that a node shows, from the notebook's model; undefined where the node is no output.
  function outputAt(panel, node) {
    const area = panel.content.widgets.find((cell) => cell.node.contains(node))?.outputArea;
    const index = area?.widgets.findIndex((child) => child.node.contains(node)) ?? -1;
    return index < 0 ? undefined : area.model.get(index);
  }

  // Put the saved form of a widget, a picture or a text, where the widget does not come.
  async function showSaved(panel, node) {
    const output = outputAt(panel, node);
    const kind = ["text/html", "image/png"].find((mime) => output && mime in output.data);
    node.textContent = kind === "image/png" ? "" : WAKE; // our pictures carry such a line
    if (!kind) return;
    const renderer = panel.content.rendermime.createRenderer(kind);
    await renderer.renderModel(output);
    node.append(renderer.node);
  }

  function check(panel, node, patient = true) {
    if (LOST.test(node.textContent) || (!patient && WAITING.test(node.textContent))) showSaved(panel, node);
    else if (WAITING.test(node.textContent)) setTimeout(() => node.isConnected && check(panel, node, false), PATIENCE);
  }

  function watchOutputs(panel) {
    const look = (changes) => {
      for (const { target } of changes) {
        const element = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
        if (element?.matches(".jp-OutputArea-output")) check(panel, element);
        else element?.querySelectorAll(".jp-OutputArea-output").forEach((node) => check(panel, node));
      }
    };
    const observer = new MutationObserver(look);
    observer.observe(panel.node, { childList: true, characterData: true, subtree: true });
    return observer;
  }

  // Until a cell changes, the notebook is as it lies in its file: JupyterLab's own notes about the kernel and the
  // widgets that it brought back are no change of the student's.
  function keepUnchanged(context) {
    const { model } = context;
    const cells = () => JSON.stringify(model.toJSON().cells);
    context.ready.then(() => {
      const before = cells();
      const look = (_, change) => {
        if (change.name !== "dirty" || !change.newValue) return;
        if (cells() === before) model.dirty = false;
        else model.stateChanged.disconnect(look);
      };
      model.stateChanged.connect(look);
      look(model, { name: "dirty", newValue: model.dirty });
    });
  }

  const plugin = {
    id: "learning-to-look:next-day",
    description: "Widgets or their pictures on the next day, and no change that nobody made.",
    autoStart: true,
    activate: (app) => {
      document.head.append(Object.assign(document.createElement("style"), { textContent: DARK + STYLE }));
      app.docRegistry.addWidgetExtension("Notebook", {
        createNew: (panel, context) => {
          meetManagers(panel.content);
          keepUnchanged(context);
          const observer = watchOutputs(panel);
          return { dispose: () => observer.disconnect() };
        },
      });
    },
  };

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB["learning-to-look"] = {
    init: () => {},
    get: () => Promise.resolve(() => ({ __esModule: true, default: plugin })),
  };
})();
