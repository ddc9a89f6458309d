import { AccountProfit } from "#account/account-profit.js";
import type { FillCause } from "#backtest/matcher.js";
import type { RunObserver } from "#backtest/run-observer.js";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import { type MarketId, type Side, sideSign } from "#core/units.js";

/** Two markets whose money and prices differ in every decimal. */
export const BTC = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});
export const DUST = new Instrument({
  marketId: "dustusdc",
  tickSize: "0.0025",
  stepSize: "0.00001",
  creditDecimals: 6,
  paperDecimals: 18,
});

/** Options of a sample run. */
export interface SampleRun {
  readonly seed: string;
  readonly startUs: number;
  readonly seconds: number;
  /** Seconds between two samples of a market. */
  readonly stepSeconds: number;
  readonly sampleSeconds: number;
  readonly instruments: readonly Instrument[];
  readonly startEquity: bigint;
}

interface MarketState {
  readonly instrument: Instrument;
  bid: number;
  spread: number;
  drift: number;
  lots: number;
  readonly own: { BUY: number; SELL: number };
}

const CAUSES: readonly FillCause[] = ["queue", "queue", "queue", "through", "cross"];
const FUNDING_SECONDS = 8 * 3600;

/**
 * Simulates a market maker on a random walk and reports it to an observer as a replay would. Moves
 * against it follow its fills, the project's own profit split keeps its account, and every figure
 * of a report has content. The same seed gives the same run.
 * @returns the instant of its end, microseconds.
 */
export function tellSampleRun(run: SampleRun, observer: RunObserver): number {
  const random = seededRandom(run.seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
  const profit = new AccountProfit(
    new Map(run.instruments.map((instrument) => [instrument.marketId, instrument])),
  );
  const markets = run.instruments.map((instrument, index): MarketState => {
    const bid = index === 0 ? 616_597 : 4_000;
    observer.touch(instrument.marketId, run.startUs, bid, bid + 1);
    profit.mid(instrument.marketId, 2 * bid + 1);
    profit.mark(instrument.marketId, markOf(instrument, 2 * bid + 1));
    return {
      instrument,
      bid,
      spread: 1,
      drift: 0,
      lots: 0,
      own: { BUY: Number.NaN, SELL: Number.NaN },
    };
  });
  const tokens = { order: 0, common: 0 };
  let fills = 0;
  let orders = 0;

  const sample = (atUs: number): void => {
    const parts = profit.parts();
    const scale = 10n ** BigInt(parts.decimals - 6);
    observer.equity({
      atUs,
      equity: run.startEquity + (parts.total + parts.transfers) / scale,
      profit: parts,
      markets: markets.map(({ instrument, lots, bid, spread, own }) => ({
        marketId: instrument.marketId,
        positionLots: lots,
        midHalfTicks: 2 * bid + spread,
        markTicks: bid + spread / 2,
        ownBidTicks: own.BUY,
        ownAskTicks: own.SELL,
        profit: profit.parts(instrument.marketId),
      })),
      budgets: [
        { name: "ORDER", usedTokens: Math.round(tokens.order), limitTokens: 300 },
        { name: "COMMON", usedTokens: Math.round(tokens.common), limitTokens: 1200 },
      ],
    });
  };

  const quote = (market: MarketState, atUs: number, side: Side, ticks: number): void => {
    const before = market.own[side];
    if (Object.is(before, ticks)) return;
    const { marketId } = market.instrument;
    if (tokens.order > 290) return observer.action(marketId, atUs, "throttled");
    if (!Number.isNaN(before)) observer.action(marketId, atUs, "cancel");
    if (!Number.isNaN(ticks)) {
      orders += 1;
      observer.action(marketId, atUs, "place");
    }
    tokens.order += 2;
    tokens.common += 2;
    market.own[side] = ticks;
    observer.quote(marketId, atUs, side, ticks);
  };

  const fill = (market: MarketState, atUs: number, side: Side): void => {
    const { instrument } = market;
    const isMaker = random.uniform() < 0.97;
    const ticks = isMaker
      ? market.own[side]
      : side === "BUY"
        ? market.bid + market.spread
        : market.bid;
    const lots = 1 + Math.floor(random.uniform() * 20);
    const quoted = instrument.creditFloor(ticks, lots);
    const fee = isMaker ? -quoted / 20_000n : quoted / 2_500n;
    const mid = 2 * market.bid + market.spread;
    fills += 1;
    market.lots += sideSign(side) * lots;
    profit.fill({
      id: String(fills),
      marketId: instrument.marketId,
      side,
      isMaker,
      ticks,
      lots,
      quote: quoted,
      commission: fee,
      timeMs: Math.floor(atUs / 1000),
      status: "CREATED",
    });
    const cause = isMaker
      ? (CAUSES[Math.floor(random.uniform() * CAUSES.length)] as FillCause)
      : "taker";
    const level = isMaker ? Math.min(2, Math.floor(random.uniform() * 3.5)) : -1;
    observer.fill({
      marketId: instrument.marketId,
      number: fills,
      atUs,
      receivedUs: atUs + 3000,
      orderId: orders,
      side,
      level,
      ticks,
      lots,
      isMaker,
      cause,
      ambiguity:
        isMaker && cause === "cross" && fills % 3 === 0
          ? { kind: "may-have-been-refused", feeOtherwise: 0n }
          : undefined,
      quote: quoted,
      fee,
      midHalfTicks: mid,
      positionLots: market.lots,
    });
    market.drift -= sideSign(side) * 0.5;
    if (isMaker) {
      market.own[side] = Number.NaN;
      observer.quote(instrument.marketId, atUs, side, Number.NaN);
    }
  };

  sample(run.startUs);
  const steps = Math.round(run.seconds / run.stepSeconds);
  for (let step = 1; step <= steps; step += 1) {
    const seconds = step * run.stepSeconds;
    const baseUs = run.startUs + Math.round(seconds * 1e6);
    tokens.order *= 0.93;
    tokens.common *= 0.93;
    for (const market of markets) {
      const { marketId } = market.instrument;
      // Somewhere in the step before, at whole microseconds.
      const atUs = baseUs - Math.floor(random.uniform() * run.stepSeconds * 5e5);
      const side: Side = random.uniform() < 0.5 ? "BUY" : "SELL";
      if (!Number.isNaN(market.own[side]) && random.uniform() < 0.06) fill(market, atUs - 1, side);
      market.drift *= 0.9;
      const bid = Math.max(50, market.bid + Math.round(normal() * 1.6 + market.drift));
      const spread = 1 + Math.floor(random.uniform() ** 6 * 4);
      if (bid !== market.bid || spread !== market.spread) {
        market.bid = bid;
        market.spread = spread;
        observer.touch(marketId, atUs, bid, bid + spread);
        profit.mid(marketId, 2 * bid + spread);
        profit.mark(
          marketId,
          markOf(market.instrument, 2 * bid + spread) + BigInt(Math.round(normal() * 2)),
        );
      }
      const skew = Math.round(-market.lots / 30);
      const rests = random.uniform() < 0.03;
      if (random.uniform() < 0.5) {
        quote(market, atUs + 1, "BUY", rests ? Number.NaN : Math.min(bid, bid - 1 + skew));
        quote(
          market,
          atUs + 2,
          "SELL",
          rests ? Number.NaN : Math.max(bid + spread, bid + spread + 1 + skew),
        );
      }
      if (
        Math.floor(seconds / FUNDING_SECONDS) !==
        Math.floor((seconds - run.stepSeconds) / FUNDING_SECONDS)
      ) {
        pay(market, baseUs);
      }
    }
    if (
      Math.floor(seconds / run.sampleSeconds) !==
        Math.floor((seconds - run.stepSeconds) / run.sampleSeconds) ||
      step === steps
    )
      sample(baseUs);
  }
  return run.startUs + Math.round(steps * run.stepSeconds * 1e6);

  function pay({ instrument, lots, bid, spread }: MarketState, atUs: number): void {
    const rate = normal() * 0.0001;
    const value = instrument.creditFloor(bid, lots) * BigInt(Math.sign(lots));
    const amount = -(value * BigInt(Math.round(rate * 1e9))) / 1_000_000_000n;
    const id: MarketId = instrument.marketId;
    profit.income({
      id: `${id}-${atUs}`,
      type: "FUNDING_FEE",
      amount,
      timeMs: Math.floor(atUs / 1000),
      marketId: id,
    });
    observer.funding({
      marketId: id,
      atUs,
      positionLots: lots,
      markTicks: bid + spread / 2,
      rate,
      amount,
    });
  }
}

/** The mark at a mid: credit units for a whole base unit. */
function markOf(instrument: Instrument, midHalfTicks: number): bigint {
  return BigInt(
    Math.round((midHalfTicks / 2) * instrument.tickQuote * 10 ** instrument.creditDecimals),
  );
}
