import { describe, expect, it } from "vitest";
import { BookStateTimer } from "#history/book-state-timer.js";

describe("a book in which quoting is impossible", () => {
  it("is reported if it was crossed, one-sided or empty for more than half of a run, with the time in each state", () => {
    const book = new BookStateTimer(1_000);
    book.touch(500, 10, 12);
    book.touch(1_200, 12, 12);
    expect(book.explainUnusable(1_400, "the run")).toBeUndefined();
    book.touch(1_500, 13, 12);
    book.touch(1_700, Number.NaN, 12);
    expect(book.explainUnusable(2_200, "the run")).toBe(
      "the book was crossed or lacked a side for 83.3 % of the run: crossed for 41.7 %, one-sided for 41.7 %",
    );
  });

  it("is not reported if it has two sides for half of the time, or had none before the figures begin", () => {
    const book = new BookStateTimer(1_000);
    book.touch(1_000, 10, 12);
    book.touch(1_500, Number.NaN, Number.NaN);
    expect(book.explainUnusable(2_000, "the run")).toBeUndefined();
    expect(book.explainUnusable(2_001, "the run")).toMatch(/empty for 50 %/);
  });
});
