import { describe, expect, it } from "vitest";
import { planQuotes } from "#executor/plan-quotes.js";
import { ask, bid, order, quoteSettings, quotesInput, unanswered } from "./fixtures.js";

const hashesOf = (list: readonly { readonly hash: string }[]) => list.map((one) => one.hash);

describe("the fewest actions", () => {
  it("places a ladder innermost first, both sides in turn", () => {
    const plan = planQuotes(
      quotesInput({ quotes: [bid(1, 99), ask(1, 112), ask(0, 111), bid(0, 100)] }),
    );
    expect(plan.places.map(({ side, level, ticks }) => [side, level, ticks])).toEqual([
      ["BUY", 0, 100],
      ["SELL", 0, 111],
      ["BUY", 1, 99],
      ["SELL", 1, 112],
    ]);
    expect(
      plan.places.every((place) => place.timeInForce === "POST_ONLY" && place.expirationMs === 0),
    ).toBe(true);
    expect(plan.cancels).toEqual([]);
  });

  it("does nothing when every order matches: each keeps its queue position", () => {
    const plan = planQuotes(
      quotesInput({
        quotes: [bid(0, 100), ask(0, 111)],
        working: [order("BUY", 0, 100), order("SELL", 0, 111)],
      }),
    );
    expect(hashesOf(plan.keeps)).toEqual(["BUY-0@100", "SELL-0@111"]);
    expect([plan.cancels, plan.places, plan.waits, plan.withdrawals, plan.withheld]).toEqual([
      [],
      [],
      [],
      [],
      [],
    ]);
  });

  it("spends no cancel on an immediate order in flight at a halt: it ends by itself, or its cancel is due", () => {
    const shown = order("SELL", 0, 99, { timeInForce: "IOC", endDueMs: 1_000_001 });
    const before = planQuotes(quotesInput({ working: [shown] }));
    expect([before.cancels, hashesOf(before.waits)]).toEqual([[], [shown.hash]]);
    expect(
      hashesOf(planQuotes(quotesInput({ working: [shown], nowMs: 1_000_001 })).cancels),
    ).toEqual([shown.hash]);
  });

  it("keeps an order within tolerance of price and size, and no further", () => {
    const settings = quoteSettings({ tolerance: { priceTicks: 2, sizeFraction: 0.2 } });
    const plan = (ticks: number, mayFillLots: number) =>
      planQuotes(
        quotesInput({
          settings,
          quotes: [bid(0, 98)],
          working: [order("BUY", 0, ticks, { mayFillLots })],
        }),
      );
    expect(plan(96, 8).keeps).toHaveLength(1);
    expect(plan(100, 10).keeps).toHaveLength(1);
    expect(plan(95, 10).cancels).toHaveLength(1);
    expect(plan(98, 7).cancels).toHaveLength(1);
  });

  it("replaces an order that a partial fill has made too small, but leaves dust that the exchange would not accept again", () => {
    const rules = { minTicks: 1, maxTicks: 1_000, minLots: 5, maxLots: 100, maxOpenOrders: 10 };
    const plan = (mayFillLots: number, ticks = 100) =>
      planQuotes(
        quotesInput({
          rules,
          quotes: [bid(0, 100)],
          working: [order("BUY", 0, ticks, { mayFillLots, phase: "partly-filled" })],
        }),
      );
    expect(plan(6).cancels).toHaveLength(1);
    expect(plan(4).keeps).toHaveLength(1);
    expect(plan(4, 99).cancels).toHaveLength(1);
  });

  it("moves an equal ladder up a step with one cancel and one place per side, not with all of them", () => {
    const working = [order("BUY", 0, 100), order("BUY", 1, 99), order("BUY", 2, 98)];
    const quotes = [bid(0, 101), bid(1, 100), bid(2, 99)];
    const first = planQuotes(
      quotesInput({ touch: { bestBidTicks: 101, bestAskTicks: 110 }, quotes, working }),
    );
    expect(hashesOf(first.cancels)).toEqual(["BUY-2@98"]);
    expect(first.keeps.map(({ level, quoteLevel }) => [level, quoteLevel]).sort()).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(first.places).toEqual([]);
    const second = planQuotes(
      quotesInput({
        touch: { bestBidTicks: 101, bestAskTicks: 110 },
        quotes,
        working: working.slice(0, 2),
      }),
    );
    expect(second.cancels).toEqual([]);
    expect(second.places).toMatchObject([{ level: 2, quoteLevel: 0, ticks: 101, lots: 10 }]);
  });

  it("does not exchange slots if one would hold more than was ever requested of it", () => {
    // The inner order matches the outer quote's price and size, but its slot is too small for the
    // outer quote.
    const quotes = [bid(0, 100, 2), bid(1, 99, 10)];
    const plan = planQuotes(quotesInput({ quotes, working: [order("BUY", 1, 100, { lots: 2 })] }));
    expect(plan.keeps).toEqual([]);
    expect(hashesOf(plan.cancels)).toEqual(["BUY-1@100"]);
    expect(plan.places).toMatchObject([{ level: 0, ticks: 100, lots: 2 }]);
  });

  it("cancels everything when no quotes are desired", () => {
    const plan = planQuotes(
      quotesInput({ working: [order("BUY", 0, 100), order("SELL", 3, 120)] }),
    );
    expect(hashesOf(plan.cancels)).toEqual(["BUY-0@100", "SELL-3@120"]);
  });
});

describe("cancel before place", () => {
  it("replaces only once the cancel is confirmed: before, both could fill", () => {
    const plan = planQuotes(quotesInput({ quotes: [bid(0, 99)], working: [order("BUY", 0, 100)] }));
    expect(hashesOf(plan.cancels)).toEqual(["BUY-0@100"]);
    expect(plan.places).toEqual([]);
    expect(plan.withheld).toMatchObject([{ side: "BUY", level: 0, ticks: 99 }]);
    const cancelling = planQuotes(
      quotesInput({
        quotes: [bid(0, 99)],
        working: [order("BUY", 0, 100, { phase: "cancelling" })],
      }),
    );
    expect(cancelling.cancels).toEqual([]);
    expect(cancelling.places).toEqual([]);
    expect(cancelling.waits).toMatchObject([{ hash: "BUY-0@100", phase: "cancelling" }]);
  });

  it("cancels the order nearest to being hit first, whatever its side or level", () => {
    const working = [
      order("BUY", 1, 97),
      order("SELL", 0, 104),
      order("BUY", 0, 108),
      order("SELL", 1, 130),
    ];
    const plan = planQuotes(quotesInput({ working }));
    expect(plan.cancels.map(({ hash, distanceTicks }) => [hash, distanceTicks])).toEqual([
      ["BUY-0@108", 2],
      ["SELL-0@104", 4],
      ["BUY-1@97", 13],
      ["SELL-1@130", 30],
    ]);
  });

  it("cancels the larger order first without a touch to measure by", () => {
    const touch = { bestBidTicks: undefined, bestAskTicks: undefined };
    const working = [order("BUY", 0, 100, { lots: 1 }), order("SELL", 0, 111, { lots: 5 })];
    expect(hashesOf(planQuotes(quotesInput({ touch, working })).cancels)).toEqual([
      "SELL-0@111",
      "BUY-0@100",
    ]);
  });

  it("frees the slot of an order with an accepted cancel, before its last fills are reported", () => {
    const taken = order("BUY", 0, 100, { phase: "cancelling", mayFillLots: 0, unreportedLots: 10 });
    expect(planQuotes(quotesInput({ quotes: [bid(0, 99)], working: [taken] })).places).toHaveLength(
      1,
    );
  });
});

describe("orders with an unknown outcome", () => {
  it.each(["sent", "unknown"] as const)(
    "keeps the slot of a %s order closed at full size: a time-out is no rejection",
    (phase) => {
      const plan = planQuotes(
        quotesInput({ quotes: [bid(0, 99)], working: [unanswered("BUY", 0, 100, phase)] }),
      );
      expect([plan.places, plan.cancels]).toEqual([[], []]);
      expect(plan.waits).toMatchObject([{ side: "BUY", level: 0, phase }]);
    },
  );

  it.each(["sent", "unknown", "intended"] as const)(
    "keeps a %s order that matches its quote",
    (phase) => {
      const plan = planQuotes(
        quotesInput({ quotes: [bid(0, 100)], working: [unanswered("BUY", 0, 100, phase)] }),
      );
      expect(plan.keeps).toHaveLength(1);
      expect([plan.places, plan.waits, plan.withdrawals]).toEqual([[], [], []]);
    },
  );

  it("withdraws an undesired order that waits in the outbox: it costs no token", () => {
    const plan = planQuotes(
      quotesInput({ quotes: [bid(0, 99)], working: [unanswered("BUY", 0, 100, "intended")] }),
    );
    expect(hashesOf(plan.withdrawals)).toEqual(["BUY-0@100"]);
    expect(plan.places).toEqual([]);
  });

  it("cancels the orders of an earlier run, unless one matches a quote", () => {
    const working = [order("BUY", -1, 100), order("BUY", -1, 95)];
    const plan = planQuotes(quotesInput({ quotes: [bid(0, 100), bid(1, 99)], working }));
    expect(hashesOf(plan.keeps)).toEqual(["BUY--1@100"]);
    expect(hashesOf(plan.cancels)).toEqual(["BUY--1@95"]);
    expect(plan.places).toMatchObject([{ level: 1, ticks: 99 }]);
  });

  it("replaces an order of another time in force: a GTC quote never expires if the bot dies", () => {
    const settings = quoteSettings({ timeInForce: "GTT" });
    const plan = planQuotes(
      quotesInput({
        settings,
        quotes: [bid(0, 100)],
        working: [order("BUY", 0, 100, { timeInForce: "GTC" })],
      }),
    );
    expect(plan.cancels).toMatchObject([
      { why: "its time in force is no longer the configured one" },
    ]);
  });
});

describe("a quote never crosses", () => {
  it.each([
    ["open", order("SELL", 2, 99)],
    ["cancelling", order("SELL", 2, 99, { phase: "cancelling" })],
    ["unknown", unanswered("SELL", 2, 99, "unknown")],
  ])("an own order that is %s: the account would trade with itself", (_, own) => {
    const plan = planQuotes(quotesInput({ quotes: [bid(0, 100)], working: [own] }));
    expect(plan.places).toEqual([]);
    expect(plan.withheld[0]?.why).toContain("own SELL");
  });

  it("a manual order of the account", () => {
    const foreign = { touch: { bestBidTicks: undefined, bestAskTicks: 105 }, openOrders: 1 };
    const touch = { bestBidTicks: 100, bestAskTicks: undefined };
    const plan = planQuotes(quotesInput({ quotes: [bid(0, 105), bid(1, 104)], foreign, touch }));
    expect(plan.places.map((place) => place.ticks)).toEqual([104]);
    expect(plan.withheld[0]?.why).toContain("manual order");
  });

  it("the newest touch: withheld, or placed one tick behind it when so configured", () => {
    const quotes = [bid(0, 112), bid(1, 111), bid(2, 105)];
    expect(planQuotes(quotesInput({ quotes })).places.map((place) => place.ticks)).toEqual([105]);
    const behind = planQuotes(
      quotesInput({ quotes, settings: quoteSettings({ onCross: "behind" }) }),
    );
    expect(behind.places.map(({ level, ticks }) => [level, ticks])).toEqual([
      [0, 109],
      [2, 105],
    ]);
    expect(behind.withheld).toMatchObject([{ level: 1, ticks: 109 }]);
  });

  it("keeps an order one tick behind the touch as long as it would be placed there again", () => {
    const settings = quoteSettings({ onCross: "behind" });
    const plan = planQuotes(
      quotesInput({ settings, quotes: [bid(0, 112)], working: [order("BUY", 0, 109)] }),
    );
    expect(plan.keeps).toHaveLength(1);
  });
});

describe("filters of the market", () => {
  const rules = { minTicks: 50, maxTicks: 200, minLots: 5, maxLots: 20, maxOpenOrders: 3 };

  it("withholds what the exchange would refuse, saying why", () => {
    const plan = planQuotes(
      quotesInput({
        rules: { ...rules, maxOpenOrders: 9 },
        quotes: [bid(0, 49), bid(1, 60, 4), ask(0, 201), ask(1, 150, 21)],
      }),
    );
    expect(plan.places).toEqual([]);
    expect(plan.withheld.map((one) => one.why.split(" ")[0])).toEqual([
      "price",
      "price",
      "size",
      "size",
    ]);
  });

  it("places the innermost quotes that the limit allows beside manual orders, and cancels the outermost for them", () => {
    const foreign = { touch: { bestBidTicks: undefined, bestAskTicks: undefined }, openOrders: 1 };
    const quotes = [bid(0, 100), ask(0, 111), bid(1, 99), ask(1, 112)];
    const fresh = planQuotes(quotesInput({ rules, foreign, quotes }));
    expect(fresh.places.map(({ side, level }) => [side, level])).toEqual([
      ["BUY", 0],
      ["SELL", 0],
    ]);
    const crowded = planQuotes(
      quotesInput({
        rules,
        foreign,
        quotes,
        working: [order("BUY", 1, 99), order("SELL", 1, 112)],
      }),
    );
    expect(hashesOf(crowded.cancels).sort()).toEqual(["BUY-1@99", "SELL-1@112"]);
    expect(crowded.places).toEqual([]);
  });
});

describe("GTT quotes", () => {
  const settings = quoteSettings({ timeInForce: "GTT" });
  const gtt = (side: "BUY" | "SELL", level: number, ticks: number, lifeMs: number) =>
    order(side, level, ticks, { timeInForce: "GTT", expirationMs: 1_000_000 + lifeMs });

  it("live as long as configured, from the exchange's time", () => {
    expect(planQuotes(quotesInput({ settings, quotes: [bid(0, 100)] })).places).toMatchObject([
      { timeInForce: "GTT", expirationMs: 1_300_000 },
    ]);
  });

  it("are renewed one at a time as their turns come, so that not all leave the book at once", () => {
    const quotes = [bid(0, 100), ask(0, 111), bid(1, 99), ask(1, 112)];
    const all = (lifeMs: number) => [
      gtt("BUY", 0, 100, lifeMs),
      gtt("SELL", 0, 111, lifeMs),
      gtt("BUY", 1, 99, lifeMs),
      gtt("SELL", 1, 112, lifeMs),
    ];
    const renewedAt = (lifeMs: number) =>
      hashesOf(planQuotes(quotesInput({ settings, quotes, working: all(lifeMs) })).cancels);
    expect(renewedAt(25_001)).toEqual([]);
    expect(renewedAt(25_000)).toEqual(["SELL-1@112"]);
    expect(renewedAt(10_001)).toHaveLength(1);
    expect(renewedAt(10_000)).toHaveLength(4);
  });

  it("are not renewed while an ordinary requote is in flight, unless their end is near", () => {
    const quotes = [bid(0, 100), ask(0, 115)];
    const working = (lifeMs: number) => [
      gtt("BUY", 0, 100, 290_000),
      gtt("SELL", 1, 115, lifeMs),
      gtt("BUY", 5, 90, 290_000),
    ];
    expect(
      hashesOf(planQuotes(quotesInput({ settings, quotes, working: working(20_000) })).cancels),
    ).toEqual(["BUY-5@90"]);
    const urgent = planQuotes(quotesInput({ settings, quotes, working: working(9_000) }));
    expect(hashesOf(urgent.cancels)).toEqual(["BUY-5@90", "SELL-1@115"]);
    expect(hashesOf(urgent.keeps)).toEqual(["BUY-0@100"]);
  });

  it("are never renewed forever: a stagger longer than the life is cut to half of it", () => {
    const hasty = quoteSettings({
      timeInForce: "GTT",
      gtt: { quoteLifeMs: 20_000, renewLeadMs: 2_000, renewStaggerMs: 60_000 },
    });
    const plan = planQuotes(
      quotesInput({
        settings: hasty,
        quotes: [ask(1, 112)],
        working: [gtt("SELL", 1, 112, 20_000)],
      }),
    );
    expect(plan.cancels).toEqual([]);
  });

  it("keep their slot after expiry until the exchange confirms it, and are cancelled if it does not", () => {
    const plan = (lifeMs: number) =>
      planQuotes(
        quotesInput({ settings, quotes: [bid(0, 100)], working: [gtt("BUY", 0, 100, lifeMs)] }),
      );
    expect(plan(0).waits).toHaveLength(1);
    expect([plan(0).places, plan(0).cancels, plan(0).keeps]).toEqual([[], [], []]);
    expect(plan(-5_000).cancels).toHaveLength(1);
  });
});
