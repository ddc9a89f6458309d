import { describe, expect, it } from "vitest";
import type { MarketStatus, OwnQuote } from "../../../assets/cockpit/frame.js";
import { haltRemedy } from "../../../assets/cockpit/halt-remedy.js";
import { quoteReason, reasonSentences, reasonTerms } from "../../../assets/cockpit/quote-reason.js";
import { SampleBot } from "./sample-bot.js";

const plain = (text: string): string => text.replaceAll("\u202f", "");
const sample = new SampleBot().next().status.markets.btcusdc as MarketStatus;
const market: MarketStatus = {
  ...sample,
  lastReason: {
    fairTicks: 600_042.5,
    reservationTicks: 600_003.7,
    halfSpreadTicks: 169.8,
    terms: { inventory: 0.35, skewTicks: -38.8, sigmaBps: 0.78, sigmaEstimated: 1, ownTerm: 2 },
    clamps: ["bid 0: post-only"],
  },
};

describe("the reason of quotes", () => {
  it("is told in prices and basis points, with the limits that changed it", () => {
    expect(reasonSentences(market, "0.1").map(plain)).toEqual([
      "avellaneda-stoikov takes 60004.25 for the fair value.",
      "It centres its quotes at 60000.37, 3.88 (0.65 bps) lower, so that it rather sells.",
      "The innermost quotes are 16.98 (2.83 bps) from the centre before limits.",
      "Limits changed it: bid 0: post-only.",
    ]);
  });

  it("is told of each order", () => {
    const bid: OwnQuote = {
      clientId: "a bid",
      side: "BUY",
      price: "59983.4",
      amountBase: "0.02",
      distanceBps: 2,
      phase: "open",
      ageMs: 0,
      level: 0,
    };
    expect(quoteReason(bid, market, "0.1")).toBe("16.97 below the centre: the half spread");
    expect(quoteReason({ ...bid, price: "59980.0" }, market, "0.1")).toBe(
      "20.37 below the centre: half spread 16.98 and 3.39",
    );
    expect(quoteReason({ ...bid, side: "SELL", price: "60010.0" }, market, "0.1")).toBe(
      "9.63 above the centre: half spread 16.98 less 7.35",
    );
  });

  it("says that a strategy has no fair price while there is no reference price", () => {
    // As JSON has it.
    const none = null as unknown as number;
    const lastReason = {
      fairTicks: none,
      reservationTicks: none,
      halfSpreadTicks: none,
      terms: {},
      clamps: ["quotes: there is no good reference price"],
    };
    expect(reasonSentences({ ...market, strategy: "pegged", lastReason }, "0.1")).toEqual([
      "pegged has no fair price at present.",
      "Limits changed it: quotes: there is no good reference price.",
    ]);
  });

  it("names the parts of a margin, and whether the fair price is the reference price", () => {
    const reason = { ...(market.lastReason as NonNullable<typeof market.lastReason>) };
    const terms = { makerFeeBps: -1, edgeBps: 3, marginBps: 2, inventory: 0.5 };
    expect(reasonTerms({ ...reason, terms }, "pegged", "0.1")).toEqual([
      { name: "maker fee", text: "−1.000 bps" },
      { name: "edge", text: "3.000 bps" },
      { name: "distance from the reference price", text: "2.000 bps" },
      { name: "position as a share of its limit", text: "50.0 %" },
    ]);
    expect(reasonTerms({ ...reason, terms: { fairIsReference: 0 } }, "ladder", "0.1")).toEqual([
      { name: "fair price", text: "the mid" },
    ]);
  });

  it("names every term of a strategy, also of one's own", () => {
    const reason = market.lastReason as NonNullable<typeof market.lastReason>;
    expect(reasonTerms(reason, market.strategy, "0.1")).toEqual([
      { name: "position in orders of the configured size", text: "0.350" },
      { name: "shift of the centre for the inventory", text: "−3.88" },
      { name: "volatility per root second", text: "0.780 bps" },
      { name: "volatility comes from", text: "the market" },
      { name: "own term", text: "2.000" },
    ]);
  });
});

describe("the remedy of a halt", () => {
  it("says whether a person has to act", () => {
    expect(haltRemedy("stale-book", true)).toBe("It ends when the stream confirms the book again.");
    expect(haltRemedy("manual", false)).toBe(
      "It lasts until a person resumes, also after a restart.",
    );
    expect(haltRemedy("drawdown", false)).toContain("Resuming accepts the loss");
    expect(haltRemedy("a-new-one", true)).toBe("It ends by itself when its cause is over.");
  });
});
