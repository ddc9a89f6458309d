import type { RehearsalRule } from "./rehearsal-finding.js";
import { findUnguardedDeath, openTimeText } from "./unguarded-death.js";

/** Finds GTC orders that no guard cancels: they never end, and may even have been takers. */
export const findOrdersNeverExpire: RehearsalRule = ({ rehearsal, runs }) => {
  if (rehearsal.runsGuard) return undefined;
  const found = findUnguardedDeath(runs, ({ openGtcOrders }) => openGtcOrders);
  if (found === undefined) return undefined;
  const { run, death } = found;
  return {
    id: "orders-never-expire",
    fault: run.fault,
    seed: run.seed,
    lossScaled: death.lossWhileDeadScaled,
    key: "quotes.timeInForce",
    text: `${death.openGtcOrders} GTC orders stayed open ${openTimeText(death)}, and nothing would ever have ended them`,
    advice: "use GTT, whose orders end by themselves, or run the guard",
  };
};
