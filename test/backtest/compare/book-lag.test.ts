import { describe, expect, it } from "vitest";
import { measureBookLagMs } from "#backtest/measure-book-lag.js";
import type { OpenedSessionMarket } from "#backtest/open-session.js";
import type { RecordedOrder } from "#backtest/recorded-orders.js";
import { computeStartCredit, findFirstViewUs } from "#backtest/rerun-session.js";
import type { Session } from "#backtest/session-file.js";
import { ownBookChangesUs, shiftBookEarlier } from "#backtest/shift-book-earlier.js";
import { TapeKind } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";

const MS = 1_000;
const GRID = { marketId: "btcusdc", tickSize: "0.1", stepSize: "0.001" };

/** An order of ours that rested from an instant on, milliseconds, until it was cancelled. */
function rested(ticks: number, acceptedMs: number, endedMs?: number): RecordedOrder {
  return {
    hash: `0x${ticks}`,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "POST_ONLY",
    ticks,
    lots: 5,
    expirationMs: 0,
    level: 0,
    sentUs: acceptedMs * MS,
    acceptedUs: acceptedMs * MS,
    answeredUs: acceptedMs * MS,
    refused: undefined,
    steps: [{ atUs: acceptedMs * MS, openLots: 5 }],
    ended: endedMs === undefined ? undefined : { atUs: endedMs * MS, status: "CANCELED" },
  };
}

/** A book that publishes a level of each price at its time, milliseconds, with trades between. */
function told(...messages: readonly (readonly [atMs: number, ticks: number | "trade"])[]) {
  const builder = new TapeBuilder(GRID);
  for (const [atMs, ticks] of messages) {
    if (ticks === "trade") builder.trade(atMs * MS, atMs * MS, "BUY", 600, 1);
    else builder.update(atMs * MS, atMs * MS).level("BUY", ticks, 9);
  }
  return builder.build();
}

describe("the measured delay of a book", () => {
  it("is the time from an order's acceptance to the first message with its price, nearly the longest of them", () => {
    const tape = told([110, 500], [125, 501], [225, 502], [320, 503], [326, 504]);
    expect(measureBookLagMs(tape, [rested(501, 100), rested(502, 200), rested(503, 300)])).toBe(25);
    // A change an hour later is not ours.
    expect(measureBookLagMs(told([3_600_000, 501]), [rested(501, 100)])).toBe(0);
    expect(measureBookLagMs(tape, [])).toBe(0);
    expect(measureBookLagMs(tape, [{ ...rested(501, 100), acceptedUs: undefined }])).toBe(0);
  });
});

describe("a book that is moved back to the time of its changes", () => {
  const instants = (tape: ReturnType<typeof told>): number[] =>
    [...tape.exchangeUs].map((us) => us / MS);

  it("keeps trades, and moves no message before the publication of the previous one", () => {
    const moved = shiftBookEarlier(
      told([100, 500], [110, "trade"], [130, 501], [140, 502]),
      25 * MS,
    );
    expect(instants(moved)).toEqual([75, 105, 110, 130]);
    expect([...moved.kind]).toEqual([
      TapeKind.bookUpdate,
      TapeKind.bookUpdate,
      TapeKind.trade,
      TapeKind.bookUpdate,
    ]);
    // The times of receipt by the bot do not change.
    expect([...moved.localUs].map((us) => us / MS)).toEqual([100, 130, 110, 140]);
  });

  it("places the changes of others in a batch that our request began into its middle", () => {
    const own = ownBookChangesUs([rested(501, 205, 405)]);
    expect(own).toEqual([205 * MS, 405 * MS]);
    const tape = told([100, 500], [230, 501], [330, 502], [430, 503]);
    expect(instants(shiftBookEarlier(tape, 25 * MS, own))).toEqual([75, 217.5, 305, 417.5]);
    expect(shiftBookEarlier(tape, 0, own)).toBe(tape);
  });
});

it("begins the replay with the market of live's first decision, not while live still requested its account", () => {
  const session = { startedUs: 50 * MS } as unknown as Session;
  const heard = (...atMs: number[]) =>
    ({
      recordedTape: told(...atMs.map((ms) => [ms, 500] as const)),
    }) as unknown as OpenedSessionMarket;
  expect(findFirstViewUs(session, [heard(100, 200, 300)], 250 * MS)).toBe(200 * MS - 1);
  expect(findFirstViewUs(session, [heard(100, 200, 300), heard(120, 260)], 250 * MS)).toBe(
    120 * MS - 1,
  );
  // Without earlier data, or without any decision.
  expect(findFirstViewUs(session, [heard(300)], 250 * MS)).toBe(50 * MS);
  expect(findFirstViewUs(session, [heard(100)], undefined)).toBe(50 * MS);
});

it("begins the replayed account with later deposits included, and withdrawals left out", () => {
  const session = (equityQuote: string, transfersQuote: string): Session =>
    ({
      start: { equityQuote, positionsBase: {} },
      end: { transfersQuote },
      rules: { creditDecimals: 6 },
    }) as unknown as Session;
  expect(computeStartCredit(session("0", "1000.5"))).toBe(1_000_500_000n);
  expect(computeStartCredit(session("200", "1000"))).toBe(1_200_000_000n);
  expect(computeStartCredit(session("200", "-150"))).toBe(200_000_000n);
});
