import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { ensurePrivateFolder } from "#core/private-folder.js";

const scratch = (): string => realpathSync(mkdtempSync(join(tmpdir(), "mw-private-")));
const modeOf = (path: string): number => statSync(path).mode & 0o7777;
/** Only root may give a file to another user. */
const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;

function made(path: string, mode: number): string {
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

describe("a folder that holds what a bot must not forget", () => {
  it("is made for its owner alone", () => {
    const folder = join(scratch(), "above", "state");
    expect(ensurePrivateFolder(folder, "stateDir")).toBe(false);
    expect(modeOf(folder)).toBe(0o700);
    expect(modeOf(join(folder, ".."))).toBe(0o700);
  });

  it.each([0o777, 0o775, 0o722, 0o1777])(
    "is closed to other users where they may write to it (mode %o)",
    (mode) => {
      const folder = made(join(scratch(), "state"), mode);
      writeFileSync(join(folder, "peak-equity.json"), "{}");
      expect(ensurePrivateFolder(folder, "stateDir")).toBe(true);
      expect(modeOf(folder)).toBe(0o700);
      expect(ensurePrivateFolder(folder, "stateDir")).toBe(false);
    },
  );

  it("stays as it is where others may read and not write", () => {
    const folder = made(join(scratch(), "state"), 0o755);
    expect(ensurePrivateFolder(folder, "stateDir")).toBe(false);
    expect(modeOf(folder)).toBe(0o755);
  });

  it.each([0o777, 0o707])(
    "is refused below a folder in which any user may put another in its place (mode %o)",
    (mode) => {
      const above = made(join(scratch(), "above"), mode);
      const refused = () => ensurePrivateFolder(join(above, "bot", "state"), "stateDir");
      expect(refused).toThrow(RunError);
      expect(refused).toThrow(`chmod go-w ${above}`);
      chmodSync(above, mode | 0o1000);
      expect(refused()).toBe(false);
    },
  );

  it("is refused where a link leads to it that any user may replace", () => {
    const state = made(join(scratch(), "state"), 0o700);
    const open = made(join(scratch(), "open"), 0o777);
    symlinkSync(state, join(open, "link"));
    expect(() => ensurePrivateFolder(join(open, "link"), "stateDir")).toThrow(`chmod go-w ${open}`);
    expect(ensurePrivateFolder(state, "stateDir")).toBe(false);
  });

  it.skipIf(!isRoot)(
    "is refused below a folder that a group of other users may write to, and not below one of a group alone",
    () => {
      const above = made(join(scratch(), "above"), 0o775);
      expect(ensurePrivateFolder(join(above, "own"), "stateDir")).toBe(false);
      chownSync(above, 0, STRANGER);
      expect(() => ensurePrivateFolder(join(above, "state"), "stateDir")).toThrow(
        `chmod go-w ${above}`,
      );
    },
  );

  it.skipIf(!isRoot)("is refused where other users have left files in it while they could", () => {
    const folder = made(join(scratch(), "state"), 0o777);
    writeFileSync(join(folder, "manual-halt.json"), "{}");
    chownSync(join(folder, "manual-halt.json"), STRANGER, STRANGER);
    expect(() => ensurePrivateFolder(folder, "stateDir")).toThrow(
      /stateDir: holds files of other users \(manual-halt\.json\)/,
    );
  });

  it("is an error that names the setting where it cannot be made", () => {
    const file = join(scratch(), "file");
    writeFileSync(file, "");
    expect(() => ensurePrivateFolder(join(file, "state"), "dataDir")).toThrow(
      /^dataDir: cannot make /,
    );
  });
});
