import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError, FormatError, RunError } from "#core/errors.js";
import { findCaptureFiles } from "#simulator/capture-files.js";
import { GridDecoder } from "#simulator/grid-decoder.js";
import { bookLine, btcGrid, readAll, tradeLine, writeCapture } from "./capture-fixture.js";

const snapshot = bookLine("snapshot", 1, 1_000, [["99.9", "1"]], [["100.1", "2"]]);

describe("reading a capture", () => {
  it("merges books, trades and marks by the exchange's clock, and by line within a millisecond", async () => {
    const events = await readAll(
      writeCapture({
        books:
          snapshot +
          bookLine("update", 4, 1_002, [["99.9", "0.000"]], []) +
          bookLine("update", 6, 1_003, [], []),
        trades: tradeLine(2, 1_001, "100.1", "0.5", false) + tradeLine(5, 1_002, "99.9", "1", true),
        mark: "line,time,recvTimeNs,markPrice,indexPrice\n3,1002,1002000000,100.01234567,99.98765432\n",
      }),
    );
    expect(events.map(({ kind, timeMs, line }) => [kind, timeMs, line])).toEqual([
      ["snapshot", 1_000, 1],
      ["trade", 1_001, 2],
      ["mark", 1_002, 3],
      ["update", 1_002, 4],
      ["trade", 1_002, 5],
      ["update", 1_003, 6],
    ]);
    expect(events[0]).toMatchObject({
      bids: [999, 1_000],
      asks: [1_001, 2_000],
      receivedNs: 1_000_000_000n,
    });
    expect(events[1]).toMatchObject({ ticks: 1_001, lots: 500, aggressor: "BUY" });
    expect(events[2]).toMatchObject({ markPrice: "100.01234567", indexPrice: "99.98765432" });
    expect(events[3]).toMatchObject({ bids: [999, 0], asks: [] });
    expect(events[4]).toMatchObject({ aggressor: "SELL", lots: 1_000 });
  });

  it("sorts a snapshot that was fetched late to the instant of its book", async () => {
    const late =
      bookLine("update", 1, 1_050, [["99.8", "1"]], []) +
      bookLine("snapshot", 2, 1_000, [["99.9", "1"]], [["100.1", "2"]]);
    const events = await readAll(writeCapture({ books: late }));
    expect(events.map(({ kind }) => kind)).toEqual(["snapshot", "update"]);
  });

  it("reads trades as CSV too, where a row without a line number has that of its row", async () => {
    const files = writeCapture({
      books: snapshot,
      tradesCsv:
        "id,price,amount,quoteAmount,time,isBuyerMaker,status\r\n7,100.1,0.001,0.1001,1001,true,SETTLED\r\n",
    });
    expect((await readAll(files))[1]).toMatchObject({
      kind: "trade",
      id: "7",
      line: 2,
      ticks: 1_001,
      lots: 1,
      aggressor: "SELL",
      receivedNs: null,
    });
  });

  it.each([
    ["text that is no JSON", "{", /tag\.ndjson\.gz:2: .*JSON/],
    ["a JSON value that is no record", "[]\n", /:2: .*JSON/],
    ["another kind of record", '{"type":"trade"}\n', /:2: type: /],
    ["a missing time", '{"type":"update","line":2,"bids":[],"asks":[]}\n', /:2: timestamp: /],
    ["a time with a fraction", bookLine("update", 2, 1_000.5, [], []), /:2: timestamp: .*1000\.5/],
    [
      "a side that is no list",
      '{"type":"update","line":2,"timestamp":1000,"bids":{},"asks":[]}\n',
      /:2: bids: /,
    ],
    [
      "a level that is a number",
      '{"type":"update","line":2,"timestamp":1000,"bids":[[1,2]],"asks":[]}\n',
      /:2: bids\[0\]: /,
    ],
    [
      "a price between two ticks",
      bookLine("update", 2, 1_000, [["99.95", "1"]], []),
      /:2: price: .*99\.95/,
    ],
    [
      "an amount between two steps",
      bookLine("update", 2, 1_000, [["99.9", "0.0005"]], []),
      /:2: amount: .*0\.0005/,
    ],
    ["a negative amount", bookLine("update", 2, 1_000, [["99.9", "-1"]], []), /:2: amount: /],
    ["a price of zero", bookLine("update", 2, 1_000, [["0.0", "1"]], []), /:2: price: /],
    ["an exponent", bookLine("update", 2, 1_000, [["1e2", "1"]], []), /:2: price: /],
    [
      "a record from minutes ago",
      bookLine("update", 2, 20_000, [], []).repeat(2) + bookLine("update", 3, 500, [], []),
      /:4: .*out of order/,
    ],
  ])("names file and line of %s", async (_, line, message) => {
    const failure = readAll(writeCapture({ books: snapshot + line }));
    await expect(failure).rejects.toThrow(FormatError);
    await expect(failure).rejects.toThrow(message);
  });

  it.each([
    [
      "a row with a field too many",
      "id,price,amount,time,isBuyerMaker\n1,100.1,1,1000,true,x\n",
      /tag\.csv\.gz:2: .*5 fields/,
    ],
    [
      "is not a positive amount",
      "id,price,amount,time,isBuyerMaker\n1,100.1,0,1000,true\n",
      /:2: amount: /,
    ],
    [
      "a side that is neither true nor false",
      "id,price,amount,time,isBuyerMaker\n1,100.1,1,1000,yes\n",
      /:2: isBuyerMaker: .*yes/,
    ],
    ["a column that is not there", "id,price,amount,time\n1,100.1,1,1000\n", /:2: isBuyerMaker: /],
  ])("names file and line of %s", async (_, tradesCsv, message) => {
    await expect(readAll(writeCapture({ books: snapshot, tradesCsv }))).rejects.toThrow(message);
  });

  it("distinguishes truncated, damaged and invalid gzip files from bad records", async () => {
    const many =
      snapshot +
      Array.from({ length: 500 }, (_, i) =>
        bookLine("update", i + 2, 1_000 + i, [["99.9", `${i}.5`]], []),
      ).join("");
    const whole = gzipSync(many);
    await expect(
      readAll(writeCapture({ books: whole.subarray(0, whole.length - 400) })),
    ).rejects.toThrow(/tag\.ndjson\.gz:\d+: the gzip file is cut off/);
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 200, 260);
    await expect(readAll(writeCapture({ books: damaged }))).rejects.toThrow(FormatError);
    await expect(readAll(writeCapture({ books: Buffer.from(many) }))).rejects.toThrow(
      /the gzip file is broken/,
    );
    await expect(readAll(writeCapture({ books: "" }))).rejects.toThrow(/:1: is empty/);
  });

  it("names the missing file or folder", async () => {
    const files = writeCapture({ books: snapshot });
    await expect(readAll({ ...files, trades: `${files.books}.gone.csv.gz` })).rejects.toThrow(
      RunError,
    );
    expect(() => findCaptureFiles("/nowhere", "tag")).toThrow(ConfigError);
    const folder = files.books.replace(/\/books\/.*$/, "");
    expect(() => findCaptureFiles(folder, "other")).toThrow(/tag: .*"other".*other\.ndjson\.gz/);
    expect(() => findCaptureFiles(folder, "../tag")).toThrow(ConfigError);
    writeFileSync(`${folder}/trades/tag.csv.gz`, gzipSync("id\n"));
    expect(findCaptureFiles(folder, "tag").trades).toMatch(/tag\.csv\.gz$/);
  });
});

describe("the quick decimal decoder", () => {
  const grid = new GridDecoder(btcGrid);

  it("agrees with the instrument on every text, valid or not", () => {
    const text = fc.oneof(
      fc.tuple(fc.nat(10 ** 9), fc.nat(99_999)).map(([whole, fraction]) => `${whole}.${fraction}`),
      fc.tuple(fc.nat(10 ** 7), fc.nat(9)).map(([whole, fraction]) => `${whole}.${fraction}0`),
      fc.nat().map(String),
      fc.stringMatching(/^[0-9.eE+-]{0,20}$/),
    );
    const outcome = (decode: () => number): number | string => {
      try {
        return decode();
      } catch (error) {
        return error instanceof FormatError ? "refused" : String(error);
      }
    };
    fc.assert(
      fc.property(text, (decimal) => {
        expect(outcome(() => grid.parseAmount(decimal))).toBe(
          outcome(() => btcGrid.parseAmount(decimal)),
        );
        const byInstrument = outcome(() => btcGrid.parsePrice(decimal));
        expect(outcome(() => grid.parsePrice(decimal))).toBe(
          byInstrument === 0 ? "refused" : byInstrument,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
