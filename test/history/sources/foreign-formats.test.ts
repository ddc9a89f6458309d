import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, scratchFolder, take } from "../scratch.js";
import { zipped } from "../zipped.js";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const HEAD = "id,price,amount,time,isBuyerMaker\n";
const ROWS = `${HEAD}1,5,1,1723161600000,true\n`;
const REST = "\0\x01\x02\x03rest of a binary file";

/** The error for a file, without its name. */
async function refusal(name: string, content: Uint8Array): Promise<string> {
  const folder = scratchFolder();
  const path = fileOf(folder, name, content);
  const error = await take(new HistoryStore(join(folder, "history")), [path]).catch(
    (thrown: unknown) => thrown,
  );
  return error instanceof Error ? error.message.replaceAll(folder, "") : "nothing";
}

describe("A file of a format that an import does not read", () => {
  it.each([
    [
      "candles.feather",
      `ARROW1\0\0${REST}`,
      /candles.feather: is an Arrow \(Feather\) file; expected Parquet or CSV: .*read_feather/,
    ],
    ["old.feather", `FEA1${REST}`, /is a Feather file of version 1/],
    ["stream.arrow", `\xff\xff\xff\xff${REST}`, /is an Arrow stream/],
    ["a.npy", `\x93NUMPY\x01\0${REST}`, /is a NumPy array; expected Parquet or CSV: .*numpy.load/],
    [
      "x.csv.bz2",
      `BZh91AY&SY${REST}`,
      /is packed with bzip2; expected a plain, gzipped or zipped file: bunzip2/,
    ],
    ["x.csv.xz", `\xfd7zXZ\0${REST}`, /is packed with xz/],
    ["x.csv.zst", `\x28\xb5\x2f\xfd${REST}`, /is packed with Zstandard; .*unzstd/],
    ["x.csv.lz4", `\x04\x22\x4d\x18${REST}`, /is packed with LZ4/],
    ["x.7z", `7z\xbc\xaf\x27\x1c${REST}`, /is a 7z archive/],
    ["x.rar", `Rar!\x1a\x07\x01${REST}`, /is a RAR archive/],
    ["x.h5", `\x89HDF\r\n\x1a\n${REST}`, /is an HDF5 file; .*read_hdf/],
    ["x.pkl", `\x80\x05\x95${REST}`, /is a pickle of Python; .*read_pickle/],
    ["x.orc", `ORC${REST}`, /is an ORC file/],
    ["x.avro", `Obj\x01${REST}`, /is an Avro file/],
    ["x.sqlite", `SQLite format 3\0${REST}`, /is an SQLite database; .*sqlite3 -header -csv/],
    ["x.duckdb", `\x01\x02\x03\x04\x05\x06\x07\x08DUCK${REST}`, /is a DuckDB database/],
    ["x.tar", `${"t.csv".padEnd(257, "\0")}ustar\0${REST}`, /is a tar archive; .*tar -xf/],
    ["x.bin", `\x01\x02${REST}`, /is a binary file of unknown format \(got "0x0102/],
    [
      "x.csv",
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
      /is a pointer to a file in Git LFS.*git lfs pull/,
    ],
    [
      "x.csv",
      '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>',
      /is a page of HTML or XML, perhaps a server's answer/,
    ],
    ["x.csv", "<!DOCTYPE html><html>Not found</html>", /is a page of HTML or XML/],
  ])("is named, with what to do about it: %s", async (name, content, message) => {
    expect(await refusal(name, latin(content))).toMatch(message);
  });

  it("is named within an archive too", async () => {
    const array = `\x93NUMPY\x01\0${REST}`;
    expect(await refusal("hbt.npz", zipped(["data.npy", latin(array)]))).toMatch(
      /hbt.npz:data.npy: is a NumPy array; .*\.npz file numpy.load/,
    );
    expect(await refusal("a.npy.gz", gzipSync(latin(array)))).toMatch(/is a NumPy array/);
    expect(
      await refusal("a.tar.gz", gzipSync(latin(`${"t.csv".padEnd(257, "\0")}ustar\0`))),
    ).toMatch(/is a tar archive/);
    expect(await refusal("a.csv.gz.gz", gzipSync(gzipSync(ROWS)))).toMatch(
      /is gzipped within another archive/,
    );
    expect(
      await refusal(
        "a.xlsx",
        zipped(["[Content_Types].xml", "<?xml?>"], ["xl/workbook.xml", "<?xml?>"]),
      ),
    ).toMatch(/is a part of a spreadsheet/);
  });

  it("is not confused with a text that begins with the same letters", async () => {
    expect(await refusal("a.csv", latin(`ORCAUSDT,price\n${ROWS}`))).toMatch(
      /has an unknown shape/,
    );
    expect(await refusal("a.csv", latin(ROWS))).toBe("nothing");
    expect(await refusal("a.csv.br", brotliCompressSync(ROWS.repeat(50)))).not.toBe("nothing");
  });
});
