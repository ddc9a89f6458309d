import { describe, expect, it } from "vitest";
import { constantLatency } from "#backtest/latency.js";
import type { MarketView } from "#market/view.js";
import { type MadeMessage, referenceTape } from "./made-references.js";
import { bid, books, builder, MS, S, standing, ticking } from "./played-tapes.js";
import { MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

const LIMITS = { maxPositionBase: "10", maxOrderBase: "5" };
const SOURCE = { ccxt: "binanceusdm", symbol: "BTC/USDT:USDT" };

/** A bot with two sources, and a touch of the venue that nobody moves. */
function stageWith(
  messages: Readonly<Record<string, readonly MadeMessage[]>>,
  quotes: Parameters<typeof quoting>[0],
  reference: object = {},
  source: object = {},
): ReplayStage {
  const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 10 * S);
  // Two prints through deep bids.
  for (const ms of [1500, 2060])
    tape.trade(NOON_US + ms * MS, NOON_US + ms * MS + MS, "SELL", 599_900, 1);
  const sources = Object.keys(messages);
  return new ReplayStage({
    markets: { [MARKET]: books(tape.build()) },
    strategies: { [MARKET]: quoting(quotes) },
    latency: constantLatency(10, 10),
    references: Object.fromEntries(
      Object.entries(messages).map(([name, made]) => [name, referenceTape(made)]),
    ),
    bot: {
      decide: { everyMs: 60_000, onTouchChange: true, onFill: true, minGapMs: 0 },
      references: Object.fromEntries(sources.map((name) => [name, { ...SOURCE, ...source }])),
      markets: {
        [MARKET]: {
          strategy: "ladder",
          params: {},
          limits: LIMITS,
          reference: { from: sources, minSources: 1, maxAgeMs: 2000, ...reference },
        },
      },
    },
  });
}

const atReference = ({ reference }: MarketView) =>
  reference === undefined || Number.isNaN(reference.fairTicks)
    ? []
    : [bid(Math.round(reference.fairTicks) - 100, 7)];

describe("reference prices of a replay", () => {
  it("fills the quotes around a reference at the times and prices that a hand computes", () => {
    // 60,005.0 is 600,050 ticks: a bid of 599,950. 59,999.0 is 599,990 ticks: a bid of 599,890,
    // which the print at 599,900 does not reach. It comes at 2,060 ms, the new price at 2,007 ms.
    const play = (lateMs: number) => {
      const stage = stageWith(
        {
          binance: [
            [NOON_US + 100 * MS, 60_004.9, 60_005.1],
            [NOON_US + 1100 * MS, 60_004.9, 60_005.1],
            [NOON_US + (2007 + lateMs) * MS, 59_998.9, 59_999.1],
          ],
        },
        atReference,
      );
      stage.run.play(NOON_US + 3 * S);
      const atMs = (us: number) => (us - NOON_US) / MS;
      return {
        fills: stage.told.fills.map(({ atUs, receivedUs, ticks, lots, cause }) => [
          atMs(atUs),
          atMs(receivedUs),
          ticks,
          lots,
          cause,
        ]),
        cancels: stage.told.actions
          .filter(({ kind }) => kind === "cancel")
          .map((one) => atMs(one.atUs)),
        quotes: stage.told.quotes.map(({ atUs, ticks }) => [atMs(atUs), ticks]),
      };
    };
    const first = [1500, 1510, 599_950, 7, "through"];
    const early = play(0);
    expect(early.fills).toEqual([first]);
    // The old quote is cancelled the moment at which the price is received.
    expect(early.cancels).toEqual([2007]);
    expect(early.quotes.at(-1)?.[1]).toBe(599_890);
    const late = play(60);
    expect(late.fills).toEqual([first, [2060, 2070, 599_950, 7, "through"]]);
  });

  it("shows each price with its age, by its own time and by its reception", () => {
    const ages: [number, number][] = [];
    const stage = stageWith(
      {
        binance: [
          [NOON_US + 1000 * MS, 60_000, 60_001, NOON_US / 1000 + 970],
          [NOON_US + 1005 * MS, 60_010, 60_011],
        ],
      },
      (view) => {
        if (view.reference !== undefined && !Number.isNaN(view.reference.priceTicks))
          ages.push([Math.round(view.reference.priceTicks), view.reference.ageMs]);
        return [];
      },
    );
    stage.run.play(NOON_US + 2 * S);
    expect(ages[0]).toEqual([600_005, 30]);
    // It waited for 15 ms in the conflation.
    expect(ages.find(([ticks]) => ticks === 600_105)).toEqual([600_105, 15]);
  });

  it("does not go on with the last price when the history says that the source was gone", () => {
    const prices = (untilMs: number): MadeMessage[] =>
      Array.from({ length: Math.floor((untilMs - 1000) / 100) }, (_, at) => [
        NOON_US + (1000 + at * 100) * MS,
        60_000,
        60_001,
      ]);
    const halts = (stage: ReplayStage) =>
      stage.notices.flatMap(({ notice, atUs }) =>
        notice.kind === "halted" && atUs > NOON_US + 2 * S
          ? [[(atUs - NOON_US) / MS, notice.why]]
          : [],
      );
    const gone = stageWith(
      { binance: [...prices(3000), [NOON_US + 2950 * MS, "the stream was closed"]] },
      atReference,
    );
    gone.run.play(NOON_US + 6 * S);
    expect(halts(gone)).toEqual([
      [2950, expect.stringContaining("binance is down (the stream was closed)")],
    ]);
    const placed = (stage: ReplayStage) =>
      stage.told.actions.flatMap(({ kind, atUs }) =>
        kind === "place" ? [(atUs - NOON_US) / MS] : [],
      );
    expect(placed(gone).length).toBeGreaterThan(0);
    expect(Math.max(...placed(gone))).toBeLessThan(2950);
    // Silence alone is a fault once the last price, of 2,900 ms, is older than 2 s.
    const silent = stageWith({ binance: prices(3000) }, atReference);
    silent.run.play(NOON_US + 6 * S);
    const [[atMs, why]] = halts(silent) as [[number, string]];
    expect(why).toContain("allowed 2000 ms");
    expect(atMs).toBeGreaterThan(4900);
    expect(atMs).toBeLessThanOrEqual(5000);
  });

  it("plays the exchange's index from recorded marks, as it arrives live", () => {
    const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 5 * S);
    const at = [1000, 1500].map((ms) => NOON_US + ms * MS);
    const seen: [number, number][] = [];
    const stage = new ReplayStage({
      markets: {
        [MARKET]: books(tape.build(), {
          marks: {
            exchangeUs: Float64Array.from(at),
            localUs: Float64Array.from(at, (us) => us + 4 * MS),
            markCredit: BigInt64Array.from([60_000_000_000n, 60_000_000_000n]),
            indexCredit: BigInt64Array.from([60_002_000_000n, 60_003_000_000n]),
            fundingRateE18: new BigInt64Array(2),
            nextFundingMs: new Float64Array(2),
          },
        }),
      },
      strategies: {
        [MARKET]: quoting(({ reference, timeMs }) => {
          if (reference !== undefined && !Number.isNaN(reference.priceTicks))
            seen.push([timeMs - NOON_US / 1000, Math.round(reference.priceTicks)]);
          return [];
        }),
      },
      bot: {
        decide: { everyMs: 60_000, onTouchChange: false, onFill: false, minGapMs: 0 },
        references: { own: { index: MARKET } },
        markets: {
          [MARKET]: {
            strategy: "ladder",
            params: {},
            limits: LIMITS,
            reference: { from: ["own"] },
          },
        },
      },
    });
    stage.run.play(NOON_US + 3 * S);
    expect(seen).toEqual([
      [1004, 600_020],
      [1504, 600_030],
    ]);
  });
});
