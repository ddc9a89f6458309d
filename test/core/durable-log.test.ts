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
import {
  AppendOnlyFile,
  readLastLine,
  readLastLines,
  readWholeLines,
  rotate,
  rotatedPath,
  type SyncPolicy,
} from "#core/durable-log.js";

describe("a file that fills are kept in", () => {
  it("has a line as soon as it is added, so that a bot killed at once loses none", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-log-")), "fills.jsonl");
    const file = AppendOnlyFile.open(path, "behind", "keep-json");
    for (const line of ["1", "2", "3"]) {
      file.append(`${line}\n`);
      expect(readFileSync(path, "utf8").endsWith(`${line}\n`)).toBe(true);
    }
    file.close();
    expect(readFileSync(path, "utf8")).toBe("1\n2\n3\n");
  });

  // The file of a bot with a hundred thousand fills a day after a few months: the bot could not be
  // started any more.
  it("is continued at any length, without the line that a kill cut short", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-log-")), "fills.jsonl");
    try {
      writeFileSync(path, "");
      truncateSync(path, 3 * 2 ** 30);
      appendFileSync(path, '\n{"id":"1"}\n{"id":');
      const file = AppendOnlyFile.open(path, "behind", "keep-json");
      file.append('{"id":"2"}\n');
      file.close();
      expect(readLastLines(path, 30)).toBe('{"id":"1"}\n{"id":"2"}\n');
    } finally {
      rmSync(path);
    }
  });

  it("keeps a last line of any length that lacks only its line feed", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-log-")), "fills.jsonl");
    const long = JSON.stringify({ id: "1", why: "x".repeat(300_000) });
    writeFileSync(path, `{"id":"0"}\n${long}`);
    const file = AppendOnlyFile.open(path, "behind", "keep-json");
    file.append('{"id":"2"}\n');
    file.close();
    expect(readFileSync(path, "utf8")).toBe(`{"id":"0"}\n${long}\n{"id":"2"}\n`);
  });

  it("has only whole lines after a full disk took half of one: the next start could not read it", () => {
    const path = join(mkdtempSync(join(tmpdir(), "marketwright-log-")), "liquidations.jsonl");
    const file = AppendOnlyFile.open(path, "behind", "keep-json");
    file.append('{"id":"1"}\n');
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
      expect(() => file.append('{"id":"2"}\n')).toThrow("no space left");
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    file.append('{"id":"3"}\n');
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
      const file = AppendOnlyFile.open(
        join(mkdtempSync(join(tmpdir(), "marketwright-log-")), "fills.jsonl"),
        "behind",
      );
      file.append("1\n");
      await new Promise((resolve) => setImmediate(resolve));
      expect(() => file.append("2\n")).toThrow(failed);
      expect(() => file.close()).toThrow(failed);
    } finally {
      Object.assign(fs, { fsync, fsyncSync });
      syncBuiltinESMExports();
    }
  });
});

describe("a log that is closed", () => {
  it("accepts no line, which could go into a file opened since", () => {
    const folder = mkdtempSync(join(tmpdir(), "marketwright-log-"));
    const log = AppendOnlyFile.open(join(folder, "log.jsonl"), "closing");
    log.append("1\n");
    log.close();
    log.close();
    const other = join(folder, "other");
    const file = fs.openSync(other, "w");
    expect(() => log.append("2\n")).toThrow("log: is closed");
    fs.closeSync(file);
    expect(readFileSync(other, "utf8")).toBe("");
    expect(readFileSync(join(folder, "log.jsonl"), "utf8")).toBe("1\n");
  });
});

describe("a log that a crash or a full disk cut short", () => {
  const newPath = () => join(mkdtempSync(join(tmpdir(), "marketwright-log-")), "log.jsonl");

  it("drops a last line without its line feed, whole JSON or not, where nobody was told that it is there", () => {
    for (const [before, after] of [
      ["", ""],
      ["1", ""],
      ["1\n2", "1\n"],
      [`1\n${"x".repeat(200_000)}`, "1\n"],
      ["1\n2\n", "1\n2\n"],
    ] as const) {
      const path = newPath();
      writeFileSync(path, before);
      AppendOnlyFile.open(path, "each").close();
      expect(readFileSync(path, "utf8")).toBe(after);
    }
  });

  /**
   * Appends two lines and then a third, of which the disk takes five bytes.
   * @returns what the fourth did
   */
  const afterFullDisk = (path: string, policy: SyncPolicy) => {
    const log = AppendOnlyFile.open(path, policy);
    log.append('{"id":"1"}\n{"id":"2"}\n');
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
      expect(() => log.append('{"id":"3"}\n')).toThrow("no space left");
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    return { log, append: () => log.append('{"id":"4"}\n') };
  };

  it("goes on after its whole lines, where each of them counts by itself", () => {
    for (const policy of ["each", "behind"] as const) {
      const path = newPath();
      const { log, append } = afterFullDisk(path, policy);
      append();
      log.close();
      expect([...readWholeLines(path)]).toEqual(['{"id":"1"}', '{"id":"2"}', '{"id":"4"}']);
    }
  });

  // A journal with a hole cannot be replayed; its last words tell why the bot ended.
  it("keeps what the disk took and takes no more, where it counts as a whole", () => {
    const path = newPath();
    const { log, append } = afterFullDisk(path, "closing");
    expect(append).toThrow("no space left");
    expect(() => log.close()).toThrow("no space left");
    expect(readFileSync(path, "utf8")).toBe('{"id":"1"}\n{"id":"2"}\n{"id"');
  });

  it("removes a line that the disk did not confirm, because its writer will not act on it", () => {
    const path = newPath();
    const log = AppendOnlyFile.open(path, "each");
    log.append("1\n");
    const { fsyncSync } = fs;
    fs.fsyncSync = () => {
      throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
    };
    syncBuiltinESMExports();
    try {
      expect(() => log.append("2\n")).toThrow("EIO");
    } finally {
      fs.fsyncSync = fsyncSync;
      syncBuiltinESMExports();
    }
    expect(log.failure).toBeUndefined();
    log.close();
    expect(readFileSync(path, "utf8")).toBe("1\n");
  });

  it("is read by its whole lines, and by the last of them", () => {
    const path = newPath();
    const long = "x".repeat(3_000_000);
    for (const [text, whole] of [
      ["", []],
      ["torn", []],
      ["\n", [""]],
      ["1\n2\ntorn", ["1", "2"]],
      [`1\n${long}\n`, ["1", long]],
    ] as const) {
      writeFileSync(path, text);
      expect([...readWholeLines(path)]).toEqual(whole);
      expect(readLastLine(path)).toBe(whole.at(-1) ?? "");
    }
  });

  it("makes room for another one under the first free number, the highest the newest", () => {
    const path = newPath();
    for (const text of ["first", "second"]) {
      writeFileSync(path, text);
      rotate(path, rotatedPath(path));
    }
    expect([`${path}.1`, `${path}.2`].map((kept) => readFileSync(kept, "utf8"))).toEqual([
      "first",
      "second",
    ]);
    expect(rotatedPath(path)).toBe(`${path}.3`);
  });
});
