import { join } from "node:path";
import { expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const MIDNIGHT = 1723161600000;
const mapping = checkMapping({
  kind: "trades",
  columns: { time: "at", price: "what, it; cost", amount: "size", side: "who" },
});
const ROWS = [
  [MIDNIGHT, "61800.3", "0.006", "buy"],
  [MIDNIGHT + 1, "61800.25", "12", "sell"],
];

/** The trades that a store holds after an import. */
async function stored(text: string, options: { readonly mapping?: typeof mapping } = {}) {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, "trades.csv", text)], options);
  return query(
    store,
    `SELECT timeNs, price, amount, isBuyerMaker FROM read_parquet('${store.root}/btcusdt/trades/*.parquet')`,
  );
}

const EXPECTED = [
  { timeNs: BigInt(MIDNIGHT) * 1_000_000n, isBuyerMaker: false },
  { timeNs: BigInt(MIDNIGHT + 1) * 1_000_000n, isBuyerMaker: true },
];

// Spreadsheets in half of Europe write semicolons. Their exports once counted as one unknown
// column.
it.each([";", "\t", "|", ","])(
  "a file with %j between its fields is read as one with commas, by a mapping and by its shape",
  async (delimiter) => {
    const header = ["at", '"what, it; cost"', "size", "who"];
    const table = [header, ...ROWS].map((fields) => `${fields.join(delimiter)}\n`).join("");
    const byCommas = [header, ...ROWS].map((fields) => `${fields.join(",")}\n`).join("");
    const mapped = await stored(table, { mapping });
    expect(mapped).toMatchObject(EXPECTED);
    expect(mapped).toEqual(await stored(byCommas, { mapping }));
    const shaped = [
      ["id", "price", "amount", "time", "isBuyerMaker"],
      ...ROWS.map(([time, price, size, who], at) => [at, price, size, time, who === "sell"]),
    ];
    expect(await stored(shaped.map((fields) => `${fields.join(delimiter)}\n`).join(""))).toEqual(
      mapped,
    );
  },
);

it("a decimal comma is refused with its value, whatever the delimiter is", async () => {
  const table = `at;p;size;who\n${MIDNIGHT};61800,3;1;buy\n`;
  const commas = checkMapping({
    kind: "trades",
    columns: { time: "at", price: "p", amount: "size", side: "who" },
  });
  await expect(stored(table, { mapping: commas })).rejects.toThrow(/trades\.csv: .*61800,3/);
});

it("an unquoted comma in a column's name does not divide a file with semicolons as delimiters", async () => {
  const table = `at;what, it costs;size;who\n${ROWS.map((fields) => `${fields.join(";")}\n`).join("")}`;
  const columns = { time: "at", price: "what, it costs", amount: "size", side: "who" };
  expect(await stored(table, { mapping: checkMapping({ kind: "trades", columns }) })).toMatchObject(
    EXPECTED,
  );
});
