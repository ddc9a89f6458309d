/**
 * Returns a part of a list that still fails, from which no single item can be left out: ddmin
 * (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on
 * Software Engineering 28(2), 2002), by complements. It first leaves out halves, then ever smaller
 * pieces. The items keep their order.
 * @param items of which the whole is known to fail
 * @param fails true if a part of the list still fails; a part may be asked about again
 */
export async function minimiseList<Item>(
  items: readonly Item[],
  fails: (kept: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  if (items.length === 0 || (await fails([]))) return [];
  let kept = items;
  let pieceCount = 2;
  while (kept.length >= 2) {
    const smaller = await withoutOnePiece(kept, pieceCount, fails);
    if (smaller !== undefined) {
      kept = smaller;
      pieceCount = Math.max(2, pieceCount - 1);
    } else if (pieceCount < kept.length) {
      pieceCount = Math.min(kept.length, 2 * pieceCount);
    } else {
      break;
    }
  }
  return kept;
}

/** The list without the first of its pieces that it can do without; undefined if it needs all. */
async function withoutOnePiece<Item>(
  items: readonly Item[],
  pieceCount: number,
  fails: (kept: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[] | undefined> {
  const boundary = (piece: number): number => Math.floor((piece * items.length) / pieceCount);
  for (let piece = 0; piece < pieceCount; piece += 1) {
    const rest = [...items.slice(0, boundary(piece)), ...items.slice(boundary(piece + 1))];
    if (await fails(rest)) return rest;
  }
  return undefined;
}
