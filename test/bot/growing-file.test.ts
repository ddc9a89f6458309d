import fs, {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GrowingFile, lastLines } from "../../src/bot/state/growing-file.js";

describe("a file that fills are kept in", () => {
  it("holds a line as soon as it was added, so that a bot that is killed at once loses none", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-growing-")), "fills.jsonl");
    const file = new GrowingFile(path);
    for (const line of ["1", "2", "3"]) {
      file.append(line);
      expect(readFileSync(path, "utf8").endsWith(`${line}\n`)).toBe(true);
    }
    file.close();
    expect(readFileSync(path, "utf8")).toBe("1\n2\n3\n");
  });

  // What a bot that is filled a hundred thousand times a day has written after a few months: it could not be started any more.
  it("is gone on with however long it is, and without the line that a kill cut short", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-growing-")), "fills.jsonl");
    try {
      writeFileSync(path, "");
      truncateSync(path, 3 * 2 ** 30);
      appendFileSync(path, '\n{"id":"1"}\n{"id":');
      const file = new GrowingFile(path);
      file.append('{"id":"2"}');
      file.close();
      expect(lastLines(path, 30)).toBe('{"id":"1"}\n{"id":"2"}\n');
    } finally {
      rmSync(path);
    }
  });

  it("keeps a last line of any length that lacks only its line feed", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-growing-")), "fills.jsonl");
    const long = JSON.stringify({ id: "1", why: "x".repeat(300_000) });
    writeFileSync(path, `{"id":"0"}\n${long}`);
    const file = new GrowingFile(path);
    file.append('{"id":"2"}');
    file.close();
    expect(readFileSync(path, "utf8")).toBe(`{"id":"0"}\n${long}\n{"id":"2"}\n`);
  });

  it("has whole lines alone after a disk that was full took half of one: the next start would refuse to read it", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-growing-")), "liquidations.jsonl");
    const file = new GrowingFile(path);
    file.append('{"id":"1"}');
    const { writeSync } = fs;
    let room = 5;
    fs.writeSync = ((fd: number, bytes: Buffer, from: number) => {
      if (room === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      const written = writeSync(fd, bytes, from, Math.min(room, bytes.length - from));
      room -= written;
      return written;
    }) as typeof fs.writeSync;
    syncBuiltinESMExports();
    try {
      expect(() => file.append('{"id":"2"}')).toThrow("no space left");
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    file.append('{"id":"3"}');
    file.close();
    expect(readFileSync(path, "utf8")).toBe('{"id":"1"}\n{"id":"3"}\n');
  });

  it("says at the next fill that the last one did not reach the disk, and at the end if there is no next", async () => {
    const { fsync, fsyncSync } = fs;
    const failed = Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
    fs.fsync = ((_fd: number, done: (error: Error) => void) =>
      setImmediate(done, failed)) as unknown as typeof fs.fsync;
    fs.fsyncSync = () => {
      throw failed;
    };
    syncBuiltinESMExports();
    try {
      const file = new GrowingFile(
        join(mkdtempSync(join(tmpdir(), "marketwright-growing-")), "fills.jsonl"),
      );
      file.append("1");
      await new Promise((resolve) => setImmediate(resolve));
      expect(() => file.append("2")).toThrow(failed);
      expect(() => file.close()).toThrow(failed);
    } finally {
      Object.assign(fs, { fsync, fsyncSync });
      syncBuiltinESMExports();
    }
  });
});
