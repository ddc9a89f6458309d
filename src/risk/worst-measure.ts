import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, Side, Ticks } from "../core/units.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "./exposure.js";

/** What a market comes to when the worst of its orders fill. */
export class WorstMarket {
  readonly exposure: MarketExposure;
  /** Position when every buy fills and no sell; 0 when that is not long. */
  readonly longLots: Lots;
  /** |position| when every sell fills and no buy; 0 when that is not short. */
  readonly shortLots: Lots;
  /** The larger of both, valued at the worse of mark and prices. */
  readonly notional: CreditUnits;
  /** Long and short, valued at the mark. */
  readonly longNotional: CreditUnits;
  readonly shortNotional: CreditUnits;
  readonly maintenance: CreditUnits;
  readonly initialMargin: CreditUnits;
  /** What the fills cost at once: the prices' distance to the mark where it is against us, and fees. */
  readonly cost: CreditUnits;
  readonly #sums: Sums;

  constructor(exposure: MarketExposure, sums: Sums, markTicks: number) {
    const { instrument, positionLots, maintenancePpm, initialPpm, feePpm } = exposure;
    const longLots = Math.max(0, positionLots + sums.buyLots);
    const shortLots = Math.max(0, sums.sellLots - positionLots);
    const mark = Math.ceil(markTicks);
    const longNotional = credit(instrument, longLots * mark);
    const shortNotional = credit(instrument, shortLots * mark);
    const largest = longLots > shortLots ? longNotional : shortNotional;
    this.exposure = exposure;
    this.longLots = longLots;
    this.shortLots = shortLots;
    this.notional = sums.highestTicks > mark ? credit(instrument, Math.max(longLots, shortLots) * sums.highestTicks) : largest;
    this.longNotional = longNotional;
    this.shortNotional = shortNotional;
    this.maintenance = partOf(largest, maintenancePpm);
    this.initialMargin = partOf(largest, initialPpm);
    this.cost = credit(instrument, sums.againstUs) + (feePpm === 0 ? 0n : partOf(credit(instrument, sums.traded), feePpm));
    this.#sums = sums;
  }

  /** Price times size of the bot's own orders that may still fill. */
  get ownOpenNotional(): CreditUnits {
    return credit(this.exposure.instrument, this.#sums.ownOpen);
  }

  /** Price times size of the orders of one side that the exchange's available credit does not count yet. */
  uncountedCredit(side: Side): CreditUnits {
    return credit(this.exposure.instrument, side === "BUY" ? this.#sums.uncountedBuy : this.#sums.uncountedSell);
  }
}

/** What the account comes to when the worst of all orders fill. */
export interface WorstAccount {
  readonly markets: ReadonlyMap<MarketId, WorstMarket>;
  readonly netValue: CreditUnits;
  readonly notional: CreditUnits;
  readonly maintenance: CreditUnits;
  readonly initialMargin: CreditUnits;
}

interface NewOrder {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly hash?: Hex | undefined;
}

/** The worst case of the account with `place` in it, when there is one. Values are rounded against the account. */
export function measureAccount(exposure: AccountExposure, place: NewOrder | undefined): WorstAccount {
  const markets = new Map<MarketId, WorstMarket>();
  let { netValue } = exposure;
  let notional = 0n;
  let maintenance = 0n;
  let initialMargin = 0n;
  for (const market of exposure.markets.values()) {
    const worst = measureMarket(market, place?.marketId === market.marketId ? place : undefined);
    markets.set(market.marketId, worst);
    netValue -= worst.cost;
    notional += worst.notional;
    maintenance += worst.maintenance;
    initialMargin += worst.initialMargin;
  }
  return { markets, netValue, notional, maintenance, initialMargin };
}

/** Sums in tick-lots: exact below 2^53, which is 10^12 of quote in any market of the field. */
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

function measureMarket(market: MarketExposure, place: NewOrder | undefined): WorstMarket {
  // Without a mark (a market that is idle, or one where only this place's own price is known) the orders' prices are all there is.
  const markTicks = Number.isFinite(market.markTicks) ? market.markTicks : 0;
  const sums: Sums = { buyLots: 0, sellLots: 0, highestTicks: 0, againstUs: 0, traded: 0, ownOpen: 0, uncountedBuy: 0, uncountedSell: 0 };
  for (const order of market.orders) if (place?.hash === undefined || order.hash !== place.hash) addOrder(sums, order, markTicks, true);
  for (const order of market.foreignOrders) addOrder(sums, order, markTicks, false);
  if (place !== undefined) {
    add(sums, place.side, place.ticks, place.lots, markTicks);
    sums.ownOpen += place.ticks * place.lots;
    if (place.side === "BUY") sums.uncountedBuy += place.ticks * place.lots;
    else sums.uncountedSell += place.ticks * place.lots;
  }
  return new WorstMarket(market, sums, markTicks);
}

function addOrder(sums: Sums, order: ExposureOrder, markTicks: number, isOwn: boolean): void {
  const { side, ticks, mayFillLots, phase } = order;
  add(sums, side, ticks, mayFillLots + (order.untoldLots ?? 0), markTicks);
  if (!isOwn) return;
  sums.ownOpen += ticks * mayFillLots;
  // The exchange has taken an open order off the available credit already; one without an answer it may not have seen.
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
  return tickLots === 0 ? 0n : instrument.creditOfTickLots(Math.ceil(tickLots));
}

function partOf(amount: CreditUnits, ppm: number): CreditUnits {
  return ppm === 0 || amount === 0n ? 0n : (amount * BigInt(ppm) + 999_999n) / 1_000_000n;
}
