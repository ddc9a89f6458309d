import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ImportOptions } from "#history/import-files.js";
import { checkMapping } from "#history/mapping.js";
import { ImportStand, TRADES_MAPPING } from "./import-stand.js";
import { query, take } from "./scratch.js";

const TIME = Date.UTC(2025, 0, 12, 12);
const HEAD = "id,price,amount,time,isBuyerMaker\n";
const good = (id: number): string => `${id},5,${id}.5,${TIME + id},true\n`;
const record = (id: number, other: object = {}): string =>
  `${JSON.stringify({ id, price: "5", amount: `${id}.5`, time: TIME + id, isBuyerMaker: true, ...other })}\n`;
const BY_SIDE = checkMapping({
  kind: "trades",
  columns: { time: "t", price: "p", amount: "q", side: "s" },
});
const taker = (at: number, side = "buy"): string => `${TIME + at},5,${at}.5,${side}\n`;
const SAID = "1 invalid rows of its file were left out (--drop-bad-rows)";

class Stand extends ImportStand {
  async amounts(): Promise<unknown> {
    const rows = await this.trades("CAST(amount AS VARCHAR) AS amount", "timeNs");
    return rows.map(({ amount }) => amount);
  }
}

const CSV = (bad: string): string => `${HEAD}${good(1)}${good(2)}\n${bad}${good(3)}`;
const JSON_LINES = (bad: string): string => `${record(1)}${record(2)}\n${bad}${record(3)}`;
const HEADERLESS = checkMapping({
  kind: "trades",
  columns: { time: "0", price: "1", amount: "2", side: "3" },
});

const CASES: readonly (readonly [string, string, string | Uint8Array, Partial<ImportOptions>])[] = [
  ["an id that is none", "t.csv", CSV(`abc,5,9,${TIME + 9},true\n`), {}],
  [
    "an id that is none, in a packed file",
    "t.csv.gz",
    gzipSync(CSV(`abc,5,9,${TIME + 9},true\n`)),
    {},
  ],
  ["a stamp that is none", "t.csv", CSV("9,5,9,noon,true\n"), {}],
  ["a stamp with an exponent", "t.csv", CSV("9,5,9,1.7e12,true\n"), {}],
  ["a flag that is none", "t.csv", CSV(`9,5,9,${TIME + 9},maybe\n`), {}],
  [
    "a mapped flag that is none",
    "t.csv",
    CSV(`9,5,9,${TIME + 9},maybe\n`),
    { mapping: TRADES_MAPPING },
  ],
  ["a mapped stamp that is none", "t.csv", CSV("9,5,9,noon,true\n"), { mapping: TRADES_MAPPING }],
  [
    "an unknown side",
    "t.csv",
    `t,p,q,s\n${taker(1)}${taker(2)}${taker(9, "long")}${taker(3)}`,
    { mapping: BY_SIDE },
  ],
  [
    "no side",
    "t.csv",
    `t,p,q,s\n${taker(1)}${taker(2)}${taker(9, "")}${taker(3)}`,
    { mapping: BY_SIDE },
  ],
  [
    "an unknown side, without a header",
    "t.csv",
    `${taker(1)}${taker(2)}${taker(9, "long")}${taker(3)}`,
    { mapping: HEADERLESS },
  ],
  ["a line with a column too few", "t.csv", CSV("9,5,9\n"), {}],
  ["a line with columns too many", "t.csv", CSV(`9,5,9,${TIME + 9},true,1,2\n`), {}],
  ["a last line that was cut", "t.csv", `${HEAD}${good(1)}${good(2)}${good(3)}9,5,`, {}],
  ["a line with a column too few, mapped", "t.csv", CSV("9,5,9\n"), { mapping: TRADES_MAPPING }],
  ["a line that is not JSON", "t.ndjson", JSON_LINES('{"id":9,"price":\n'), {}],
  ["a JSON list among records", "t.ndjson", JSON_LINES("[9,5]\n"), {}],
  [
    "a last JSON line that was cut",
    "t.ndjson",
    `${record(1)}${record(2)}${record(3)}{"id":9,"pri`,
    {},
  ],
  [
    "a line that is not JSON, mapped",
    "t.ndjson",
    JSON_LINES('{"id":9,"price":\n'),
    { mapping: TRADES_MAPPING },
  ],
  ["a JSON id that is none", "t.ndjson", JSON_LINES(record(9, { id: "abc" })), {}],
  ["a JSON id with a fraction", "t.ndjson", JSON_LINES(record(9, { id: 123456789.5 })), {}],
  ["a JSON stamp that is none", "t.ndjson", JSON_LINES(record(9, { time: "noon" })), {}],
  ["a JSON flag that is none", "t.ndjson", JSON_LINES(record(9, { isBuyerMaker: "maybe" })), {}],
  [
    "a mapped JSON stamp that is none",
    "t.ndjson",
    JSON_LINES(record(9, { time: "noon" })),
    { mapping: TRADES_MAPPING },
  ],
];

describe("A row that cannot be read", () => {
  it.each(CASES)(
    "refuses its file, which names --drop-bad-rows, and is left out and counted with it: %s",
    async (_what, name, content, options) => {
      const stand = new Stand();
      await expect(stand.take(name, content, options)).rejects.toThrow(
        /--drop-bad-rows N skips up to N such rows/,
      );
      const taken = await stand.take(name, content, { ...options, repairs: { maxDropped: 1 } });
      expect(taken).toMatchObject({ rows: 3, dropped: 1 });
      expect(taken?.findings).toContain(SAID);
      expect(await stand.amounts()).toEqual(["1.5", "2.5", "3.5"]);
      const [day] = stand.store.days({ market: "btcusdt", kind: "trades" });
      expect(day).toMatchObject({ sources: [{ dropped: 1 }] });
      expect(day?.findings).toContain(SAID);
    },
  );

  it("of a Parquet file is left out alike", async () => {
    const stand = new Stand();
    const path = join(stand.folder, "t.parquet");
    const rows = [1, 2, 9, 3]
      .map((at) => `(${TIME + at}, 5, ${at}.5, '${at === 9 ? "long" : "buy"}')`)
      .join(", ");
    await query(stand.store, `COPY (SELECT * FROM (VALUES ${rows}) t(t, p, q, s)) TO '${path}'`);
    await expect(take(stand.store, [path], { mapping: BY_SIDE })).rejects.toThrow(
      /--drop-bad-rows N/,
    );
    const { files } = await take(stand.store, [path], {
      mapping: BY_SIDE,
      repairs: { maxDropped: 1 },
    });
    expect(files[0]).toMatchObject({ rows: 3, dropped: 1 });
    expect(await stand.amounts()).toEqual(["1.5", "2.5", "3.5"]);
  });

  it("counts together with rows of impossible values, and too many of both refuse the file", async () => {
    const stand = new Stand();
    const csv = `${HEAD}${good(1)}9,5\nabc,5,9,${TIME + 9},true\n9,5,9,noon,true\n9,0,9,${TIME + 9},true\n9,5,none,${TIME + 9},true\n${good(2)}`;
    const drop = (mostDropped: number) =>
      stand.take("t.csv", csv, { repairs: { maxDropped: mostDropped } });
    await expect(drop(4)).rejects.toThrow(
      /5 of 7 rows are invalid, more than --drop-bad-rows allows \(got 4\); expected --drop-bad-rows 5/,
    );
    await expect(drop(2)).rejects.toThrow(
      /at least 3 invalid rows, more than --drop-bad-rows allows \(got 2\)/,
    );
    expect(await drop(5)).toMatchObject({ rows: 2, dropped: 5 });
    expect(await stand.amounts()).toEqual(["1.5", "2.5"]);
  });

  it("leaves a field beside it that only the database reads, and quoted fields, as they are", async () => {
    const json = new Stand();
    await json.take("t.ndjson", `${record(1)}${record(2).replace("}", ',"extra":NaN}')}{"id":\n`, {
      repairs: { maxDropped: 1 },
    });
    expect(await json.amounts()).toEqual(["1.5", "2.5"]);
    const csv = new Stand();
    const quoted = `id,price,amount,time,isBuyerMaker,note\n"1","5",1.5,${TIME + 1},true,"a, ""b"""\n9,5,"9,1",${TIME + 9},true\n9,5\n2,5,2.5,${TIME + 2},true,\n`;
    expect(await csv.take("t.csv", quoted, { repairs: { maxDropped: 2 } })).toMatchObject({
      dropped: 2,
    });
    expect(await csv.amounts()).toEqual(["1.5", "2.5"]);
  });

  it("is not left out if a quote continues past its line, since the rows in it are unknown", async () => {
    const stand = new Stand();
    const csv = `${HEAD}${good(1)}9,"5,9,${TIME + 9},true\n${good(2)}`;
    const plain = await stand.take("t.csv", csv, {}).catch((error: unknown) => String(error));
    expect(plain).not.toContain("--drop-bad-rows");
    await expect(stand.take("t.csv", csv, { repairs: { maxDropped: 9 } })).rejects.toThrow(
      /has an unexpected quote in line 3/,
    );
  });

  it("of an update breaks the book's chain, so that the book is lost until the next snapshot", async () => {
    const stand = new Stand();
    const side = [["5", "1"]];
    const message = (type: string, at: number, sequences: object): string =>
      `${JSON.stringify({ type, timestamp: TIME + at, recvTimeNs: (TIME + at) * 1e6, ...sequences, bids: side, asks: [["6", "1"]] })}\n`;
    const update = (at: number): string =>
      message("update", at, { beginSequence: at, endSequence: at, prevEndSequence: at - 1 });
    const book = `${message("snapshot", 1, { sequence: 1 })}${update(2)}${message("other", 3, {})}${update(4)}`;
    await expect(stand.take("b.ndjson", book, {})).rejects.toThrow(
      /neither snapshot nor update.*--drop-bad-rows N/,
    );
    const taken = await stand.take("b.ndjson", book, { repairs: { maxDropped: 1 } });
    expect(taken).toMatchObject({ dropped: 1, rows: 6 });
    const [day] = stand.store.days({ market: "btcusdt", kind: "book" });
    expect(day?.lost?.length).toBe(1);
  });
});
