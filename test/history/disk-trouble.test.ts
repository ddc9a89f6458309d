import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { HistoryError } from "#history/history-errors.js";
import { toDiskError } from "#history/to-disk-error.js";

const system = (code: string): Error =>
  Object.assign(new Error(`${code}: something, write`), { code });

describe("Trouble with the disk that a store is on", () => {
  it.each([
    [
      "unpacking filled the disk",
      new HistoryError("t.gz", "is broken: ENOSPC", { cause: system("ENOSPC") }),
      /store: has no room left/,
    ],
    [
      "the database filled it",
      new HistoryError("t.csv", "cannot be read", {
        cause: new Error('IO Error: Could not write file "x": No space left on device'),
      }),
      /store: has no room left/,
    ],
    ["its folder is mounted to be read", system("EROFS"), /store: cannot be written/],
    ["its folder is another user's", system("EACCES"), /store: cannot be written/],
  ] as const)(
    "is reported for the store, not for the file that was read, if %s",
    (_what, error, message) => {
      const told = toDiskError(error, "store");
      expect(told).toBeInstanceOf(RunError);
      expect(told).not.toBeInstanceOf(HistoryError);
      expect(told?.message).toMatch(message);
    },
  );

  it.each([
    [
      "a file may not be read",
      new HistoryError("t.csv", "cannot be opened (EACCES)", { cause: system("EACCES") }),
    ],
    ["a file is broken", new HistoryError("t.gz", "is broken", { cause: system("Z_BUF_ERROR") })],
    ["something else failed", new TypeError("x is not a function")],
  ] as const)("is not reported if %s", (_what, error) => {
    expect(toDiskError(error, "store")).toBeUndefined();
  });
});
