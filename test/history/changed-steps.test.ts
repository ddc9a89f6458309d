import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkMapping } from "../../src/history/sources/mapping.js";
import { HistoryStore } from "../../src/history/store.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const DAY = 86_400_000;
const START = Date.UTC(2024, 11, 31);
const mapping = checkMapping({ kind: "trades", columns: { time: "t", id: "i", price: "p", amount: "a", side: "s" } });
const HEADER = "t,i,p,a,s\n";

/** 200 trades of a day, at prices and of amounts of so many places. */
function tradesOf(day: number, pricePlaces: number, amountPlaces: number, lead = 0): string {
  return Array.from({ length: 200 }, (_, at) => {
    const [price, amount] = [100 + ((at * 7) % 41) / 10 ** pricePlaces, (1 + ((at * 7) % 41)) / 10 ** amountPlaces];
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
  const noted = store.days({ market: "btcusdt", kind: "trades" }).flatMap(({ findings }) => findings);
  for (const { findings } of files) expect(noted).toEqual(expect.arrayContaining([...findings]));
  return files.map(({ findings }) => findings);
}

// One tick for both days lets a bot quote between the prices of one of them, where nobody could.
describe("an import of days of which some lie on other steps", () => {
  const ofPrices = expect.stringMatching(
    /^all prices of 2024-12-31 are multiples of 0\.01, and those of 2025-01-01 of 0\.1: the market's tick may have changed/,
  );

  it("says so of one file and of a file a day, and of finer steps as of coarser ones", async () => {
    expect(await findingsOf(tradesOf(0, 2, 3) + tradesOf(1, 1, 3))).toEqual([[ofPrices]]);
    expect(await findingsOf(tradesOf(0, 2, 3), tradesOf(1, 1, 3))).toEqual([[], [ofPrices]]);
    expect(await findingsOf(tradesOf(1, 1, 3), tradesOf(0, 2, 3))).toEqual([[ofPrices], []]);
    expect(await findingsOf(tradesOf(0, 1, 3) + tradesOf(1, 2, 3))).toEqual([
      [expect.stringMatching(/2024-12-31 are multiples of 0\.1, .* of 0\.01/)],
    ]);
    expect(await findingsOf(tradesOf(0, 2, 3) + tradesOf(1, 2, 2))).toEqual([
      [expect.stringMatching(/^all amounts of 2024-12-31 are multiples of 0\.001, and those of 2025-01-01 of 0\.01: the market's step/)],
    ]);
  });

  it("says nothing where they are the same, however they are written, or a day has too few trades to tell", async () => {
    expect(await findingsOf(tradesOf(0, 2, 3) + tradesOf(1, 2, 3, 4))).toEqual([[]]);
    const few = tradesOf(1, 1, 3).split("\n").slice(0, 50).join("\n");
    expect(await findingsOf(`${tradesOf(0, 2, 3)}${few}\n`)).toEqual([[]]);
  });
});
