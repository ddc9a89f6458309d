import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { JournalFile } from "#bot/journal-file.js";
import { readFileLines } from "#bot/journal-lines.js";
import { RunError } from "#core/errors.js";
import { VirtualClock } from "#core/virtual-clock.js";

describe("a journal on disk", () => {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-journal-file-"));
  const path = join(folder, "run.journal");
  afterEach(() => rmSync(path, { force: true }));

  it("is on disk within a second, even if the process is killed then", async () => {
    const clock = new VirtualClock(0);
    const journal = new JournalFile(path, clock);
    journal.write("one");
    await clock.runFor(1_000);
    expect(readFileSync(path, "utf8")).toBe("one\n");
    journal.write("two");
    await clock.runFor(1_000);
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    journal.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it("writes buffered lines when it is closed, and accepts none afterwards", () => {
    const journal = new JournalFile(path, new VirtualClock(0));
    journal.write("last words");
    journal.close();
    journal.close();
    expect(readFileSync(path, "utf8")).toBe("last words\n");
    expect(() => journal.write("too late")).toThrow(RunError);
  });

  it("keeps every complete second of a packed journal after a kill", async () => {
    const clock = new VirtualClock(0);
    const journal = new JournalFile(path, clock, (lines) => gzipSync(lines));
    const sizes: number[] = [];
    for (const line of ["one", "two", "three"]) {
      journal.write(line);
      await clock.runFor(1_000);
      sizes.push(statSync(path).size);
    }
    journal.close();
    expect(gunzipSync(readFileSync(path)).toString()).toBe("one\ntwo\nthree\n");
    const readTo = async (bytes: number): Promise<readonly (string | RunError)[]> => {
      writeFileSync(path, readFileSync(path).subarray(0, bytes));
      const read: (string | RunError)[] = [];
      try {
        for await (const { text } of readFileLines(path, true)) read.push(text);
      } catch (error) {
        if (!(error instanceof RunError)) throw error;
        read.push(error);
      }
      return read;
    };
    const [, second = 0, third = 0] = sizes;
    expect(await readTo(third)).toEqual(["one", "two", "three"]);
    const torn = await readTo(third - 5);
    expect(torn.slice(0, 2)).toEqual(["one", "two"]);
    expect(torn.at(-1)).toBeInstanceOf(RunError);
    expect(await readTo(second)).toEqual(["one", "two"]);
  });

  it("limits its buffer when very many lines arrive", () => {
    const journal = new JournalFile(path, new VirtualClock(0));
    for (let line = 0; line < 1_000; line++) journal.write("x".repeat(1_000));
    expect(statSync(path).size).toBeGreaterThan(500_000);
    journal.close();
    expect(statSync(path).size).toBe(1_001_000);
  });

  it("is readable by its owner alone, also if the file existed before", () => {
    writeFileSync(path, "somebody's\n", { mode: 0o644 });
    const journal = new JournalFile(path, new VirtualClock(0));
    journal.write("ours");
    journal.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toBe("ours\n");
  });

  it("reports a missing folder, and a full disk", async () => {
    expect(() => new JournalFile(join(folder, "nowhere", "x"), new VirtualClock(0))).toThrow(
      RunError,
    );
    const clock = new VirtualClock(0);
    const full = new JournalFile("/dev/full", clock);
    full.write("no room");
    await clock.runFor(1_000);
    expect(() => full.write("still none")).toThrow(/cannot write the journal \(ENOSPC\)/);
    expect(() => full.close()).toThrow(RunError);
  });
});
