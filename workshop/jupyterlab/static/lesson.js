// A lesson in JupyterLab. JupyterLab loads this file as it is, as a prebuilt extension without a bundler.
// On the next day the setting beside it, saveState, keeps the widgets in the notebook's file. This mends what that
// leaves open: a widget that is asked for before it is restored, one whose state was never saved, and a notebook that
// counts as changed because it was opened.
// And it says whose run an output is, how long a cell has been running, and what to run after a restart; it lets the
// keyboard reach the cards of a prediction, opens a solution at its place, and calls it one.
(() => {
  const LOST = /^Error displaying widget/;
  const WAITING = /^Loading widget/;
  const WIDGET = "application/vnd.jupyter.widget-view+json";
  const PATIENCE = 8000; // milliseconds; a widget that a kernel holds is there at once
  const WAKE = "This is what was saved. Run the cell, and it answers again.";

  // Pictures on white paper glare in a dark theme: they are turned to the paper of the theme, and their hues stay.
  // In texts only the drawings of the course are, a photograph stays what it is; some have a dark version of their own.
  const DARK = `body[data-jp-theme-light="false"] {
    :is(.plot img, .jp-RenderedMarkdown img[src*="svg"]):not(.learning-dark) {
      filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen; }
    .learning-dark { color-scheme: dark; } }`;

  // A lesson comes with the outputs of the course's own run, and without numbers before its cells. Such outputs are grey
  // and say so until the cell has run here; a cover says enough, and so do a widget and a recorded run.
  const STORED = `.jp-Notebook .learning-stored .jp-Cell-outputArea { border-left: 2px dashed var(--jp-border-color1);
      filter: grayscale(1); }
  .jp-Notebook .learning-stored .jp-Cell-outputArea:not(:has(details:not(.plot-table), .jupyter-widgets, .learning-says))::before {
    content: "The course's run. Run this cell, and yours stands here."; color: var(--jp-ui-font-color1); display: block;
    font: italic var(--jp-ui-font-size1) var(--jp-ui-font-family);
    padding: 0 0 4px calc(var(--jp-cell-prompt-width) + var(--jp-code-padding)); }`;

  // A cell that runs longer than three seconds counts them.
  const BUSY = `.jp-Notebook .learning-busy .jp-Cell-inputWrapper::after {
    content: "Running, " var(--learning-seconds) " s"; flex: 0 0 100%; color: var(--jp-ui-font-color1);
    font: italic var(--jp-ui-font-size1) var(--jp-ui-font-family); box-sizing: border-box;
    padding: 4px 0 0 calc(var(--jp-cell-prompt-width) + var(--jp-code-padding)); }
  .jp-Notebook .learning-busy .jp-Cell-inputWrapper { flex-wrap: wrap; }
  .jp-Notebook .learning-busy .jp-Cell-inputArea { flex-basis: 0; }`;
  const FIRST = "Some cells above have not run in this kernel: Run, then Run All Above Selected Cell.";

  // Where a kernel is gone, JupyterLab puts a red broken chain, which looks like an error, above a widget that works.
  // A line above the outputs of its cell says what is the case, if there is anything to operate, and not on a stage.
  const STYLE = `.jp-Notebook .jupyter-widgets-disconnected::before { content: none; }
  .jp-Notebook .jp-Cell-outputArea:has(.jupyter-widgets-disconnected
      :is(button, input, select, textarea, [tabindex="0"])):not(:has(.look-presenter))::before {
    content: "As saved. You can move it, but Python hears of it only after you run this cell."; color: var(--jp-ui-font-color1); display: block;
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
    node.textContent = WAKE;
    if (!(output && "text/html" in output.data)) return;
    const renderer = panel.content.rendermime.createRenderer("text/html");
    await renderer.renderModel(output);
    if (renderer.node.querySelector(".plot")) node.textContent = ""; // our pictures carry such a line
    node.append(renderer.node);
  }

  // After a restart the names of the lesson are gone, and the error alone does not say why.
  function explainName(panel, node) {
    const output = outputAt(panel, node);
    if (output?.type !== "error" || output.toJSON().ename !== "NameError" || node.querySelector(".learning-first")) return;
    const above = panel.content.widgets.slice(0, panel.content.widgets.findIndex((cell) => cell.node.contains(node)));
    const ran = panel.content.learningRan ?? new Set();
    if (above.every((cell) => cell.model.type !== "code" || ran.has(cell))) return;
    node.append(Object.assign(document.createElement("p"), { className: "learning-first", textContent: FIRST }));
  }

  function check(panel, node, patient = true) {
    explainName(panel, node);
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

  function markStored(panel) {
    const seen = new WeakSet();
    const look = () => {
      for (const cell of panel.content.widgets) {
        if (cell.model.type !== "code" || seen.has(cell)) continue;
        seen.add(cell);
        if (cell.model.executionCount || !cell.model.outputs.length) continue;
        cell.node.classList.add("learning-stored");
        cell.model.stateChanged.connect((_, { name }) => {
          if (name.startsWith("execution")) cell.node.classList.remove("learning-stored");
        });
        cell.model.outputs.changed.connect((outputs) => {
          if (!outputs.length) cell.node.classList.remove("learning-stored");
        });
      }
    };
    panel.context.ready.then(look);
    panel.content.model?.cells.changed.connect(() => setTimeout(look));
  }

  // What has run in this kernel, and for how long each cell runs.
  function watchRuns(panel) {
    const ran = (panel.content.learningRan = new Set());
    const seen = new WeakSet();
    const begin = (cell) => {
      const from = Date.now();
      const count = () => {
        if (cell.isDisposed || cell.model.executionState !== "running") {
          clearInterval(clock);
          if (cell.isDisposed) return;
          return cell.node.classList.remove("learning-busy");
        }
        const seconds = Math.round((Date.now() - from) / 1000);
        if (seconds < 3) return;
        cell.node.style.setProperty("--learning-seconds", `"${seconds}"`); // attr() would not see the cell's
        cell.node.classList.add("learning-busy");
      };
      const clock = setInterval(count, 500);
    };
    const look = () => {
      for (const cell of panel.content.widgets) {
        if (cell.model.type !== "code" || seen.has(cell)) continue;
        seen.add(cell);
        cell.model.stateChanged.connect((_, { name, newValue }) => {
          if (name !== "executionState" || newValue !== "running") return;
          ran.add(cell);
          begin(cell);
        });
      }
    };
    panel.context.ready.then(look);
    panel.content.model?.cells.changed.connect(() => setTimeout(look));
    panel.sessionContext.statusChanged.connect((_, status) => /restarting|starting/.test(status) && ran.clear());
  }

  // In command mode JupyterLab's arrow keys skip cells whose code is folded, as that of a prediction is, and a digit
  // makes a heading of the cell that comes after it.
  function reachCards(panel) {
    const notebook = panel.content;
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
    const cardsOf = (cell) => [...(cell?.node.querySelectorAll(".look-prediction [role=radio]") ?? [])];
    const open = (cell) => cardsOf(cell).length > 0 && !cell.node.querySelector(".look-prediction [aria-checked=true]");
    const press = (event) => {
      const at = notebook.activeCellIndex;
      if (notebook.mode !== "command" || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      if (event.target.closest("input, textarea, select, button, [role=radiogroup], section.look")) return;
      if (event.key in steps) {
        const next = notebook.widgets[at + steps[event.key]];
        if (!next?.inputHidden || next.isHidden) return;
        notebook.deselectAll();
        notebook.activeCellIndex = at + steps[event.key];
        notebook.scrollToItem(notebook.activeCellIndex);
        next.node.focus({ preventScroll: true });
      } else if (/^[1-6]$/.test(event.key)) {
        const cell = [notebook.widgets[at], notebook.widgets[at - 1]].find(open);
        if (!cell) return;
        cardsOf(cell)[event.key - 1]?.click();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    };
    panel.node.addEventListener("keydown", press, true);
  }

  // A solution has the file name of its lesson, so its tab says what it is.
  function nameSolution(panel, context) {
    if (!/(^|\/)solutions\//.test(context.path)) return;
    const name = () => `Solution: ${context.path.split("/").pop()}`;
    const set = () => panel.title.label !== name() && (panel.title.label = name());
    panel.title.changed.connect(set);
    set();
  }

  // A link to a cell of another notebook opens it with that cell at the top of the window. JupyterLab's own
  // way opens it with several cells selected, and where the notebook was not open before, at its beginning.
  function openAtCell(panel, { commands }) {
    panel.node.addEventListener("click", async (event) => {
      const address = event.target.closest?.("a[href*='cell-id=']")?.href ?? "";
      const found = /\/files\/(.*?\.ipynb)[^#]*#cell-id=(.*)$/.exec(address);
      if (!found) return;
      event.preventDefault();
      event.stopPropagation();
      const opened = await commands.execute("docmanager:open", { path: decodeURIComponent(found[1]) });
      await Promise.all([opened.revealed, opened.context.ready]);
      const notebook = opened.content;
      const at = notebook.widgets.findIndex((cell) => cell.model.id === found[2]);
      if (at < 0) return;
      notebook.deselectAll();
      notebook.activeCellIndex = at;
      for (const pause of [0, 300, 1000, 2000]) { // the heights of what lies above are known only once it is drawn
        await new Promise((resolve) => setTimeout(resolve, pause));
        if (notebook.activeCellIndex === at) await notebook.scrollToItem(at, "start");
      }
    }, true);
  }

  const plugin = {
    id: "learning-to-look:next-day",
    description: "Whose run an output is, keys that reach the cards, and widgets or their pictures on the next day.",
    autoStart: true,
    activate: (app) => {
      document.head.append(Object.assign(document.createElement("style"), { textContent: DARK + STORED + BUSY + STYLE }));
      app.docRegistry.addWidgetExtension("Notebook", {
        createNew: (panel, context) => {
          meetManagers(panel.content);
          keepUnchanged(context);
          markStored(panel);
          watchRuns(panel);
          reachCards(panel);
          nameSolution(panel, context);
          openAtCell(panel, app);
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
