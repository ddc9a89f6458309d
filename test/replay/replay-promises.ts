import { beforeAll, expect, it } from "vitest";
import type { Ms } from "#core/units.js";
import type { RecordedProfit } from "./profit-from-records.js";
import type { ReplayResult } from "./replay-run.js";
import { CHECK_EVERY_MS } from "./replay-witness.js";

/** A condition that one replay must keep besides those of all replays. */
export interface ReplayPromise {
  /** From the first book to the last message. */
  readonly captureMs: Ms;
  /** Least share of the capture's seconds at which the exchange has both sides resting. */
  readonly quotedShare: number;
  /** Levels of the largest book that was compared. */
  readonly levels: number;
  /**
   * Least number of comparisons of profit on the way: at moments when the bot has received the mark
   * that the exchange has.
   */
  readonly sums: number;
}

/**
 * Declares what every replay of the project's bot has to show. To be called inside a `describe`.
 */
export function promisesOfReplay(run: () => Promise<ReplayResult>, promise: ReplayPromise): void {
  let result: ReplayResult;

  beforeAll(async () => {
    const before = process.cpuUsage();
    result = await run();
    const { user, system } = process.cpuUsage(before);
    console.info(reportOf(result, (user + system) / 1e6));
  });

  it("plays the capture to its end", () => {
    expect(result.end).toMatchObject({ reason: "capture-end" });
  });

  it("has both sides resting nearly always, and is never halted after they first did", () => {
    expect(result.witness.quoted / result.witness.sampled).toBeGreaterThan(promise.quotedShare);
    expect([...result.witness.halts]).toEqual([]);
  });

  it("keeps the exchange's book to the last level, compared at one sequence every 10 s of the capture", () => {
    const { books, mostLevels } = result.witness;
    expect(books.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(books.length).toBeGreaterThanOrEqual(Math.floor(promise.captureMs / CHECK_EVERY_MS) - 1);
    expect(mostLevels).toBeGreaterThan(promise.levels);
    expect(result.lastBookAgrees).toBe(true);
  });

  it("trades on both sides", () => {
    expect(new Set(result.trades.map(({ side }) => side))).toEqual(new Set(["BUY", "SELL"]));
    expect(result.trades).toHaveLength(result.summary.fills);
  });

  it("has the exchange's open orders in its table when the capture has ended, both sides of them", () => {
    expect(result.openOrders.ours.length).toBeGreaterThan(0);
    expect(result.openOrders.ours).toEqual(result.openOrders.theirs);
  });

  it("tells a profit that is the exchange's own change of net value to the last unit, through the capture and at its end", () => {
    const { sums } = result.witness;
    expect(sums.length).toBeGreaterThanOrEqual(promise.sums);
    expect(sums.some(({ positionLots }) => positionLots !== 0)).toBe(true);
    expect(result.unsettledTrades).toBe(0);
    for (const { total, decimals, netValueChange } of [...sums, result.sum]) {
      expect(total).toBe(netValueChange * scaleOf(decimals));
    }
  });

  it("tells each part of it as the exchange's trades and incomes and the mids of the time give it", () => {
    const { recorded, parts, sum } = result;
    const scale = scaleOf(parts.decimals);
    const told: RecordedProfit = {
      positionLots: BigInt(sum.positionLots),
      spread: parts.spread / scale,
      inventory: parts.inventory / scale,
      fees: parts.fees / scale,
      funding: parts.funding / scale,
      basis: parts.basis / scale,
    };
    expect(told).toEqual(recorded);
    expect(
      [parts.spread, parts.inventory, parts.fees, parts.funding, parts.basis].map(
        (part) => part % scale,
      ),
    ).toEqual([0n, 0n, 0n, 0n, 0n]);
    expect([parts.failed, parts.other, parts.transfers]).toEqual([0n, 0n, 0n]);
    expect(recorded.funding, "a funding fell into the run").not.toBe(0n);
  });

  it("loses no frame, doubts no order and differs from the exchange in nothing", () => {
    expect(result.summary).toMatchObject({
      ordersRejected: 0,
      ordersUnknown: 0,
      failedTrades: 0,
      streamGaps: 0,
      malformedFrames: 0,
      reconcileDifferences: 0,
      manualOrders: 0,
    });
  });

  it("leaves no order behind", () => {
    expect(result.summary).toMatchObject({
      openOrdersLeft: 0,
      ordersLeft: [],
      stopReason: "the replay is over",
    });
    expect(result.openAfterStop).toBe(0);
  });
}

/** Credit has six decimals here; the profit's scale may be finer. */
function scaleOf(decimals: number): bigint {
  return 10n ** BigInt(decimals - 6);
}

function reportOf(
  { witness, trades, orders, sum, summary, log }: ReplayResult,
  cpuSeconds: number,
): string {
  const counts = new Map<string, number>();
  for (const { status } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  return JSON.stringify({
    cpuSeconds,
    quotedShare: Number((witness.quoted / witness.sampled).toFixed(4)),
    booksCompared: witness.books.length,
    mostLevels: witness.mostLevels,
    sumsCompared: witness.sums.length + 1,
    netValueChange: String(sum.netValueChange),
    pnlQuote: summary.pnlQuote,
    positionBase: summary.positionBase,
    trades: trades.length,
    orders: Object.fromEntries(counts),
    secondsToFirstQuote: summary.secondsToFirstQuote,
    warnings: log.length,
  });
}
