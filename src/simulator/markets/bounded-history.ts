import type { Int64Id, Ms } from "../../core/units.js";

/** The keys of a {@link BoundedHistory}'s items. */
export interface HistoryKeys<Item> {
  id(item: Item): Int64Id;
  /** Never decreases with the id. */
  timeMs(item: Item): Ms;
}

/**
 * The range of a list endpoint: `startMs` inclusive, `endMs` exclusive
 * (docs/reference/exchange-interface.md#endpoints).
 */
export interface PageQuery {
  readonly startMs?: Ms | undefined;
  readonly endMs?: Ms | undefined;
  readonly fromId?: Int64Id | undefined;
  readonly limit: number;
}

/** Records in ascending order of their ids; only the newest `limit` are kept. */
export class BoundedHistory<Item> {
  #items: Item[] = [];
  #dropped = 0;
  readonly #limit: number;
  readonly #keys: HistoryKeys<Item>;

  constructor(limit: number, keys: HistoryKeys<Item>) {
    this.#limit = limit;
    this.#keys = keys;
  }

  get length(): number {
    return this.#items.length - this.#dropped;
  }

  /** Inserts a record by its id: nearly always at the end. */
  add(item: Item): void {
    const id = this.#keys.id(item);
    let place = this.#items.length;
    while (
      place > this.#dropped &&
      compareIds(this.#keys.id(this.#items[place - 1] as Item), id) > 0
    ) {
      place -= 1;
    }
    if (place === this.#items.length) {
      this.#items.push(item);
    } else {
      this.#items.splice(place, 0, item);
    }
    if (this.length > this.#limit) {
      this.#dropped += 1;
    }
    // Dropping one by one would move the whole array each time.
    if (this.#dropped > this.#limit) {
      this.#items = this.#items.slice(this.#dropped);
      this.#dropped = 0;
    }
  }

  /**
   * One page, oldest first: with a start (a time or an id) the first `limit` from there, without
   * one the newest `limit`. Only items that `passes` accepts count.
   */
  page(
    { startMs, endMs, fromId, limit }: PageQuery,
    passes: (item: Item) => boolean = everything,
  ): Item[] {
    const end =
      endMs === undefined
        ? this.#items.length
        : this.#firstWhere((item) => this.#keys.timeMs(item) >= endMs);
    const found: Item[] = [];
    if (startMs === undefined && fromId === undefined) {
      for (let place = end - 1; place >= this.#dropped && found.length < limit; place -= 1) {
        const item = this.#items[place] as Item;
        if (passes(item)) {
          found.push(item);
        }
      }
      return found.reverse();
    }
    const afterStart =
      startMs === undefined
        ? this.#dropped
        : this.#firstWhere((item) => this.#keys.timeMs(item) >= startMs);
    const afterId =
      fromId === undefined
        ? this.#dropped
        : this.#firstWhere((item) => compareIds(this.#keys.id(item), fromId) >= 0);
    for (
      let place = Math.max(afterStart, afterId);
      place < end && found.length < limit;
      place += 1
    ) {
      const item = this.#items[place] as Item;
      if (passes(item)) {
        found.push(item);
      }
    }
    return found;
  }

  /** The record with this id, if it is still kept. */
  find(id: Int64Id): Item | undefined {
    const item =
      this.#items[this.#firstWhere((candidate) => compareIds(this.#keys.id(candidate), id) >= 0)];
    return item !== undefined && this.#keys.id(item) === id ? item : undefined;
  }

  /** The identifier of the oldest record that is kept. */
  get firstId(): Int64Id | undefined {
    const first = this.#items[this.#dropped];
    return first === undefined ? undefined : this.#keys.id(first);
  }

  last(): Item | undefined {
    return this.length === 0 ? undefined : this.#items.at(-1);
  }

  /** The index of the first item that satisfies a test; once true, the test stays true. */
  #firstWhere(test: (item: Item) => boolean): number {
    let low = this.#dropped;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(this.#items[middle] as Item)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}

/** Orders canonical decimal identifiers by value: negative when `a` is the smaller. */
export function compareIds(a: Int64Id, b: Int64Id): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function everything(): boolean {
  return true;
}
