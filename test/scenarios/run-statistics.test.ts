import { beforeAll, describe, expect, it } from "vitest";
import { type BotStatus, buildBotStatus } from "#bot/bot-status.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Lots, Ms, Side, Ticks } from "#core/units.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { type HandOrder, HandTrader } from "./hand-trader.js";
import { MARKET, Stage } from "./stage.js";

/** Prices of the bot's quotes alone: nobody else rests there. */
const OWN: Readonly<Record<Side, readonly Ticks[]>> = {
  BUY: [599_990, 599_970],
  SELL: [600_010, 600_030],
};
const HORIZONS_MS = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000];
/** A tick of 0.1 times a lot of 0.001, in quote. */
const TICK_LOT_QUOTE = 0.0001;
const SAMPLE_MS = 10;

interface SeenFill {
  readonly atMs: Ms;
  readonly side: Side;
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** The bot's book without the bot's own prices, from an instant on; undefined while it has none. */
interface SeenMid {
  readonly atMs: Ms;
  readonly mid: number | undefined;
}

interface Run {
  readonly status: BotStatus;
  readonly samples: ReadonlyMap<string, number>;
  readonly fills: readonly SeenFill[];
  readonly mids: readonly SeenMid[];
  readonly endMs: Ms;
  /** Shares of the time, and mean distances, by samples of the exchange's own orders and book. */
  readonly bid: { readonly share: number; readonly bps: number };
  readonly ask: { readonly share: number; readonly bps: number };
  readonly both: number;
}

const bestOfOthers = (levels: readonly number[], own: readonly Ticks[]): Ticks | undefined =>
  levels.filter((_, index) => index % 2 === 0).find((ticks) => !own.includes(ticks));

/** Two levels a side; moves of the market around fills of each; a stream that breaks. */
async function run(): Promise<Run> {
  const stage = new Stage();
  const quotes = (["BUY", "SELL"] as const).flatMap((side) =>
    OWN[side].map((ticks, level) => ({ side, level, ticks, lots: 5 })),
  );
  stage.wantsQuotes(quotes);
  const fills: SeenFill[] = [];
  stage.listeners.push((notice) => {
    if (notice.kind !== "account" || notice.change.kind !== "fill") return;
    const { side, ticks, lots, timeMs } = notice.change.trade;
    fills.push({ atMs: timeMs, side, level: OWN[side].indexOf(ticks), ticks, lots });
  });
  const startedMs = stage.clock.nowMs();
  await stage.botStarts(0);
  const { book } = stage.rig.bot.context.traders.get(MARKET) as NonNullable<
    ReturnType<typeof stage.rig.bot.context.traders.get>
  >;
  const mids: SeenMid[] = [{ atMs: startedMs, mid: undefined }];
  let confirmedMs = startedMs;
  let sequence = Number.NaN;
  const look = (): void => {
    const atMs = stage.clock.nowMs();
    if (!book.isSynchronised) {
      if (mids.at(-1)?.mid !== undefined) mids.push({ atMs: confirmedMs, mid: undefined });
      return;
    }
    if (sequence === book.sequence) return;
    sequence = book.sequence;
    confirmedMs = atMs;
    const { bids, asks } = book.entries();
    const bid = bestOfOthers(bids, OWN.BUY);
    const ask = bestOfOthers(asks, OWN.SELL);
    if (bid !== undefined && ask !== undefined && mids.at(-1)?.mid !== bid + ask)
      mids.push({ atMs, mid: bid + ask });
  };
  const note = stage.network.afterEvent;
  stage.network.afterEvent = () => {
    note();
    look();
  };
  const times = { samples: 0, both: 0 };
  const sides = {
    BUY: { rests: 0, measured: 0, bps: 0 },
    SELL: { rests: 0, measured: 0, bps: 0 },
  };
  const sample = (): void => {
    const resting = stage.resting();
    times.samples += 1;
    const { bids, asks } = book.entries();
    const touch = { BUY: bestOfOthers(bids, OWN.BUY), SELL: bestOfOthers(asks, OWN.SELL) };
    const own = (side: Side) => resting.filter((order) => order.side === side).map((o) => o.ticks);
    if (own("BUY").length > 0 && own("SELL").length > 0) times.both += 1;
    for (const side of ["BUY", "SELL"] as const) {
      const sum = sides[side];
      if (own(side).length === 0) continue;
      sum.rests += 1;
      const other = touch[side];
      if (touch.BUY === undefined || touch.SELL === undefined || other === undefined) continue;
      const best = side === "BUY" ? Math.max(...own(side)) : Math.min(...own(side));
      sum.measured += 1;
      sum.bps += (10_000 * (side === "BUY" ? other - best : best - other)) / other;
    }
  };
  const passes = async (forMs: Ms): Promise<void> => {
    for (let at = 0; at < forMs; at += SAMPLE_MS) {
      await stage.passes(SAMPLE_MS);
      sample();
    }
  };
  const { counterparty } = stage;
  const taker = new HandTrader(
    stage.exchange,
    stage.clock,
    ecdsaScheme.signer(`0x${"45".repeat(32)}`),
    MARKET,
    "10.0.0.11",
  );
  /** The others' touch, in place of the one before. */
  let touch: readonly HandOrder[] = [];
  const others = (bid: Ticks, ask: Ticks): void => {
    const open = stage.exchange
      .openOrders(counterparty.address)
      .flatMap(({ terms, openLots }) => (openLots > 0 ? [terms.hash] : []));
    for (const order of touch) if (open.includes(order.hash)) counterparty.cancels(order);
    touch = [counterparty.rests("BUY", 2, bid), counterparty.rests("SELL", 2, ask)];
  };

  others(599_995, 600_006);
  await passes(5_000);
  // Through the others' bid and our inner one; then the market falls, and recovers.
  taker.sells(6, 599_990);
  await passes(200);
  others(599_920, 600_000);
  await passes(1_500);
  others(599_999, 600_005);
  await passes(4_000);
  // Through both of our asks.
  taker.buys(11, 600_030);
  await passes(50);
  others(600_000, 600_040);
  // One horizon of that fill falls into the time without a stream.
  await passes(400);
  others(600_000, 600_042);
  await passes(200);
  stage.network.keepDown("market");
  await passes(800);
  stage.network.restore("market");
  await passes(12_000);
  others(599_995, 600_009);
  taker.sells(3, 599_990);
  await passes(100);
  others(599_994, 600_009);
  await passes(9_000);
  stage.wantsQuotes(quotes.filter(({ side }) => side === "BUY"));
  await passes(6_000);
  // A change of the book confirms the mid before it.
  others(599_993, 600_009);
  await passes(100);

  const metrics = new Metrics();
  const monitor = new RunMonitor(metrics, silentLog, stage.clock, () => {});
  monitor.attach(stage.rig.bot);
  monitor.refresh();
  const lines = (await metrics.page()).split("\n").filter((line) => !line.startsWith("#"));
  const side = ({ rests, measured, bps }: (typeof sides)["BUY"]) => ({
    share: rests / times.samples,
    bps: bps / measured,
  });
  return {
    status: buildBotStatus(stage.rig.bot),
    samples: new Map(
      lines.map((line) => [
        line.slice(0, line.lastIndexOf(" ")),
        Number(line.slice(line.lastIndexOf(" ") + 1)),
      ]),
    ),
    fills,
    mids,
    endMs: confirmedMs,
    bid: side(sides.BUY),
    ask: side(sides.SELL),
    both: times.both / times.samples,
  };
}

/** From the definition: the last mid up to and at the horizon, where it was known. */
function recomputed({ fills, mids, endMs }: Run, side: string, level: number | "all", afterMs: Ms) {
  const known = fills
    .filter((fill) => side === "both" || fill.side === side)
    .filter((fill) => level === "all" || fill.level === level)
    .flatMap((fill) => {
      const dueMs = fill.atMs + afterMs;
      const mid = dueMs < endMs ? mids.findLast(({ atMs }) => atMs <= dueMs)?.mid : undefined;
      if (mid === undefined) return [];
      const ticks = (fill.side === "BUY" ? 1 : -1) * (mid / 2 - fill.ticks);
      return [{ gain: ticks * fill.lots, notional: fill.ticks * fill.lots }];
    });
  const gain = known.reduce((sum, one) => sum + one.gain, 0);
  const notional = known.reduce((sum, one) => sum + one.notional, 0);
  return { fills: known.length, quote: gain * TICK_LOT_QUOTE, bps: (1e4 * gain) / notional };
}

describe("the statistics of a run", () => {
  let seen: Run;
  beforeAll(async () => {
    seen = await run();
  });

  it("have the markout of each side, level and horizon that a recomputation from fills and mids has", () => {
    const { markouts } = seen.status.markets[MARKET] ?? { markouts: [] };
    expect(seen.fills.map(({ side, level }) => `${side} ${level}`).sort()).toEqual([
      "BUY 0",
      "BUY 0",
      "SELL 0",
      "SELL 1",
    ]);
    const groups = (["both", "BUY", "SELL"] as const).flatMap((side) =>
      (["all", 0, 1] as const).map((level) => ({ side, level })),
    );
    const wanted = groups.flatMap(({ side, level }) =>
      HORIZONS_MS.flatMap((horizonMs) => {
        const { fills, quote, bps } = recomputed(seen, side, level, horizonMs);
        return fills === 0 ? [] : [{ side, level, horizonMs, fills, quote, bps }];
      }),
    );
    const key = ({ side, level, horizonMs }: (typeof wanted)[number]): string =>
      `${side} ${level} ${horizonMs}`;
    const byKey = <T extends { side: string; level: number | "all"; horizonMs: number }>(
      all: readonly T[],
    ): T[] => [...all].sort((a, b) => key(a as never).localeCompare(key(b as never)));
    expect(byKey(markouts.map((row) => ({ ...row, quote: Number(row.quote) })))).toEqual(
      byKey(
        wanted.map((row) => ({
          ...row,
          quote: expect.closeTo(row.quote, 9),
          bps: expect.closeTo(row.bps, 3),
        })),
      ),
    );
  });

  it("leave out the horizon at which the bot had no book", () => {
    const { markouts } = seen.status.markets[MARKET] ?? { markouts: [] };
    const sells = markouts.filter(({ side, level }) => side === "SELL" && level === "all");
    expect(sells.map(({ horizonMs }) => horizonMs)).toEqual([100, 300, 3_000, 10_000]);
  });

  it("have the share of the time and the distance that samples of the exchange's orders have", () => {
    const { quoting } = seen.status.markets[MARKET] ?? {};
    expect(quoting?.bidFraction).toBeCloseTo(seen.bid.share, 2);
    expect(quoting?.askFraction).toBeCloseTo(seen.ask.share, 2);
    expect(quoting?.bothSidesFraction).toBeCloseTo(seen.both, 2);
    expect(quoting?.bidDistanceBps).toBeCloseTo(seen.bid.bps, 1);
    expect(quoting?.askDistanceBps).toBeCloseTo(seen.ask.bps, 1);
    expect(seen.ask.share, "the last seconds were one-sided").toBeLessThan(0.9);
    expect(seen.bid.share).toBeGreaterThan(seen.ask.share);
  });

  it("are the same as metrics", () => {
    const { markouts, quoting } = seen.status.markets[MARKET] ?? { markouts: [] };
    const sample = (name: string, labels: string): number | undefined =>
      seen.samples.get(`marketwright_${name}{market="${MARKET}",${labels}}`);
    const named = [...seen.samples.keys()].filter((name) =>
      name.startsWith("marketwright_markout_bps"),
    );
    expect(named).toHaveLength(markouts.length);
    for (const { side, level, horizonMs, fills, quote, bps } of markouts) {
      const labels = `side="${side === "both" ? "BOTH" : side}",level="${level === "all" ? "ALL" : level}",horizon="${horizonMs / 1000}"`;
      expect(sample("markout_fills", labels)).toBe(fills);
      expect(sample("markout_quote", labels)).toBe(Number(quote));
      expect(sample("markout_bps", labels)).toBe(bps);
    }
    expect(sample("quoted_fraction", 'side="BUY"')).toBe(quoting?.bidFraction);
    expect(sample("quoted_fraction", 'side="SELL"')).toBe(quoting?.askFraction);
    expect(sample("quoted_fraction", 'side="BOTH"')).toBe(quoting?.bothSidesFraction);
    expect(sample("quote_distance_bps", 'side="BUY"')).toBe(quoting?.bidDistanceBps);
    expect(sample("quote_distance_bps", 'side="SELL"')).toBe(quoting?.askDistanceBps);
  });
});
