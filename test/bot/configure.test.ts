import { describe, expect, it } from "vitest";
import type { BotConfig } from "#bot/config.js";
import type { JournalTurn } from "#bot/journal.js";
import { replayLines } from "#bot/replay-journal.js";
import { type RunningValues, toRunningValues } from "#bot/running-values.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Action } from "#exchange/venue.js";
import { HandTrader } from "../scenarios/hand-trader.js";
import {
  asFile,
  botConfigOf,
  EXCHANGE,
  MemoryJournal,
  startVirtualRun,
  type Trouble,
  turnsOf,
  type VirtualRun,
} from "./recorded-run.js";

/** One market that nobody but the bot moves. */
const QUIET = { ...EXCHANGE, markets: { btcusdc: { tickSize: "0.1", stepSize: "0.001" } } };
/** The same market with others who trade in it. */
const LIVELY = { ...EXCHANGE, markets: { btcusdc: EXCHANGE.markets.btcusdc } };

const oneMarket = (overrides: Record<string, unknown> = {}): BotConfig =>
  botConfigOf({
    markets: {
      btcusdc: {
        strategy: "ladder",
        params: { halfSpreadBps: 5, levels: 3, sizeBase: 0.02 },
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
        ...overrides,
      },
    },
  });

type Changed = (values: RunningValues) => object;

function configure(run: VirtualRun, changed: Changed): void {
  const values = toRunningValues(run.running.bot.context.config);
  const merged = structuredClone({ ...values, ...changed(values) }) as RunningValues;
  run.running.command({ command: "configure", values: merged });
}

const market =
  (changes: object): Changed =>
  (values) => ({
    markets: {
      ...values.markets,
      btcusdc: { ...values.markets.btcusdc, ...changes },
    },
  });

const params =
  (changes: object): Changed =>
  (values) =>
    market({ params: { ...values.markets.btcusdc?.params, ...changes } })(values);

/** The actions of the turns from the first `configure` on. */
function actionsSince(journal: MemoryJournal): Action[] {
  const turns: JournalTurn[] = turnsOf(journal);
  const from = turns.findIndex(
    ({ input }) => input.kind === "command" && input.command.command === "configure",
  );
  expect(from).toBeGreaterThan(0);
  return turns
    .slice(from)
    .flatMap(({ actions }) => actions)
    .filter(({ kind }) => kind !== "question");
}

async function started(config: BotConfig, exchangeConfig: object = QUIET) {
  const journal = new MemoryJournal();
  const run = await startVirtualRun({ config, journal, exchangeConfig });
  if (exchangeConfig === QUIET) {
    const signer = ecdsaScheme.signer(`0x${"44".repeat(32)}`);
    const neighbour = new HandTrader(run.exchange, run.clock, signer, "btcusdc", "10.0.0.9");
    neighbour.rests("BUY", 500, 590_000);
    neighbour.rests("SELL", 500, 610_000);
  }
  await run.clock.runFor(5_000);
  return { journal, run };
}

async function expectReplay(run: VirtualRun, journal: MemoryJournal): Promise<void> {
  await run.stop();
  const result = await replayLines(asFile(journal.lines));
  expect(result.divergence).toBeUndefined();
  expect(result.turns).toBe(journal.lines.length - 1);
  expect(result.phase).toBe("stopped");
}

const resting = ({ running }: VirtualRun) =>
  running.bot.context.account.orders
    .mayStillFill("btcusdc")
    .map(({ side, level, ticks, lots }) => `${side} ${level} ${lots}@${ticks}`)
    .sort();

describe("values that change while the bot runs", () => {
  it("send nothing if every quote stays what it is: no queue place is lost", async () => {
    const { journal, run } = await started(oneMarket());
    const before = resting(run);
    expect(before).toHaveLength(6);
    configure(run, params({ inventoryRangeBase: 3, levelSpacingBps: 5 }));
    configure(run, (values) => ({ risk: { ...values.risk, maxNotionalQuote: "50000" } }));
    configure(run, (values) => ({ decide: { ...values.decide, everyMs: 400 } }));
    configure(run, market({ limits: { maxPositionBase: "0.4" } }));
    await run.clock.runFor(5_000);
    expect(resting(run)).toEqual(before);
    expect(actionsSince(journal)).toEqual([]);
    await expectReplay(run, journal);
  });

  it("move only the orders that are no longer right", async () => {
    const { journal, run } = await started(oneMarket());
    const before = resting(run);
    // The innermost quotes stay where they are; the two outer levels move.
    configure(run, params({ levelSpacingBps: 6 }));
    await run.clock.runFor(3_000);
    const after = resting(run);
    expect(after).toHaveLength(6);
    expect(after.filter((order) => before.includes(order))).toHaveLength(2);
    const actions = actionsSince(journal);
    expect(actions.map(({ kind }) => kind).sort()).toEqual([
      ...Array.from({ length: 4 }, () => "cancel"),
      ...Array.from({ length: 4 }, () => "place"),
    ]);
    await expectReplay(run, journal);
  });

  it("are planned in the very turn that changes them", async () => {
    const { run, journal } = await started(oneMarket());
    configure(run, params({ halfSpreadBps: 8 }));
    const { plan } = [...run.running.bot.context.traders.values()][0] ?? {};
    expect(plan?.cancels).toHaveLength(6);
    await expectReplay(run, journal);
  });
});

describe("estimates of a running strategy", () => {
  it("stay when other parameters change, and begin anew only with other settings of their own", async () => {
    const config = oneMarket({
      strategy: "avellaneda-stoikov",
      params: { riskAversion: 0.05, sizeBase: 0.02, refreshToleranceBps: 0 },
    });
    const { run, journal } = await started(config, LIVELY);
    await run.clock.runFor(30_000);
    const terms = () =>
      [...run.running.bot.context.traders.values()][0]?.quotes?.reason.terms ?? {};
    const { sigmaTicks, sigmaEstimated } = terms();
    expect(sigmaEstimated).toBe(1);
    configure(run, params({ riskAversion: 0.2 }));
    expect(terms()).toMatchObject({ sigmaEstimated: 1, sigmaTicks });
    configure(run, params({ sigma: { estimator: "rolling", initialBps: 50 } }));
    expect(terms()).toMatchObject({ sigmaEstimated: 0 });
    await expectReplay(run, journal);
  });
});

describe("a limit that is tightened while the bot runs", () => {
  it("cancels the outermost orders that it no longer allows, and keeps the nearest", async () => {
    const { run, journal } = await started(oneMarket());
    configure(run, market({ limits: { maxPositionBase: "0.5", maxOpenOrders: 4 } }));
    await run.clock.runFor(3_000);
    expect(resting(run).map((order) => order.slice(0, 6))).toEqual([
      "BUY 0 ",
      "BUY 1 ",
      "SELL 0",
      "SELL 1",
    ]);
    expect(actionsSince(journal).map(({ kind }) => kind)).toEqual(["cancel", "cancel"]);
    configure(run, market({ limits: { maxPositionBase: "0.5" } }));
    await run.clock.runFor(3_000);
    expect(resting(run), "and lets them come back when it is loosened").toHaveLength(6);
    await expectReplay(run, journal);
  });

  it("cancels by the account's exposure too", async () => {
    const { run, journal } = await started(oneMarket());
    // 0.02 at 60000 is 1200: two levels a side fit.
    configure(run, (values) => ({ risk: { ...values.risk, maxNotionalQuote: "2500" } }));
    await run.clock.runFor(3_000);
    expect(resting(run)).toHaveLength(4);
    await expectReplay(run, journal);
  });

  it("cuts the sizes that a strategy asked for, and gives them back when it is loosened", async () => {
    const { run, journal } = await started(oneMarket());
    configure(run, market({ limits: { maxOrderBase: "0.01" } }));
    await run.clock.runFor(3_000);
    expect(resting(run).every((order) => order.includes(" 10@"))).toBe(true);
    configure(run, market({ limits: { maxOrderBase: "0.1" } }));
    await run.clock.runFor(3_000);
    expect(resting(run).every((order) => order.includes(" 20@"))).toBe(true);
    await expectReplay(run, journal);
  });
});

describe("halts and rungs", () => {
  it("outlast a change of their limits, and the peak does too", async () => {
    const { run, journal } = await started(oneMarket());
    run.running.command({ command: "halt", reason: "news" });
    const { tradingGuards } = run.running.bot;
    const { peak } = tradingGuards;
    configure(run, (values) => ({ risk: { ...values.risk, maxDrawdownQuote: "9000" } }));
    await run.clock.runFor(2_000);
    expect(tradingGuards.halts.map(({ name }) => name)).toEqual(["manual"]);
    expect(tradingGuards.peak).toBe(peak);
    await expectReplay(run, journal);
  });

  it("act at once if the new limit is already passed", async () => {
    const tight = { halfSpreadBps: 0.5, levels: 3, sizeBase: 0.05 };
    const { run, journal } = await started(oneMarket({ params: tight }), LIVELY);
    const { tradingGuards } = run.running.bot;
    for (let waited = 0; (tradingGuards.losses?.drawdown ?? 0n) < 10_000n; waited++) {
      expect(waited).toBeLessThan(600);
      await run.clock.runFor(500);
    }
    configure(run, (values) => ({ risk: { ...values.risk, maxDrawdownQuote: "0.005" } }));
    expect(tradingGuards.halts.map(({ name }) => name)).toContain("drawdown");
    configure(run, (values) => ({ risk: { ...values.risk, maxDrawdownQuote: "9000" } }));
    await run.clock.runFor(2_000);
    expect(
      tradingGuards.halts.map(({ name }) => name),
      "a loosened limit does not resume",
    ).toContain("drawdown");
    await expectReplay(run, journal);
  });
});

describe("changes while everything else goes wrong", () => {
  it("replay to the byte, and keep every limit that is in force", async () => {
    const trouble: readonly Trouble[] = [
      ["answer-delayed", 2_000, 30_000, 0.2],
      ["answer-lost", 4_000, 20_000, 0.1],
      ["request-lost", 6_000, 25_000, 0.1],
      ["stream-dropped", 9_500, 20_000, 0.02],
      ["frame-lost", 11_000, 12_000, 0.05],
      ["storm-429", 13_000, 14_000, 0.5],
    ];
    const journal = new MemoryJournal();
    const run = await startVirtualRun({ journal, trouble });
    const random = seededRandom("changes");
    const pick = <T>(...of: readonly T[]): T => of[Math.floor(random.uniform() * of.length)] as T;
    const { account, traderList } = run.running.bot.context;
    for (let at = 0; at < 60; at++) {
      await run.clock.runFor(500);
      const maxPositionBase = pick("0.5", "0.1", "0.03");
      const maxOpenOrders = pick(undefined, 1, 2, 9);
      configure(run, (values) => ({
        quotes: { ...values.quotes, priceToleranceTicks: pick(0, 2, 20) },
        decide: { ...values.decide, everyMs: pick(100, 250, 1000), minGapMs: pick(0, 20, 300) },
        risk: {
          ...values.risk,
          maxNotionalQuote: pick("20000", "3000", "900"),
          ladder: pick(undefined, {
            inventory: [{ fromFraction: 0.2, action: pick("widen", "reduce") }],
          }),
          maxLoopLagMs: pick(500, 5000),
        },
        markets: {
          ethusdc: {
            ...values.markets.ethusdc,
            params: { levels: pick(1, 2, 4), halfSpreadBps: pick(1, 5), sizeBase: pick(0.1, 0.3) },
          },
          btcusdc: {
            ...values.markets.btcusdc,
            params: { riskAversion: pick(0.02, 0.3), sizeBase: pick(0.01, 0.02) },
            limits: { maxPositionBase, ...(maxOpenOrders === undefined ? {} : { maxOpenOrders }) },
          },
        },
      }));
    }
    expect(account.counts.fills).toBeGreaterThan(0);
    // Once everything has settled, what rests is within the limits.
    configure(run, (values) => ({
      risk: { ...values.risk, maxNotionalQuote: "5000" },
      markets: {
        ...values.markets,
        btcusdc: { ...values.markets.btcusdc, limits: { maxOpenOrders: 1 } },
      },
    }));
    await run.clock.runFor(30_000);
    expect(account.orders.mayStillFill("btcusdc").length).toBeLessThanOrEqual(1);
    expect(
      traderList.some(({ marketId }) => account.orders.mayStillFill(marketId).length > 0),
    ).toBe(true);
    await expectReplay(run, journal);
  });
});
