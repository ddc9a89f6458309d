import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { toDataFile as dataFile } from "#backtest/recorded-days.js";
import { checkMapping } from "#history/mapping.js";
import { ImportStand, TRADES_MAPPING } from "./import-stand.js";
import { query, take } from "./scratch.js";
import { zipped } from "./zipped.js";

const TIME = Date.UTC(2025, 0, 12, 12);
const HEAD = "id,price,amount,time,isBuyerMaker\n";
const row = (id: number, price: string, amount: string): string =>
  `${id},${price},${amount},${TIME + id},true\n`;
const record = (id: number, price: string, amount: string): string =>
  `{"id":${id},"price":${price},"amount":${amount},"time":${TIME + id},"isBuyerMaker":true}\n`;
/** The output of Python for 27000.1 + 0.2, 0.1 + 0.2, 0.1 + 0.7 and 0.3 - 0.2 - 0.1. */
const NOISE = [
  ["27000.300000000003", "0.30000000000000004"],
  ["27000.5", "0.7999999999999999"],
  ["27000.25", "1e-05"],
  ["27000.25", "1250.5"],
] as const;

class Stand extends ImportStand {
  async held(): Promise<unknown> {
    const rows = await this.trades(
      "CAST(price AS VARCHAR) AS price, CAST(amount AS VARCHAR) AS amount",
      "id",
    );
    return rows.map(({ price, amount }) => [Number(price), Number(amount)]);
  }
}

const NOISY_CSV = HEAD + NOISE.map(([price, amount], at) => row(at + 1, price, amount)).join("");
const NOISY_JSON = NOISE.map(([price, amount], at) => record(at + 1, price, amount)).join("");

describe("Numbers with the noise of binary floating point", () => {
  it.each([
    ["csv", "t.csv", NOISY_CSV],
    ["csv.gz", "t.csv.gz", gzipSync(NOISY_CSV)],
    ["zip", "t.zip", zipped(["t.csv", NOISY_CSV])],
    ["ndjson", "t.ndjson", NOISY_JSON],
    ["mapped csv", "t.csv", NOISY_CSV, TRADES_MAPPING],
    ["mapped ndjson", "t.ndjson", NOISY_JSON, TRADES_MAPPING],
  ] as const)(
    "are refused, and with --round rounded, counted and recorded: %s",
    async (_what, name, content, mapping?) => {
      const stand = new Stand();
      const options = mapping === undefined ? {} : { mapping };
      await expect(stand.take(name, content, options)).rejects.toThrow(/--round/);
      const said = "3 of its file's numbers were rounded (--round)";
      expect(
        await stand.take(name, content, { ...options, repairs: { round: true } }),
      ).toMatchObject({
        rounded: 3,
        dropped: 0,
        findings: [said],
      });
      expect(await stand.held()).toEqual([
        [27000.3, 0.3],
        [27000.5, 0.8],
        [27000.25, 0.00001],
        [27000.25, 1250.5],
      ]);
      const [day] = stand.store.days({ market: "btcusdt", kind: "trades" });
      expect(day).toMatchObject({
        findings: [said],
        sources: [{ rounded: 3 }],
        decimals: { price: 2, amount: 5 },
      });
    },
  );

  it("in doubles of a Parquet file are rounded too", async () => {
    const stand = new Stand();
    const path = join(stand.folder, "t.parquet");
    const rows = NOISE.map(
      ([price, amount], at) =>
        `(${at + 1}, ${TIME + at}, ${price}::DOUBLE, ${amount}::DOUBLE, true)`,
    ).join(", ");
    await query(
      stand.store,
      `COPY (SELECT * FROM (VALUES ${rows}) t(id, time, price, amount, isBuyerMaker)) TO '${path}'`,
    );
    await expect(take(stand.store, [path], { mapping: TRADES_MAPPING })).rejects.toThrow(/--round/);
    const { files } = await take(stand.store, [path], {
      mapping: TRADES_MAPPING,
      repairs: { round: true },
    });
    expect(files[0]).toMatchObject({ rounded: 3 });
    expect(await stand.held()).toEqual([
      [27000.3, 0.3],
      [27000.5, 0.8],
      [27000.25, 0.00001],
      [27000.25, 1250.5],
    ]);
  });

  it("that mean zero are rounded to the places that fit", async () => {
    const stand = new Stand();
    const columns = { time: "ts", price: "px", amount: "qty", side: "s" };
    const book = `ts,px,qty,s\n${TIME},27000.1,-2.7755575615628914e-17,bid\n${TIME},27000.2,12345.678,ask\n`;
    const mapping = checkMapping({ kind: "book", columns });
    expect(await stand.take("b.csv", book, { mapping, repairs: { round: true } })).toMatchObject({
      rounded: 1,
      rows: 2,
    });
    const rows = await query(
      stand.store,
      `SELECT CAST(amount AS DOUBLE) AS amount FROM read_parquet('${stand.store.root}/btcusdt/book/*.parquet')`,
    );
    expect(rows.map(({ amount }) => Number(amount) + 0)).toEqual([0, 12345.678]);
  });
});

describe("Rows that cannot be used", () => {
  const BAD = ["0.000", "abc", "", "-1"];
  const rows = ["1.5", ...BAD, "2.5"];
  const csv = HEAD + rows.map((amount, at) => row(at + 1, "5", amount)).join("");
  const json = rows
    .map((amount, at) => record(at + 1, '"5"', amount === "" ? "null" : `"${amount}"`))
    .join("");

  it.each([
    ["csv", "t.csv", csv],
    ["csv.gz", "t.csv.gz", gzipSync(csv)],
    ["zip", "t.zip", zipped(["t.csv", csv])],
    ["ndjson", "t.ndjson", json],
    ["mapped csv", "t.csv", csv, TRADES_MAPPING],
    ["mapped ndjson", "t.ndjson", json, TRADES_MAPPING],
  ] as const)(
    "are refused, and up to a chosen number left out, counted and recorded: %s",
    async (_what, name, content, mapping?) => {
      const stand = new Stand();
      const options = mapping === undefined ? {} : { mapping };
      await expect(stand.take(name, content, options)).rejects.toThrow(/--drop-bad-rows/);
      await expect(
        stand.take(name, content, { ...options, repairs: { maxDropped: 3 } }),
      ).rejects.toThrow(
        /4 of 6 rows are invalid, more than --drop-bad-rows allows \(got 3\); expected --drop-bad-rows 4/,
      );
      const said = "4 invalid rows of its file were left out (--drop-bad-rows)";
      const taken = await stand.take(name, content, { ...options, repairs: { maxDropped: 4 } });
      expect(taken).toMatchObject({ rows: 2, rounded: 0, dropped: 4, findings: [said] });
      expect(await stand.held()).toEqual([
        [5, 1.5],
        [5, 2.5],
      ]);
      const [day] = stand.store.days({ market: "btcusdt", kind: "trades" });
      // The missing ids are those of dropped trades, not of another count.
      const missing = "4 trades are missing in 1 place, as their ids tell";
      expect(day).toMatchObject({ findings: [said, missing], sources: [{ dropped: 4 }] });
      // The report names the file so.
      if (day !== undefined)
        expect(dataFile(stand.store, "btc", "trades", day)).toMatchObject({ rows: 2, dropped: 4 });
    },
  );

  it("change nothing in a file without faults: permitted repairs give the same day", async () => {
    const [plain, repaired] = [new Stand(), new Stand()];
    const good = HEAD + row(1, "5.25", "1") + row(2, "5.5", "2");
    await plain.take("t.csv", good, {});
    expect(
      await repaired.take("t.csv", good, { repairs: { round: true, maxDropped: 5 } }),
    ).toMatchObject({ findings: [] });
    const days = [plain, repaired].map(
      ({ store }) => store.days({ market: "btcusdt", kind: "trades" })[0],
    );
    expect(days[0]).toMatchObject({ rows: 2 });
    expect(await repaired.held()).toEqual(await plain.held());
    expect(days[1]).toMatchObject({
      decimals: days[0]?.decimals,
      covered: days[0]?.covered,
      sources: days[0]?.sources,
    });
  });
});
