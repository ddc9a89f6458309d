import { Decimal } from "decimal.js";
import { ceilDivide, larger } from "../../core/bigints.js";
import type { Lots, Ticks } from "../../core/units.js";
import { tradeFee } from "../../perpetual/fees.js";
import { toMarginRatePpm } from "../../risk/exposure.js";
import type { BotContext } from "../engine/context.js";
import { signedRates } from "../execution/signed-rates.js";
import type { MarketTrader } from "../market/market-trader.js";

/** A planned position at the end of a range, if the price goes there without turning. */
export interface ExplainedPlanEnd {
  readonly price: string;
  /** Signed. */
  readonly positionBase: string;
  /** Mean price of the fills that make the position; undefined without one. */
  readonly averagePriceQuote: number | undefined;
  /** Price at which the position and the fees of both ways cost nothing; undefined without one. */
  readonly breakEvenPriceQuote: number | undefined;
  /** Loss of these fills at this price, with their maker fees; without the fee of a way out. */
  readonly lossQuote: string;
  /** Initial margin of the position at this price. */
  readonly marginQuote: string;
  /** Loss and margin together: what the account needs to hold the position. */
  readonly capitalQuote: string;
  /** Round trips of the least profitable size that earn the loss; undefined if none earns. */
  readonly roundTripsToEarnLoss: number | undefined;
}

/** The position that a strategy plans to hold at each price, and what that needs and earns. */
export interface ExplainedPlan {
  /** From the lowest price: what is held once every order up to it has filled. */
  readonly levels: readonly { readonly price: string; readonly positionBase: string }[];
  /** Profit of a purchase at a level and a sale at the next one, after both maker fees. */
  readonly roundTrip: {
    readonly leastQuote: string;
    readonly mostQuote: string;
    /** Maker fee, in basis points, at which the least profitable one earns nothing. */
    readonly breakEvenFeeBps: number;
  };
  readonly lowest: ExplainedPlanEnd;
  readonly highest: ExplainedPlanEnd;
  /** Largest planned position, without sign. */
  readonly mostBase: string;
}

/** A purchase and a sale between two levels of a plan. */
interface RoundTrip {
  readonly buyTicks: Ticks;
  readonly sellTicks: Ticks;
  readonly lots: Lots;
  /** Lots of it that are bought first. */
  readonly longLots: Lots;
}

/** The plan of a market's strategy; undefined if it has none. */
export function explainInventoryPlan(
  { config }: Pick<BotContext, "config">,
  trader: MarketTrader,
): ExplainedPlan | undefined {
  const { instrument, inventoryPlan, rules } = trader;
  const [first, last] = [inventoryPlan?.levels[0], inventoryPlan?.levels.at(-1)];
  if (inventoryPlan === undefined || first === undefined || last === undefined) return undefined;
  const { levels } = inventoryPlan;
  const rate = signedRates(config, rules).makerFeeRate;
  const trips = levels.slice(1).flatMap((upper, at): RoundTrip[] => {
    const lower = levels[at];
    const lots = lower.positionLots - upper.positionLots;
    const longLots = Math.max(lower.positionLots, 0) - Math.max(upper.positionLots, 0);
    return lots > 0 ? [{ buyTicks: lower.ticks, sellTicks: upper.ticks, lots, longLots }] : [];
  });
  const profits = trips.map(({ buyTicks, sellTicks, lots }) => {
    const [paid, received] = [
      instrument.creditCeil(buyTicks, lots),
      instrument.creditFloor(sellTicks, lots),
    ];
    return received - paid - tradeFee(paid, rate) - tradeFee(received, rate);
  });
  const least = profits.reduce((a, b) => (b < a ? b : a), profits[0] ?? 0n);
  const most = profits.reduce(larger, least);
  const end = ({ ticks, positionLots }: typeof first): ExplainedPlanEnd => {
    const isLong = positionLots > 0;
    // Each way costs its fee: what is bought counts more, what is sold counts less.
    const fills = trips.flatMap(({ buyTicks, sellTicks, lots, longLots }) => {
      const filled = isLong ? longLots : lots - longLots;
      return filled > 0 ? [{ ticks: isLong ? buyTicks : sellTicks, lots: filled }] : [];
    });
    const paid = fills.reduce(
      (sum, fill) => sum + instrument.creditCeil(fill.ticks, fill.lots),
      0n,
    );
    const fees = fills.reduce(
      (sum, fill) => sum + tradeFee(instrument.creditCeil(fill.ticks, fill.lots), rate),
      0n,
    );
    const value = instrument.creditFloor(ticks, Math.abs(positionLots));
    const loss = positionLots === 0 ? 0n : (isLong ? paid - value : value - paid) + fees;
    const margin = ceilDivide(value * BigInt(toMarginRatePpm(rules.maxLeverage)), 1_000_000n);
    const base = Math.abs(positionLots) * instrument.lotBase;
    const average = (units: bigint): number | undefined =>
      base === 0 ? undefined : new Decimal(instrument.creditToDecimal(units)).div(base).toNumber();
    const fee = Number(rate) / 1e18;
    return {
      price: instrument.formatPrice(ticks),
      positionBase: instrument.formatAmount(positionLots),
      averagePriceQuote: average(paid),
      breakEvenPriceQuote: breakEven(average(isLong ? paid + fees : paid - fees), fee, isLong),
      lossQuote: instrument.creditToDecimal(loss),
      marginQuote: instrument.creditToDecimal(margin),
      capitalQuote: instrument.creditToDecimal(loss + margin),
      roundTripsToEarnLoss: least > 0n ? Number(ceilDivide(larger(loss, 0n), least)) : undefined,
    };
  };
  return {
    levels: levels.map(({ ticks, positionLots }) => ({
      price: instrument.formatPrice(ticks),
      positionBase: instrument.formatAmount(positionLots),
    })),
    roundTrip: {
      leastQuote: instrument.creditToDecimal(least),
      mostQuote: instrument.creditToDecimal(most),
      breakEvenFeeBps: Math.min(
        ...trips.map(
          ({ buyTicks, sellTicks }) => (10_000 * (sellTicks - buyTicks)) / (sellTicks + buyTicks),
        ),
      ),
    },
    lowest: end(first),
    highest: end(last),
    mostBase: instrument.formatAmount(
      Math.max(...levels.map(({ positionLots }) => Math.abs(positionLots))),
    ),
  };
}

function breakEven(average: number | undefined, fee: number, isLong: boolean): number | undefined {
  if (average === undefined) return undefined;
  return isLong ? average / (1 - fee) : average / (1 + fee);
}
