import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, MarketId } from "../core/units.js";
import type { VenuePosition } from "../exchange/records.js";

/** What an exchange told of its valuation of an account. */
export interface Valuation {
  readonly exposure: CreditUnits;
  readonly positions: readonly VenuePosition[];
}

/** More combinations of marks than that are not tried. */
const MOST_TRIES = 4096;

/**
 * The marks that an exchange valued positions at, which it does not say: those of each market's that give just the exposure that it told,
 * `sum of |truncate(paper * mark / 10^paperDecimals)|` (protocol, 7.1).
 * @param known marks of each market that it may have been, the likeliest first.
 * @returns those of the markets with a position; undefined where none give it, or a position is in a market of which nothing is known.
 */
export function marksOf(
  { exposure, positions }: Valuation,
  known: (marketId: MarketId) => readonly CreditUnits[],
  instruments: ReadonlyMap<MarketId, Instrument>,
): ReadonlyMap<MarketId, CreditUnits> | undefined {
  const held: Held[] = [];
  for (const { marketId, lots, restPaper = 0n } of positions) {
    if (lots === 0 && restPaper === 0n) continue;
    const instrument = instruments.get(marketId);
    if (instrument === undefined) return undefined;
    const paper = BigInt(lots) * instrument.paperPerLot + restPaper;
    const unit = 10n ** BigInt(instrument.paperDecimals);
    const ways = known(marketId).map((mark) => ({ mark, size: magnitude((paper * mark) / unit) }));
    held.push({ marketId, ways });
  }
  if (held.reduce((tries, { ways }) => tries * ways.length, 1) > MOST_TRIES) return undefined;
  return found(held, 0, exposure, BigInt(held.length));
}

interface Held {
  readonly marketId: MarketId;
  readonly ways: readonly { readonly mark: CreditUnits; readonly size: CreditUnits }[];
}

/** @param off how far a sum may be off: the exchange may round each position its own way. */
function found(held: readonly Held[], at: number, left: CreditUnits, off: bigint): Map<MarketId, CreditUnits> | undefined {
  const next = held[at];
  if (next === undefined) return magnitude(left) <= off ? new Map() : undefined;
  for (const { mark, size } of next.ways) {
    const marks = found(held, at + 1, left - size, off);
    if (marks !== undefined) return marks.set(next.marketId, mark);
  }
  return undefined;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
