/** Amounts in whole lots, one a row: four bytes each where none passes {@link MOST_NARROW_LOTS}, as nearly everywhere, else eight. Both are exact. */
export type LotsColumn = Uint32Array | Float64Array;

/** The largest amount that four bytes hold. */
export const MOST_NARROW_LOTS = 2 ** 32 - 1;
/** The largest that any column holds: up to it every whole number is exact. */
export const MOST_LOTS = Number.MAX_SAFE_INTEGER;

/** Whether a column holds amounts above {@link MOST_NARROW_LOTS}. */
export function isWide(lots: LotsColumn): boolean {
  return lots.BYTES_PER_ELEMENT === Float64Array.BYTES_PER_ELEMENT;
}

/** An empty column for so many amounts of the size that another one holds. */
export function columnLike(lots: LotsColumn, rows: number): LotsColumn {
  return isWide(lots) ? new Float64Array(rows) : new Uint32Array(rows);
}

/** A copy that holds any amount. */
export function widen(lots: LotsColumn): Float64Array {
  return new Float64Array(lots);
}
