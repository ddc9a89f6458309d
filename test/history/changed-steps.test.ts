import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const DAY = 86_400_000;
const START = Date.UTC(2024, 11, 31);
const mapping = checkMapping({
  kind: "trades",
  columns: { time: "t", id: "i", price: "p", amount: "a", side: "s" },
});
const HEADER = "t,i,p,a,s\n";

/** 200 trades of a day, with prices and amounts of the given decimal places. */
function tradesOf(day: number, pricePlaces: number, amountPlaces: number, lead = 0): string {
  return Array.from({ length: 200 }, (_, at) => {
    const [price, amount] = [
      100 + ((at * 7) % 41) / 10 ** pricePlaces,
      (1 + ((at * 7) % 41)) / 10 ** amountPlaces,
    ];
    return `${START + day * DAY + at * 1000},${day * 1000 + at},${price.toFixed(pricePlaces)}${"0".repeat(lead)},${amount.toFixed(amountPlaces)},buy\n`;
  }).join("");
}

async function findingsOf(...texts: readonly string[]): Promise<readonly (readonly string[])[]> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const { files } = await take(
    store,
    texts.map((text, at) => fileOf(folder, `trades-${at}.csv`, HEADER + text)),
    { mapping },
  );
  const noted = store
    .days({ market: "btcusdt", kind: "trades" })
    .flatMap(({ findings }) => findings);
  for (const { findings } of files) expect(noted).toEqual(expect.arrayContaining([...findings]));
  return files.map(({ findings }) => findings);
}

// One tick for both days lets a bot quote between the possible prices of one of them.
describe("an import of days with different steps", () => {
  const ofPrices = expect.stringMatching(
    /^all prices of 2024-12-31 are multiples of 0\.01, and those of 2025-01-01 of 0\.1: the market's tick may have changed/,
  );

  it("reports them for one file and for one file per day, for finer and for coarser steps", async () => {
    expect(await findingsOf(tradesOf(0, 2, 3) + tradesOf(1, 1, 3))).toEqual([[ofPrices]]);
    expect(await findingsOf(tradesOf(0, 2, 3), tradesOf(1, 1, 3))).toEqual([[], [ofPrices]]);
    expect(await findingsOf(tradesOf(1, 1, 3), tradesOf(0, 2, 3))).toEqual([[ofPrices], []]);
    expect(await findingsOf(tradesOf(0, 1, 3) + tradesOf(1, 2, 3))).toEqual([
      [expect.stringMatching(/2024-12-31 are multiples of 0\.1, .* of 0\.01/)],
    ]);
    expect(await findingsOf(tradesOf(0, 2, 3) + tradesOf(1, 2, 2))).toEqual([
      [
        expect.stringMatching(
          /^all amounts of 2024-12-31 are multiples of 0\.001, and those of 2025-01-01 of 0\.01: the market's step/,
        ),
      ],
    ]);
  });

  // Archives are imported one day per command. Once, only a backtest over both days reported the
  // change.
  it("reports them for stored days next to the imported ones, in either order", async () => {
    const store = new HistoryStore(join(scratchFolder(), "history"));
    const days = [tradesOf(0, 2, 3), tradesOf(1, 1, 3), tradesOf(2, 1, 3), tradesOf(9, 2, 3)];
    const one = async (at: number, options = {}): Promise<readonly string[]> => {
      const { files } = await take(
        store,
        [fileOf(scratchFolder(), `trades-${at}.csv`, HEADER + days[at])],
        { mapping, ...options },
      );
      return files.flatMap(({ findings }) => findings);
    };
    expect(await one(1)).toEqual([]);
    expect(await one(0), "the later day is there").toEqual([ofPrices]);
    expect(await one(2), "the day before is the same").toEqual([]);
    expect(await one(3)).toEqual([
      expect.stringMatching(
        /^all prices of 2025-01-02 are multiples of 0\.1, and those of 2025-01-09 of 0\.01/,
      ),
    ]);
    expect(await one(2, { replace: true }), "not against what it replaces").toEqual([
      expect.stringMatching(/^all prices of 2025-01-02 .* 2025-01-09 of 0\.01/),
    ]);
    const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2025-01-02");
    writeFileSync(path, Buffer.alloc(statSync(path).size));
    expect(
      await one(3, { replace: true }),
      "a broken day is named, and refuses no other",
    ).toContainEqual(
      expect.stringMatching(
        /^its prices could not be compared with those of 2025-01-02: .*2025-01-02\.parquet: cannot be read/,
      ),
    );
  });

  it("reports nothing if they are equal in any notation, or if a day has too few trades", async () => {
    expect(await findingsOf(tradesOf(0, 2, 3) + tradesOf(1, 2, 3, 4))).toEqual([[]]);
    const few = tradesOf(1, 1, 3).split("\n").slice(0, 50).join("\n");
    expect(await findingsOf(`${tradesOf(0, 2, 3)}${few}\n`)).toEqual([[]]);
  });
});
