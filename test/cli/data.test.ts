import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentProcessName } from "#core/process-life.js";
import { RecordingPart, recordingFolder } from "#history/recording-part.js";
import { fileOf, scratchFolder } from "../history/scratch.js";
import { captureCli } from "./captured-cli.js";

const TRADES =
  "id,price,amount,quoteAmount,time,isBuyerMaker,status\n1,5.25,2,10.5,1723161600000,true,SETTLED\n2,5.5,1,5.5,1723161600900,false,SETTLED\n";

describe("marketwright data", () => {
  it("imports files and lists what is there, for people and for machines", async () => {
    const folder = scratchFolder();
    const store = join(folder, "history");
    const file = fileOf(folder, "trades.csv", TRADES);
    // A wrong path is no store without history: a script that backs up what is listed would go on.
    const absent = { code: 1, err: `marketwright: ${store}: does not exist\n` };
    expect(await captureCli(["data", "list", "--store", store])).toMatchObject({
      ...absent,
      out: "",
    });
    expect(
      await captureCli(["data", "list", "--store", store, "--verify", "--json"]),
    ).toMatchObject(absent);
    mkdirSync(store);
    expect(await captureCli(["data", "list", "--store", store])).toMatchObject({
      code: 0,
      out: `${store}: is a folder without any history\n`,
    });
    const imported = await captureCli([
      "data",
      "import",
      file,
      "--market",
      "btcusdt",
      "--store",
      store,
    ]);
    expect(imported).toEqual({ code: 0, out: `${file}: 2 trades, day 2024-08-09\n`, err: "" });
    const listed = await captureCli(["data", "list", "--store", store, "--verify"]);
    expect(listed.out).toMatch(
      /btcusdt +trades +2024-08-09T00:00:00Z +2024-08-09T00:00:00\.901Z +1 \(not all complete\) +2 +\d+ +none/,
    );
    const days = await captureCli(["data", "list", "--store", store, "--days"]);
    expect(days.out).toMatch(/2024-08-09 +open +2 +\d+ +[0-9a-f]{64}/);
    const json = JSON.parse(
      (await captureCli(["data", "list", "--store", store, "--json"])).out,
    ) as {
      readonly series: readonly unknown[];
    };
    expect(json.series).toMatchObject([
      { market: "btcusdt", kind: "trades", rows: 2, gaps: [], complete: false },
    ]);
  });

  it("says of an empty store that a recording is in progress, or that one was killed", async () => {
    const store = join(scratchFolder(), "history");
    const parent = recordingFolder(store, "btcusdt");
    const grid = { tickSize: "0.1", stepSize: "0.001" };
    RecordingPart.begin(parent, 1, { market: "btcusdt", source: "x", grid }).close();
    const listed = async (...options: string[]): Promise<string | undefined> => {
      const { code, out } = await captureCli(["data", "list", "--store", store, ...options]);
      expect(code).toBe(0);
      return out.split("\n")[0];
    };
    writeFileSync(join(parent, "lock"), currentProcessName());
    expect(await listed()).toBe(`${store}: has no history yet: a recording is in progress`);
    expect(await listed("--market", "btcusdt", "--kind", "trades")).toBe(
      `${store}: has no btcusdt trades yet: a recording is in progress`,
    );
    writeFileSync(join(parent, "lock"), "999999999");
    expect(await listed()).toBe(`${store}: has no history yet: a recording was killed`);
  });

  // After a correction of swapped sides in the mapping, the same file counted as "there already".
  // The swapped data stayed, and every backtest used it.
  it("says of a file that the store has that it is not read anew, and how it would be", async () => {
    const folder = scratchFolder();
    const [store, file] = [
      join(folder, "history"),
      fileOf(folder, "t.csv", "i,t,p,q,maker,taker\n1,1723161600000,5.25,2,buy,sell\n"),
    ];
    const run = (side: string, ...more: string[]) => {
      const columns = [
        "--kind",
        "trades",
        "--columns",
        `id=i,time=t,price=p,amount=q,side=${side}`,
      ];
      return captureCli([
        "data",
        "import",
        file,
        "--market",
        "btcusdt",
        "--store",
        store,
        ...columns,
        ...more,
      ]);
    };
    expect((await run("maker")).out).toBe(`${file}: 1 trades, day 2024-08-09\n`);
    const there = `${file}: 1 trades, already in the store (--replace reads it again)\n`;
    expect((await run("maker")).out).toBe(there);
    expect((await run("taker")).out).toBe(
      `${there}  trades: an earlier import wrote these days with another mapping, clock or repair, and they did not change: 2024-08-09. --replace imports again the days that this file contains. For other days, delete their two files and import them again\n`,
    );
    expect(JSON.parse((await run("taker", "--json")).out)).toMatchObject({
      unchanged: [file],
      files: [{ stayed: ["2024-08-09"] }],
    });
    expect((await run("taker", "--replace")).out).toBe(`${file}: 1 trades, day 2024-08-09\n`);
  });

  // A script that corrected its mapping read "days": [] and nothing else, as for a file without any
  // row.
  it("names to a script each file that it did not read anew", async () => {
    const folder = scratchFolder();
    const [store, first] = [join(folder, "history"), fileOf(folder, "trades.csv", TRADES)];
    const second = fileOf(folder, "more.csv", TRADES.replaceAll("17231616", "17232480"));
    const unchanged = async (...files: string[]): Promise<unknown> =>
      JSON.parse(
        (
          await captureCli([
            "data",
            "import",
            ...files,
            "--market",
            "btcusdt",
            "--store",
            store,
            "--json",
          ])
        ).out,
      ).unchanged;
    expect(await unchanged(first)).toEqual([]);
    expect(await unchanged(first, second)).toEqual([first]);
    expect(await unchanged(first, second, "--replace")).toEqual([]);
  });

  it("tells nothing of what such a file would have become, neither its repairs nor its clock", async () => {
    const folder = scratchFolder();
    const head = "id,price,amount,time,recvTimeNs,isBuyerMaker\n";
    const row = (id: number, amount: string, fromMs = 1723161600000): string =>
      `${id},5,${amount},${fromMs + id},${fromMs + 10 + id}000000,true\n`;
    const store = join(folder, "history");
    const other = fileOf(
      folder,
      "t.csv",
      head + row(1, "2") + row(2, "0.30000000000000004") + row(3, "abc"),
    );
    const file = fileOf(
      folder,
      "u.csv",
      head + row(4, "2", 1723248000000) + row(5, "3", 1723248000000),
    );
    const run = (...more: string[]) => {
      const repairs = ["--round", "--drop-bad-rows", "1"];
      return captureCli([
        "data",
        "import",
        ...more,
        "--market",
        "btcusdt",
        "--store",
        store,
        ...repairs,
      ]);
    };
    const json = async (...more: string[]): Promise<unknown> =>
      JSON.parse((await run(...more, "--json")).out);
    const clock = "clock: not corrected, the smallest feed latency is 10000000 ns\n";
    expect(await json(other)).toMatchObject({
      unchanged: [],
      files: [{ rounded: 1, dropped: 1 }],
      clock: [{ smallestNs: "10000000" }],
    });
    const there = `${other}: 2 trades, already in the store (--replace reads it again)\n`;
    expect((await run(other)).out).toBe(there);
    expect(await json(other)).toMatchObject({
      unchanged: [other],
      files: [{ days: [], findings: [], rounded: 0, dropped: 0 }],
      clock: [],
    });
    expect((await run(file, other)).out).toBe(
      `${file}: 2 trades, day 2024-08-10\n${there}${clock}`,
    );
    expect(await json(file, other)).toMatchObject({ unchanged: [file, other], clock: [] });
  });

  it("tells of candles that are missing within a day, as a gap like any other, and what there is in place of what is not", async () => {
    const folder = scratchFolder();
    const store = join(folder, "history");
    const minutes = (...of: number[]) =>
      of.map((minute) => `${1723161600000 + minute * 60_000},5,5,5,5,1`).join("\n");
    const file = fileOf(
      folder,
      "klines_1M.csv",
      `time,open,close,high,low,volume\n${minutes(0, 1, 2, 5, 6)}\n`,
    );
    const imported = await captureCli([
      "data",
      "import",
      file,
      "--market",
      "btcusdt",
      "--interval",
      "1M",
      "--store",
      store,
    ]);
    expect(imported.out).toBe(
      `${file}: 5 klines-1M, day 2024-08-09\n  btcusdt klines-1M 2024-08-09: 2 of 7 candles are missing\n`,
    );
    const list = async (...more: string[]) =>
      captureCli(["data", "list", "--store", store, ...more]);
    expect((await list()).out).toMatch(
      / 2024-08-09T00:03:00Z\.\.2024-08-09T00:05:00Z\nbtcusdt klines-1M 2024-08-09: 2 of 7 candles are missing\n$/,
    );
    // A script that asks whether its market is there asks by the exit code.
    const absent = {
      code: 1,
      out: "",
      err: `marketwright: ${store}: has no btcusd; it has btcusdt klines-1M\n`,
    };
    expect(await list("--market", "btcusd")).toMatchObject(absent);
    expect(await list("--market", "btcusd", "--json")).toMatchObject({ code: 1, err: absent.err });
    expect(await list("--market", "btcusdt", "--kind", "trades")).toMatchObject({
      code: 1,
      err: `marketwright: ${store}: has no btcusdt trades; it has btcusdt klines-1M\n`,
    });
  });

  it("ends with 1 for a file that is foreign or missing, and with 2 for a wish that cannot be", async () => {
    const folder = scratchFolder();
    const store = join(folder, "history");
    const file = fileOf(folder, "trades.csv", TRADES);
    const run = (...args: string[]) => captureCli(["data", "import", "--store", store, ...args]);
    expect(await run("nowhere.csv", "--market", "b")).toMatchObject({
      code: 1,
      err: expect.stringContaining("nowhere.csv: does not exist"),
    });
    expect(await run(file, "--market", "../b")).toMatchObject({
      code: 2,
      err: expect.stringContaining("market: cannot name a market"),
    });
    expect(await run(file)).toMatchObject({ code: 2, err: expect.stringContaining("--market") });
    expect(await run(file, "--market", "b", "--shape", "tardis")).toMatchObject({
      code: 2,
      err: expect.stringContaining("shape: is an unknown shape"),
    });
    expect(await run(file, "--market", "b", "--kind", "trades")).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        '--kind: needs --columns (got "trades"); expected no --kind, since the file\'s shape gives it, or --columns',
      ),
    });
    const candles = await run(file, "--market", "b", "--shape", "klines", "--kind", "klines-15M");
    expect(candles).toMatchObject({
      code: 2,
      err: expect.stringContaining("expected --interval 15M for candles of a known shape"),
    });
    expect(await run(file, "--market", "b", "--columns", "price=px")).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "--kind: is missing; expected the kind of the file that --columns describes",
      ),
    });
    expect(await run(file, "--market", "b", "--clock-parts", "x")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--clock-parts"),
    });
    fileOf(folder, "stray.txt", "");
    expect(await captureCli(["data", "list", "--store", folder])).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not belong in the store"),
    });
    expect(await captureCli(["data"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("Usage: marketwright data"),
    });
  });
});
