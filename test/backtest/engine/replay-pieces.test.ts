import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFeed, type FeedFactory } from "#backtest/create-feed.js";
import { constantLatency, type LatencyModel } from "#backtest/latency.js";
import type { MarketHistory } from "#backtest/market-history.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import type { Quote } from "#strategies/intent.js";
import { expectSameText } from "./expect-same-text.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

const MS = 1_000;
const SPAN_US = 4_000 * MS;
const books = (tape: Tape): MarketHistory => ({ grade: "books", tape });
const quote = (side: Quote["side"], ticks: number): Quote => ({ side, level: 0, ticks, lots: 20 });

/**
 * Bursts of messages with one stamp and silences between them, received late, at once, and out of
 * order.
 */
function bursts(seed: string, marketId: string, fromUs = NOON_US): Tape {
  const random = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(random.uniform() * (most + 1));
  const tape = new TapeBuilder({ marketId, ...GRID });
  let mid = 600_000;
  tape.snapshot(fromUs, fromUs + MS);
  for (let away = 1; away <= 6; away++)
    tape.level("BUY", mid - away, 30).level("SELL", mid + away, 30);
  for (let atUs = fromUs; atUs < fromUs + SPAN_US; atUs += upTo(60) * MS) {
    for (let left = upTo(4); left >= 0; left--) {
      const localUs = atUs + upTo(3) * upTo(8) * MS;
      if (random.uniform() < 0.5) {
        const buys = random.uniform() < 0.5;
        tape.trade(
          atUs,
          localUs,
          buys ? "BUY" : "SELL",
          mid + (buys ? 1 : -1) * (1 + upTo(2)),
          1 + upTo(40),
        );
        continue;
      }
      tape.update(atUs, localUs);
      for (let away = 1; away <= 6; away++)
        tape.level("BUY", mid - away, 0).level("SELL", mid + away, 0);
      // Seldom: quotes wait until the best prices have settled.
      if (random.uniform() < 0.05) mid += upTo(4) - 2;
      for (let away = 1; away <= 6; away++)
        tape.level("BUY", mid - away, 1 + upTo(30)).level("SELL", mid + away, 1 + upTo(30));
    }
  }
  return tape.build();
}

/**
 * Everything that a replay of bursts reported, stopped and resumed after each of these spans. Two
 * markets have bursts of their own, or the same at the same times.
 */
function played(
  seed: number,
  { ids, areAlike }: Markets,
  latency: LatencyModel,
  stopsUs: readonly number[],
): string {
  const stage = new ReplayStage({
    markets: Object.fromEntries(
      ids.map((id) => [id, books(bursts(areAlike ? `${seed}` : `${seed} ${id}`, id))]),
    ),
    strategies: Object.fromEntries(
      ids.map((id) => [
        id,
        quoting((view) => [quote("BUY", view.bids[0].ticks), quote("SELL", view.asks[0].ticks)]),
      ]),
    ),
    latency,
    sampleUs: 20 * MS,
  });
  for (const stopUs of stopsUs) stage.run.play(NOON_US + stopUs);
  stage.run.finish();
  const mids = stage.told.samples.map(({ atUs, markets }) => [
    atUs,
    ...markets.map(({ midHalfTicks }) => midHalfTicks),
  ]);
  return JSON.stringify(mids) + stage.transcript;
}

const seeds = fc.integer({ min: 1, max: 1_000_000 });
interface Markets {
  readonly ids: readonly string[];
  readonly areAlike: boolean;
}

const markets = fc.constantFrom<Markets>(
  { ids: [MARKET], areAlike: false },
  { ids: [MARKET, "ethusdc"], areAlike: false },
  { ids: [MARKET, "ethusdc"], areAlike: true },
);

describe("a replay that is played in pieces", () => {
  // Between two instants of the bot the engine skips all other checks. Wherever it is stopped and
  // resumed, no order, fill, sample or event of the bot may change.
  it("equals the one that is played at once, wherever it is split", () => {
    fc.assert(
      fc.property(
        seeds,
        fc.constantFrom([0, 0], [0, 7], [3, 0], [12, 5]),
        fc.array(fc.integer({ min: 1, max: SPAN_US }), { maxLength: 60 }),
        markets,
        (seed, [entryMs, responseMs], cuts, ids) => {
          const latency = constantLatency(entryMs, responseMs);
          const cut = [...cuts].sort((a, b) => a - b);
          expectSameText(
            played(seed, ids, latency, [...cut, SPAN_US]),
            played(seed, ids, latency, [SPAN_US]),
          );
        },
      ),
      { numRuns: 16 },
    );
  });

  // An order matched against history from after its arrival would get fills that it cannot have
  // met, or miss fills that it must have met.
  it("equals the one whose exchange is never played ahead of the bot", () => {
    fc.assert(
      fc.property(
        seeds,
        fc.constantFrom([1, 0], [12, 5], [40, 0], [250, 40]),
        markets,
        (seed, [entryMs, responseMs], ids) => {
          const ahead = constantLatency(entryMs, responseMs);
          expect(ahead.minEntryUs).toBe(entryMs * MS);
          expectSameText(
            played(seed, ids, ahead, [SPAN_US]),
            played(seed, ids, { ...ahead, minEntryUs: 0 }, [SPAN_US]),
          );
        },
      ),
      { numRuns: 12 },
    );
  });

  // A best price that the bot has not yet received, or no longer has, would change a quote's price
  // in a backtest only.
  it("equals the one whose bot builds its own book from its data, part after part of history", () => {
    fc.assert(
      fc.property(
        seeds,
        fc.constantFrom([0, 0], [3, 0], [40, 5]),
        fc.constantFrom(1, undefined),
        markets,
        (seed, [entryMs, responseMs], viewLevels, { ids }) => {
          const tapes = (fromUs: number): [string, Tape][] =>
            ids.map((id) => [id, bursts(`${seed} ${id} ${fromUs}`, id, fromUs)]);
          const told = (own: FeedFactory | undefined): string => {
            const strategy = quoting((view) => [
              quote("BUY", view.bids[0].ticks),
              quote("SELL", view.asks[0].ticks),
            ]);
            const stage = new ReplayStage({
              markets: Object.fromEntries(tapes(NOON_US).map(([id, tape]) => [id, books(tape)])),
              strategies: Object.fromEntries(
                ids.map((id) => [id, Object.assign(strategy, { viewLevels })]),
              ),
              latency: constantLatency(entryMs, responseMs),
              ...(own === undefined ? {} : { feedOf: own }),
            });
            for (const [id, tape] of tapes(NOON_US + SPAN_US)) stage.run.extend(id, tape);
            stage.run.play(NOON_US + 2 * SPAN_US);
            stage.run.finish();
            return stage.transcript;
          };
          expectSameText(
            told(undefined),
            told((history, clock, onTrade) => createFeed(history, clock, onTrade)),
          );
        },
      ),
      { numRuns: 12 },
    );
  });

  it("has fills and moves to report, or these tests would show nothing", () => {
    const stage = new ReplayStage({
      markets: { [MARKET]: books(bursts("1", MARKET)) },
      strategies: {
        [MARKET]: quoting((view) => [
          quote("BUY", view.bids[0].ticks),
          quote("SELL", view.asks[0].ticks),
        ]),
      },
      latency: constantLatency(0, 0),
    });
    stage.run.play(NOON_US + SPAN_US);
    expect(stage.told.fills.length).toBeGreaterThan(5);
    expect(stage.notices.length).toBeGreaterThan(50);
  });
});
