import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryError } from "#history/history-errors.js";
import { HistoryStore, type Series } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const START = Date.UTC(2025, 0, 12);
const DAY = "2025-01-12";
const mapping = checkMapping({
  kind: "trades",
  columns: { time: "t", price: "p", amount: "q", side: "s" },
});
const textOf = (seconds: readonly number[]): string =>
  `t,p,q,s\n${seconds.map((second) => `${START + second * 1000},100,1,buy\n`).join("")}`;
const candle = (minute: number): string =>
  `${JSON.stringify({ time: START + minute * 60_000, open: "1", high: "1", low: "1", close: "1", volume: "1" })}\n`;

class Stand {
  readonly #folder = scratchFolder();
  readonly store = new HistoryStore(join(this.#folder, "history"));

  async take(
    name: string,
    content: string,
    options: Parameters<typeof take>[2] = {},
  ): Promise<void> {
    await take(this.store, [fileOf(this.#folder, name, content)], options);
  }

  manifest(kind: string): Record<string, unknown> & { readonly sources: readonly object[] } {
    return JSON.parse(readFileSync(this.#path(kind), "utf8"));
  }

  /** Writes a manifest in the former format, which stored these facts only as findings. */
  makeFormer(kind: string): void {
    const { missingCandles: _, lost: __, check: _____, ...rest } = this.manifest(kind);
    const sources = rest.sources.map((source) => {
      const {
        places: ___,
        isNumbered: ____,
        ...former
      } = source as { readonly places?: string; readonly isNumbered?: boolean };
      return former;
    });
    writeFileSync(this.#path(kind), JSON.stringify({ ...rest, format: 1, sources }));
  }

  #path(kind: string): string {
    const series: Series = { market: "btcusdt", kind };
    return this.store.manifestPath(series, DAY);
  }
}

describe("the manifest of a day", () => {
  it("states for each source if its rows have sequence numbers and its records have ids", async () => {
    const told = new Stand();
    const trade = { id: 7, price: "1", amount: "1", time: START, isBuyerMaker: true, line: 12 };
    await told.take("told.ndjson", `${JSON.stringify(trade)}\n`);
    expect(told.manifest("trades")).toMatchObject({
      format: 2,
      sources: [{ name: "told.ndjson", places: "told" }],
    });
    expect(told.manifest("trades").sources[0]).not.toHaveProperty("isNumbered");
    const counted = new Stand();
    await counted.take("counted.csv", textOf([1, 2]), { mapping });
    expect(counted.manifest("trades").sources).toMatchObject([
      { places: "counted", isNumbered: true },
    ]);
  });

  it("states that messages of a book without lines were counted, and nothing about sequence numbers of candles", async () => {
    const stand = new Stand();
    const message = {
      type: "snapshot",
      sequence: 1,
      timestamp: START,
      bids: [["1", "1"]],
      asks: [["2", "1"]],
    };
    await stand.take("book.ndjson", `${JSON.stringify(message)}\n`);
    await stand.take("candles.ndjson", candle(0) + candle(1));
    expect(stand.manifest("book").sources).toMatchObject([{ places: "counted" }]);
    expect(stand.manifest("klines-1M").sources[0]).not.toHaveProperty("places");
  });

  it("is refused if any byte of it changes: one digit of its decimal places would make each price ten times as large", async () => {
    const stand = new Stand();
    await stand.take("day.csv", textOf([1, 2]), { mapping });
    const series: Series = { market: "btcusdt", kind: "trades" };
    const path = stand.store.manifestPath(series, DAY);
    const [written, day] = [readFileSync(path), stand.store.day(series, DAY)];
    for (let at = 0; at < written.length; at += 1) {
      const changed = Buffer.from(written);
      changed[at] = (written[at] as number) ^ 1;
      writeFileSync(path, changed);
      let read: unknown;
      try {
        read = stand.store.day(series, DAY);
      } catch (error) {
        expect(error).toBeInstanceOf(HistoryError);
        continue;
      }
      expect(read).toEqual(day);
    }
    writeFileSync(path, written.toString().replace('"price": 0', '"price": 1'));
    expect(() => stand.store.day(series, DAY)).toThrow(
      /2025-01-12\.json: is broken: its checksum differs/,
    );
  });

  it("is read without a checksum, as an earlier version wrote it", async () => {
    const stand = new Stand();
    await stand.take("day.csv", textOf([1, 2]), { mapping });
    const { check, ...rest } = stand.manifest("trades");
    expect(check).toMatch(/^[0-9a-f]{8}$/);
    const series: Series = { market: "btcusdt", kind: "trades" };
    writeFileSync(stand.store.manifestPath(series, DAY), JSON.stringify(rest));
    expect(stand.store.day(series, DAY)?.rows).toBe(2);
  });

  it("is read in its former format: trades without ids are still not taken twice", async () => {
    const stand = new Stand();
    await stand.take("day.csv", textOf([1, 2, 3]), { mapping });
    stand.makeFormer("trades");
    expect(stand.store.day({ market: "btcusdt", kind: "trades" }, DAY)?.sources).toMatchObject([
      { isNumbered: true },
    ]);
    await expect(stand.take("month.csv", textOf([0, 1, 2, 3]), { mapping })).rejects.toThrow(
      /without ids duplicates cannot be found/,
    );
  });

  it("no longer reports missing candles once they are imported, in the former format too", async () => {
    const stand = new Stand();
    await stand.take("first.ndjson", candle(0) + candle(1) + candle(4));
    expect(stand.manifest("klines-1M")).toMatchObject({
      missingCandles: { missing: 2, of: 5 },
      findings: ["2 of 5 candles are missing"],
    });
    stand.makeFormer("klines-1M");
    await stand.take("second.ndjson", candle(2) + candle(3), { interval: "1M" });
    expect(stand.manifest("klines-1M")).toMatchObject({ format: 2, findings: [] });
    expect(stand.manifest("klines-1M")).not.toHaveProperty("missingCandles");
  });
});
