/** The item of the largest measure; of equal ones the first. Undefined of none. */
export function largestBy<Item>(
  items: readonly Item[],
  measure: (item: Item) => number | bigint,
): Item | undefined {
  let largest: Item | undefined;
  for (const item of items)
    if (largest === undefined || measure(item) > measure(largest)) largest = item;
  return largest;
}
