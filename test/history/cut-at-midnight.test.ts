import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "#core/units.js";
import type { DayManifest } from "#history/day-manifest.js";
import { HistoryStore } from "#history/history-store.js";
import { findGaps } from "#history/spans.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const START = Date.UTC(2025, 0, 12);
const SERIES = { market: "btcusdt", kind: "trades" };

/**
 * Trades of a day, one per second between two instants in milliseconds after its beginning, with a
 * silence of five seconds at each half minute.
 */
const dayOfTrades = (day: number, fromMs: number, toMs: number): string => {
  const rows: string[] = [];
  for (let ms = fromMs; ms < toMs; ms += 1000) {
    if (ms % 30_000 < 4000) continue;
    const time = START + day * DAY_MS + ms;
    rows.push(`${day * DAY_MS + ms},100,1,${time},false\n`);
  }
  return `id,price,amount,time,isBuyerMaker\n${rows.join("")}`;
};

async function stored(files: readonly string[]): Promise<HistoryStore> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  for (const [index, content] of files.entries())
    await take(store, [fileOf(folder, `${index}.csv`, content)]);
  return store;
}

const coveredOf = (days: readonly DayManifest[]): number[][] =>
  days.map(({ covered }) => covered.flat().map((ms) => ms - START));

describe("a file that was cut at a midnight", () => {
  it("covers the time up to midnight, so that two consecutive days have no gap between them", async () => {
    const store = await stored([
      dayOfTrades(0, 80_000_000, DAY_MS - 1500),
      dayOfTrades(1, 2500, 7_000_000),
    ]);
    const days = store.days(SERIES);
    expect(
      findGaps(
        days.flatMap(({ covered }) => covered),
        [START + 81_000_000, START + DAY_MS + 6_000_000],
      ),
    ).toEqual([]);
  });

  it("makes its day complete if it was cut at both midnights", async () => {
    // The hour at each end shows the pace; the silence in the middle belongs to the file.
    const [head, ...first] = dayOfTrades(0, 2000, 1_000_000).split("\n");
    const last = dayOfTrades(0, DAY_MS - 1_000_000 + 500, DAY_MS - 1000)
      .split("\n")
      .slice(1);
    const store = await stored([
      [head, ...first.filter((line) => line !== ""), ...last].join("\n"),
    ]);
    expect(store.days(SERIES)).toMatchObject([
      { complete: true, covered: [[START, START + DAY_MS]] },
    ]);
  });

  it("does not reach midnight if its own silences show that it ended earlier: later trades are unknown", async () => {
    const store = await stored([dayOfTrades(0, 80_000_000, DAY_MS - 9000)]);
    expect(coveredOf(store.days(SERIES))[0]?.[1]).toBeLessThan(DAY_MS - 8000);
  });

  it("does not reach midnight if it is too short to show how long its market is silent", async () => {
    const store = await stored([dayOfTrades(0, DAY_MS - 60_000, DAY_MS - 1500)]);
    expect(coveredOf(store.days(SERIES))[0]?.[1]).toBeLessThan(DAY_MS);
  });

  it("does not reach midnight if it is silent there for longer than a minute, however long its other silences are", async () => {
    const sparse = Array.from(
      { length: 400 },
      (_, at) => `${at},100,1,${START + 50_000 + at * 215_000 + (at > 300 ? 0 : 1)},false\n`,
    );
    const store = await stored([`id,price,amount,time,isBuyerMaker\n${sparse.join("")}`]);
    expect(store.days(SERIES)[0]?.complete).toBe(false);
  });

  it("accepts records of the next file within the silence before midnight, as from a recorder that cuts by its own clock", async () => {
    const quote = (ms: number): string =>
      `${JSON.stringify({ time: START + ms, bid: "1", bidAmount: "1", ask: "2", askAmount: "1" })}\n`;
    const quotes = (from: number, to: number): string => {
      let text = "";
      for (let ms = from; ms < to; ms += 1000)
        if (ms % 30_000 >= 4000 || ms === from) text += quote(ms);
      return text;
    };
    const store = await stored([
      quotes(DAY_MS - 600_000, DAY_MS - 1500),
      quotes(DAY_MS - 900, DAY_MS + 600_000),
    ]);
    const days = store.days({ market: "btcusdt", kind: "bbo" });
    expect(days.map(({ day }) => day)).toEqual(["2025-01-12", "2025-01-13"]);
    expect(days[0]?.covered).toEqual([[START + DAY_MS - 600_000, START + DAY_MS]]);
  });
});
