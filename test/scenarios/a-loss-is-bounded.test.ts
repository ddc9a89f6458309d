import { describe, expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { MemoryStateStore, type StateStore } from "#bot/state-dir.js";
import { haltState, resumeState } from "#cli/stopped-bot.js";
import { RunError } from "#core/errors.js";
import { DAY_MS } from "#core/units.js";
import { BOTH } from "./quoting-stage.js";
import { ASK, BID, MARKET, START_MS, Stage } from "./stage.js";

/** A hundred basis points below the mark, which is 60,000. */
const WORST = 594_000;

/** A bot that holds 0.01 BTC, bought a thousand above the mark: ten quote units are lost. */
async function lost(
  risk: Record<string, unknown>,
  options: ConstructorParameters<typeof Stage>[0] = {},
): Promise<Stage> {
  const stage = new Stage({ ...options, bot: { risk, ...options.bot } });
  stage.wants({ bid: null, ask: null });
  await stage.botStarts(5_000);
  stage.owner.buys(10, 610_000);
  await stage.passes(5_000);
  stage.wants();
  return stage;
}

/** A tight book of others about 60,000, where the mark stays. */
function tight(stage: Stage, lots = 50): void {
  stage.counterparty.rests("BUY", lots, WORST + 5_000);
  stage.counterparty.rests("SELL", lots, 601_000);
}

/** A disk on which the ladder's file cannot be written once it is full. */
class FullStore extends MemoryStateStore {
  isFull = false;

  override write(name: string, text: string): void {
    if (this.isFull && name === "risk-ladder.json")
      throw new RunError("cannot write (ENOSPC)", { field: "stateDir", expected: "room" });
    super.write(name, text);
  }
}

const soldAt = (stage: Stage): number[] =>
  stage.notices.flatMap((notice) =>
    notice.kind === "account" &&
    notice.change.kind === "fill" &&
    notice.change.trade.side === "SELL"
      ? [notice.change.trade.ticks]
      : [],
  );

describe("a drawdown that flattens", () => {
  it("sells the position in slices no worse than the mark allows, goes on after kill -9, and stays halted until somebody resumes", async () => {
    const stage = await lost({
      maxDrawdownQuote: "5",
      onDrawdown: "flatten",
      flatten: { slices: 5 },
    });
    expect(stage.halts()).toEqual(["drawdown"]);
    await stage.passes(10_000);
    expect(stage.positionLots(), "the only bid is at 59,000: nothing is sold there").toBe(10);
    expect(buildBotStatus(stage.rig.bot).markets[MARKET]?.reasons).toEqual([
      expect.stringMatching(/^drawdown: /),
      "SELL 0.002 at 59400 not sent: the touch at 590000 is beyond 594000, the worst price that bounds and own orders allow",
    ]);
    expect(buildBotStatus(stage.rig.bot).ladder).toEqual([
      expect.stringMatching(
        /^drawdown: the position is sold, then halted: net value .* allowed 5$/,
      ),
    ]);
    tight(stage);
    await stage.passes(2_500);
    expect(stage.positionLots(), "a slice of two lots a second").toBe(4);

    stage.botIsKilled();
    await stage.botStarts(10_000);
    expect(stage.positionLots(), "the next run sells the rest").toBe(0);
    expect(buildBotStatus(stage.rig.bot).halts).toEqual([
      expect.stringMatching(/^drawdown: net value .*, allowed 5 \(found in an earlier run\)$/),
    ]);
    expect(Math.min(...soldAt(stage))).toBeGreaterThanOrEqual(WORST);
    await stage.passes(5_000);
    expect(stage.halts()).toEqual(["drawdown"]);
    expect(stage.quotes()).toEqual([]);
    stage.expectAgreement();

    stage.rig.bot.command({ command: "resume" });
    await stage.passes(3_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.quotes()).toEqual(BOTH);
    stage.botIsKilled();
    await stage.botStarts(5_000);
    expect(stage.halts(), "what somebody accepted stays accepted").toEqual([]);
  });

  it("says that it is held back where a manual order sells the position too: both would turn it around", async () => {
    const stage = await lost({ maxDrawdownQuote: "5", onDrawdown: "flatten" });
    stage.owner.rests("SELL", 10, 650_000);
    tight(stage);
    await stage.passes(10_000);
    expect(stage.positionLots()).toBe(10);
    expect(buildBotStatus(stage.rig.bot).markets[MARKET]?.reasons).toEqual([
      expect.stringMatching(/^drawdown: /),
      "SELL 0.002 at 59400 not sent: the market is halted: only reducing orders are sent",
    ]);
  });

  it("waits while the account is not to be trusted, and goes on when it is", async () => {
    const stage = await lost({ maxDrawdownQuote: "5", onDrawdown: "flatten" });
    stage.network.keepDown("account");
    await stage.passes(1_000);
    tight(stage);
    await stage.passes(20_000);
    expect(stage.positionLots()).toBe(10);
    stage.network.restore("account");
    await stage.passes(30_000);
    expect(stage.positionLots()).toBe(0);
  });

  it("flattens though the loss was made good while no bot ran: what was begun is ended", async () => {
    const stage = await lost({ maxDrawdownQuote: "5", onDrawdown: "flatten" });
    stage.botIsKilled();
    // The peak is forgotten with the folder's file, so that the loss alone would not be found
    // again.
    const store: StateStore = stage.store;
    const kept = Object.fromEntries(
      store
        .names()
        .flatMap((name) => (name === "peak-equity.json" ? [] : [[name, store.read(name) ?? ""]])),
    );
    stage.store = new MemoryStateStore(kept);
    tight(stage);
    await stage.botStarts(15_000);
    expect(stage.positionLots()).toBe(0);
    expect(stage.halts()).toEqual(["drawdown"]);
  });

  it("is taken back by a resume while no bot runs, which accepts the loss: the next run quotes", async () => {
    const stage = await lost({ maxDrawdownQuote: "5", onDrawdown: "flatten" });
    stage.botIsKilled();
    const state = {
      markets: [MARKET],
      store: stage.store,
      account: stage.address,
      nowMs: START_MS,
    };
    expect(haltState(state, { command: "halt", reason: "a look first" })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "manual", why: "a look first" }),
        expect.objectContaining({
          name: "drawdown",
          action: "flatten",
          why: expect.stringMatching(/^net value/),
        }),
      ]),
    );
    expect(resumeState(state, { command: "resume" })).toMatchObject({
      halts: [],
      resumed: [{}, {}],
    });
    await stage.botStarts(10_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.positionLots()).toBe(10);
    expect(stage.quotes()).toEqual(BOTH);
  });
});

describe("a drawdown that halts or reduces", () => {
  it("says that its resume is not written down, as it says of a halt by hand: the next start is halted again", async () => {
    const store = new FullStore();
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "5" } } });
    stage.store = store;
    await stage.botStarts(5_000);
    stage.owner.buys(20, 610_000);
    await stage.passes(5_000);
    expect([stage.halts(), stage.rig.bot.tradingGuards.haltWriteError]).toEqual([
      ["drawdown"],
      undefined,
    ]);
    store.isFull = true;
    stage.rig.bot.command({ command: "resume" });
    expect(stage.rig.bot.tradingGuards.haltWriteError).toContain("ENOSPC");
    store.isFull = false;
    await stage.passes(3_000);
    expect(stage.rig.bot.tradingGuards.haltWriteError, "it is tried again").toBeUndefined();
  });

  it("keeps the position where it halts, as a file that says nothing of it", async () => {
    const stage = await lost({ maxDrawdownQuote: "5" });
    stage.counterparty.rests("BUY", 20, BID);
    await stage.passes(10_000);
    expect([stage.halts(), stage.quotes(), stage.positionLots()]).toEqual([["drawdown"], [], 10]);
  });

  it("lets only the side rest that reduces, no larger than the position, until somebody resumes", async () => {
    const stage = await lost({ maxDrawdownQuote: "5", onDrawdown: "reduce" });
    stage.wants({ lots: 20 });
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK}`]);
    const { markets } = buildBotStatus(stage.rig.bot);
    expect(markets[MARKET]?.state).toBe("reduce-only");
    expect(markets[MARKET]?.reasons[0]).toMatch(
      /^drawdown: only orders that reduce the position rest: net value/,
    );
    stage.counterparty.buys(10, ASK);
    await stage.passes(3_000);
    expect([stage.positionLots(), stage.quotes()], "flat, and no order would reduce").toEqual([
      0,
      [],
    ]);

    stage.botIsKilled();
    await stage.botStarts(5_000);
    expect(stage.quotes()).toEqual([]);
    stage.rig.bot.command({ command: "resume" });
    stage.wants();
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("leaves no order larger than the position, however far sizes may be off their quotes", async () => {
    const quotes = { timeInForce: "POST_ONLY", sizeToleranceFraction: 0.5 };
    const stage = await lost({ maxDrawdownQuote: "5", onDrawdown: "reduce" }, { bot: { quotes } });
    stage.wants({ lots: 20 });
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK}`]);
    stage.owner.sells(3, 590_000);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([`SELL 7 @ ${ASK}`]);
  });
});

describe("a loss of the day", () => {
  it("halts for the rest of the day, over a restart too, and ends with it", async () => {
    const stage = await lost({ maxDrawdownQuote: "1000", maxDailyLossQuote: "5" });
    expect(stage.halts()).toEqual(["daily-loss"]);
    expect(stage.saidOfHalt("daily-loss")).toMatch(
      /^net value .* quote below .*, where the day began \(UTC\), allowed 5$/,
    );
    expect(Number(buildBotStatus(stage.rig.bot).dailyLossQuote)).toBeGreaterThan(5);
    stage.botIsKilled();
    const beforeMidnightMs = DAY_MS - (stage.clock.nowMs() % DAY_MS) - 30_000;
    await stage.passes(beforeMidnightMs);
    await stage.botStarts(10_000);
    expect(stage.halts(), "the next run knows what the day began with").toEqual(["daily-loss"]);
    expect(stage.quotes()).toEqual([]);
    await stage.passes(30_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("is found by a run that starts after the loss: the day's beginning is remembered", async () => {
    const stage = new Stage({
      bot: { risk: { maxDrawdownQuote: "1000", maxDailyLossQuote: "5" } },
    });
    // A run stores its day once transfers of around its start must have been reported.
    await stage.botStarts(70_000);
    stage.botIsKilled();
    stage.owner.buys(10, 610_000);
    await stage.botStarts(10_000);
    expect(stage.halts()).toEqual(["daily-loss"]);
  });

  it("ends by a resume, which counts from there", async () => {
    const stage = await lost({ maxDrawdownQuote: "1000", maxDailyLossQuote: "5" });
    stage.rig.bot.command({ command: "resume" });
    await stage.passes(3_000);
    expect([stage.halts(), stage.quotes()]).toEqual([[], BOTH]);
  });

  it("takes a withdrawal for no loss", async () => {
    const stage = new Stage({
      bot: { risk: { maxDrawdownQuote: "1000", maxDailyLossQuote: "5" } },
    });
    await stage.botStarts(5_000);
    stage.owner.withdraws("500");
    await stage.passes(20_000);
    expect(stage.halts()).toEqual([]);
    expect(buildBotStatus(stage.rig.bot).dailyLossQuote).toBe("0");
  });
});

describe("a position that is too large", () => {
  const ladder = {
    inventory: [
      { fromFraction: 0.4, action: "halt" },
      { fromFraction: 0.8, action: "flatten" },
    ],
  };

  async function halted(): Promise<Stage> {
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "1000", ladder } } });
    await stage.botStarts();
    stage.owner.buys(50, 610_000);
    await stage.passes(3_000);
    expect(stage.halts()).toEqual(["inventory"]);
    return stage;
  }

  it.each(["while the bot runs", "while no bot runs"])(
    "and is accepted by a resume %s, stays accepted after kill -9, until it was smaller",
    async (when) => {
      const stage = await halted();
      if (when === "while the bot runs") stage.rig.bot.command({ command: "resume" });
      stage.botIsKilled();
      if (when === "while no bot runs") {
        const state = {
          markets: [MARKET],
          store: stage.store,
          account: stage.address,
          nowMs: START_MS,
        };
        expect(resumeState(state, { command: "resume" })).toMatchObject({
          halts: [],
          resumed: [{ name: "inventory" }],
        });
      }
      await stage.botStarts(10_000);
      expect([stage.halts(), stage.quotes()]).toEqual([[], BOTH]);
      stage.owner.sells(30, 590_000);
      await stage.passes(3_000);
      stage.owner.buys(30, 610_000);
      await stage.passes(3_000);
      expect(stage.halts(), "reached anew").toEqual(["inventory"]);
    },
  );

  it("and was accepted as it was is flattened once it is larger by a rung that flattens, though no bot ran as it grew", async () => {
    const stage = await halted();
    stage.rig.bot.command({ command: "resume" });
    stage.botIsKilled();
    stage.owner.buys(40, 610_000);
    tight(stage, 100);
    await stage.botStarts(15_000);
    expect([stage.halts(), stage.positionLots()]).toEqual([["inventory"], 0]);
  });

  it("and was smaller by the next start is not accepted as it grows anew", async () => {
    const stage = await halted();
    stage.rig.bot.command({ command: "resume" });
    stage.botIsKilled();
    stage.owner.sells(40, 590_000);
    await stage.botStarts(5_000);
    stage.owner.buys(40, 610_000);
    await stage.passes(3_000);
    expect(stage.halts()).toEqual(["inventory"]);
  });
});

describe("rungs before the limits", () => {
  it("widen whatever the strategy quotes, and lift when the loss is back by the stated share", async () => {
    const risk = {
      maxDrawdownQuote: "1000",
      ladder: { drawdown: [{ fromQuote: "8", action: "widen", widenFactor: 3 }] },
    };
    const stage = await lost(risk);
    await stage.passes(3_000);
    // Ten ticks from the mid of 600,000 become thirty.
    expect(stage.quotes()).toEqual(["BUY 10 @ 599970", "SELL 10 @ 600030"]);
    expect(buildBotStatus(stage.rig.bot).markets[MARKET]?.reasons[0]).toMatch(
      /^drawdown: quotes are 3 times as far from the mid/,
    );
    stage.wants({ bid: null, ask: null });
    await stage.passes(1_000);
    // The mark rises by 650: of the ten that were lost three and a half are left.
    stage.counterparty.rests("BUY", 50, 606_000);
    stage.counterparty.rests("SELL", 50, 607_000);
    await stage.passes(3_000);
    stage.wants({ bid: 606_490, ask: 606_510 });
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(["BUY 10 @ 606490", "SELL 10 @ 606510"]);
  });

  it("by inventory move the side that adds, then leave the one that reduces alone", async () => {
    const ladder = {
      inventory: [
        { fromFraction: 0.2, action: "widen" },
        { fromFraction: 0.4, action: "reduce" },
      ],
    };
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "1000", ladder } } });
    await stage.botStarts();
    expect(stage.quotes()).toEqual(BOTH);
    stage.owner.buys(20, 610_000);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(["BUY 10 @ 599980", `SELL 10 @ ${ASK}`]);
    stage.owner.buys(20, 610_000);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK}`]);
    stage.owner.sells(30, 590_000);
    await stage.passes(3_000);
    expect(stage.quotes(), "0.01 is below four fifths of either").toEqual(BOTH);
  });

  it("by markout halt the market whose fills are picked off, and begin anew when somebody resumes", async () => {
    const ladder = {
      markout: [{ fromBps: 5, action: "halt" }],
      markoutHorizonMs: 1_000,
      markoutFills: 10,
      markoutMinFills: 2,
    };
    const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "1000", ladder } } });
    await stage.botStarts();
    for (let fill = 0; fill < 2; fill++) {
      stage.counterparty.sells(10, BID);
      stage.wants({ bid: null, ask: null });
      await stage.passes(300);
      // The bought position is worth forty basis points less a moment later.
      const below = [
        stage.counterparty.rests("BUY", 5, 597_000),
        stage.counterparty.rests("SELL", 5, 598_000),
      ];
      await stage.passes(2_000);
      for (const order of below) stage.counterparty.cancels(order);
      stage.wants();
      await stage.passes(3_000);
    }
    expect(stage.halts()).toEqual(["markout"]);
    expect(stage.saidOfHalt("markout")).toMatch(/^the newest fills lost .* bps by their horizon, /);
    stage.rig.bot.command({ command: "resume", marketId: MARKET });
    await stage.passes(3_000);
    expect([stage.halts(), stage.quotes()]).toEqual([[], BOTH]);
  });
});
