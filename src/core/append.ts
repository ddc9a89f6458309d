/**
 * Appends an item to a list, and returns the list. A list of none or one is replaced by a new one,
 * since a list created with its items allocates no spare room, and one that grows allocates
 * sixteen. So an empty list that is shared never changes.
 */
export function append<T>(list: T[], one: T): T[] {
  if (list.length === 0) return [one];
  if (list.length === 1) return [list[0], one];
  list.push(one);
  return list;
}
