import { scaledToDecimal } from "../../core/instrument.js";
import type { Side, Ticks } from "../../core/units.js";
import { tradeFee } from "../../perpetual/fees.js";
import type { Reason } from "../../strategies/intent.js";
import type { Bot } from "../bot.js";
import type { BotContext } from "../context.js";
import type { Desk } from "../desk.js";
import { marketBlocks } from "../market-standing.js";
import type { Safety } from "../safety.js";
import { signedRates } from "../signed-rates.js";
import { marketTokens } from "./explain-tokens.js";
import { explainUnwinding } from "./explain-unwinding.js";
import { liquidationDistance, type PlannedWorst, placeKey } from "./explain-worst.js";
import type {
  ExplainedMarket,
  ExplainedQuote,
  ExplainedReason,
  ExplainedWorst,
} from "./explanation.js";

/** What one market of a dry run would quote now, and why. */
export function explainMarket(
  { context, safety, unwinding }: Pick<Bot, "context" | "safety" | "unwinding">,
  desk: Desk,
  planned: PlannedWorst,
  registered: boolean,
): ExplainedMarket {
  const { account, config } = context;
  const { marketId, instrument } = desk;
  const touch = desk.touch();
  const midTicks = touch === null ? undefined : (touch.bidTicks + touch.askTicks) / 2;
  const reason = desk.target?.intent.reason ?? desk.quotes?.reason ?? desk.unwind?.reason;
  const quotes = explainQuotes(context, desk, planned, midTicks, reason);
  const held = quotes.filter(({ fate }) => fate !== "withheld");
  const isQuoting = desk.target === undefined && held.length > 0 && safety.quotesAllowed(marketId);
  return {
    strategy: config.markets[marketId]?.strategy ?? "no strategy",
    state:
      desk.target !== undefined
        ? "working a target"
        : desk.unwind !== undefined
          ? "unwinding"
          : isQuoting
            ? "quoting"
            : "not quoting",
    reasons: reasonsOf(context, safety, desk, quotes),
    bestBid: touch === null ? undefined : instrument.priceOf(touch.bidTicks),
    bestAsk: touch === null ? undefined : instrument.priceOf(touch.askTicks),
    midQuote: midTicks === undefined ? undefined : midTicks * instrument.tickQuote,
    markQuote:
      desk.state.mark === undefined
        ? undefined
        : scaledToDecimal(desk.state.mark, instrument.creditDecimals),
    positionBase: registered && account.confirmed ? account.positionBase(marketId) : undefined,
    quotes,
    reason: reason === undefined ? undefined : explainReason(desk, reason),
    unwinding: explainUnwinding(desk, unwinding, marketBlocks(context, safety, desk)),
    cancels: (desk.plan?.cancels ?? []).map(({ hash, why }) => ({ hash, why })),
    worst: explainWorst(desk, planned, registered),
    tokens: marketTokens(context, desk, held.length),
  };
}

function explainQuotes(
  context: BotContext,
  desk: Desk,
  { refusals }: PlannedWorst,
  midTicks: number | undefined,
  reason: Reason | undefined,
): readonly ExplainedQuote[] {
  const { plan, marketId, instrument, rules } = desk;
  if (plan === undefined) return [];
  const { makerFeeRate } = signedRates(context.config, rules);
  const makerRate = Number(makerFeeRate) / 1e18;
  const quote = (
    order: { side: Side; level: number; ticks: Ticks; lots: number },
    fate: ExplainedQuote["fate"],
    why: string,
  ) => {
    const { side, level, ticks, lots } = order;
    const away = side === "BUY" ? -1 : 1;
    const bpsFrom = (from: number | undefined): number | undefined =>
      from === undefined || !Number.isFinite(from)
        ? undefined
        : bps((away * (ticks - from)) / from);
    const fee = tradeFee(instrument.creditCeil(ticks, lots), makerFeeRate);
    return {
      side,
      level,
      price: instrument.priceOf(ticks),
      amountBase: instrument.amountOf(lots),
      fromMidBps: bpsFrom(midTicks) ?? 0,
      fate,
      why,
      makerFeeQuote: instrument.creditToDecimal(fee),
      makerFeeBps: bps(makerRate),
      breakEvenFeeBps:
        reason === undefined || !Number.isFinite(reason.fairTicks)
          ? undefined
          : bps((away * (ticks - reason.fairTicks)) / ticks),
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
    found.push(
      quote(
        { side: keep.side, level: keep.quoteLevel, ticks, lots },
        "keep",
        `right as it stands, ${phase}`,
      ),
    );
  }
  for (const one of plan.withheld) found.push(quote(one, "withheld", one.why));
  return found.sort((a, b) => (a.side === b.side ? a.level - b.level : a.side === "BUY" ? -1 : 1));
}

function explainReason({ instrument }: Desk, reason: Reason): ExplainedReason {
  const quoteOf = (ticks: number): number | undefined =>
    Number.isFinite(ticks) ? ticks * instrument.tickQuote : undefined;
  const { fairTicks, reservationTicks, halfSpreadTicks, terms, clamps } = reason;
  const isKnown = Number.isFinite(halfSpreadTicks) && Number.isFinite(fairTicks) && fairTicks > 0;
  return {
    fairQuote: quoteOf(fairTicks),
    reservationQuote: quoteOf(reservationTicks),
    halfSpreadBps: isKnown ? bps(halfSpreadTicks / fairTicks) : undefined,
    // A skew of minus nothing is nothing.
    terms: Object.fromEntries(
      Object.entries(terms).map(([name, value]) => [name, value === 0 ? 0 : value]),
    ),
    clamps,
  };
}

function explainWorst(desk: Desk, { worst }: PlannedWorst, balancesKnown: boolean): ExplainedWorst {
  const { marketId, instrument, state } = desk;
  const market = worst.markets.get(marketId);
  const distance = balancesKnown ? liquidationDistance(worst, marketId) : undefined;
  const mark = state.markTicks * instrument.tickQuote;
  const away = distance?.side === "long" ? -1 : 1;
  const quote = (units: bigint | undefined): string => instrument.creditToDecimal(units ?? 0n);
  return {
    longBase: instrument.toldAmountOf(market?.longLots ?? 0),
    shortBase: instrument.toldAmountOf(-(market?.shortLots ?? 0) || 0),
    notionalQuote: quote(market?.notional),
    initialMarginQuote: quote(market?.initialMargin),
    maintenanceQuote: quote(market?.maintenance),
    toLiquidationBps: distance === undefined ? undefined : bps(distance.fraction),
    liquidationPriceQuote:
      distance === undefined || !Number.isFinite(mark)
        ? undefined
        : Math.max(0, mark * (1 + away * distance.fraction)),
  };
}

function reasonsOf(
  context: BotContext,
  safety: Safety,
  desk: Desk,
  quotes: readonly ExplainedQuote[],
): readonly string[] {
  const reasons = [...marketBlocks(context, safety, desk)];
  for (const { side, level, fate, why } of quotes)
    if (fate === "withheld") reasons.push(`${side} ${level} withheld: ${why}`);
  return reasons;
}

function bps(fraction: number): number {
  return Math.round(fraction * 1e6) / 100 || 0;
}
