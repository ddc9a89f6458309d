/** Runs of this length are sorted by insertion before they are merged. */
const RUN = 32;

/**
 * Indices of the entries in ascending order of their keys, ties in their original order; undefined
 * if they are sorted already.
 */
export function ascendingOrder(keys: Float64Array, count = keys.length): Uint32Array | undefined {
  let inOrder = true;
  for (let at = 1; at < count && inOrder; at++)
    inOrder = (keys[at - 1] as number) <= (keys[at] as number);
  if (inOrder) return undefined;
  const order = new Uint32Array(count);
  for (let at = 0; at < count; at++) order[at] = at;
  sortByKeys(keys, order);
  return order;
}

/**
 * Sorts indices of entries by ascending key; ties keep their order. Nearly sorted input, such as
 * stamps of a recording, costs little more than one pass: two runs are merged only if they overlap.
 */
export function sortByKeys(keys: Float64Array, order: Uint32Array): void {
  const count = order.length;
  for (let start = 0; start < count; start += RUN)
    insertionSort(keys, order, start, Math.min(start + RUN, count));
  const spare = new Uint32Array(count);
  for (let width = RUN; width < count; width *= 2) {
    for (let start = 0; start + width < count; start += 2 * width) {
      merge(keys, order, spare, start, start + width, Math.min(start + 2 * width, count));
    }
  }
}

function insertionSort(keys: Float64Array, order: Uint32Array, start: number, end: number): void {
  for (let at = start + 1; at < end; at++) {
    const entry = order[at] as number;
    const key = keys[entry] as number;
    let to = at;
    while (to > start && (keys[order[to - 1] as number] as number) > key) {
      order[to] = order[to - 1] as number;
      to--;
    }
    order[to] = entry;
  }
}

/** Merges two adjacent runs that meet at `middle`. */
function merge(
  keys: Float64Array,
  order: Uint32Array,
  spare: Uint32Array,
  start: number,
  middle: number,
  end: number,
): void {
  const firstOfRight = keys[order[middle] as number] as number;
  let left = middle;
  while (left > start && (keys[order[left - 1] as number] as number) > firstOfRight) left--;
  if (left === middle) return;
  spare.set(order.subarray(left, middle), left);
  let right = middle;
  for (let to = left; left < middle; to++) {
    const isRight =
      right < end &&
      (keys[order[right] as number] as number) < (keys[spare[left] as number] as number);
    order[to] = (isRight ? order[right++] : spare[left++]) as number;
  }
}
