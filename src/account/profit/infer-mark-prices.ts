import { absolute } from "../../core/bigints.js";
import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import type { VenuePosition } from "../../exchange/records.js";

/** What an exchange told of its valuation of an account. */
export interface ReportedValuation {
  readonly exposure: CreditUnits;
  readonly positions: readonly VenuePosition[];
}

/** A mark that was heard, and from when to when, exchange time, it was the newest of its market. */
export interface MarkInForce {
  readonly mark: CreditUnits;
  readonly fromMs: Ms;
  readonly untilMs: Ms;
}

/** The marks of the markets with a position that an exchange valued them at. */
export interface InferredMarks {
  readonly marks: ReadonlyMap<MarketId, CreditUnits>;
  /** Whether there was a time when each of them was in force; if not, they may be others that were not heard yet, and give the same by chance. */
  readonly wereTogether: boolean;
}

/** More combinations of marks than that are not tried. */
const MOST_TRIES = 4096;

/**
 * The marks that an exchange valued positions at, which it does not say: those of each market's
 * that give just the exposure that it told, `sum of |truncate(paper * mark / 10^paperDecimals)|`
 * (docs/reference/protocol.md#units). Those that were in force together come before others.
 * @param known marks of each market that it may have been, the likeliest first.
 * @returns undefined where none give it, or a position is in a market of which nothing is known.
 */
export function inferMarkPrices(
  { exposure, positions }: ReportedValuation,
  known: (marketId: MarketId) => readonly MarkInForce[],
  instruments: ReadonlyMap<MarketId, Instrument>,
): InferredMarks | undefined {
  const held: Held[] = [];
  for (const { marketId, lots, restPaper = 0n } of positions) {
    if (lots === 0 && restPaper === 0n) continue;
    const instrument = instruments.get(marketId);
    if (instrument === undefined) return undefined;
    const paper = instrument.paperOf(lots) + restPaper;
    // Written out: a literal that adds a key to a spread one costs as much as all that is reckoned here.
    const ways = known(marketId).map(({ mark, fromMs, untilMs }) => ({
      mark,
      fromMs,
      untilMs,
      size: absolute(instrument.markValue(paper, mark)),
    }));
    held.push({ marketId, ways });
  }
  if (held.reduce((tries, { ways }) => tries * ways.length, 1) > MOST_TRIES) return undefined;
  for (const wereTogether of [true, false]) {
    const marks = found({ held, off: BigInt(held.length), wereTogether }, 0, exposure, {
      fromMs: -Infinity,
      untilMs: Infinity,
    });
    if (marks !== undefined) return { marks, wereTogether };
  }
  return undefined;
}

interface Held {
  readonly marketId: MarketId;
  readonly ways: readonly (MarkInForce & { readonly size: CreditUnits })[];
}

interface Search {
  readonly held: readonly Held[];
  /** How far a sum may be off: the exchange may round each position its own way. */
  readonly off: bigint;
  readonly wereTogether: boolean;
}

type Span = Pick<MarkInForce, "fromMs" | "untilMs">;

/** @param span when all marks taken so far were in force. */
function found(
  search: Search,
  at: number,
  left: CreditUnits,
  span: Span,
): Map<MarketId, CreditUnits> | undefined {
  if (search.wereTogether && span.fromMs > span.untilMs) return undefined;
  const next = search.held[at];
  if (next === undefined) return absolute(left) <= search.off ? new Map() : undefined;
  for (const { mark, size, fromMs, untilMs } of next.ways) {
    const common = {
      fromMs: Math.max(span.fromMs, fromMs),
      untilMs: Math.min(span.untilMs, untilMs),
    };
    const marks = found(search, at + 1, left - size, common);
    if (marks !== undefined) return marks.set(next.marketId, mark);
  }
  return undefined;
}
