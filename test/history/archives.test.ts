import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, scratchFolder, take } from "./scratch.js";
import { zipped } from "./zipped.js";

const TIME = Date.UTC(2025, 0, 12, 12);
/** Ten trades with consecutive ids. */
const hour = (firstId: number): string =>
  `id,price,amount,time,isBuyerMaker\n${Array.from({ length: 10 }, (_, at) => `${firstId + at},100.5,1,${TIME + firstId + at},false\n`).join("")}`;

/** Imports an archive. Returns the number of trades in the store. */
async function traded(name: string, content: Buffer): Promise<number> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, name, content)]);
  return store
    .days({ market: "btcusdt", kind: "trades" })
    .reduce((rows, day) => rows + day.rows, 0);
}

// Once, each of these archives imported only its first file without a warning, and counted as the
// whole day.
describe("an archive", () => {
  it("is unpacked with the files of all its folders, even if they share a name, as in an archive of hours", async () => {
    expect(
      await traded("day.zip", zipped(["00/trades.csv", hour(100)], ["01/trades.csv", hour(200)])),
    ).toBe(20);
  });

  // The Finder adds files of its own to an archive. Imports of zips made on a Mac failed with a
  // name that the user had never seen.
  it("made on a Mac is unpacked without the files that the Finder added", async () => {
    const [attributes, trades] = ["Mac OS X        ", hour(100)];
    const mac = zipped(
      ["t/trades.csv", trades],
      ["t/.DS_Store", "Bud1"],
      ["__MACOSX/", ""],
      ["__MACOSX/t/._trades.csv", attributes],
    );
    expect(await traded("day.zip", mac)).toBe(10);
    expect(
      await traded(
        "day.zip",
        zipped(["trades.csv", trades], ["__MACOSX/._trades.csv", attributes], [".DS_Store", ""]),
      ),
    ).toBe(10);
    for (const name of ["._trades.csv", "__MACOSX/trades.dat", "x.DS_Store"]) {
      await expect(
        traded("day.zip", zipped(["trades.csv", trades], [name, attributes])),
      ).rejects.toThrow(`day.zip:${name}`);
    }
    await expect(traded("day.zip", zipped([".DS_Store", "Bud1"]))).rejects.toThrow(
      /day\.zip: is broken: it has no file/,
    );
  });

  it("is refused if it has two files of one name, since either may be right", async () => {
    const twice = zipped(["trades.csv", hour(100)], ["trades.csv", hour(200)]);
    await expect(traded("day.zip", twice)).rejects.toThrow(
      /day\.zip: is broken: it has two files named trades\.csv/,
    );
  });

  const day = zipped(["a.csv", hour(100)], ["b.csv", hour(200)]);
  it.each([
    [
      "counts fewer files than it lists",
      day.length - 12,
      1,
      /its directory has more files than its count of 1/,
    ],
    [
      "takes a file for a folder",
      day.length - 22 - 1,
      "/".charCodeAt(0),
      /b\.cs\/ has another name in its own header/,
    ],
    [
      "takes the second file for the first",
      day.length - 22 - 5,
      "a".charCodeAt(0),
      /two files named a\.csv/,
    ],
  ])("is refused where its directory %s", async (_what, at, byte, said) => {
    const broken = Buffer.from(day);
    broken[at] = byte;
    await expect(traded("day.zip", broken)).rejects.toThrow(said);
  });

  it("is not unpacked past its stated size, even if a few bytes expand to more", async () => {
    const bomb = zipped(["a.csv", "0".repeat(5_000_000)]);
    bomb.writeUInt32LE(1000, bomb.length - 22 - 5 - 46 + 24);
    await expect(traded("day.zip", bomb)).rejects.toThrow(
      /a\.csv: it is longer than its stated 1000 bytes/,
    );
  });

  it("in gzip is read through all its members, and refused if zeros come before the second", async () => {
    const [first, second] = [gzipSync(hour(100)), gzipSync(hour(200).replace(/^.*\n/, ""))];
    expect(await traded("day.csv.gz", Buffer.concat([first, second]))).toBe(20);
    expect(await traded("day.csv.gz", Buffer.concat([first, Buffer.alloc(512)]))).toBe(10);
    const said = new RegExp(
      `day\\.csv\\.gz: is broken: it continues at byte ${first.length + 512}, after zeros`,
    );
    await expect(
      traded("day.csv.gz", Buffer.concat([first, Buffer.alloc(512), second])),
    ).rejects.toThrow(said);
    second[0] = 0;
    await expect(traded("day.csv.gz", Buffer.concat([first, second]))).rejects.toThrow(
      /it continues at byte/,
    );
  });
});
