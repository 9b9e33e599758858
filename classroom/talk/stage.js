// On a stage: one part a screen, the keys of a clicker, a dark screen, the machine of the course, and the notes in a
// window of their own.
// The stage page and the demo's JupyterLab share this; each gives its parts and says how to show one.
// This is a text that demo.py puts into a script, so it neither imports nor exports.

const WAYS = { PageDown: 1, PageUp: -1 };
const TYPED_INTO = "textarea, [contenteditable='true'], .cm-editor, " +
  "input:not([type='range'], [type='checkbox'], [type='radio'], [type='number'], [type='button'])";
const SIZES = [12, 60]; // pixels of type, from an old projector to a wall
const SMALL = 1 / 48; // of the screen's height: with smaller type, an explorable with much on it shows less
// What only students need stays away.
const STAGED = `.look-staged :is(.look-goals, .look-controls > details),
    .look-staged:not(.look-playground) > .look-title { display: none; }
  section.look-staged .look-strip { font-size: min(1em, 70cqi / var(--words)); }
  .look-brief .look-gallery { max-width: 36em !important; }
  .look-brief .look-gallery ~ .look-side { max-width: 19em; }`;
const COVER = `.stage-cover { position: fixed; inset: 0; z-index: 2147483647; background: black; }
  .stage-machine { color-scheme: light dark; background: Canvas; display: grid; place-items: center; }
  .stage-machine p { margin: 0; }
  .stage-machine img { width: 96vw; max-height: 96vh; }`;

// parts: how many. show(i) shows part i alone. looks(i): the explorables of part i, once they are drawn.
// notes: a page that tells all parts, each in a section. machines: for each part the drawing of the machine, or "".
// Returns { hear, go, end, now }; hear(window) hears its keys, end() leaves those of this window alone.
function makeStage({ parts, show, looks, notes, machines }) {
  let [now, cover, told] = [0, null, null];
  document.head.append(Object.assign(document.createElement("style"), { textContent: COVER }));

  function go(i) {
    now = Math.min(parts - 1, Math.max(0, i));
    document.activeElement?.blur();
    show(now);
    tellNotes();
  }

  // An explorable that has a story of its own takes the step first.
  function step(way) {
    const asked = (look) => look.dispatchEvent(new CustomEvent("look-step", { detail: way, cancelable: true }));
    if (looks(now).every(asked)) go(now + way);
  }

  function uncover() {
    cover.remove();
    cover = null;
  }

  function coverWith(className, innerHTML) {
    cover = Object.assign(document.createElement("div"), { className: `stage-cover ${className}`, innerHTML });
    document.body.append(cover);
  }

  const darken = () => coverWith("stage-dark", "");
  const showMachine = () => machines[now] && coverWith("stage-machine", machines[now]);

  function openNotes() {
    told = window.open("", "stage-notes", "width=720,height=760");
    if (!told) return;
    told.document.open();
    told.document.write(notes);
    told.document.close();
    hear(told);
    tellNotes();
  }

  function tellNotes() {
    if (!told || told.closed) return;
    told.document.querySelectorAll("section").forEach((section, i) => section.toggleAttribute("data-now", i === now));
    told.document.querySelector("[data-now]")?.scrollIntoView({ block: "start" });
  }

  // What a key means here; nothing where it is typed into a field, or belongs to another.
  function meaning(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return null;
    const way = WAYS[event.key];
    const typed = event.target.closest?.(TYPED_INTO);
    if (cover && (way || "bm.".includes(event.key))) return uncover;
    if (way) return () => step(way);
    if (typed) return null;
    return { b: darken, m: showMachine, n: openNotes }[event.key] ?? null;
  }

  // On its way down, before the slider, the field or JupyterLab that would use the key.
  function onKey(event) {
    const act = meaning(event);
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) act();
  }

  const hear = (some) => some.addEventListener("keydown", onKey, true);
  const end = () => window.removeEventListener("keydown", onKey, true);
  hear(window);
  return { hear, go, end, now: () => now };
}

// Give an explorable the largest type with which it is at most `room()` pixels high. What a hand opens later scrolls.
function fillRoom(look, room) {
  const whole = (node) => node.scrollWidth <= node.clientWidth + 1 && node.scrollHeight <= node.clientHeight + 1;
  const fits = (size) => {
    look.style.fontSize = `${size}px`;
    const inside = [...look.querySelectorAll(".look-scroll")].every(whole);
    return inside && look.offsetHeight <= room() && look.scrollWidth <= look.clientWidth + 1;
  };
  const largest = () => {
    let [low, high] = SIZES;
    if (fits(high)) return high;
    while (high - low > 0.5) {
      const middle = (low + high) / 2;
      if (fits(middle)) low = middle;
      else high = middle;
    }
    fits(low);
    return low;
  };
  look.classList.remove("look-brief");
  if (!look.offsetHeight || largest() >= SMALL * innerHeight) return;
  look.classList.add("look-brief");
  largest();
}

// Fill the room now and each time that it changes, and shrink again when the explorable itself grows.
// Returns what fills it once more.
function keepFilled(look, room) {
  look.classList.add("look-staged");
  look.before(Object.assign(look.ownerDocument.createElement("style"), { textContent: STAGED }));
  const fill = () => room() > 0 && fillRoom(look, room);
  const outgrown = () => look.offsetHeight > room() && !look.querySelector("details[open]");
  new ResizeObserver(() => outgrown() && parseFloat(look.style.fontSize) > SIZES[0] && fill()).observe(look);
  fill();
  return fill;
}
