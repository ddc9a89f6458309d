import { ceilDivide } from "../core/bigints.js";
import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, Side, SideLots, Ticks } from "../core/units.js";
import type { AccountExposure, ExposureOrder, HedgeExposure, MarketExposure } from "./exposure.js";
import { MILLION } from "./limits.js";

/**
 * One market when the worst of its orders fill. Amounts of money are computed on demand, since most
 * limits are seldom set.
 */
export class WorstCaseMarket {
  readonly exposure: MarketExposure;
  /**
   * Position if every buy fills, no sell fills and every unsettled sell fails; 0 if that is not
   * long.
   */
  readonly longLots: Lots;
  /**
   * |position| if every sell fills, no buy fills and every unsettled buy fails; 0 if that is not
   * short.
   */
  readonly shortLots: Lots;
  /** As {@link longLots}, with the hedge at another venue. */
  readonly netLongLots: Lots;
  /** As {@link shortLots}, with the hedge at another venue. */
  readonly netShortLots: Lots;
  readonly #sums: Sums;
  /** Whole ticks, rounded up. */
  readonly #mark: Ticks;

  constructor(exposure: MarketExposure, sums: Sums, markTicks: number) {
    this.exposure = exposure;
    const { positionLots, unsettledLots = NO_LOTS } = exposure;
    this.longLots = Math.max(0, positionLots + unsettledLots.sell + sums.buyLots);
    this.shortLots = Math.max(0, sums.sellLots + unsettledLots.buy - positionLots);
    const { hedge = NO_HEDGE } = exposure;
    const netLots = positionLots + hedge.positionLots;
    this.netLongLots = Math.max(0, netLots + unsettledLots.sell + sums.buyLots + hedge.mayBuyLots);
    this.netShortLots = Math.max(
      0,
      sums.sellLots + unsettledLots.buy + hedge.maySellLots - netLots,
    );
    this.#sums = sums;
    this.#mark = Math.ceil(markTicks);
  }

  /** The larger net position, valued at the worse of mark and prices. */
  get netNotional(): CreditUnits {
    return credit(
      this.exposure.instrument,
      Math.max(this.netLongLots, this.netShortLots) * Math.max(this.#sums.highestTicks, this.#mark),
    );
  }

  /** The larger of both, valued at the worse of mark and prices. */
  get notional(): CreditUnits {
    return credit(
      this.exposure.instrument,
      this.largestLots * Math.max(this.#sums.highestTicks, this.#mark),
    );
  }

  /** The net position of one side, valued at the worse of mark and prices. */
  netNotionalOn(side: Side): CreditUnits {
    const lots = side === "BUY" ? this.netLongLots : this.netShortLots;
    return credit(this.exposure.instrument, lots * Math.max(this.#sums.highestTicks, this.#mark));
  }

  /** Long position, valued at the mark. */
  get longNotional(): CreditUnits {
    return credit(this.exposure.instrument, this.longLots * this.#mark);
  }

  /** Short position, valued at the mark. */
  get shortNotional(): CreditUnits {
    return credit(this.exposure.instrument, this.shortLots * this.#mark);
  }

  get maintenance(): CreditUnits {
    return partOf(
      credit(this.exposure.instrument, this.largestLots * this.#mark),
      this.exposure.maintenancePpm,
    );
  }

  get initialMargin(): CreditUnits {
    return partOf(
      credit(this.exposure.instrument, this.largestLots * this.#mark),
      this.exposure.initialPpm,
    );
  }

  /** Immediate cost of the fills: the distance of unfavourable prices to the mark, and fees. */
  get cost(): CreditUnits {
    const { instrument, feePpm } = this.exposure;
    return (
      credit(instrument, this.#sums.againstUs) +
      (feePpm === 0 ? 0n : partOf(credit(instrument, this.#sums.traded), feePpm))
    );
  }

  /** Price times size of the bot's own orders that may still fill. */
  get ownOpenNotional(): CreditUnits {
    return credit(this.exposure.instrument, this.#sums.ownOpen);
  }

  /**
   * Price times size of the orders of one side that the exchange's available credit does not
   * include yet.
   */
  uncountedCredit(side: Side): CreditUnits {
    return credit(
      this.exposure.instrument,
      side === "BUY" ? this.#sums.uncountedBuy : this.#sums.uncountedSell,
    );
  }

  /** The largest position on either side. */
  get largestLots(): Lots {
    return Math.max(this.longLots, this.shortLots);
  }
}

/** The account when the worst of all orders fill. */
export class WorstCaseAccount {
  readonly markets: ReadonlyMap<MarketId, WorstCaseMarket>;
  readonly #netValue: CreditUnits;

  /** @param netValue of the account at the marks, before any fill */
  constructor(markets: ReadonlyMap<MarketId, WorstCaseMarket>, netValue: CreditUnits) {
    this.markets = markets;
    this.#netValue = netValue;
  }

  /** Net value after the cost of the fills. */
  get netValue(): CreditUnits {
    return this.#netValue - this.#sumOf((market) => market.cost);
  }

  get notional(): CreditUnits {
    return this.#sumOf((market) => market.notional);
  }

  get maintenance(): CreditUnits {
    return this.#sumOf((market) => market.maintenance);
  }

  get initialMargin(): CreditUnits {
    return this.#sumOf((market) => market.initialMargin);
  }

  #sumOf(part: (market: WorstCaseMarket) => CreditUnits): CreditUnits {
    let sum = 0n;
    for (const market of this.markets.values()) sum += part(market);
    return sum;
  }
}

interface NewOrder {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly hash?: Hex | undefined;
}

/**
 * The worst case of the account, including `place` if it is given. Values are rounded against the
 * account.
 */
export function computeWorstCase(
  exposure: AccountExposure,
  place: NewOrder | undefined,
): WorstCaseAccount {
  const markets = new Map<MarketId, WorstCaseMarket>();
  for (const market of exposure.markets.values()) {
    markets.set(
      market.marketId,
      measureMarket(market, place?.marketId === market.marketId ? place : undefined),
    );
  }
  return new WorstCaseAccount(markets, exposure.netValue);
}

/**
 * Sums in tick-lots. They are exact below 2^53, which is 10^12 of quote in any usual market; {@link
 * credit} rounds up beyond that.
 */
interface Sums {
  buyLots: number;
  sellLots: number;
  highestTicks: number;
  againstUs: number;
  traded: number;
  ownOpen: number;
  uncountedBuy: number;
  uncountedSell: number;
}

function measureMarket(market: MarketExposure, place: NewOrder | undefined): WorstCaseMarket {
  // Without a mark (an idle market, or one where only this order's price is known) the orders'
  // prices are the only value.
  const markTicks = Number.isFinite(market.markTicks) ? market.markTicks : 0;
  const sums: Sums = {
    buyLots: 0,
    sellLots: 0,
    highestTicks: 0,
    againstUs: 0,
    traded: 0,
    ownOpen: 0,
    uncountedBuy: 0,
    uncountedSell: 0,
  };
  for (const order of market.orders)
    if (place?.hash === undefined || order.hash !== place.hash)
      addOrder(sums, order, markTicks, true);
  for (const order of market.foreignOrders) addOrder(sums, order, markTicks, false);
  for (const takeover of market.pendingTakeovers ?? NONE)
    addOrder(sums, takeover, markTicks, false);
  if (place !== undefined) {
    add(sums, place.side, place.ticks, place.lots, markTicks);
    sums.ownOpen += place.ticks * place.lots;
    if (place.side === "BUY") sums.uncountedBuy += place.ticks * place.lots;
    else sums.uncountedSell += place.ticks * place.lots;
  }
  return new WorstCaseMarket(market, sums, markTicks);
}

const NONE: readonly ExposureOrder[] = [];
const NO_LOTS: SideLots = { buy: 0, sell: 0 };
const NO_HEDGE: HedgeExposure = { positionLots: 0, mayBuyLots: 0, maySellLots: 0 };

function addOrder(sums: Sums, order: ExposureOrder, markTicks: number, isOwn: boolean): void {
  const { side, ticks, mayFillLots, phase } = order;
  add(sums, side, ticks, mayFillLots + (order.unreportedLots ?? 0), markTicks);
  if (!isOwn) return;
  sums.ownOpen += ticks * mayFillLots;
  // The exchange has already deducted an open order from the available credit. It may not know an
  // order without a response.
  if (phase !== "intended" && phase !== "sent" && phase !== "unknown") return;
  if (side === "BUY") sums.uncountedBuy += ticks * mayFillLots;
  else sums.uncountedSell += ticks * mayFillLots;
}

function add(sums: Sums, side: Side, ticks: number, lots: number, markTicks: number): void {
  if (lots <= 0) return;
  if (side === "BUY") sums.buyLots += lots;
  else sums.sellLots += lots;
  if (ticks > sums.highestTicks) sums.highestTicks = ticks;
  const worseBy = side === "BUY" ? ticks - markTicks : markTicks - ticks;
  if (worseBy > 0) sums.againstUs += worseBy * lots;
  sums.traded += ticks * lots;
}

function credit(instrument: Instrument, tickLots: number): CreditUnits {
  return tickLots === 0 ? 0n : instrument.tickLotsToCredit(Math.ceil(tickLots));
}

function partOf(amount: CreditUnits, ppm: number): CreditUnits {
  return ppm === 0 || amount === 0n ? 0n : ceilDivide(amount * BigInt(ppm), MILLION);
}
