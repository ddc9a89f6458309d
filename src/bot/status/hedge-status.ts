import { scaledToDecimal } from "../../core/instrument.js";
import type { MarketId, Ms } from "../../core/units.js";
import { HEDGE_DECIMALS, type HedgeUnits } from "../../hedge/hedge-venue.js";
import type { Bot } from "../engine/bot.js";
import { quoteText } from "./quote-text.js";

/** The hedge of a market at another venue. Amounts are in base, money as its key says. */
export interface HedgeStatus {
  /** Name of the venue in `hedgeVenues`. */
  readonly venue: string;
  readonly symbol: string;
  /** The state of the hedge, or why nothing can be hedged, as a phrase. */
  readonly state: string;
  /** False while the venue cannot be reached, or its position is not confirmed. */
  readonly isReachable: boolean;
  /** Why quotes only reduce, or the market is halted; undefined if it quotes freely. */
  readonly restriction: string | undefined;
  /** Signed position at the venue. */
  readonly positionBase: string;
  /** Signed: what is still to be bought there; undefined while a position is not known. */
  readonly unhedgedBase: string | undefined;
  /** The most that may be unhedged for longer than `maxUnhedgedMs`. */
  readonly boundBase: string;
  /** Position of the market and of its hedge together, in the market's lots. */
  readonly netBase: string | undefined;
  /** Client ids of the orders that may still fill. */
  readonly orders: readonly string[];
  /** Asset of the profit below. */
  readonly venueQuoteAsset: string;
  /**
   * The profit since the hedge began, in the venue's asset: `trading` less `fees`, with `funding`,
   * is `total`. Undefined before the venue's first price.
   */
  readonly profit: HedgeProfitStatus | undefined;
  /** Fees paid in other assets, by asset: they are not in the profit. */
  readonly otherFees: Readonly<Record<string, string>>;
  /** The total in the quote asset of the exchange; undefined before a price and a rate. */
  readonly profitQuote: string | undefined;
  /** Units of the exchange's quote asset for one of the venue's, and where it is from. */
  readonly rate: HedgeRateStatus | undefined;
  /**
   * Change of the equity at the venue that the hedge does not explain: transfers, other symbols,
   * fees in other assets. Undefined before the account was read.
   */
  readonly residual: string | undefined;
}

/** The parts of a hedge's profit, as decimal strings. */
interface HedgeProfitStatus {
  readonly trading: string;
  readonly fees: string;
  readonly funding: string;
  readonly total: string;
}

/** A rate of quote assets. */
interface HedgeRateStatus {
  readonly rate: number;
  /** Its source in `references`; null for a fixed rate. */
  readonly source: string | null;
  /** When it arrived, by this machine's clock; null for a fixed rate. */
  readonly atMs: Ms | null;
}

/** The hedge of a market; undefined in a market without one. */
export function readHedge(bot: Pick<Bot, "context">, marketId: MarketId): HedgeStatus | undefined {
  const { hedges } = bot.context;
  const hedged = hedges.get(marketId);
  if (hedged === undefined) return undefined;
  const { hedger, venue, instrument, config } = hedged;
  const { contract, profit, residual, neededLots } = hedger;
  const base = (lots: number): string => contract.instrument.formatAmount(lots);
  const netLots = hedges.netLots(marketId);
  const profitCredit = hedges.profitOf(hedged);
  const rate = hedges.rateOf(config);
  const restriction = hedges.restrictionOn(marketId);
  return {
    venue,
    symbol: contract.symbol,
    state: hedger.state,
    isReachable: hedger.awayReason === undefined,
    restriction:
      restriction === undefined
        ? undefined
        : `${restriction.effect === "halt" ? "halted" : "quotes only reduce"}: ${restriction.why}`,
    positionBase: base(hedger.positionLots),
    unhedgedBase: neededLots === undefined ? undefined : base(neededLots),
    boundBase: base(hedger.boundLots),
    netBase: netLots === undefined ? undefined : instrument.formatAmount(netLots),
    orders: hedger.ordersLeft.map(({ key }) => key),
    venueQuoteAsset: contract.quoteAsset,
    profit:
      profit === undefined
        ? undefined
        : {
            trading: moneyText(profit.trading),
            fees: moneyText(-profit.fees),
            funding: moneyText(profit.funding),
            total: moneyText(profit.total),
          },
    otherFees: Object.fromEntries(
      Object.entries(profit?.otherFees ?? {}).map(([asset, fee]) => [asset, moneyText(-fee)]),
    ),
    profitQuote: profitCredit === undefined ? undefined : quoteText(bot, profitCredit),
    rate:
      rate === undefined
        ? undefined
        : { rate: rate.rate, source: rate.source ?? null, atMs: rate.atMs ?? null },
    residual: residual === undefined ? undefined : moneyText(residual),
  };
}

/** A market's hedge in one line. */
export function hedgeText(hedge: HedgeStatus): string {
  const { venue, symbol, positionBase, unhedgedBase, profitQuote, state, restriction } = hedge;
  const unhedged = unhedgedBase === undefined ? "" : `, ${unhedgedBase} to hedge`;
  const profit = profitQuote === undefined ? "" : `, profit ${profitQuote}`;
  const limit = restriction === undefined ? "" : `, ${restriction}`;
  return `${venue} ${symbol} ${positionBase}${unhedged}${profit}, ${state}${limit}`;
}

function moneyText(units: HedgeUnits): string {
  return scaledToDecimal(units, HEDGE_DECIMALS);
}
