import { describe, expect, it } from "vitest";
import { CancelBudget } from "#bot/cancel-budget.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { FIVE, FiveMarkets } from "./five-markets.js";

const [FIRST = "", SECOND = "", ...OTHERS] = FIVE;
const SILENT = ["openOrders", "cancelAllOpenOrders"] as const;

describe("where one of five markets is silent, so that nothing that is asked of it is answered,", () => {
  it("the guard has the others empty at once, and within a second what comes there later", async () => {
    const markets = new FiveMarkets();
    for (const what of SILENT) markets.network.every(what, { is: "request lost" }, FIRST);
    await markets.guardActs();
    expect(markets.open()).toEqual([FIRST]);

    markets.arrives(SECOND);
    await markets.passes(1_000);
    expect(markets.open()).toEqual([FIRST]);
    await markets.passes(10_000);
    expect(markets.notices).toContainEqual(
      expect.objectContaining({ kind: "failed", what: FIRST }),
    );
    expect(markets.notices.at(-1)?.kind, "of the silent market nobody knows").not.toBe("safe");
  });

  it("cancel-all has the others empty at once, and within a second what comes there later", async () => {
    const markets = new FiveMarkets();
    for (const what of SILENT) markets.network.every(what, { is: "request lost" }, FIRST);
    const done = markets.cancelsAll();
    await markets.passes(100);
    expect(markets.open()).toEqual([FIRST]);

    markets.arrives(SECOND);
    await markets.passes(1_000);
    expect(markets.open()).toEqual([FIRST]);
    await markets.passes(15_000);
    expect(await done).toMatchObject({
      left: [],
      failed: [{ marketId: FIRST, why: expect.stringContaining("no answer within 2000 ms") }],
    });
  });
});

describe("a bot that comes back while the guard acts and one market is silent, and leaves in order before the guard's next look there", () => {
  it.each([
    ["was seen meanwhile", 400],
    ["was never seen to run", 0],
  ])("and %s: what a person places from then on stands", async (_, aliveMs) => {
    const markets = new FiveMarkets();
    const ends = SILENT.map((what) => markets.network.every(what, { is: "request lost" }, FIRST));
    await markets.guardActs();
    if (aliveMs > 0) {
      markets.beats("running");
      await markets.passes(aliveMs);
    }
    markets.beats("stopped");
    await markets.passes(10);
    for (const end of ends) end();
    await markets.passes(10_000);
    markets.arrives(SECOND);
    await markets.passes(10_000);
    expect(markets.open()).toEqual([FIRST, SECOND]);
    const kinds = markets.notices.map(({ kind }) => kind);
    expect(kinds).toContain("bot-stopped");
    expect(kinds, "of the silent market nobody knows").not.toContain("safe");
  });
});

describe("a heartbeat that breaks", () => {
  it("is no sign of life: the guard acts by the last whole one", async () => {
    const markets = new FiveMarkets();
    markets.clock.setTimer(1_000, () => markets.beatBreaks());
    await markets.guardActs();
    expect(markets.open()).toEqual([]);
  });

  it("before the guard is started is as old as the guard: nobody else takes down what that bot left, and has on the wire", async () => {
    const markets = new FiveMarkets();
    markets.beatBreaks();
    await markets.guardActs();
    await markets.passes(1_000);
    expect(markets.open()).toEqual([]);
    for (const marketId of OTHERS) markets.arrives(marketId);
    await markets.passes(6_000);
    expect(markets.open()).toEqual([]);
    expect(markets.notices.map(({ kind }) => kind)).toContain("safe");

    markets.arrives(FIVE[0] as string);
    await markets.passes(20_000);
    expect(markets.open(), "what comes when nothing of that bot can is a person's").toEqual([
      FIVE[0],
    ]);
    markets.beats("running");
    await markets.passes(5_000);
    expect(markets.open(), "a bot that has come and gone since").toEqual([]);
  });
});

describe("an order that comes after the first cancel, of a bot that is gone,", () => {
  it("is waited for by cancel-all as by the guard: it would rest with nobody there to take it down", async () => {
    const markets = new FiveMarkets();
    const done = markets.cancelsAll();
    await markets.passes(3_000);
    for (const marketId of OTHERS) markets.arrives(marketId);
    await markets.passes(10_000);

    const { found, foundLater, left, failed } = await done;
    expect(markets.open()).toEqual([]);
    expect({ found: found.length, foundLater, left, failed }).toEqual({
      found: 8,
      foundLater: 3,
      left: [],
      failed: [],
    });
  });

  it("keeps nobody from a market that is empty and where nothing can come any more", async () => {
    const markets = new FiveMarkets();
    const done = markets.cancelsAll();
    await markets.passes(5_600);
    expect(await done).toMatchObject({ left: [], failed: [] });
    markets.arrives(FIRST);
    await markets.passes(5_000);
    expect(markets.open()).toEqual([FIRST]);
  });
});

describe("a rate limit of few requests a minute", () => {
  it("for all (COMMON): the guard stays within its share, cancels everywhere before it looks, and sees to what comes late", async () => {
    const markets = new FiveMarkets({ common: 60, requestsBeforeBan: 3 });
    await markets.guardActs(FIVE, 0.15);
    expect(
      markets.open(),
      "of nine requests a minute, the rules and five cancels come first",
    ).toEqual([]);

    markets.arrives(SECOND);
    await markets.passes(180_000);
    expect(markets.open()).toEqual([]);
    expect(markets.notices.at(-1)?.kind).toBe("safe");
    expect(markets.refusals()).toBe(0);
    const { sent } = markets.network;
    const inAMinuteFrom = (fromMs: number): number =>
      sent.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 60_000).length;
    expect(Math.max(...sent.map(({ atMs }) => inAMinuteFrom(atMs)))).toBeLessThanOrEqual(9);
  });

  it("for all, with room for some looks: the guard keeps the last one for when nothing can come any more", async () => {
    const markets = new FiveMarkets({ common: 300 });
    await markets.guardActs(FIVE, 0.1);
    expect(
      markets.open(),
      "of thirty requests a minute, the rules, five looks and five cancels",
    ).toEqual([]);
    await markets.passes(1_900);
    markets.arrives(SECOND);
    await markets.passes(1_500);
    expect(markets.open()).toEqual([]);
    expect(markets.notices.at(-1)?.kind).toBe("safe");
    expect(markets.refusals()).toBe(0);
  });

  it("for orders (ORDER): cancel-all waits for the places that it lacks, and leaves no market out", async () => {
    const markets = new FiveMarkets({ order: 3, requestsBeforeBan: 1 });
    const done = markets.cancelsAll();
    await markets.passes(10_000);
    expect(markets.open()).toHaveLength(2);

    await markets.passes(70_000);
    expect(markets.open()).toEqual([]);
    expect(await done).toMatchObject({ left: [], failed: [] });
    expect(markets.refusals()).toBe(0);
  });

  it("that others have spent: cancel-all waits as long as the exchange says, and goes on then", async () => {
    const markets = new FiveMarkets();
    const spent = {
      is: "answered by a wall",
      status: 429,
      body: "{}",
      retryAfterMs: 20_000,
    } as const;
    for (const _ of FIVE) markets.network.next("cancelAllOpenOrders", spent);
    const done = markets.cancelsAll();
    await markets.passes(19_000);
    expect(markets.network.sentOf("cancelAllOpenOrders")).toHaveLength(5);

    await markets.passes(8_000);
    expect(markets.open()).toEqual([]);
    expect(await done).toMatchObject({ left: [], failed: [] });
  });
});

describe("an outage of the exchange", () => {
  it.each([
    { order: 300, outageMs: 31_000 },
    { order: 1_200, outageMs: 50_000 },
  ])(
    "of $outageMs ms leaves of $order orders a minute what the guard needs once it is over: else all would rest until the minute is",
    async ({ order, outageMs }) => {
      const markets = new FiveMarkets({ order });
      markets.network.down = true;
      await markets.guardActs();
      await markets.passes(outageMs);
      expect(
        markets.network.sentOf("cancelAllOpenOrders").length,
        "a look may fail where a cancel does not",
      ).toBeGreaterThan(FIVE.length);
      expect(markets.network.sentOf("cancelAllOpenOrders").length).toBeLessThanOrEqual(order / 10);

      markets.network.down = false;
      await markets.passes(3_000);
      expect(markets.open()).toEqual([]);
      expect(markets.notices.at(-1)?.kind).toBe("safe");
    },
  );
});

describe("an exchange that tells its rules and refuses all that is asked of the account", () => {
  it.each([
    { refused: ["cancelAllOpenOrders"], order: 600, common: 2_400 },
    { refused: SILENT, order: 1_200, common: 1_200 },
  ] as const)(
    "$refused: is asked no faster than $order orders and $common requests a minute let the guard go on for ever",
    async ({ refused, ...limits }) => {
      const markets = new FiveMarkets(limits);
      const ends = refused.map((what) =>
        markets.network.every(what, { is: "answered by a wall", status: 503, body: "" }),
      );
      await markets.guardActs();
      await markets.passes(35_000);
      for (const end of ends) end();
      await markets.passes(8_000);
      expect(markets.open(), "its share was spent, and the window had not passed").toEqual([]);
    },
  );
});

describe("what takes orders down before the exchange has told its limits", () => {
  it("spends its share of the usual ones", () => {
    const budget = new CancelBudget({ clock: new VirtualClock(0), fraction: 0.1 });
    expect(budget.hasRoomFor("cancelAllOpenOrders", 120)).toBe(true);
    expect(budget.hasRoomFor("cancelAllOpenOrders", 121)).toBe(false);
  });
});

describe("a clock of this machine that was set a minute on", () => {
  it("keeps the guard from nothing: it has the exchange's read as soon as that refuses what is signed by it", async () => {
    const markets = new FiveMarkets();
    markets.aheadMs = 60_000;
    await markets.guardActs();
    await markets.passes(1_000);
    expect(markets.open()).toEqual([]);
  });
});

describe("a market that the exchange knows no more", () => {
  it("keeps the guard asking twice a minute alone, and not from a bot that came back and died again", async () => {
    const markets = new FiveMarkets();
    await markets.guardActs([...FIVE, "goneusdc"]);
    await markets.passes(60_000);
    const before = markets.network.sent.length;
    await markets.passes(300_000);
    expect(markets.network.sent.length - before).toBeLessThanOrEqual(2 * 12);
    expect(markets.notices.at(-1), "of that market nobody knows").toMatchObject({
      kind: "failed",
      what: "goneusdc",
    });

    markets.beats("running");
    await markets.passes(3_000);
    markets.arrives(FIRST);
    await markets.passes(3_000);
    expect(markets.open()).toEqual([]);
  });
});

describe("a market that the exchange refuses", () => {
  it("holds up none of four others, and is asked again until it is answered", async () => {
    const markets = new FiveMarkets();
    const refused = { is: "answered by a wall", status: 503, body: "" } as const;
    const ends = SILENT.map((what) => markets.network.every(what, refused, FIRST));
    await markets.guardActs();
    expect(markets.open()).toEqual([FIRST]);

    await markets.passes(60_000);
    for (const end of ends) end();
    await markets.passes(3_000);
    expect(markets.open()).toEqual([]);
    expect(markets.notices.at(-1)?.kind).toBe("safe");
    expect(markets.refusals()).toBe(0);
  });
});
