import type { Instrument } from "../../core/instrument.js";
import type { VenueEvent } from "../../exchange/venue.js";
import { LEAST_TICKS, MOST_TICKS } from "../columns/tape/tape.js";
import type { OwnRecord } from "./own-records.js";
import type { FlatLevels, RecordedBook } from "./recorded-book.js";

type Of<Type extends VenueEvent["type"]> = Extract<VenueEvent, { readonly type: Type }>;

/** A record of the whole book as the recorder has it; it replaces the reader's book. */
export function snapshotRecord(
  { sequence, bids, asks }: RecordedBook,
  instrument: Instrument,
): OwnRecord {
  return {
    type: "snapshot",
    sequence,
    bids: levels([...bids, LEAST_TICKS, 0], instrument),
    asks: levels([...asks, MOST_TICKS, 0], instrument),
  };
}

/** A record of changed levels. */
export function bookRecord(
  { beginSequence, endSequence, bids, asks }: Of<"book-update">,
  instrument: Instrument,
): OwnRecord {
  return {
    type: "update",
    beginSequence,
    endSequence,
    bids: levels(bids, instrument),
    asks: levels(asks, instrument),
  };
}

/** A record of a public trade. */
export function tradeRecord(
  { id, ticks, lots, timeMs, isBuyerMaker }: Of<"public-trade">,
  instrument: Instrument,
): OwnRecord {
  return {
    id,
    price: instrument.formatPrice(ticks),
    amount: instrument.formatAmount(lots),
    time: timeMs,
    isBuyerMaker,
  };
}

/** A record of mark, index and funding rate, in exact decimals. */
export function markRecord(
  { mark, index, fundingRate, nextFundingMs }: Of<"market-state">,
  instrument: Instrument,
): OwnRecord {
  const [markPrice, indexPrice] = [
    instrument.creditToDecimal(mark),
    instrument.creditToDecimal(index),
  ];
  return {
    markPrice,
    indexPrice,
    fundingRate: String(fundingRate),
    nextFundingTime: nextFundingMs,
  };
}

function levels(flat: FlatLevels, instrument: Instrument): string[][] {
  const texts: string[][] = [];
  for (let at = 0; at < flat.length; at += 2)
    texts.push([
      instrument.formatPrice(flat[at] as number),
      instrument.formatAmount(flat[at + 1] as number),
    ]);
  return texts;
}
