import { shellWord } from "../../core/files/shell-word.js";
import type { Ms } from "../../core/units.js";
import { quoteAmount } from "../summary/quote-amount.js";
import type { RehearsalRule } from "./rehearsal-finding.js";
import { findUnguardedDeath, openTimeText } from "./unguarded-death.js";

/** A GTT order ends by itself; one that is open for longer after a death trades at an old price. */
const LONGEST_GTT_MS: Ms = 10_000;

/** Finds orders that stayed open after a death of the bot, since no guard cancelled them. */
export const findGuardAbsent: RehearsalRule = ({ config, rehearsal, runs }) => {
  if (rehearsal.runsGuard) return undefined;
  const endsByItself = config.quotes.timeInForce === "GTT";
  const found = findUnguardedDeath(runs, ({ openOrders, ordersGoneMs, downMs }) =>
    endsByItself && (ordersGoneMs ?? downMs ?? Number.POSITIVE_INFINITY) <= LONGEST_GTT_MS
      ? 0
      : openOrders,
  );
  if (found === undefined) return undefined;
  const { run, death } = found;
  const { openOrders, lossWhileDeadScaled, filledWhileDeadLots } = death;
  const cost =
    filledWhileDeadLots === 0
      ? "by chance none of them filled"
      : `the account changed by ${quoteAmount(-lossWhileDeadScaled, rehearsal.decimals)} quote in that time, by fills and by the position held before`;
  return {
    id: "guard-absent",
    fault: run.fault,
    seed: run.seed,
    lossScaled: lossWhileDeadScaled,
    key: "--no-guard",
    text: `${openOrders} orders stayed open ${openTimeText(death)}, and ${cost}`,
    advice: `run "marketwright guard ${shellWord(rehearsal.bot)}" beside the bot, on another machine if you can`,
  };
};
