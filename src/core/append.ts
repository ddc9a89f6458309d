/**
 * A list with one more thing. Where it held none another is made: one that is made with its only thing takes room for no other, and one that grows makes
 * room for sixteen. So a list that is shared as long as nothing is in it is never changed.
 */
export function append<T>(list: T[], one: T): T[] {
  if (list.length === 0) return [one];
  list.push(one);
  return list;
}
