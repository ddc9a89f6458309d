import { MarketwrightError } from "../../core/errors.js";
import type { Int64Id, Ms } from "../../core/units.js";
import { MAX_PAGE } from "../protocol/parameters.js";

/**
 * A list that cannot be read without a gap: too many records at one instant, or an exchange that
 * does not page as specified.
 * @example
 * ```ts
 * import { readIdPages } from "marketwright/exchange";
 *
 * const descending = readIdPages({
 *   operation: "userTrades",
 *   page: async () => ["9", "8"],
 *   idOf: (id) => id,
 *   fromId: "0",
 * });
 * await descending.next(); // => { done: false, value: "9" }
 * await descending.next(); // throws PagingError
 * ```
 */
export class PagingError extends MarketwrightError {
  /** The operation whose pages these were. */
  readonly operation: string;

  constructor(operation: string, summary: string, value: string, expected: string) {
    super(summary, { field: operation, value, expected });
    this.operation = operation;
  }
}

/** A list that is paged by id: from `fromId` on, ascending. */
export interface IdPagesOptions<Item> {
  /** For errors. */
  readonly operation: string;
  readonly page: (fromId: Int64Id, limit: number) => Promise<readonly Item[]>;
  readonly idOf: (item: Item) => Int64Id;
  /** Distinguishes records of one id. Absent: an id is one record. */
  readonly keyOf?: (item: Item) => string;
  /** The first id to read; 0 is the oldest that the exchange keeps. */
  readonly fromId: Int64Id;
  /** Records per page, 2 to 500; default 500. */
  readonly pageSize?: number;
}

/**
 * Reads every record from an id on, ascending, each once, until there are no more. Each page begins
 * with the last record of the one before, so that nothing is lost whether or not the exchange
 * counts `fromId` itself in.
 * @throws PagingError when a page is not ascending, or goes back before what was asked for.
 * @example
 * ```ts
 * import { readIdPages } from "marketwright/exchange";
 *
 * const kept = ["1", "2", "3", "4", "5"];
 * const ids: string[] = [];
 * for await (const id of readIdPages({
 *   operation: "userTrades",
 *   page: async (fromId, limit) => kept.filter((id) => id >= fromId).slice(0, limit),
 *   idOf: (id) => id,
 *   fromId: "2",
 *   pageSize: 2,
 * }))
 *   ids.push(id);
 * ids; // => ["2", "3", "4", "5"]
 * ```
 */
export async function* readIdPages<Item>({
  operation,
  page,
  idOf,
  keyOf = idOf,
  fromId,
  pageSize = MAX_PAGE,
}: IdPagesOptions<Item>): AsyncGenerator<Item, void> {
  requirePageSize(operation, pageSize);
  let last = BigInt(fromId) - 1n;
  let keysOfLast = new Set<string>();
  for (let from = fromId; ; from = String(last)) {
    const items = await page(from, pageSize);
    const begin = last;
    const keysOfBegin = new Set(keysOfLast);
    let isNew = false;
    for (const item of items) {
      const id = BigInt(idOf(item));
      const key = keyOf(item);
      if (id === begin && (keysOfBegin.size === 0 || keysOfBegin.has(key))) continue;
      if (id !== last || keysOfLast.has(key)) {
        requireAscending(operation, last, id);
        keysOfLast = new Set();
      }
      last = id;
      keysOfLast.add(key);
      isNew = true;
      yield item;
    }
    if (items.length < pageSize) return;
    if (!isNew)
      throw new PagingError(
        operation,
        "a full page holds nothing new",
        String(from),
        "records after this id",
      );
  }
}

function requireAscending(operation: string, last: bigint, id: bigint): void {
  if (id <= last)
    throw new PagingError(
      operation,
      "the page is not ascending",
      `${id} after ${last}`,
      `ids above ${last}`,
    );
}

/** A list that is paged by time: `startTime` inclusive, `endTime` exclusive. */
export interface TimePagesOptions<Item> {
  /** For errors. */
  readonly operation: string;
  readonly page: (
    startTime: Ms | undefined,
    endTime: Ms | undefined,
    limit: number,
  ) => Promise<readonly Item[]>;
  readonly timeOf: (item: Item) => Ms;
  /** Distinguishes records of one instant. */
  readonly keyOf: (item: Item) => string;
  /** Inclusive; default: the oldest that the exchange keeps. */
  readonly startTime?: Ms | undefined;
  /** Exclusive; default: the end of the list. */
  readonly endTime?: Ms | undefined;
  /** Records per page, 2 to 500; default 500. */
  readonly pageSize?: number;
}

interface Range {
  readonly start: Ms | undefined;
  readonly end: Ms | undefined;
}

type Task<Item> =
  | { readonly kind: "emit"; readonly items: readonly Item[] }
  /**
   * `proves`: the page before was complete, so a full page here shows that pages hold the oldest
   * records of their range.
   */
  | { readonly kind: "read"; readonly range: Range; readonly proves: boolean }
  | { readonly kind: "split"; readonly range: Range; readonly items: readonly Item[] };

/**
 * Reads every record of a time range, oldest first, each once. The specification does not say
 * whether a full page holds the oldest or the newest of its range: both sides of it are asked for,
 * and the left one no more once the exchange has shown that it gives the oldest. Records of one
 * instant stay together, however a page cuts them. Records that come to lie before what was read
 * already, as an order does that ends meanwhile, belong to the next reading.
 * @throws PagingError when one instant fills a whole page, which no boundary can part, or when the
 * exchange does not keep to the range.
 * @example
 * ```ts
 * import { readTimePages } from "marketwright/exchange";
 *
 * const hours = Array.from({ length: 5 }, (_, hour) => ({ timeMs: hour * 3_600_000 }));
 * const read: number[] = [];
 * for await (const { timeMs } of readTimePages({
 *   operation: "klines",
 *   page: async (startTime = 0, endTime = Number.POSITIVE_INFINITY, limit) =>
 *     hours.filter(({ timeMs }) => timeMs >= startTime && timeMs < endTime).slice(0, limit),
 *   timeOf: ({ timeMs }) => timeMs,
 *   keyOf: ({ timeMs }) => String(timeMs),
 *   startTime: 3_600_000,
 *   pageSize: 2,
 * }))
 *   read.push(timeMs / 3_600_000);
 * read; // => [1, 2, 3, 4]
 * ```
 */
export async function* readTimePages<Item>(
  options: TimePagesOptions<Item>,
): AsyncGenerator<Item, void> {
  const { operation, timeOf, keyOf, startTime, endTime, pageSize = MAX_PAGE } = options;
  requirePageSize(operation, pageSize);
  const tasks: Task<Item>[] = [
    { kind: "read", range: { start: startTime, end: endTime }, proves: false },
  ];
  let holdsOldest = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  let keysOfLast = new Set<string>();
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (task.kind === "emit") {
      for (const item of task.items) {
        const timeMs = timeOf(item);
        if (timeMs > lastMs) keysOfLast = new Set();
        else if (timeMs < lastMs || keysOfLast.has(keyOf(item))) continue;
        lastMs = timeMs;
        keysOfLast.add(keyOf(item));
        yield item;
      }
      continue;
    }
    const { range } = task;
    const page =
      task.kind === "split"
        ? { items: task.items, isFull: true }
        : await readPage(options, range, pageSize);
    const { items } = page;
    if (!page.isFull) {
      tasks.push({ kind: "emit", items });
      continue;
    }
    if (task.kind === "read" && task.proves) holdsOldest = true;
    const oldest = timeOf(items[0] as Item);
    const newest = timeOf(items[items.length - 1] as Item);
    if (oldest === newest) throw oneInstant(operation, oldest, pageSize);
    const left: Range = { start: range.start, end: oldest + 1 };
    const before = holdsOldest ? undefined : await readPage(options, left, pageSize);
    const isWhole =
      before !== undefined &&
      !before.isFull &&
      before.items.length === items.filter((item) => timeOf(item) === oldest).length;
    tasks.push({ kind: "read", range: { start: newest, end: range.end }, proves: isWhole });
    tasks.push({ kind: "emit", items: items.filter((item) => timeOf(item) < newest) });
    if (before?.isFull === true) tasks.push({ kind: "split", range: left, items: before.items });
    else if (before !== undefined) tasks.push({ kind: "emit", items: before.items });
  }
}

interface Page<Item> {
  /** Within the range, by time. */
  readonly items: readonly Item[];
  /** True if the exchange may hold more of the range. */
  readonly isFull: boolean;
}

async function readPage<Item>(
  options: TimePagesOptions<Item>,
  { start, end }: Range,
  pageSize: number,
): Promise<Page<Item>> {
  const { operation, page, timeOf } = options;
  const all = await page(start, end, pageSize);
  const items = all
    .filter(
      (item) =>
        timeOf(item) >= (start ?? Number.NEGATIVE_INFINITY) &&
        timeOf(item) < (end ?? Number.POSITIVE_INFINITY),
    )
    .sort((one, other) => timeOf(one) - timeOf(other));
  const isFull = all.length >= pageSize;
  if (isFull && items.length === 0) {
    const value = `${start ?? "the first"} to ${end ?? "the last"}`;
    throw new PagingError(
      operation,
      "a full page holds nothing of its range",
      value,
      "records from startTime on, before endTime",
    );
  }
  return { items, isFull };
}

function oneInstant(operation: string, instantMs: Ms, pageSize: number): PagingError {
  return new PagingError(
    operation,
    "one instant fills a whole page",
    String(instantMs),
    `fewer than ${pageSize} records of one instant`,
  );
}

function requirePageSize(operation: string, pageSize: number): void {
  if (!Number.isInteger(pageSize) || pageSize < 2 || pageSize > MAX_PAGE) {
    throw new PagingError(
      operation,
      "not a page size",
      String(pageSize),
      `a whole number from 2 to ${MAX_PAGE}`,
    );
  }
}
