import { Instrument } from "#core/instrument.js";
import type { Hex, Lots, MarketId, Ms, Side } from "#core/units.js";
import type { VenueBalances, VenueOrder, VenuePosition, VenueTrade } from "#exchange/records.js";
import type { PlaceAction } from "#exchange/venue.js";

/** The market of the account's tests: ticks of 0.1, lots of 0.001, credit of 6 decimals. */
export const MARKET: MarketId = "btcusdc";

export const INSTRUMENT = new Instrument({
  marketId: MARKET,
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

export const TAG = 0xbeef;

/** An `info` whose nonce carries a tag and a serial number. */
export function infoOf(serial: number, tag = TAG): Hex {
  return `0x${"0".repeat(48)}${tag.toString(16).padStart(4, "0")}${serial.toString(16).padStart(12, "0")}`;
}

export function hashOf(serial: number): Hex {
  return `0x${serial.toString(16).padStart(64, "0")}`;
}

export function placeAction(serial: number, part: Partial<PlaceAction> = {}): PlaceAction {
  return {
    kind: "place",
    actionId: serial,
    timestampMs: 1_000_000,
    marketId: MARKET,
    side: "BUY",
    type: "LIMIT",
    ticks: 600_000,
    lots: 10,
    timeInForce: "POST_ONLY",
    expirationMs: 0,
    order: {
      perp: "0x01",
      signer: "0x02",
      paperAmount: 0n,
      creditAmount: 0n,
      info: infoOf(serial),
    },
    hash: hashOf(serial),
    ...part,
  };
}

/** An order as the exchange would report it. The lots that the parts leave over are available. */
export function venueOrder(serial: number, part: Partial<VenueOrder> = {}): VenueOrder {
  const lots = part.lots ?? 10;
  const told = {
    pendingLots: 0,
    filledLots: 0,
    canceledLots: 0,
    expiredLots: 0,
    failedLots: 0,
    ...part,
  };
  const gone =
    told.pendingLots + told.filledLots + told.canceledLots + told.expiredLots + told.failedLots;
  return {
    id: String(9_000_000_000_000_000 + serial),
    hash: hashOf(serial),
    info: infoOf(serial),
    marketId: MARKET,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "POST_ONLY",
    ticks: 600_000,
    lots,
    availableLots: lots - gone,
    averagePrice: undefined,
    status: "NEW",
    createdAtMs: 1_000_010,
    expirationMs: 0,
    ...told,
  };
}

export function venueTrade(
  id: number,
  side: Side,
  lots: Lots,
  part: Partial<VenueTrade> = {},
): VenueTrade {
  const ticks = part.ticks ?? 600_000;
  return {
    id: String(id),
    marketId: MARKET,
    side,
    isMaker: true,
    ticks,
    lots,
    quote: INSTRUMENT.creditFloor(ticks, lots),
    commission: -1n,
    timeMs: 1_000_020,
    status: "CREATED",
    ...part,
  };
}

export function venueBalances(
  netValue = 100_000_000_000n,
  primaryCredit = netValue,
): VenueBalances {
  return {
    availableCredit: {},
    availableMargin: netValue,
    exposure: 0n,
    frozenMargin: 0n,
    positionMargin: 0n,
    netValue,
    primaryCredit,
    secondaryCredit: 0n,
    isSafe: true,
    leverage: "0",
    marginRate: "0",
  };
}

export function venuePosition(lots: Lots, marketId: MarketId = MARKET): VenuePosition {
  return {
    marketId,
    lots,
    status: lots === 0 ? "CLOSED" : "OPEN",
    entryPrice: "60000",
    liquidationPrice: "0",
    unrealizedPnl: 0n,
    realizedPnl: 0n,
  };
}

/** The start of every story, in exchange time. */
export const T0: Ms = 1_000_000;
