/**
 * Amounts in whole lots, one per row: four bytes each if none exceeds {@link MOST_NARROW_LOTS}, the
 * usual case, else eight. Both are exact.
 */
export type LotsColumn = Uint32Array | Float64Array;

/** The largest amount that four bytes hold. */
export const MOST_NARROW_LOTS = 2 ** 32 - 1;
/** The largest amount of any column: every whole number up to it is exact. */
export const MOST_LOTS = Number.MAX_SAFE_INTEGER;

/** True if a column holds amounts above {@link MOST_NARROW_LOTS}. */
export function isWide(lots: LotsColumn): boolean {
  return lots.BYTES_PER_ELEMENT === Float64Array.BYTES_PER_ELEMENT;
}

/** An empty column for `rows` amounts, of the same width as another column. */
export function columnLike(lots: LotsColumn, rows: number): LotsColumn {
  return isWide(lots) ? new Float64Array(rows) : new Uint32Array(rows);
}

/** A copy that holds any amount. */
export function widen(lots: LotsColumn): Float64Array {
  return new Float64Array(lots);
}
