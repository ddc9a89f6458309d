import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { readPathKind } from "#core/path-kind.js";
import { captureCli } from "../cli/captured-cli.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-paths-"));

describe("what lies at a path", () => {
  it("is a file, a folder, something else or nothing, links followed, below a file too", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    symlinkSync(file, join(folder, "link"));
    const lies = [
      file,
      join(folder, "link"),
      folder,
      "/dev/null",
      join(folder, "nothing"),
      join(file, "below"),
      "x".repeat(5000),
    ];
    expect(lies.map(readPathKind)).toEqual([
      "file",
      "file",
      "folder",
      "other",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is wrong usage that names the path where a link leads to itself, for every command that is given one", async () => {
    const loop = join(folder, "loop");
    symlinkSync("loop", loop);
    expect(() => readPathKind(loop)).toThrow(ConfigError);
    const named = {
      code: 2,
      out: "",
      err: expect.stringMatching(
        /^marketwright: the path cannot be followed \(ELOOP\) \(got ".*loop.*"\); expected/,
      ),
    };
    expect(await captureCli(["data", "list", "--store", loop])).toMatchObject(named);
    expect(
      await captureCli(["key", "new", join(loop, "key.json"), "--password-env", "PASSWORD"], {
        PASSWORD: "x",
      }),
    ).toMatchObject(named);
  });

  it.skipIf(process.getuid?.() === 0)(
    "is wrong usage below a folder that this user may not enter (skipped for root, who may)",
    () => {
      const closed = join(folder, "closed");
      mkdirSync(closed);
      chmodSync(closed, 0);
      expect(() => readPathKind(join(closed, "key.json"))).toThrow(
        /the path cannot be followed \(EACCES\)/,
      );
      chmodSync(closed, 0o700);
    },
  );
});
