import { readFileSync } from "node:fs";
import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryError } from "#history/history-errors.js";
import { unpack } from "#history/unpack.js";
import { fileOf, scratchFolder } from "./scratch.js";
import { zipped } from "./zipped.js";

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;

/** Names and texts of an archive's files. */
async function unpacked(archive: Buffer): Promise<[name: string, text: string][]> {
  const folder = scratchFolder();
  const files = await unpack(fileOf(folder, "day.zip", archive), folder);
  return files.map(({ name, path }) => [name, readFileSync(path, "utf8")]);
}

/** An archive with all sizes and offsets in 64-bit fields, as `zip` writes one from a stream. */
function zipped64(name: string, text: string): Buffer {
  const packed = deflateRawSync(text);
  const wide = (...values: readonly number[]): Buffer => {
    const field = Buffer.alloc(4 + 8 * values.length);
    field.writeUInt16LE(1, 0);
    field.writeUInt16LE(8 * values.length, 2);
    for (const [at, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * at);
    return field;
  };
  const [local, central] = [Buffer.alloc(LOCAL_BYTES), Buffer.alloc(CENTRAL_BYTES)];
  const [localExtra, centralExtra] = [
    wide(text.length, packed.length),
    wide(text.length, packed.length, 0),
  ];
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(crc32(text), 14);
  local.fill(0xff, 18, 26);
  local.writeUInt16LE(name.length, 26);
  local.writeUInt16LE(localExtra.length, 28);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(crc32(text), 16);
  central.fill(0xff, 20, 28);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt16LE(centralExtra.length, 30);
  central.fill(0xff, 42, 46);
  const body = Buffer.concat([local, Buffer.from(name), localExtra, packed]);
  const directory = Buffer.concat([central, Buffer.from(name), centralExtra]);
  const [end64, locator, end] = [Buffer.alloc(56), Buffer.alloc(20), Buffer.alloc(END_BYTES)];
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(1n, 24);
  end64.writeBigUInt64LE(1n, 32);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  end64.writeBigUInt64LE(BigInt(body.length), 48);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(body.length + directory.length), 8);
  locator.writeUInt32LE(1, 16);
  end.writeUInt32LE(0x06054b50, 0);
  end.fill(0xff, 8, 20);
  return Buffer.concat([body, directory, end64, locator, end]);
}

/** The archive with some of its bytes overwritten. */
function patched(archive: Buffer, write: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(archive);
  write(copy);
  return copy;
}

describe("a zip archive", () => {
  it("with fields of 64 bits unpacks as any other", async () => {
    expect(await unpacked(zipped64("a.csv", "1,2\n"))).toEqual([["a.csv", "1,2\n"]]);
  });

  it("with a count of files in 64 bits that is too low is refused", async () => {
    const archive = zipped64("a.csv", "1,2\n");
    const end64 = archive.length - END_BYTES - 20 - 56;
    const none = patched(archive, (copy) => copy.writeBigUInt64LE(0n, end64 + 32));
    await expect(unpacked(none)).rejects.toThrow(
      /its directory has more files than its count of 0/,
    );
  });

  it("reads names in UTF-8 without the UTF-8 flag, and ignores a comment at its end", async () => {
    const name = "день.csv";
    const archive = patched(zipped([name, "1\n"]), (copy) =>
      copy.writeUInt16LE("made".length, copy.length - 2),
    );
    expect(await unpacked(Buffer.concat([archive, Buffer.from("made")]))).toEqual([[name, "1\n"]]);
  });

  it("takes stored files, and files of no bytes however they are packed", async () => {
    const text = "1,2\n";
    const archive = zipped(["a.csv", text], ["b.csv", ""]);
    const firstCentral = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    const secondCentral = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]), firstCentral + 4);
    const withoutBytes = patched(archive, (copy) => copy.writeUInt32LE(0, secondCentral + 20));
    expect(await unpacked(withoutBytes)).toEqual([
      ["a.csv", text],
      ["b.csv", ""],
    ]);
    const stored = patched(zipped(["a.csv", text]), (copy) => {
      const central = copy.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
      copy.writeUInt16LE(0, central + 10);
      // A small text deflates to a stored block: a header of five bytes, then the text itself.
      copy.writeUInt32LE(text.length, central + 20);
    });
    const packed = deflateRawSync(text);
    const at = stored.indexOf(packed);
    const moved = Buffer.concat([
      stored.subarray(0, at),
      Buffer.from(text),
      Buffer.alloc(packed.length - text.length),
      stored.subarray(at + packed.length),
    ]);
    expect(await unpacked(moved)).toEqual([["a.csv", text]]);
  });

  const whole = zipped(["a.csv", "1,2\n"]);
  const central = whole.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  it.each([
    ["is encrypted", central + 8, 1, /a\.csv is encrypted/],
    ["is packed by another method", central + 10, 12, /a\.csv is packed by method 12/],
    ["has another checksum", central + 16, whole[central + 16] ^ 1, /does not match its checksum/],
    ["is longer than it says", central + 24, 3, /a\.csv: it is longer than its stated 3 bytes/],
    ["is shorter than it says", central + 24, 5, /a\.csv does not match its checksum/],
    ["lies elsewhere", central + 42, 1, /a\.csv is not at the place that the directory gives/],
    [
      "is longer than the archive",
      central + 23,
      1,
      /a\.csv is not at the place that the directory gives/,
    ],
    ["is damaged", LOCAL_BYTES + 5, 7, /a\.csv: invalid/],
    ["has a broken directory", central, 0, /its directory is broken: invalid central/],
    [
      "has a directory that ends early",
      whole.length - END_BYTES + 10,
      2,
      /its directory is broken/,
    ],
    ["has a directory beyond its end", whole.length - 4, 1, /its directory is broken/],
  ])("is refused by its name when it %s", async (_what, at, byte, said) => {
    const archive = patched(whole, (copy) => {
      copy[at] = byte;
    });
    const refused = unpacked(archive);
    await expect(refused).rejects.toThrow(said);
    await expect(refused).rejects.toThrow(
      /day\.zip: is broken: .*; expected a complete zip archive with stored or deflated files/,
    );
  });

  it("gives the packed text or is refused, whichever of its bytes is damaged", async () => {
    for (let at = 4; at < whole.length; at++) {
      const damaged = patched(whole, (copy) => {
        copy[at] ^= 0xff;
      });
      const files = await unpacked(damaged).catch((error: unknown) => {
        expect(error).toBeInstanceOf(HistoryError);
      });
      if (files !== undefined) expect(files.map(([, text]) => text)).toEqual(["1,2\n"]);
    }
  });

  it("is refused when it is truncated at any byte", async () => {
    for (let length = 4; length < whole.length; length++)
      await expect(unpacked(whole.subarray(0, length))).rejects.toThrow(
        /day\.zip: is broken: its directory is missing, so it was cut off/,
      );
  });
});
