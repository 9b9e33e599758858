// The code of a student, as codes.py makes it, and the answers on a page without a kernel: they stay in this browser.

const SYMBOLS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const STORE = "learning-to-look-answers";

const places = (begin) => Array.from(begin, (symbol) => SYMBOLS.indexOf(symbol));
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const checkSymbol = (begin) => SYMBOLS[sum(places(begin).map((at, place) => (place + 2) * at)) % SYMBOLS.length];
const drawn = (most) => crypto.getRandomValues(new Uint32Array(1))[0] % most;

export const firstForm = (code) => "AB"[sum(places(code.slice(0, 5))) % 2];

export function formOf(code, sitting) {
  const first = firstForm(code);
  return sitting === "before" ? first : { A: "B", B: "A" }[first];
}

// The code as it is written, from what somebody typed; "" for what is no code.
export function asCode(text) {
  const code = Array.from(text.toUpperCase()).filter((symbol) => !" -".includes(symbol)).join("");
  const known = code.length === 6 && places(code).every((place) => place >= 0);
  return known && checkSymbol(code.slice(0, 5)) === code[5] ? code : "";
}

export function drawCode() {
  const first = "AB"[drawn(2)];
  for (;;) {
    const begin = Array.from({ length: 5 }, () => SYMBOLS[drawn(SYMBOLS.length)]).join("");
    if (firstForm(begin) === first) return begin + checkSymbol(begin);
  }
}

// What this browser keeps, or new answers; a browser that keeps nothing costs the memory, not the questionnaire.
export function answersHere(version) {
  try {
    const found = JSON.parse(localStorage.getItem(STORE));
    if (found?.inventory === version && asCode(found.code) === found.code) return found;
  } catch {
    // begin anew
  }
  return { inventory: version, code: drawCode() };
}

// What this browser keeps under one code: students who share it, or come back to a code, lose nothing.
export function answersOf(code, version) {
  try {
    const found = JSON.parse(localStorage.getItem(`${STORE}-${code}`));
    if (found?.inventory === version && found.code === code) return found;
  } catch {
    // nothing that can be read
  }
  return { inventory: version, code };
}

// Whether this browser has kept them.
export function keepHere(answers) {
  try {
    localStorage.setItem(STORE, JSON.stringify(answers));
    localStorage.setItem(`${STORE}-${answers.code}`, JSON.stringify(answers));
    return true;
  } catch {
    return false;
  }
}

export function download(answers) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(answers, null, 1)], { type: "application/json" }));
  link.download = `answers_${answers.code}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
