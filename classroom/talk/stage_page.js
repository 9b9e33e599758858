// The stage page: each part is a section with a question and, mostly, an explorable in a frame.
const sections = [...document.querySelectorAll("section.part")];
const frameOf = (i) => sections[i].querySelector("iframe");
const looks = (i) => {
  const look = frameOf(i)?.contentDocument?.querySelector("section.look");
  return look ? [look] : [];
};
const fills = new Map();

const stage = makeStage({
  parts: sections.length,
  looks,
  notes: JSON.parse(document.getElementById("notes").textContent),
  machines: JSON.parse(document.getElementById("machines").textContent),
  show(i) {
    document.body.classList.add("on-stage");
    sections.forEach((section, j) => section.classList.toggle("now", i === j));
    history.replaceState(null, "", `#${i}`);
    document.querySelector("output").textContent = `${i} of ${sections.length - 1}`;
    fills.get(i)?.();
  },
});

function meet(i) {
  const [frame, [look]] = [frameOf(i), looks(i)];
  if (!look || fills.has(i)) return;
  stage.hear(frame.contentWindow);
  frame.contentDocument.body.style.margin = 0;
  const fill = keepFilled(look, () => frame.clientHeight);
  fills.set(i, fill);
  new ResizeObserver(fill).observe(frame);
}

sections.forEach((_, i) => {
  frameOf(i)?.addEventListener("load", () => meet(i));
  meet(i);
});
for (const [name, way] of [["back", -1], ["on", 1]])
  document.getElementById(name).addEventListener("click", () => stage.go(stage.now() + way));
stage.go(Number(location.hash.slice(1)) || 0);
