// The tasks that LookPlayground confirms, from what the worker posted and what the open model says to the sentence.
import { SHARP } from "./look_cards.js";
import { recipeNow, sentenceNow } from "./look_session.js";
import { answerIs } from "./look_task.js";

const ALWAYS = 0.995; // a card shows 100 % from here on

// Pairs [text, reached(seen)] for `goals`. seen.says: does the open model say yes?
export function lookTasks(model) {
  const first = model.get("_initial").all_tokens;
  const isOther = (tokens) => tokens.some((token, i) => token !== first[i]);
  const isWrong = (tokens, says) => says !== answerIs(recipeNow(model), tokens, 0);
  return [
    ["all models really look", ({ look }) => look.every((share) => share >= SHARP)],
    ["a model that is 100 % right on decoys, with a look below 0.9", ({ done, accuracy, look }) =>
      done && model.get("decoys") > 0 && accuracy.some((right, i) => right >= ALWAYS && look[i] < 0.9)],
    ["a model that is 99 % right, but wrong on another sentence", ({ accuracy, opened, says }) =>
      accuracy[opened] >= 0.99 && isOther(sentenceNow(model)) && isWrong(sentenceNow(model), says)],
  ];
}
