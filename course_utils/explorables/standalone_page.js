// The start of a page of its own: it shows the one explorable that it holds.
import { pageModel } from "./page_model.js";

const model = pageModel(JSON.parse(document.getElementById("state").textContent));
explorable.render({ model, el: document.getElementById("explorable") });
