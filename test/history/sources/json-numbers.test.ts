import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { withExactNumbers } from "#history/json-numbers.js";
import { listHistory } from "#history/list-history.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const TIME = 1723161600000;
/** A record as text, so that its numbers stay as written. */
const trade = (price: string, more = "", time = String(TIME)): string =>
  `{"id":1,"price":${price},"amount":"1","time":${time},"isBuyerMaker":true${more}}\n`;

async function priceOf(price: string): Promise<unknown> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, "t.ndjson", trade(price))]);
  const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
  return (await query(store, `SELECT price::VARCHAR AS price FROM read_parquet('${path}')`))[0]
    ?.price;
}

// JSON numbers are read as doubles, and a rounded price was never traded.
describe("numbers of JSON records", () => {
  it.each([
    ["61800.30", "61800.3"],
    ["5e-7", "0.0000005"],
    ["61800.1234567891", "61800.1234567891"],
    ["0.30000000000000004", "0.30000000000000004"],
    ["123456789012345678", "123456789012345678"],
    ['"1234567890.12345678"', "1234567890.12345678"],
  ])("are imported as written if a double holds them: %s", async (written, price) => {
    expect(await priceOf(written)).toBe(price);
  });

  it.each([
    ["1234567890.12345678", trade("1234567890.12345678"), "price in line 1"],
    ["61800.123456789012345", trade("5") + trade("61800.123456789012345"), "price in line 2"],
    ["0.30000000000000001", trade("0.30000000000000001"), "price in line 1"],
    ["1234567890123456789e-9", trade("1234567890123456789e-9"), "price in line 1"],
    ["1723161600000.5", trade("5", "", "1723161600000.5"), "time in line 1"],
    [
      "1723161600000000123.0",
      trade("5", ',"recvTimeNs":1723161600000000123.0'),
      "recvTimeNs in line 1",
    ],
    [
      "1234567890.12345678",
      `{"type":"snapshot","sequence":1,"timestamp":${TIME},"ticker_id":"B","bids":[["5","1"],[5.5, 1234567890.12345678]],"asks":[]}\n`,
      "bids in line 1",
    ],
  ])("are refused with line and value if they would be rounded: %s", async (value, text, place) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await expect(take(store, [fileOf(folder, "t.ndjson", text)])).rejects.toThrow(
      new RegExp(
        `${place} is a number that JSON would round \\(got "${value.replace(".", "[.]")}"\\)`,
      ),
    );
    expect(await listHistory(store, { verify: true })).toEqual([]);
  });

  it.each([
    ["in a field that nobody reads", trade("5", ',"quoteAmount":1234567890.12345678')],
    ["in a list that nobody reads", trade("5", ',"fees":[1, 1234567890.12345678]')],
    [
      "in a text",
      trade("5", ',"status":"at 1234567890.12345678, \\"price\\": 1234567890.12345678"'),
    ],
  ])("are left alone %s", async (_what, text) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    expect((await take(store, [fileOf(folder, "t.ndjson", text)])).files[0]?.rows).toBe(1);
  });

  it("are checked under the names of a mapping, fractions of a second too", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const mapping = checkMapping({
      kind: "trades",
      columns: { time: "ts", price: "p x", amount: "q" },
      timeUnit: "s",
    });
    const record = (price: string, time: string): string =>
      fileOf(
        folder,
        "t.ndjson",
        `{ "ts" : ${time}, "p x" : ${price}, "q": 1, "price": 1234567890.12345678 }\r\n`,
      );
    await expect(
      take(store, [record("1234567890.12345678", "1723161600.5")], { mapping }),
    ).rejects.toThrow(/p x in line 1 is a number/);
    await expect(take(store, [record("5", "1723161600.123456789")], { mapping })).rejects.toThrow(
      /ts in line 1 is a number/,
    );
    expect(
      (await take(store, [record("5", "1723161600.123456")], { mapping })).files[0]?.rows,
    ).toBe(1);
  });

  it("are checked anywhere in a file, and refused exactly if a double prints differently", async () => {
    const file = "t.ndjson";
    const folder = scratchFolder();
    const number = fc
      .tuple(fc.stringMatching(/^[1-9][0-9]{0,11}$/), fc.stringMatching(/^[0-9]{1,12}$/))
      .map(([whole, part]) => `${whole}.${part}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(number, { minLength: 1, maxLength: 5 }),
        fc.nat(40),
        async (numbers, padding) => {
          const lines = numbers.map(
            (each, at) =>
              `{"a":"${"x".repeat((padding * at) % 23)}","price":${each},"b":[${each}]}`,
          );
          const path = fileOf(
            folder,
            file,
            `${`{"a":"${"y".repeat(padding)}"}\n`.repeat(padding)}${lines.join("\n")}`,
          );
          const trimmed = (text: string): string => text.replace(/0+$/, "").replace(/[.]$/, "");
          const first = numbers.findIndex((each) => trimmed(each) !== String(Number(each)));
          const looked = withExactNumbers({ file, path }, { price: "VARCHAR" }, async () => "read");
          if (first === -1) await expect(looked).resolves.toBe("read");
          else
            await expect(looked).rejects.toThrow(
              `price in line ${padding + first + 1} is a number`,
            );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("are found after records longer than the buffer", async () => {
    const long = `{"a":"${"x".repeat(700_000)}","price":5.5}\n`;
    const path = fileOf(scratchFolder(), "t.ndjson", `${long}${long}{"price":1234567890.12345678}`);
    await expect(
      withExactNumbers({ file: path, path }, { price: "VARCHAR" }, async () => 0),
    ).rejects.toThrow("price in line 3 is a number");
  });

  // A sequence number of 1.5 became 2, the place of another message.
  it.each(["1.5", "5e-1", "-0.5", "1.25e1", "12345.6"])(
    "are refused with a fraction in a field of whole numbers, however short they are: a line of %s",
    async (line) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const records =
        trade("5", ',"line": 7') + trade("5", `,"line": ${line}`).replace('"id":1', '"id":2');
      await expect(take(store, [fileOf(folder, "t.ndjson", records)])).rejects.toThrow(
        new RegExp(
          `line in line 2 is a number that JSON would round \\(got "${line.replace(".", "\\.")}"\\); expected digits without a fraction`,
        ),
      );
    },
  );

  it.each(["2.0", "2e0", "20e-1"])(
    "are whole as %s, and names of nested fields do not matter",
    async (line) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const records = trade("5", `,"line":${line},"note":{"lines":1.5},"said":"\\"line\\":1.5"`);
      await take(store, [fileOf(folder, "t.ndjson", records)]);
      const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
      expect(await query(store, `SELECT seq FROM read_parquet('${path}')`)).toEqual([{ seq: 2n }]);
    },
  );

  it("report the first of two refused ones", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const records = trade("5", ',"line":1.5') + trade("61800.123456789012345");
    await expect(take(store, [fileOf(folder, "t.ndjson", records)])).rejects.toThrow(
      /line in line 1 is a number/,
    );
  });
});
