import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PagingError, readIdPages, readTimePages } from "#exchange/pages.js";

interface Item {
  readonly id: string;
  readonly time: number;
}

const timeOf = ({ time }: Item): number => time;
const keyOf = ({ id }: Item): string => id;

/** Records with the gaps between their instants; a gap of 0 puts two at one instant. */
function itemsOf(gaps: readonly number[]): Item[] {
  let time = 1000;
  return gaps.map((gap, index) => {
    time += gap;
    return { id: String(index + 1), time };
  });
}

/** An exchange that keeps to the specification and fills a page from the end that it likes. */
class ModelServer {
  readonly #items: readonly Item[];
  readonly #holds: "oldest" | "newest";
  requests = 0;

  constructor(items: readonly Item[], holds: "oldest" | "newest") {
    this.#items = items;
    this.#holds = holds;
  }

  page = async (
    start: number | undefined,
    end: number | undefined,
    limit: number,
  ): Promise<readonly Item[]> => {
    this.requests += 1;
    const from = start ?? Number.NEGATIVE_INFINITY;
    const within = this.#items.filter(
      ({ time }) => time >= from && time < (end ?? Number.POSITIVE_INFINITY),
    );
    // Without a start every exchange gives the newest.
    return this.#holds === "oldest" && start !== undefined
      ? within.slice(0, limit)
      : within.slice(-limit);
  };
}

async function collect<T>(
  iterator: AsyncGenerator<T, void>,
): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of iterator) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}

function largestInstant(items: readonly Item[]): number {
  const counts = new Map<number, number>();
  for (const { time } of items) counts.set(time, (counts.get(time) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const bound = fc.option(fc.integer({ min: 990, max: 1120 }), { nil: undefined });
const anchor = fc.constantFrom("oldest" as const, "newest" as const);

describe("a list that is paged by time", () => {
  it("is read whole and once, whichever end a page holds, or stops loudly before the first record that it could miss", async () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 })), {
      maxLength: 50,
    });
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.integer({ min: 2, max: 7 }),
        anchor,
        bound,
        bound,
        async (steps, pageSize, holds, startTime, endTime) => {
          const server = new ModelServer(itemsOf(steps), holds);
          const wanted = itemsOf(steps).filter(
            ({ time }) => time >= (startTime ?? 0) && time < (endTime ?? Number.POSITIVE_INFINITY),
          );
          const { items, error } = await collect(
            readTimePages({
              operation: "incomes",
              page: server.page,
              timeOf,
              keyOf,
              startTime,
              endTime,
              pageSize,
            }),
          );
          expect(items).toEqual(wanted.slice(0, items.length));
          if (error === undefined) {
            expect(items).toHaveLength(wanted.length);
          } else {
            expect(error).toBeInstanceOf(PagingError);
            expect(largestInstant(wanted)).toBeGreaterThanOrEqual(pageSize);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("fails with the instant that fills a page, and never passes it by", async () => {
    const crowd = [0, 1, 0, 0, 0, 0, 3, 1];
    for (const holds of ["oldest", "newest"] as const) {
      const server = new ModelServer(itemsOf(crowd), holds);
      const { items, error } = await collect(
        readTimePages({
          operation: "userTrades",
          page: server.page,
          timeOf,
          keyOf,
          startTime: 0,
          endTime: 2000,
          pageSize: 3,
        }),
      );
      expect(error).toBeInstanceOf(PagingError);
      expect(error).toMatchObject({ operation: "userTrades", value: "1001" });
      expect(items.every(({ time }) => time <= 1001)).toBe(true);
    }
  });

  it("costs one request a page once the exchange has shown that a page holds the oldest", async () => {
    const server = new ModelServer(itemsOf(Array.from({ length: 1000 }, () => 1)), "oldest");
    const { items } = await collect(
      readTimePages({
        operation: "incomes",
        page: server.page,
        timeOf,
        keyOf,
        startTime: 0,
        endTime: 5000,
        pageSize: 50,
      }),
    );
    expect(items).toHaveLength(1000);
    // 49 new records a page, and one look to the left of the first.
    expect(server.requests).toBeLessThanOrEqual(Math.ceil(1000 / 49) + 2);
  });

  it("drops what an exchange sends from outside the range, and refuses one that ignores the range", async () => {
    const all = itemsOf(Array.from({ length: 12 }, () => 1));
    const page = async () => all;
    const range = { operation: "incomes", timeOf, keyOf, startTime: 1003, endTime: 1006 };
    expect(
      (await collect(readTimePages({ ...range, page, pageSize: 50 }))).items.map(keyOf),
    ).toEqual(["3", "4", "5"]);
    const far = await collect(
      readTimePages({ ...range, page, startTime: 5000, endTime: 6000, pageSize: 12 }),
    );
    expect(far.error).toBeInstanceOf(PagingError);
  });

  it.each([0, 1, 501, 2.5])("has pages of 2 to 500: %d is refused", async (pageSize) => {
    const { error } = await collect(
      readTimePages({ operation: "incomes", page: async () => [], timeOf, keyOf, pageSize }),
    );
    expect(error).toBeInstanceOf(PagingError);
  });
});

describe("a list that is paged by id", () => {
  it("is read whole and once, whether or not the exchange counts fromId itself in", async () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.integer({ min: 2, max: 6 }),
        fc.boolean(),
        fc.nat({ max: 100 }),
        async (steps, pageSize, inclusive, offset) => {
          // Past 2^53, where a number would round.
          let id = 2n ** 60n;
          const all = steps.map((step) => {
            id += BigInt(step);
            return { id: String(id) };
          });
          const from = 2n ** 60n + BigInt(offset);
          const page = async (fromId: string, limit: number) =>
            all
              .filter((item) =>
                inclusive ? BigInt(item.id) >= BigInt(fromId) : BigInt(item.id) > BigInt(fromId),
              )
              .slice(0, limit);
          const { items, error } = await collect(
            readIdPages({
              operation: "historicalTrades",
              page,
              idOf: (item) => item.id,
              fromId: String(from),
              pageSize,
            }),
          );
          expect(error).toBeUndefined();
          expect(items).toEqual(
            all.filter((item) => (inclusive ? BigInt(item.id) >= from : BigInt(item.id) > from)),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("refuses an exchange that goes backwards or stands still", async () => {
    const read = (page: (fromId: string) => Promise<readonly { id: string }[]>) =>
      collect(
        readIdPages({
          operation: "historicalTrades",
          page,
          idOf: ({ id }) => id,
          fromId: "5",
          pageSize: 2,
        }),
      );
    expect((await read(async () => [{ id: "7" }, { id: "6" }])).error).toMatchObject({
      name: "PagingError",
      field: "historicalTrades",
    });
    const stuck = await read(async (from) =>
      from === "5" ? [{ id: "5" }, { id: "6" }] : [{ id: "6" }, { id: "6" }],
    );
    expect(stuck.items).toEqual([{ id: "5" }, { id: "6" }]);
    expect(stuck.error).toBeInstanceOf(PagingError);
  });
});

describe("an account that has traded with itself", () => {
  // Its list has both sides of a trade under one id, and an export stopped there.
  const lines = ["1 true", "2 false", "2 true", "3 true", "4 false", "4 true"];
  const read = (pageSize: number, keyOf?: (line: string) => string) => {
    const idOf = (line: string): string => line.split(" ")[0] as string;
    const page = async (fromId: string, limit: number) =>
      lines.filter((line) => BigInt(idOf(line)) >= BigInt(fromId)).slice(0, limit);
    const operation = "userTrades";
    return collect(
      readIdPages({ operation, page, idOf, ...(keyOf && { keyOf }), fromId: "0", pageSize }),
    );
  };

  it.each([3, 4, 5, 500])("has both sides once, however pages of %i cut them", async (pageSize) => {
    expect(await read(pageSize, (line) => line)).toEqual({ items: lines, error: undefined });
  });

  it("is refused where an id is one record: such a list is not as specified", async () => {
    expect((await read(500)).error).toBeInstanceOf(PagingError);
  });
});
