import type { ConfigDifference, QuotedOrder } from "../../../assets/cockpit/frame.js";

const bid: QuotedOrder = {
  side: "BUY",
  level: 0,
  price: "59986.2",
  amountBase: "0.02",
  fromMidBps: 3.01,
  fate: "keep",
  why: "already in place, open",
};
const ask: QuotedOrder = { ...bid, side: "SELL", price: "60022.3" };

/** A difference with an order that stays, one that moves and one that is withheld. */
export function sampleDifference(state: ConfigDifference["state"]): ConfigDifference {
  return {
    state,
    changes: [{ path: "markets.btcusdc.params.riskAversion", before: "0.05", after: "0.1" }],
    markets: {
      btcusdc: {
        strategy: "kept",
        before: { quotes: [bid, ask], cancels: 0, reasons: [] },
        after: {
          quotes: [
            { ...bid, price: "59974.2", fromMidBps: 5.01, fate: "place", why: "it is wanted" },
            ask,
            {
              ...ask,
              level: 1,
              price: "60040.3",
              fromMidBps: 6.01,
              fate: "withheld",
              why: "over limits.maxPositionBase",
            },
          ],
          cancels: 1,
          reasons: [],
        },
      },
    },
    notes: ["A note."],
    saved: state === "applied",
  };
}
