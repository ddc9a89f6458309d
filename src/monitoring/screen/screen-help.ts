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

/** Renders the page that explains the keys and signs of the screen. */
export function renderHelp(): Line[] {
  const row = ([name, text]: readonly [string, string]): Line => [
    [`  ${name.padEnd(8)}`, "bold"],
    [text],
  ];
  return [
    [["Keys. q, h and r ask before they act.", "bold"]],
    ...KEYS.map(row),
    [["          Ctrl-Z does nothing: a suspended bot would leave its quotes alone.", "dim"]],
    [],
    [["Signs", "bold"]],
    ...SIGNS.map(row),
    [],
    [["Any key goes back.", "dim"]],
  ];
}
