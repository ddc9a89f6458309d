import type { Timer } from "./runtime.js";

const GONE = -1;

/** A timer in a {@link TimerHeap}. */
export interface HeapTimer extends Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/**
 * Timers in a binary heap by due time, then by order of setting. Each knows its index, so that a
 * cancelled timer is removed at once: a day of cancelled time-outs must not stay in memory until
 * they would have been due.
 */
export class TimerHeap {
  readonly #heap: Entry[] = [];
  #set = 0;

  get size(): number {
    return this.#heap.length;
  }

  add(dueMs: number, fire: () => void): HeapTimer {
    const entry = new Entry(this, dueMs, this.#set++, fire);
    entry.place = this.#heap.length;
    this.#heap.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Due time of the first timer; Infinity when there is none. */
  get nextDueMs(): number {
    return this.#heap[0]?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  /** Takes out the first timer if it is due by `instantMs`. */
  takeDueBy(instantMs: number): HeapTimer | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > instantMs) {
      return undefined;
    }
    this.remove(first);
    return first;
  }

  /** Removes `entry`; does nothing if it is already gone. */
  remove(entry: Entry): void {
    const place = entry.place;
    if (place === GONE) {
      return;
    }
    entry.place = GONE;
    const last = this.#heap.pop() as Entry;
    if (last === entry) {
      return;
    }
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }

  #rise(entry: Entry): void {
    let place = entry.place;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1] as Entry;
      if (!before(entry, above)) {
        break;
      }
      const vacated = above.place;
      this.#put(above, place);
      place = vacated;
    }
    this.#put(entry, place);
  }

  #sink(entry: Entry): void {
    let place = entry.place;
    for (;;) {
      const left = this.#heap[2 * place + 1];
      const right = this.#heap[2 * place + 2];
      const least = right !== undefined && before(right, left as Entry) ? right : left;
      if (least === undefined || !before(least, entry)) {
        break;
      }
      const vacated = least.place;
      this.#put(least, place);
      place = vacated;
    }
    this.#put(entry, place);
  }
}

class Entry implements HeapTimer {
  place = GONE;
  readonly #heap: TimerHeap;

  constructor(
    heap: TimerHeap,
    readonly dueMs: number,
    readonly sequence: number,
    readonly fire: () => void,
  ) {
    this.#heap = heap;
  }

  cancel(): void {
    this.#heap.remove(this);
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);
}
