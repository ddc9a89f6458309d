import type { BadRow } from "../history-errors.js";

/** A row that was left out of a file. */
export interface LeftOutRow {
  /** The number of remaining rows before it. */
  readonly place: number;
  /** True for a row of a book's snapshot; undefined for another kind and for unreadable rows. */
  readonly isSnapshot: boolean | undefined;
}

/**
 * Merges the rows left out of a file so far with further ones.
 * @param earlier rows that are left out already
 * @param now rows of the file without these, ascending
 */
export function mergeLeftOutRows(
  earlier: readonly LeftOutRow[],
  now: readonly BadRow[],
): LeftOutRow[] {
  const fresh = now.map(({ row, isSnapshot }, index) => ({ place: row - 1 - index, isSnapshot }));
  let passed = 0;
  const moved = [...earlier]
    .sort((one, other) => one.place - other.place)
    .map(({ place, isSnapshot }) => {
      while (passed < now.length && (now[passed] as BadRow).row <= place) passed += 1;
      return { place: place - passed, isSnapshot };
    });
  return [...moved, ...fresh];
}
