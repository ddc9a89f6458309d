import { describe, expect, it } from "vitest";
import { ChunkSize } from "#chain/chunk-size.js";

/**
 * Counts the calls for reading `total` entries when at most `limit` fit: those that succeeded, and
 * those that ran out of gas.
 */
function reading(
  size: ChunkSize,
  entries: number,
  limit: number,
): { readonly answered: number; readonly missed: number } {
  let answered = 0;
  let missed = 0;
  for (let read = 0; read < entries; ) {
    const length = size.entries;
    if (length <= limit) {
      size.fitted(length);
      answered += 1;
      read += length;
    } else {
      size.ranOut(length);
      missed += 1;
    }
  }
  return { answered, missed };
}

describe("the size of a chunk", () => {
  it("starts with the estimate, within the limit, and is never below one entry", () => {
    expect(new ChunkSize(30, 50).entries).toBe(30);
    expect(new ChunkSize(80, 50).entries).toBe(50);
    expect(new ChunkSize(0, 0).entries).toBe(1);
    const size = new ChunkSize(1, 50);
    size.ranOut(1);
    expect(size.entries).toBe(1);
  });

  it("is halved when a call runs out of gas, and grows to what fits without repeating the failed size", () => {
    const size = new ChunkSize(50, 50);
    size.ranOut(50);
    expect(size.entries).toBe(25);
    expect(reading(size, 400, 30).missed).toBe(1);
    expect(size.entries).toBe(30);
    expect(reading(size, 900, 30).missed).toBe(0);
    expect(size.entries).toBe(30);
  });

  it("tries more again after a while, since accounts close positions", () => {
    const size = new ChunkSize(50, 50);
    reading(size, 1000, 30);
    reading(size, 10_000, 50);
    expect(size.entries).toBe(50);
  });

  it("loses no more than one call in thirty to trying where nothing has changed", () => {
    for (const limit of [1, 2, 7, 8, 30, 49]) {
      const size = new ChunkSize(50, 50);
      reading(size, 100 * limit, limit);
      const { answered, missed } = reading(size, 6400 * limit, limit);
      expect(missed).toBeLessThanOrEqual(answered / 30 + 1);
    }
  });

  it("ignores a last chunk that is smaller than the limit", () => {
    const size = new ChunkSize(20, 50);
    size.fitted(3);
    expect(size.entries).toBe(20);
  });
});
