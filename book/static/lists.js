// Lists that one filters while one types, and a search that survives a typo.

// How many letters have to be changed, left out, put in, or exchanged with their neighbour.
function distance(a, b) {
  const rows = [[...Array(b.length + 1).keys()]];
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + !isSame);
      const isTurned = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isTurned) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.length][b.length];
}

// The nearest of some words, or null where none is near.
function nearest(word, words) {
  const farthest = word.length > 4 ? 2 : 1;
  const near = words.map((one) => [distance(word, one), one]).filter(([far]) => far <= farthest);
  return near.sort(([a], [b]) => a - b)[0]?.[1] ?? null;
}

// What the search does not know is replaced by the nearest word of the lessons, and the page says so.
function surviveTypos() {
  if (typeof Search === "undefined" || typeof WORDS === "undefined") return;
  const [query, stemmer] = [Search.query, new Stemmer()];
  const isKnown = (word) => [Search._index.terms, Search._index.titleterms]
    .some((terms) => stemmer.stemWord(word) in terms || Object.keys(terms).some((term) => term.includes(word)));
  Search.query = (text) => {
    const better = text.replace(/[a-z]{4,}/gi, (word) =>
      (isKnown(word.toLowerCase()) ? word : nearest(word.toLowerCase(), WORDS) ?? word));
    if (better !== text) Search.title.after(node("p", { className: "book-typo" }, "Showing results for ", node("b", {}, better)));
    query(better);
  };
}

function filterList(place, items, names) {
  const kinds = [...new Set(items.map((item) => item.dataset.kind).filter(Boolean))];
  const [chosen, left] = [new Set(), node("p", { role: "status", className: "book-left" })];
  const typed = node("input", { type: "search", placeholder: "Filter", ariaLabel: "Filter this list" });
  const button = (kind) => node("button", { type: "button", className: "look-button", ariaPressed: "false",
    onclick: ({ currentTarget }) => {
      currentTarget.ariaPressed = `${chosen.delete(kind) ? false : Boolean(chosen.add(kind))}`;
      narrow();
    } }, `${kind} (${items.filter((item) => item.dataset.kind === kind).length})`);
  function narrow() {
    const words = typed.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (item) => (!chosen.size || chosen.has(item.dataset.kind)) &&
      words.every((word) => item.textContent.toLowerCase().includes(word));
    for (const item of items) item.hidden = !fits(item);
    const n = items.filter((item) => !item.hidden).length;
    const meant = n ? null : nearest(typed.value.trim().toLowerCase(), names());
    left.replaceChildren(words.length || chosen.size ? `${n} of ${items.length}` : "", ...(meant ? [". Did you mean ",
      node("button", { type: "button", className: "look-button", onclick: () => { typed.value = meant; narrow(); } }, meant),
      "?"] : []));
  }
  typed.addEventListener("input", narrow);
  place.before(node("div", { className: "book-filter", role: "group", ariaLabel: "Filter" }, ...kinds.map(button), typed, left));
}

function offerFilters() {
  const lists = document.querySelectorAll(".book-list");
  if (!lists.length) return;
  const claims = [...document.querySelectorAll(".book-item")];
  const terms = [...document.querySelectorAll(".book-letters ~ ul > li")];
  filterList(claims.length ? lists[0].closest("section") : lists[0], claims.length ? claims : terms,
    () => terms.map((item) => item.querySelector("strong").textContent.toLowerCase()));
}
