import { largestBy } from "./largest-by.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** Finds a run after whose stop orders were open at the exchange. */
export const findOrdersLeft: RehearsalRule = ({ rehearsal: { runs } }) => {
  const worst = largestBy(runs, ({ ordersLeftOpen }) => ordersLeftOpen);
  if (worst === undefined || worst.ordersLeftOpen === 0) return undefined;
  const { fault, seed, ordersLeftOpen } = worst;
  return {
    id: "orders-left",
    fault,
    seed,
    lossScaled: undefined,
    key: "quotes.timeInForce",
    text: `${ordersLeftOpen} orders were open after the bot had stopped`,
    advice: "use GTT, whose orders end by themselves, or run the guard until the account is flat",
  };
};
