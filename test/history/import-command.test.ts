import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { captureCli } from "../cli/captured-cli.js";
import { fileOf, scratchFolder } from "./scratch.js";

const MS = Date.UTC(2025, 0, 1, 3);
const BOOK = `exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\nbinance,BTCUSDT,${MS}000,${MS - 900}000,true,bid,100,5\n`;
const TRADES = `ts,heard,taker,px,sz\n${MS},${MS - 860},buy,101,1\n`;
const FLAGS = [
  "--kind",
  "trades",
  "--columns",
  "time=ts,recvTime=heard,side=taker,price=px,amount=sz",
];

describe("marketwright data import of several files", () => {
  it("reads those that --mapped-files names by the mapping and the others by their shape, under one clock", async () => {
    const folder = scratchFolder();
    const files = [fileOf(folder, "book.csv", BOOK), fileOf(folder, "trades.csv", TRADES)];
    const run = (...more: readonly string[]) =>
      captureCli([
        "data",
        "import",
        ...files,
        "--market",
        "btcusdt",
        "--store",
        join(folder, "history"),
        ...more,
      ]);
    const { out, code } = await run(...FLAGS, "--mapped-files", "tr*.csv,others.csv");
    expect({ out: out.replaceAll(`${folder}/`, ""), code }).toEqual({
      code: 0,
      out: `book.csv: 1 book, day 2025-01-01
trades.csv: 1 trades, day 2025-01-01
  it has no ids: the number of the row stands for each
clock: 900000000 ns added to local stamps, the smallest feed latency was -900000000 ns
`,
    });
    expect(await run("--mapped-files", "trades.csv")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--mapped-files: needs a mapping in flags/),
    });
  });

  it("takes the unit of amounts from --amount-unit, but only beside the columns of a mapping", async () => {
    const folder = scratchFolder();
    const run = (unit: string, ...more: readonly string[]) =>
      captureCli([
        ...[
          "data",
          "import",
          fileOf(folder, `${unit}.csv`, TRADES),
          "--market",
          unit,
          "--store",
          join(folder, "history"),
        ],
        ...["--amount-unit", unit, ...more],
      ]);
    expect((await run("contracts", ...FLAGS)).out).toMatch(
      /its amounts count contracts, not base units/,
    );
    expect((await run("base", ...FLAGS)).out).not.toMatch(/base units/);
    expect(await run("coins", ...FLAGS)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/amountUnit.*coins/s),
    });
    expect(await run("base")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--amount-unit: needs a mapping in flags/),
    });
  });

  it("takes several mappings of one YAML file", async () => {
    const folder = scratchFolder();
    const mapping = fileOf(
      folder,
      "capture.yaml",
      `mappings:
  - kind: trades
    columns: { time: ts, recvTime: heard, side: taker, price: px, amount: sz }
    files: [trades.csv]
  - kind: marks
    columns: { time: ts, recvTime: heard, mark: px }
`,
    );
    const files = [
      fileOf(folder, "trades.csv", TRADES),
      fileOf(folder, "marks.csv", `ts,heard,px\n${MS},${MS - 850},101\n`),
    ];
    const { out } = await captureCli([
      ...["data", "import", ...files, "--market", "btcusdt", "--store", join(folder, "history")],
      ...["--mapping", mapping],
    ]);
    expect(out).toMatch(/trades\.csv: 1 trades.*marks\.csv: 1 marks.*clock: 860000000 ns added/s);
  });
});
