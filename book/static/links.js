// What a link wants of an explorable, and whether the explorable can show that. The page is made of this and of book.js.
// Each value has to keep to the rule of its trait, which Python wrote (course_utils/explorables/traits.py), and all of
// them have to go together, as `fits` of the explorable says. A link that does not fit is not taken in parts.

// "#01-017?a=[3,4]" -> ["01-017", { a: [3, 4] }]. What is no JSON, in a link that somebody cut off, is undefined.
function readAddress(hash) {
  const [id, query = ""] = hash.slice(1).split(/\?(.*)/s);
  const read = (text) => {
    try { return JSON.parse(decodeURIComponent(text)); } catch { return undefined; }
  };
  const parts = query.split("&").filter(Boolean).map((part) => part.split(/=(.*)/s));
  return [id, Object.fromEntries(parts.map(([name, value]) => [name, read(value)]))];
}

// found: how long each axis is, such as n; it is the same in all arrays that have it.
function hasShape(value, [axis, ...inner], axes, found) {
  if (axis === undefined) return !Array.isArray(value);
  if (!Array.isArray(value)) return false;
  const [fewest, most] = axes[axis] ?? (Number(axis) ? [Number(axis), Number(axis)] : [1, Infinity]);
  found[axis] ??= value.length;
  return value.length === found[axis] && value.length >= fewest && value.length <= most
    && value.every((one) => hasShape(one, inner, axes, found));
}

function isOne(value, { of, text, whole, least, most, none }) {
  if (value === null) return Boolean(none);
  if (of) return of.includes(value);
  if (text) return typeof value === "string" && value.trim() !== "";
  const isNumber = whole ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isNumber && value >= (least ?? -Infinity) && value <= (most ?? Infinity);
}

// A place in a model: [layer, head], [layer, head, query, key], or with a weight. most: the last layer and the last head.
function isPlace(place, { places, all_of: canBeAll, most }) {
  if (!Array.isArray(place) || !places.includes(place.length)) return false;
  const [weight = 1, ...ends] = [place[4], ...place.slice(0, 4)];
  const isEnd = (x, i) => (x === null ? canBeAll && place.length === 4 && i < 3
    : isOne(x, { whole: true, least: 0, most: most[i] }));
  return ends.every(isEnd) && isOne(weight, { least: Number.MIN_VALUE, most: 1 });
}

function keepsTo(rule, value, found) {
  if (rule.places) {
    return Array.isArray(value) && new Set(value.map(String)).size === value.length
      && value.every((place) => isPlace(place, rule));
  }
  if (!hasShape(value, rule.shape ?? [], rule.axes ?? {}, found)) return false;
  const [first, ...rest] = [value].flat(Infinity);
  if ("first" in rule) return first === rule.first && rest.every((one) => isOne(one, rule));
  return [value].flat(Infinity).every((one) => isOne(one, rule)) && !(value >= found[rule.below]);
}

// wanted: the state of the link. state: that of the lesson, with the rules.
function fits(wanted, state, kind) {
  const [rules, found, all] = [state._rules ?? {}, {}, { ...state, ...wanted }];
  return Object.keys(wanted).every((name) => Object.hasOwn(rules, name))
    && Object.entries(rules).every(([name, rule]) => keepsTo(rule, all[name], found))
    && (kind.fits?.(pageModel(all)) ?? true);
}
