import { quoteAmount } from "../summary/quote-amount.js";
import type { RehearsalRule } from "./rehearsal-finding.js";
import { findUnguardedDeath, openTimeText } from "./unguarded-death.js";

/** Finds orders that stayed open after a death of the bot, since no guard cancelled them. */
export const findGuardAbsent: RehearsalRule = ({ config, rehearsal, runs }) => {
  // Such orders end by themselves.
  if (rehearsal.runsGuard || config.quotes.timeInForce === "GTT") return undefined;
  const found = findUnguardedDeath(runs, ({ openOrders }) => openOrders);
  if (found === undefined) return undefined;
  const { run, death } = found;
  const { openOrders, lossWhileDeadScaled, filledWhileDeadLots } = death;
  const cost =
    filledWhileDeadLots === 0
      ? "none was filled by chance"
      : `fills of that time changed the account by ${quoteAmount(-lossWhileDeadScaled, rehearsal.decimals)} quote`;
  return {
    id: "guard-absent",
    fault: run.fault,
    seed: run.seed,
    lossScaled: lossWhileDeadScaled,
    key: "--no-guard",
    text: `${openOrders} orders stayed open ${openTimeText(death)}, and ${cost}`,
    advice: `run "marketwright guard ${rehearsal.bot}" beside the bot, on another machine if you can`,
  };
};
