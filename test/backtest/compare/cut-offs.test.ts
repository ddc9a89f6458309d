import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareSession } from "#backtest/compare-session.js";
import { findOutageWindows, type OutageEvidence } from "#backtest/find-outage-windows.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { DAY_MS } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { createLog } from "#monitoring/log.js";
import { scratchFolder } from "../../history/scratch.js";
import { makerSession, recordSession } from "../../support/recorded-session.js";

const PAPER = {
  queue: "risk-averse",
  orderLatencyMs: 20,
  responseLatencyMs: 20,
  creditQuote: "100000",
};
const LIQUIDATION = { priceOff: 10n ** 16n, insuranceFeeRate: 10n ** 16n };

// Live lost its cancels in the outage. The rerun kept quoting on a book that it took for quiet, and
// all its requests arrived.
it("loses the rerun's requests during an outage of its session, and marks its book as unknown there", async () => {
  const folder = join(scratchFolder(), "session");
  const wish = makerSession(folder, 18_000);
  const outage = { afterMs: 4_000, forMs: 6_000 };
  const { session } = await recordSession({ ...wish, paper: PAPER, outage });
  if (session === undefined) throw new Error("not recorded");
  const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
  const strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
  const sent: string[] = [];
  const { sameInputs, notes } = await compareSession({
    folder,
    session,
    strategies,
    liquidation: LIQUIDATION,
    seed: "1",
    fit: false,
    onBotEvent: (notice) => {
      if (notice.kind !== "answered" || notice.action.kind === "question") return;
      const sinceMs = notice.action.timestampMs - wish.startMs - outage.afterMs;
      if (sinceMs > 100 && sinceMs < outage.forMs - 2_000)
        sent.push(`${notice.action.kind}: ${notice.outcome.result}`);
    },
  });
  expect(sent.length).toBeGreaterThan(0);
  expect(new Set(sent)).toEqual(new Set(["cancel: unknown"]));
  expect(notes.filter((note) => note.includes("had no connection"))).toEqual([
    expect.stringMatching(
      /^the session had no connection from 2024-08-08T23:50:04.\d+Z to 2024-08-08T23:50:1\d.\d+Z: requests of the rerun/,
    ),
  ]);
  // Live learned at once that its stream was down; the rerun finds its book too old.
  expect(notes.filter((note) => note.includes("guards"))).toEqual([
    expect.stringMatching(
      /^in btcusdc guards kept the session from quoting for 8\.\d of its 18\.\d s .*, and the rerun for 6\.\d s .*stale-book/,
    ),
  ]);
  expect(sameInputs).toMatchObject({ equal: sameInputs.intents, firstDifference: null });
});

describe("a session without data from 1 s to 5 s", () => {
  /**
   * Received 3 ms after the exchange has it.
   * @param requests when they were sent, and answered.
   */
  const market = (
    unheard: OutageEvidence["unrecordedSpans"],
    requests: readonly (readonly [leftMs: number, answeredMs?: number])[] = [],
    heardMs: readonly number[] = [0, 900, 5_010],
  ): OutageEvidence => {
    const builder = new TapeBuilder({ marketId: "btcusdc", tickSize: "0.1", stepSize: "0.001" });
    for (const ms of heardMs) builder.snapshot(ms * 1000, (ms + 3) * 1000).level("BUY", 100, 1);
    return {
      recordedTape: builder.build(),
      unrecordedSpans: unheard,
      account: {
        requests: requests.map(([left, answered]) => ({
          leftUs: left * 1000,
          answeredUs: answered && answered * 1000,
        })),
      },
    };
  };
  const OUTSIDE = [
    [Number.NEGATIVE_INFINITY, 0],
    [9_000, Number.POSITIVE_INFINITY],
  ] as const;
  const unheard = [OUTSIDE[0], [1_000, 5_000], OUTSIDE[1]] as const;

  it("had an outage until the next book, without other evidence", () => {
    expect(findOutageWindows([market(unheard)])).toEqual([[1_004, 5_013]]);
    expect(findOutageWindows([market(unheard, [[2_000], [4_990, 5_050]])])).toEqual([
      [1_004, 5_013],
    ]);
  });

  // After the last answer the rerun's requests all arrived, while the session had no connection and
  // sent nothing.
  it("had none up to the last answer where every request was answered: only its stream was down", () => {
    expect(
      findOutageWindows([
        market(unheard, [
          [1_500, 1_520],
          [4_000, 4_020],
        ]),
      ]),
    ).toEqual([[4_001, 5_013]]);
  });

  it("had an outage between two answers, where others of its requests were lost", () => {
    expect(
      findOutageWindows([
        market(unheard, [[1_500, 1_520], [2_500], [4_000, 4_020], [4_500, 4_520]]),
      ]),
    ).toEqual([
      [1_501, 4_000],
      [4_501, 5_013],
    ]);
  });

  it("had none where another market's data arrived on the same connection", () => {
    expect(findOutageWindows([market(unheard), market(OUTSIDE)])).toEqual([]);
  });

  // The second day's fastest message was 40 ms faster than the first's: their parts do not touch.
  it("had none at midnight, at the boundary of two parts of its recording", () => {
    const runtimeMs = DAY_MS + 250;
    const heardMs = [runtimeMs - 500, runtimeMs + 40, runtimeMs + 900];
    expect(
      findOutageWindows([market([OUTSIDE[0], [runtimeMs, runtimeMs + 39]], [], heardMs)]),
    ).toEqual([]);
    expect(
      findOutageWindows([
        market(
          [OUTSIDE[0], [runtimeMs, runtimeMs + 1_500]],
          [],
          [runtimeMs - 500, runtimeMs + 1_600],
        ),
      ]),
    ).toHaveLength(1);
    const runtime = [OUTSIDE[0], [runtimeMs, runtimeMs + 900]] as const;
    const withRequest = (...request: [leftMs: number, answeredMs?: number]) =>
      findOutageWindows([market(runtime, [request], [runtimeMs - 500, runtimeMs + 950])]);
    expect(withRequest(runtimeMs + 890, runtimeMs + 960)).toEqual([]);
    // An outage of less than a second: requests sent then were lost, and those of the rerun
    // arrived.
    expect(withRequest(runtimeMs + 300)).toEqual([[runtimeMs + 4, runtimeMs + 953]]);
  });
});
