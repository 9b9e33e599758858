// A search among heads: a pattern is a list of pairs (query, key), and a head has as much of it as its mean weight
// there.

const along = (n, from, to, key) => Array.from({ length: to - from }, (_, i) => [i + from, key(i + from, n)]);

// For n tokens: (n, query, key) -> pairs. The usual patterns of Clark et al. 2019, and the pair that is chosen.
export const PATTERNS = {
  "the chosen pair": (n, query, key) => [[query, key]],
  "the token before": (n) => along(n, 1, n, (i) => i - 1),
  "the token after": (n) => along(n, 0, n - 1, (i) => i + 1),
  "itself": (n) => along(n, 0, n, (i) => i),
  "the first token": (n) => along(n, 0, n, () => 0),
  "the last token": (n) => along(n, 0, n, () => n - 1),
};

// The three heads with most of a pattern: { layer, head, weight, place } each, the best first.
export function bestHeads({ layers, heads, n, m, numbers }, pairs) {
  const seen = pairs.filter(([i, j]) => i < n && j < m && i >= 0 && j >= 0);
  if (!seen.length) return [];
  const all = Array.from({ length: layers * heads }, (_, at) => {
    const total = seen.reduce((sum, [i, j]) => sum + numbers[(at * n + i) * m + j], 0);
    const place = { layer: Math.floor(at / heads), head: at % heads };
    return { ...place, place, weight: total / seen.length };
  });
  return all.sort((a, b) => b.weight - a.weight).slice(0, 3);
}
