import { describe, expect, it } from "vitest";
import { readLatencyFile } from "#backtest/latency-file.js";
import { fileOf, scratchFolder } from "../../history/scratch.js";

const MS = Date.UTC(2026, 0, 5);
const read = (scale: number) => {
  const stamps = [0, 20, 30].map((after) => String(Math.floor((MS + after) * scale)));
  return readLatencyFile(
    fileOf(scratchFolder(), "l.csv", `requestUs,exchangeUs,responseUs\n${stamps.join()}\n`),
  );
};

// Milliseconds read as microseconds would make each request a thousand times too fast.
describe("recorded round trips", () => {
  it("are refused in another unit than microseconds", () => {
    expect(read(1000)).toEqual([
      { requestUs: MS * 1000, exchangeUs: (MS + 20) * 1000, responseUs: (MS + 30) * 1000 },
    ]);
    expect(() => read(1)).toThrow(
      /latencyFile line 2: is in milliseconds .*expected microseconds since 1970/,
    );
    expect(() => read(0.001)).toThrow(/latencyFile line 2: is in seconds/);
    expect(() => read(1e6)).toThrow(/line 2: is not a valid round trip .*microseconds/);
  });
});
