/**
 * Appends an item to a list, and returns the list. An empty list is replaced by a new one: a list
 * created with its only item allocates no spare room, and one that grows allocates sixteen. So an
 * empty list that is shared never changes.
 */
export function append<T>(list: T[], one: T): T[] {
  if (list.length === 0) return [one];
  list.push(one);
  return list;
}
