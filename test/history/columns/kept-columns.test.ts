import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { openTape } from "../open-tape.js";
import { othersOfThisId } from "../other-processes.js";
import { fileOf, scratchFolder, take } from "../scratch.js";
import { ALL, contents, MARKET, START_MS, seededCapture, tapeFiles } from "./capture.js";

describe("The columns beside the store", () => {
  it("are built once, and are not listed as a kind of history", async () => {
    const store = await seededCapture().stored();
    const made: string[] = [];
    const wish = { ...ALL, onMake: (day: string) => made.push(day) };
    const first = contents(await openTape(store, MARKET, wish));
    expect(contents(await openTape(store, MARKET, wish))).toEqual(first);
    expect(made).toEqual(["2024-08-08", "2024-08-09"]);
    expect(
      (await listHistory(store, { verify: true })).map(({ kind, problems }) => [kind, problems]),
    ).toEqual([
      ["book", []],
      ["trades", []],
    ]);
  });

  it.each<[string, (path: string) => void]>([
    ["cut", (path) => truncateSync(path, statSync(path).size - 1)],
    ["cut to nothing", (path) => truncateSync(path, 0)],
    [
      "foreign",
      (path) =>
        writeFileSync(
          path,
          "what another program wrote, long enough to be read to its end and further",
        ),
    ],
    [
      "of one wrong bit in its columns",
      (path) => writeFileSync(path, flipped(readFileSync(path), 900)),
    ],
    [
      "of one wrong bit in its table",
      (path) => writeFileSync(path, flipped(readFileSync(path), statSync(path).size - 60)),
    ],
  ])("are rebuilt if a file is %s", async (_, breakIt) => {
    const store = await seededCapture().stored();
    const whole = contents(await openTape(store, MARKET, { ...ALL, blockRows: 50 }));
    for (const path of tapeFiles(store)) breakIt(path);
    const made: string[] = [];
    expect(
      contents(await openTape(store, MARKET, { ...ALL, onMake: (day) => made.push(day) })),
    ).toEqual(whole);
    expect(made).toEqual(["2024-08-08", "2024-08-09"]);
  });

  it("are rebuilt when the day has grown, and the old ones are deleted", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const csv = (id: number) =>
      `id,price,amount,time,isBuyerMaker\n${id},100.1,0.002,${START_MS + id},true\n`;
    await take(store, [fileOf(folder, "one.csv", csv(1))], { shape: "trades" });
    expect((await openTape(store, MARKET, ALL)).messages).toBe(1);
    const [old] = tapeFiles(store);
    await take(store, [fileOf(folder, "two.csv", csv(2))], { shape: "trades" });
    expect((await openTape(store, MARKET, ALL)).messages).toBe(2);
    expect(tapeFiles(store)).toHaveLength(1);
    expect(existsSync(old as string)).toBe(false);
  });

  it("are rebuilt when the day is replaced by another of the same length", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const csv = (price: string) =>
      `id,price,amount,time,isBuyerMaker\n1,${price},1,${START_MS},true\n`;
    await take(store, [fileOf(folder, "one.csv", csv("5.1"))], { shape: "trades" });
    expect((await openTape(store, MARKET, ALL)).signedTicks[0]).toBe(-51);
    const [old] = tapeFiles(store);
    await take(store, [fileOf(folder, "other.csv", csv("5.2"))], {
      shape: "trades",
      replace: true,
    });
    expect((await openTape(store, MARKET, ALL)).signedTicks[0]).toBe(-52);
    expect(tapeFiles(store)).toHaveLength(1);
    expect(existsSync(old as string)).toBe(false);
  });

  it("are swept of the remains of killed builders, but not of the files of living ones", async () => {
    const store = await seededCapture().stored();
    const folder = join(store.root, MARKET, ".columns");
    mkdirSync(folder);
    const [dead, living] = [".2024-08-08-999999999-1.next", `.2024-08-08-${process.ppid}-1.next`];
    const others = othersOfThisId().map(({ name }) => `.2024-08-08-${name}-1.next`);
    for (const name of [dead, living, ...others]) writeFileSync(join(folder, name), "half");
    // A file of another container counts as abandoned once it stops growing.
    for (const name of others) utimesSync(join(folder, name), 1, 1);
    await openTape(store, MARKET, ALL);
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([living]);
  });

  it("are not read beside a changed Parquet file of the same length, but are beside a copied one", async () => {
    const store = await seededCapture().stored();
    const path = store.dataPath({ market: MARKET, kind: "trades" }, "2024-08-08");
    const whole = readFileSync(path);
    await openTape(store, MARKET, ALL);
    const made = tapeFiles(store).map((file) => statSync(file).mtimeMs);
    writeFileSync(path, flipped(Buffer.from(whole), 100));
    utimesSync(path, 1, 1);
    await expect(openTape(store, MARKET, ALL)).rejects.toThrow(
      /2024-08-08.parquet: is broken: its checksum differs/,
    );
    writeFileSync(path, whole);
    utimesSync(path, 2, 2);
    await openTape(store, MARKET, ALL);
    expect(tapeFiles(store).map((file) => statSync(file).mtimeMs)).toEqual(made);
  });

  it("are not built from a changed Parquet file", async () => {
    const store = await seededCapture().stored();
    const path = store.dataPath({ market: MARKET, kind: "trades" }, "2024-08-08");
    writeFileSync(path, flipped(readFileSync(path), 100));
    await expect(openTape(store, MARKET, ALL)).rejects.toThrow(
      /2024-08-08.parquet: is broken: its checksum differs/,
    );
    expect(tapeFiles(store).filter((name) => name.includes("08-08"))).toEqual([]);
  });

  /**
   * A store of one trade, and a concurrent import of the day by another process, with another
   * price: each file is renamed at once.
   */
  const importedAnew = async () => {
    const folder = scratchFolder();
    const series = { market: MARKET, kind: "trades" };
    const stores = await Promise.all(
      ["5.1", "5.2"].map(async (price) => {
        const store = new HistoryStore(join(folder, price));
        await take(
          store,
          [
            fileOf(
              folder,
              `${price}.csv`,
              `id,price,amount,time,isBuyerMaker\n1,${price},1,${START_MS},true\n`,
            ),
          ],
          {
            shape: "trades",
          },
        );
        return store;
      }),
    );
    const [store, anew] = stores as [HistoryStore, HistoryStore];
    const importAnew = (): void => {
      for (const path of ["manifestPath", "dataPath"] as const) {
        const beside = join(folder, path);
        copyFileSync(anew[path](series, "2024-08-08"), beside);
        renameSync(beside, store[path](series, "2024-08-08"));
      }
    };
    return { store, importAnew };
  };

  // The day was once reported as broken although it was fine. A user who imports during a backtest
  // would have deleted good history.
  it("are not built from a day that another process replaced since its manifest was read, and the error says so", async () => {
    const { store, importAnew } = await importedAnew();
    const made = openTape(store, MARKET, { ...ALL, onMake: importAnew });
    await expect(made).rejects.toThrow(
      /2024-08-08\.parquet: was replaced while it was read .*repeat the command/,
    );
    expect((await openTape(store, MARKET, ALL)).signedTicks[0]).toBe(-52);
  });

  // The report once named one file by its checksum while the fills came from another.
  it("are not built from a day that another process replaced between its check and the reading of its rows", async () => {
    const { store, importAnew } = await importedAnew();
    const columns = join(store.root, MARKET, ".columns");
    mkdirSync(columns);
    // The hidden file is begun after the check of the day's own file.
    const watcher = watch(columns, () => {
      watcher.close();
      importAnew();
    });
    await expect(openTape(store, MARKET, ALL)).rejects.toThrow(/was replaced while it was read/);
    expect(tapeFiles(store)).toEqual([]);
    expect((await openTape(store, MARKET, ALL)).signedTicks[0]).toBe(-52);
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}
