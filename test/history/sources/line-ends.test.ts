import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const TIME = 1723161600000;
const HEAD = "id,price,amount,time,isBuyerMaker";
const row = (id: number): string => `${id},100.5,1,${TIME + id},false`;
const rows = (count: number): string[] => Array.from({ length: count }, (_, at) => row(at + 1));

async function imported(content: string | Uint8Array, name = "t.csv"): Promise<number> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const { files } = await take(store, [fileOf(folder, name, content)]);
  return files[0]?.rows ?? 0;
}

describe("the ends of a file's lines", () => {
  it.each([
    ["line 3 ends with CR LF", `${HEAD}\n${row(1)}\n${row(2)}\r\n${row(3)}\n`],
    ["line 2 ends with LF", `${HEAD}\r\n${row(1)}\n`],
    ["line 20002 ends with CR LF", `${HEAD}\n${rows(20_000).join("\n")}\n${row(30_000)}\r\n`],
    ["line 20002 ends with LF", `${HEAD}\r\n${rows(20_000).join("\r\n")}\r\n${row(30_000)}\n`],
  ])("are one or the other in a CSV file: %s", async (said, content) => {
    await expect(imported(content)).rejects.toThrow(
      new RegExp(`t\\.csv: mixes line ends: ${said}`),
    );
  });

  it("may be either of the two, with or without an end of the last line", async () => {
    expect(await imported(`${HEAD}\r\n${rows(3).join("\r\n")}`)).toBe(3);
    expect(await imported(`${HEAD}\n${rows(3).join("\n")}`)).toBe(3);
  });

  it("must not be carriage returns alone", async () => {
    await expect(imported(`${HEAD}\r${rows(3).join("\r")}\r`)).rejects.toThrow(
      /has lines that end with only a carriage return/,
    );
  });
});

describe("a byte order mark", () => {
  const records = [1, 2]
    .map(
      (id) =>
        `${JSON.stringify({ id, price: "100.5", amount: "1", time: TIME + id, isBuyerMaker: true })}\n`,
    )
    .join("");

  it.each([
    ["CSV", "t.csv", `\ufeff${HEAD}\n${row(1)}\n${row(2)}\n`],
    ["JSON records", "t.ndjson", `\ufeff${records}`],
    ["packed JSON records", "t.ndjson.gz", gzipSync(`\ufeff${records}`)],
  ])("before %s is not part of the first field", async (_what, name, content) => {
    expect(await imported(content, name)).toBe(2);
  });

  it("changes no row, and the same file is recognised again", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = fileOf(folder, "t.ndjson", `\ufeff${records}`);
    await take(store, [path]);
    expect((await take(store, [path])).files[0]?.days).toEqual([]);
    const day = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
    expect(await query(store, `SELECT id, seq FROM read_parquet('${day}')`)).toEqual([
      { id: 1n, seq: 1n },
      { id: 2n, seq: 2n },
    ]);
  });
});
