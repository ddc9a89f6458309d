import fc from "fast-check";
import { concatMap, map } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketHistory } from "../../../src/backtest/engine/market-history.js";
import { constantLatency } from "../../../src/backtest/venue/latency.js";
import { placeRefusal } from "../../../src/backtest/venue/place-refusal.js";
import type { ReplayMarket } from "../../../src/backtest/venue/replay-market.js";
import { seededRandom } from "../../../src/core/seeded-random.js";
import type { PlaceAction } from "../../../src/exchange/venue.js";
import type { FundingTape, MarkTape, Tape } from "../../../src/history/columns/tape.js";
import { TapeBuilder } from "../../../src/history/columns/tape-builder.js";
import type { Quote } from "../../../src/strategies/intent.js";
import type { BoundStrategy, StrategyContext } from "../../../src/strategies/strategy.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage, Told } from "./replay-stage.js";

const S = 1_000_000;
const MS = 1_000;
const bid = (ticks: number, lots = 100): Quote => ({ side: "BUY", level: 0, ticks, lots });
const ask = (ticks: number, lots = 100): Quote => ({ side: "SELL", level: 0, ticks, lots });
const builder = (marketId = MARKET): TapeBuilder => new TapeBuilder({ marketId, ...GRID });
const books = (tape: Tape, more: Partial<MarketHistory> = {}): MarketHistory => ({ grade: "books", tape, ...more }) as MarketHistory;

/** A book around 60,000.0 that stands still: 5 lots at each of five levels a side. */
function standing(tape: TapeBuilder, atUs: number, mid = 600_000): TapeBuilder {
  tape.snapshot(atUs, atUs + MS);
  for (let away = 1; away <= 5; away++) tape.level("BUY", mid - away, 5).level("SELL", mid + away, 5);
  return tape;
}

/** Trades of one lot on alternating sides, so that time passes. */
function ticking(tape: TapeBuilder, fromUs: number, toUs: number, stepUs = 500 * MS): TapeBuilder {
  for (let atUs = fromUs, i = 0; atUs < toUs; atUs += stepUs, i++) {
    if (i % 2 === 0) tape.trade(atUs, atUs + MS, "BUY", 600_001, 1);
    else tape.trade(atUs, atUs + MS, "SELL", 599_999, 1);
  }
  return tape;
}

/** A market that walks at random, with trades through its levels. */
function walking(seed: string, seconds: number, marketId = MARKET): Tape {
  const random = seededRandom(seed);
  const tape = standing(builder(marketId), NOON_US);
  let mid = 600_000;
  for (let ms = 100; ms < seconds * 1000; ms += 100) {
    const atUs = NOON_US + ms * MS;
    const step = Math.round((random.uniform() - 0.5) * 6);
    if (random.uniform() < 0.7)
      tape.trade(
        atUs,
        atUs + 3 * MS,
        step > 0 ? "BUY" : "SELL",
        mid + (step > 0 ? 1 : -1) * (1 + Math.abs(step)),
        1 + Math.floor(random.uniform() * 30),
      );
    tape.update(atUs, atUs + 2 * MS);
    for (let away = 1; away <= 8; away++) tape.level("BUY", mid - away, 0).level("SELL", mid + away, 0);
    mid += step;
    for (let away = 1; away <= 5; away++) {
      tape.level("BUY", mid - away, 1 + Math.floor(random.uniform() * 20)).level("SELL", mid + away, 1 + Math.floor(random.uniform() * 20));
    }
  }
  return tape.build();
}

describe("the two clocks of a replay", () => {
  it("fills an order by nothing that was at the exchange before it arrived, and tells the bot no sooner than the answer takes", () => {
    // The book is heard at 1 ms; the first view, and the quote, follow the account's reconciliation.
    const tape = standing(builder(), NOON_US);
    ticking(tape, NOON_US + S, NOON_US + 10 * S);
    // A print through the bid every 100 ms: whichever comes first after the arrival fills.
    for (let ms = 50; ms < 10_000; ms += 100) tape.trade(NOON_US + ms * MS, NOON_US + ms * MS + MS, "SELL", 599_990, 1);
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build()) },
      strategies: { [MARKET]: quoting(() => [bid(599_995)]) },
      latency: constantLatency(37, 23),
    });
    stage.run.play(NOON_US + 10 * S);
    const placed = stage.told.actions.find(({ kind }) => kind === "place");
    const [fill] = stage.told.fills;
    const arrivesUs = (placed?.atUs ?? 0) + 37 * MS;
    const nextPrintUs = Math.ceil((arrivesUs - NOON_US - 50 * MS) / (100 * MS)) * 100 * MS + NOON_US + 50 * MS;
    expect(fill).toMatchObject({ atUs: nextPrintUs, heardUs: nextPrintUs + 23 * MS, cause: "through", ticks: 599_995, lots: 100 });
    // What the bot does next, it does when it has heard, and has let the touch settle.
    const nextPlace = stage.told.actions.filter(({ kind }) => kind === "place")[1];
    expect(nextPlace?.atUs).toBeGreaterThan(nextPrintUs + 23 * MS);
  });

  it("tells the bot what it hears at an instant before the exchange takes in what arrives at it", () => {
    const play = (printUs?: number) => {
      const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 10 * S, 3 * MS);
      if (printUs !== undefined) tape.trade(printUs, printUs + MS, "SELL", 599_995, 10);
      const toldAtQuote: { readonly ticks: number; readonly atUs: number; readonly fillsHeard: number }[] = [];
      const observer = new Told();
      const stage = new ReplayStage({
        markets: { [MARKET]: books(tape.build()) },
        strategies: { [MARKET]: quoting((view) => (view.sequence > 20 ? [] : [bid(599_995)])) },
        latency: constantLatency(10, 10),
        observer: Object.assign(observer, {
          quote: (_marketId: string, atUs: number, _side: string, ticks: number) => {
            const fills = stage.notices.filter(({ notice }) => notice.kind === "account" && notice.change.kind === "fill");
            toldAtQuote.push({ ticks, atUs, fillsHeard: fills.length });
          },
        }),
      });
      stage.run.play(NOON_US + 10 * S);
      return { cancelUs: observer.actions.find(({ kind }) => kind === "cancel")?.atUs ?? 0, toldAtQuote, fills: observer.fills };
    };
    // A part is filled when the cancel leaves, so that it is heard when the cancel arrives, with data heard on the way.
    const { cancelUs } = play();
    const { fills, toldAtQuote } = play(cancelUs);
    expect(fills).toMatchObject([{ lots: 5, atUs: cancelUs, heardUs: cancelUs + 10 * MS }]);
    expect(toldAtQuote.at(-1)).toEqual({ ticks: Number.NaN, atUs: cancelUs + 10 * MS, fillsHeard: 1 });
  });

  it("is the same to the byte when it is run again, with two markets and two strategies", () => {
    const run = (): string => {
      const stage = new ReplayStage({
        markets: { [MARKET]: books(walking("one", 20)), ethusdc: books(walking("two", 20, "ethusdc")) },
        strategies: {
          [MARKET]: quoting((view) => [bid(Math.floor(view.midTicks) - 2, 10), ask(Math.ceil(view.midTicks) + 2, 10)]),
          ethusdc: quoting((view) => [bid(view.bids[0].ticks, 3), ask(view.asks[0].ticks, 3)]),
        },
      });
      stage.run.play(NOON_US + 20 * S);
      stage.run.finish();
      expect(stage.told.fills.length).toBeGreaterThan(20);
      expect(new Set(stage.told.fills.map(({ marketId }) => marketId)).size).toBe(2);
      return stage.transcript;
    };
    expect(run()).toBe(run());
  });

  it("quotes nothing while it warms up", () => {
    const stage = new ReplayStage({
      markets: { [MARKET]: books(ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 20 * S).build()) },
      strategies: { [MARKET]: quoting(() => [bid(599_995)]) },
      warmupMs: 12_000,
    });
    stage.run.play(NOON_US + 20 * S);
    const [first] = stage.told.actions;
    expect(first?.atUs).toBeGreaterThanOrEqual(NOON_US + 12 * S);
    expect(first?.atUs).toBeLessThan(NOON_US + 13 * S);
  });

  it("stays halted when its strategy failed while it warmed up: the end of a warm-up is nobody's leave to go on", () => {
    const failing: BoundStrategy = () => (view$) =>
      view$.pipe(
        map((view) => {
          throw new Error(`no idea of view ${view.sequence}`);
        }),
      );
    const stage = new ReplayStage({
      markets: { [MARKET]: books(ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 20 * S).build()) },
      strategies: { [MARKET]: failing },
      warmupMs: 12_000,
    });
    stage.run.play(NOON_US + 20 * S);
    expect(stage.run.haltedWhy).toMatch(/strategy-error: strategy failed: no idea of view 1$/);
    const views = stage.run.bot.context.desks.get(MARKET)?.lastView?.sequence;
    expect([views, stage.told.actions]).toEqual([1, []]);
  });

  it("says what loss has halted it, and not what became of it by the end", () => {
    const tape = standing(builder(), NOON_US);
    for (let second = 2; second < 20; second++) {
      const mid = 600_000 - 100 * second;
      standing(tape, NOON_US + second * S, mid);
      tape.trade(NOON_US + second * S + 100 * MS, NOON_US + second * S + 101 * MS, "SELL", mid - 10, 1_000);
    }
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build()) },
      strategies: { [MARKET]: quoting((view) => [bid(view.bids[0].ticks)]) },
      bot: { risk: { maxDrawdownQuote: "3" } },
    });
    stage.run.play(NOON_US + 20 * S);
    const told = stage.notices.flatMap(({ notice }) => (notice.kind === "halted" && notice.on ? [notice] : []));
    const [halted] = told.filter(({ reason }) => reason === "drawdown");
    expect(halted?.why).toMatch(/^net value .* allowed 3$/);
    expect(stage.run.haltedWhy).toContain(` by drawdown: ${halted?.why}`);
  });

  it("takes its quotes down where the recording has a gap, since its silence there is no quiet market", () => {
    const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 10 * S);
    standing(tape, NOON_US + 60 * S);
    ticking(tape, NOON_US + 61 * S, NOON_US + 70 * S);
    const at = NOON_US / 1000;
    const stage = (gaps: readonly (readonly [number, number])[]): ReplayStage => {
      const made = new ReplayStage({
        markets: { [MARKET]: books(tape.build(), { gaps } as Partial<MarketHistory>) },
        strategies: { [MARKET]: quoting(() => [bid(599_995)]) },
      });
      made.run.play(NOON_US + 70 * S);
      return made;
    };
    const last = (made: ReplayStage, beforeS: number) => made.told.quotes.findLast(({ atUs }) => atUs < NOON_US + beforeS * S)?.ticks;
    expect(last(stage([]), 59)).toBe(599_995);
    const gapped = stage([[at + 10_000, at + 60_000]]);
    expect(last(gapped, 59)).toBeNaN();
    expect(last(gapped, 70)).toBe(599_995);
  });
});

describe("the money of a replay", () => {
  it("sums its parts to the change of its net value to the unit, whatever happens", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 3 }),
        (seed, lots, away) => {
          const stage = new ReplayStage({
            markets: { [MARKET]: books(walking(`${seed}`, 8), { funding: funding([NOON_US + 5 * S], 1_000_000_000_000_000n) }) },
            strategies: {
              [MARKET]: quoting((view) => [bid(Math.floor(view.midTicks) - away, lots), ask(Math.ceil(view.midTicks) + away, lots)]),
            },
            creditQuote: 3_000n,
            fees: { maker: "-0.00005", taker: "0.0005" },
          });
          stage.run.play(NOON_US + 8 * S);
          stage.run.finish();
          for (const { equity, profit } of stage.told.samples) {
            expect((equity - 3_000_000_000n) * 10n ** BigInt(profit.decimals - 6)).toBe(profit.total);
          }
          const { account } = stage.run.bot.context;
          expect(account.positionLots(MARKET)).toBe(stage.run.venue.account.positionLots(MARKET));
          expect(account.equity).toBe(stage.run.venue.account.netValue);
        },
      ),
      { numRuns: 12 },
    );
  });

  it("pays funding at its stamp by the mark of that instant, on what is held there", () => {
    // The published boundary of 2023-04-05: one bitcoin long at 28,155.1 and a rate of 0.0000276 pays 0.77708076.
    const tape = standing(builder(), NOON_US, 281_550);
    tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "SELL", 281_500, 1);
    for (let s = 4; s < 20; s++) tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 281_551, 1);
    const marks: MarkTape = {
      exchangeUs: Float64Array.of(NOON_US, NOON_US + 9 * S, NOON_US + 11 * S),
      localUs: Float64Array.of(NOON_US + MS, NOON_US + 9 * S + MS, NOON_US + 11 * S + MS),
      markCredit: BigInt64Array.of(28_000_000_000n, 28_155_100_000n, 28_900_000_000n),
      indexCredit: BigInt64Array.of(28_000_000_000n, 28_155_100_000n, 28_900_000_000n),
      fundingRateE18: BigInt64Array.of(0n, 0n, 0n),
      nextFundingMs: Float64Array.of(0, 0, 0),
    };
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build(), { marks, funding: funding([NOON_US + 10 * S], 27_600_000_000_000n) }) },
      strategies: { [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(281_545, 1000)] : [])) },
    });
    stage.run.play(NOON_US + 20 * S);
    expect(stage.told.payments).toEqual([
      { marketId: MARKET, atUs: NOON_US + 10 * S, positionLots: 1000, markTicks: 281_551, rate: 0.0000276, amount: -777_081n },
    ]);
    expect(stage.told.samples.at(-1)?.profit.funding).toBe(-7_770_810n);
  });

  it("pays what the marks said would be paid, where no paid funding was recorded", () => {
    const tape = standing(builder(), NOON_US);
    tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "BUY", 600_020, 1);
    ticking(tape, NOON_US + 4 * S, NOON_US + 20 * S);
    const marks: MarkTape = {
      exchangeUs: Float64Array.of(NOON_US, NOON_US + 9 * S, NOON_US + 10 * S + 10 * MS),
      localUs: Float64Array.of(NOON_US + MS, NOON_US + 9 * S + MS, NOON_US + 10 * S + 11 * MS),
      markCredit: BigInt64Array.of(60_000_000_000n, 60_000_000_000n, 60_000_000_000n),
      indexCredit: BigInt64Array.of(60_000_000_000n, 60_000_000_000n, 60_000_000_000n),
      fundingRateE18: BigInt64Array.of(10n ** 14n, 2n * 10n ** 14n, 9n * 10n ** 14n),
      nextFundingMs: Float64Array.of(NOON_US / 1000 + 10_000, NOON_US / 1000 + 10_000, NOON_US / 1000 + 30_000),
    };
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build(), { marks }) },
      strategies: { [MARKET]: quoting((view) => (view.positionLots === 0 ? [ask(600_010, 100)] : [])) },
    });
    stage.run.play(NOON_US + 20 * S);
    // Short 0.1 at 60,000: 6,000 quote, of which the newest rate before the boundary, 0.0002, is received.
    expect(stage.told.payments).toMatchObject([{ positionLots: -100, amount: 1_200_000n }]);
  });

  it("liquidates an account that its own formulas call unsafe: orders first, then the position at its discount", () => {
    const tape = standing(builder(), NOON_US);
    tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "SELL", 599_900, 1);
    ticking(tape, NOON_US + 4 * S, NOON_US + 5 * S);
    tape.snapshot(NOON_US + 6 * S, NOON_US + 6 * S + MS);
    for (let away = 1; away <= 5; away++) tape.level("BUY", 570_000 - away, 5).level("SELL", 570_000 + away, 5);
    for (let s = 7; s < 15; s++) tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 570_001, 1);
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build()) },
      // 1 bitcoin on 4,000 quote of credit: at 57,000 it has lost 3,000 of them, and must cover 1,710.
      strategies: { [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(599_950, 1000)] : [bid(500_000, 10)])) },
      creditQuote: 4_000n,
      fees: { maker: "0", taker: "0.0005" },
      bot: { risk: { maxDrawdownQuote: "1000000" } },
    });
    stage.run.play(NOON_US + 15 * S);
    expect(stage.told.notes.filter((text) => text.includes("unsafe"))).toHaveLength(1);
    const { account } = stage.run.venue;
    expect(account.positionLots(MARKET)).toBe(0);
    expect(stage.run.venue.isLiquidated).toBe(true);
    // Bought at 59,995; taken over at 57,000 less 1 %, and 1 % of that on top.
    expect(account.netValue).toBe(4_000_000_000n - 59_995_000_000n + 56_430_000_000n - 564_300_000n);
    expect(stage.told.samples.at(-1)?.profit.total).toBe((account.netValue - 4_000_000_000n) * 10n);
    expect(stage.run.bot.context.account.positionLots(MARKET)).toBe(0);
  });

  it("lets no order out that the account's margin does not carry, and the exchange would take none", () => {
    const stage = new ReplayStage({
      markets: { [MARKET]: books(ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 5 * S).build()) },
      strategies: { [MARKET]: quoting(() => [bid(599_995, 1000)]) },
      creditQuote: 100n,
    });
    stage.run.play(NOON_US + 5 * S);
    expect(stage.told.actions).toEqual([]);
    const market = stage.run.venue.markets.get(MARKET);
    const order = { kind: "place", marketId: MARKET, side: "BUY", type: "LIMIT", timeInForce: "GTC", expirationMs: 0 } as PlaceAction;
    const refusalOf = (ticks: number, lots: number) =>
      placeRefusal({ ...order, ticks, lots }, market as ReplayMarket, stage.run.venue.account, NOON_US / 1000);
    // 100 quote at 20 times carry 2,000: 33 lots at 60,000 are 1,980.
    expect(refusalOf(600_000, 34)).toMatchObject({ result: "rejected", code: 2012 });
    expect(refusalOf(600_000, 33)).toBeUndefined();
    expect(refusalOf(600_000, 2_000_000)).toMatchObject({ result: "rejected", code: 2016 });
  });
});

describe("the exchange's budgets in a replay", () => {
  it("throttles a strategy that would have been throttled live", () => {
    let turn = 0;
    const stage = new ReplayStage({
      markets: { [MARKET]: books(walking("busy", 150)) },
      strategies: {
        [MARKET]: quoting((view) => {
          turn += 1;
          return [bid(Math.floor(view.midTicks) - 20 - (turn % 7), 10), ask(Math.ceil(view.midTicks) + 20 + (turn % 5), 10)];
        }),
      },
      rules: { orderTokensPerMinute: 60 },
    });
    stage.run.play(NOON_US + 150 * S);
    const spent = stage.told.actions.filter(({ kind }) => kind !== "throttled").map(({ atUs }) => atUs);
    const most = Math.max(
      ...spent.map((atUs, at) => spent.slice(at).findIndex((later) => later >= atUs + 60 * S)).filter((count) => count > 0),
    );
    expect(spent.length).toBeGreaterThan(60);
    expect(most).toBeLessThanOrEqual(60);
    expect(stage.told.actions.some(({ kind }) => kind === "throttled")).toBe(true);
    expect(stage.told.notes.filter((text) => text.includes("refused a"))).toEqual([]);
  });
});

function funding(atUs: readonly number[], rateE18: bigint): FundingTape {
  return { timeUs: Float64Array.from(atUs), rateE18: BigInt64Array.from(atUs.map(() => rateE18)) };
}

describe("a strategy that awaits promises", () => {
  it("is answered for at the instant of its view: time stands still until it has spoken", async () => {
    const slow: BoundStrategy = () => (view$) =>
      view$.pipe(
        concatMap(async (view) => {
          for (let turn = 0; turn < 5; turn++) await Promise.resolve();
          return view;
        }),
        quoting((view) => [bid(Math.floor(view.midTicks) - 3, 10)])(NO_CONTEXT),
      );
    const placesOf = async (strategy: BoundStrategy): Promise<readonly number[]> => {
      const stage = new ReplayStage({ markets: { [MARKET]: books(walking("slow", 10)) }, strategies: { [MARKET]: strategy } });
      await stage.run.playAwaiting(NOON_US + 10 * S);
      return stage.told.actions.filter(({ kind }) => kind === "place").map(({ atUs }) => atUs);
    };
    const places = await placesOf(slow);
    expect(places.length).toBeGreaterThan(5);
    expect(places).toEqual(await placesOf(quoting((view) => [bid(Math.floor(view.midTicks) - 3, 10)])));
  });
});

const NO_CONTEXT = undefined as unknown as StrategyContext;
