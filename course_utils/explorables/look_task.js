// The sentences on which the page trains: random tokens after [CLS], and a question about them, as in cls_task.py.
// Like look_training.js, a worker is made from the source of these functions: none reads what stands outside of it.

// Seeded random numbers from 0 to 1 (mulberry32).
export function randomFrom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// Is the answer yes to the tokens of the sentence that begins at `start`? A place counts from 1; [CLS] stands at 0.
export function answerIs(ask, tokens, start) {
  const token = tokens[start + ask.position];
  if (ask.question === "above") return token > ask.target;
  if (ask.question === "equal") return token === tokens[start + ask.other];
  return token === ask.target;
}

// The places that the question is about.
export function askedPlaces(ask) {
  return ask.question === "equal" ? [ask.position, ask.other] : [ask.position];
}

// One random sentence, written into `tokens` from `start` on. With decoys, the target stands at each place with that
// probability; for the question whether it stands at the position, half of the positions hold it (cls_task.py).
export function drawSentence(ask, random, tokens, start) {
  const { length, decoys, target, vocabulary, position } = ask;
  const any = () => 1 + Math.floor(random() * (vocabulary - 1));
  const isTask = ask.question === "target";
  for (let place = 1; place <= length; place += 1) {
    let token = any();
    if (decoys > 0 && random() < (isTask && place === position ? 0.5 : decoys)) token = target;
    else if (decoys > 0 && isTask) while (token === target) token = any();
    tokens[start + place] = token;
  }
}

// n random sentences (n, length + 1) and their labels (n,). Of the questions other than the usual one, half get a yes.
export function drawTask(ask, n, seed) {
  const size = ask.length + 1;
  const [random, tokens, labels] = [randomFrom(seed), new Uint16Array(n * size), new Uint8Array(n)];
  let missing = [Math.ceil(n / 2), Math.floor(n / 2)]; // of no and yes
  if (ask.question === "target") missing = [n, n];
  for (let i = 0; i < n; ) {
    drawSentence(ask, random, tokens, i * size);
    const label = Number(answerIs(ask, tokens, i * size));
    if (missing[label] === 0) continue;
    missing[label] -= 1;
    labels[i] = label;
    i += 1;
  }
  return { tokens, labels, n, size };
}
