import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { GrowingFile } from "../../src/bot/state/growing-file.js";

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

  // What cannot be brought to a disk: a device takes the line, and refuses to be synchronised.
  it("says at the next fill that the last one did not reach the disk, and at the end if there is no next", async () => {
    const file = new GrowingFile("/dev/null");
    file.append("1");
    let failure: unknown;
    for (let tries = 0; failure === undefined && tries < 500; tries += 1) {
      await sleep(10);
      try {
        file.append("2");
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({ code: "EINVAL" });
    expect(() => file.close()).toThrow(/EINVAL/);
  });
});
