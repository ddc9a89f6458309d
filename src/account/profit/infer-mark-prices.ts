import { absolute } from "../../core/bigints.js";
import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import type { VenuePosition } from "../../exchange/records.js";

/** The exchange's reported valuation of an account. */
export interface ReportedValuation {
  readonly exposure: CreditUnits;
  readonly positions: readonly VenuePosition[];
}

/** A received mark, and the exchange time span in which it was the newest of its market. */
export interface MarkInForce {
  readonly mark: CreditUnits;
  readonly fromMs: Ms;
  readonly untilMs: Ms;
}

/** The marks at which an exchange valued the markets with a position. */
export interface InferredMarks {
  readonly marks: ReadonlyMap<MarketId, CreditUnits>;
  /**
   * True if all marks were current at the same time. If not, they may be marks that were not
   * received yet, and match by chance.
   */
  readonly wereTogether: boolean;
}

/** Maximum number of tried combinations of marks. */
const MOST_TRIES = 4096;

/**
 * Infers the marks at which an exchange valued positions, which it does not report. They are the
 * marks of each market that give exactly the reported exposure,
 * `sum of |truncate(paper * mark / 10^paperDecimals)|` (docs/reference/protocol.md#units).
 * Simultaneous marks come before others.
 * @param known possible marks of each market, the likeliest first
 * @returns undefined if no combination matches, or if a position is in a market without known marks
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
    const paper = instrument.lotsToPaper(lots) + restPaper;
    // Written out: a literal that adds a key to a spread costs as much as all of this computation.
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
  /** Maximum error of a sum: the exchange may round each position in its own way. */
  readonly off: bigint;
  readonly wereTogether: boolean;
}

type Span = Pick<MarkInForce, "fromMs" | "untilMs">;

/** @param span the time span in which all marks taken so far were current */
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
