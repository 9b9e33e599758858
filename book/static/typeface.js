// The faces of the style sheet are asked for before the first line is drawn, so that no line jumps when they come.
for (const face of document.fonts) if (face.family.includes("Source Serif")) face.load();
