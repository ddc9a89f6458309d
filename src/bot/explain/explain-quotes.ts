import { Decimal } from "decimal.js";
import type { Instrument } from "../../core/instrument.js";
import type { Lots, Side, Ticks } from "../../core/units.js";
import type { Plan } from "../../executor/plan.js";
import { tradeFee } from "../../perpetual/fees.js";
import type { QuoteReason } from "../../strategies/intent.js";
import type { BotContext } from "../engine/context.js";
import { signedRates } from "../execution/signed-rates.js";
import type { MarketTrader } from "../market/market-trader.js";
import { placeKey } from "./explain-worst.js";
import type { ExplainedQuote, ExplainedReason } from "./explanation.js";

/** A plan of one market, and what it was made from. */
export interface QuotedPlan {
  readonly plan: Plan | undefined;
  /** Why risk would block a planned place, by `placeKey`. */
  readonly refusals: ReadonlyMap<string, string>;
  readonly midTicks: number | undefined;
  readonly reason: QuoteReason | undefined;
}

/** The quotes of a plan, in order of side and level. */
export function explainQuotes(
  context: Pick<BotContext, "account" | "config">,
  { marketId, instrument, rules }: Pick<MarketTrader, "marketId" | "instrument" | "rules">,
  { plan, refusals, midTicks, reason }: QuotedPlan,
): readonly ExplainedQuote[] {
  if (plan === undefined) return [];
  const { makerFeeRate } = signedRates(context.config, rules);
  const makerRate = Number(makerFeeRate) / 1e18;
  const quote = (
    order: { side: Side; level: number; ticks: Ticks; lots: Lots },
    fate: ExplainedQuote["fate"],
    why: string,
  ): ExplainedQuote => {
    const { side, level, ticks, lots } = order;
    const away = side === "BUY" ? -1 : 1;
    const bpsFrom = (from: number | undefined): number | undefined =>
      from === undefined || !Number.isFinite(from)
        ? undefined
        : toBps((away * (ticks - from)) / from);
    const fee = tradeFee(instrument.creditCeil(ticks, lots), makerFeeRate);
    return {
      side,
      level,
      price: instrument.formatPrice(ticks),
      amountBase: instrument.formatAmount(lots),
      fromMidBps: bpsFrom(midTicks) ?? 0,
      fate,
      why,
      makerFeeQuote: instrument.creditToDecimal(fee),
      makerFeeBps: toBps(makerRate),
      breakEvenFeeBps:
        reason === undefined || !Number.isFinite(reason.fairTicks)
          ? undefined
          : toBps((away * (ticks - reason.fairTicks)) / ticks),
    };
  };
  const found: ExplainedQuote[] = [];
  for (const place of plan.places) {
    const refusal = refusals.get(placeKey(marketId, place));
    const order = { ...place, level: place.quoteLevel };
    found.push(
      refusal === undefined ? quote(order, "place", place.why) : quote(order, "withheld", refusal),
    );
  }
  for (const keep of plan.keeps) {
    const order = context.account.orders.get(keep.hash);
    if (order === undefined) continue;
    const { ticks, mayFillLots: lots, phase } = order;
    const { side, quoteLevel: level, wantedTicks, wantedLots } = keep;
    const kept = quote({ side, level, ticks, lots }, "keep", `already in place, ${phase}`);
    if (ticks === wantedTicks && lots === wantedLots) {
      found.push(kept);
      continue;
    }
    const wanted = {
      price: instrument.formatPrice(wantedTicks),
      amountBase: instrument.formatAmount(wantedLots),
    };
    found.push({ ...kept, wanted, why: `${keptText(kept, wanted)}, ${phase}` });
  }
  for (const one of plan.withheld) found.push(quote(one, "withheld", one.why));
  return found.sort((a, b) => (a.side === b.side ? a.level - b.level : a.side === "BUY" ? -1 : 1));
}

/** Names what a kept order and its quote differ in: the price, or the size alone. */
function keptText(
  { price, amountBase }: Pick<ExplainedQuote, "price" | "amountBase">,
  wanted: NonNullable<ExplainedQuote["wanted"]>,
): string {
  return price === wanted.price
    ? `kept with ${amountBase}, wanted ${wanted.amountBase} (within the tolerance)`
    : `kept at ${price}, wanted ${wanted.price} (within the tolerance)`;
}

/** The reason of a market's quotes, in prices. */
export function explainReason(trader: MarketTrader, reason: QuoteReason): ExplainedReason {
  const { instrument, quotes, newestViewSequence } = trader;
  const quoteOf = (ticks: number): number | undefined =>
    Number.isFinite(ticks) ? toQuote(instrument, ticks).toNumber() : undefined;
  const { fairTicks, reservationTicks, halfSpreadTicks, terms, clamps } = reason;
  const isKnown = Number.isFinite(halfSpreadTicks) && Number.isFinite(fairTicks) && fairTicks > 0;
  const viewsBehind = quotes?.reason === reason ? newestViewSequence - quotes.viewSequence : 0;
  return {
    fairQuote: quoteOf(fairTicks),
    reservationQuote: quoteOf(reservationTicks),
    halfSpreadBps: isKnown ? toBps(halfSpreadTicks / fairTicks) : undefined,
    // Minus zero is shown as zero.
    terms: Object.fromEntries(
      Object.entries(terms).map(([name, value]) => [name, value === 0 ? 0 : value]),
    ),
    clamps,
    ...(viewsBehind > 0 ? { viewsBehind } : {}),
  };
}

/** A price in fractional ticks as an exact price in quote. */
export function toQuote({ tickSize }: Pick<Instrument, "tickSize">, ticks: number): Decimal {
  return new Decimal(ticks).times(tickSize);
}

/** A fraction in basis points, to two decimals. */
export function toBps(fraction: number): number {
  return Math.round(fraction * 1e6) / 100 || 0;
}
