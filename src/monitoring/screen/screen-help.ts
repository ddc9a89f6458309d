import { OWN_MARKS } from "./screen-ladder.js";
import type { Line } from "./screen-text.js";

const { open, sent, cancelling, unknown } = OWN_MARKS;

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ["q", "stops the bot: it cancels its orders, then exits"],
  ["h", "halts: cancels all quotes until you resume; positions stay open"],
  ["r", "resumes: ends halts, those of limits too, and quotes again"],
  ["m", "next market: shown first, and offered for a halt or resume"],
  ["?", "this page"],
  ["Ctrl-C", "stops the bot at once; twice, it leaves its orders behind"],
  ["Ctrl-Z", "nothing: a suspended bot would leave its quotes alone"],
];

const SIGNS: readonly (readonly [sign: string, means: string])[] = [
  [open, "our order rests in the book"],
  [sent, "our order is sent, and the exchange has not answered"],
  [cancelling, "its cancel is sent"],
  [unknown, "its answer was lost: it may rest, or not"],
  ["⋮", "levels before this one, nearer to the touch, are left out"],
  ["ours", "our part of the level: what may still fill"],
  ["bps", "how far our order is behind the best price of its side"],
];

const WORDS: readonly (readonly [word: string, means: string])[] = [
  ["waiting", "the market has no quotes yet: the reason is beside it"],
  ["under way", "earned, but not counted in a part of the profit yet"],
  ["ORDER", "and the like: requests left, and the exchange's limit"],
  ["failed", "takes back trades whose settlement failed"],
];

/** Columns of a key, a sign or a word. */
const NAME_WIDTH = 12;

/**
 * Renders the page that explains the keys, signs and words of the screen.
 * @param cockpitCommand the command that prints a link to the cockpit
 */
export function renderHelp(cockpitCommand: string, width: number): Line[] {
  const row = ([name, text]: readonly [string, string]): readonly Line[] =>
    wrapWords(text, Math.max(1, width - NAME_WIDTH)).map((part, at) => [
      [(at === 0 ? `  ${name}` : "").padEnd(NAME_WIDTH), "bold"],
      [part],
    ]);
  return [
    [["Keys. q, h and r ask before they act.", "bold"]],
    ...KEYS.flatMap(row),
    ...row(["cockpit", `${cockpitCommand}, in another terminal, prints its link`]),
    [["Signs", "bold"]],
    ...SIGNS.flatMap(row),
    [["Words", "bold"]],
    ...WORDS.flatMap(row),
  ];
}

/** Breaks a text between words into lines of a width; a longer word has a line of its own. */
function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
