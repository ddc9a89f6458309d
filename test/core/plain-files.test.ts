import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readNamedFile } from "#bot/account-key.js";
import { JournalFile } from "#bot/journal-file.js";
import { FileStateStore } from "#bot/state-dir.js";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { openPlainFile, readPlainText } from "#core/plain-files.js";
import { openLog } from "#monitoring/log.js";

const folder = mkdtempSync(join(tmpdir(), "mw-plain-"));
const { clock } = createLiveRuntime();
const socket = createServer();
beforeAll(() => new Promise<void>((resolve) => socket.listen(join(folder, "socket"), resolve)));
afterAll(() => new Promise((resolve) => socket.close(resolve)));
execFileSync("mkfifo", [join(folder, "pipe")]);
mkdirSync(join(folder, "directory"));
symlinkSync(join(folder, "gone"), join(folder, "dangling"));
symlinkSync(join(folder, "loop"), join(folder, "loop"));
symlinkSync("/dev/zero", join(folder, "device"));

/** Names that lead to no plain file, and the words for what they lead to. */
const ODD: readonly [name: string, words: RegExp][] = [
  ["pipe", /pipe/],
  ["directory", /folder|EISDIR/],
  ["socket", /socket/],
  ["device", /device/],
  ["loop", /ELOOP/],
];

describe("a file that is none", () => {
  // A process that waits in the call which opens a pipe hears of no signal: nothing but kill -9
  // ends it.
  it.each(ODD)("is refused before anything is read of it: %s", (name, words) => {
    expect(() => readPlainText(join(folder, name))).toThrow(words);
  });

  it.each(["r+", "a", "a+", "w"] as const)(
    "is refused before anything is written to it, opened by %s",
    (flags) => {
      for (const name of ["pipe", "socket", "device"])
        expect(() => openPlainFile(join(folder, name), flags)).toThrow(/pipe|socket|device/);
    },
  );

  it.each([...ODD, ["dangling", /ENOENT/] as const])(
    "is no state that was never written: %s",
    (name, words) => {
      const store = new FileStateStore(folder);
      expect(() => store.read(name)).toThrow(RunError);
      expect(() => store.read(name)).toThrow(words);
      expect(() => store.readTail(name, 100)).toThrow(words);
    },
  );

  it.each(["pipe", "socket"])("takes no record, no journal and no log: %s", (name) => {
    const path = join(folder, name);
    expect(() => new FileStateStore(folder).append(name, "{}")).toThrow(RunError);
    expect(() => new JournalFile(path, clock)).toThrow(RunError);
    expect(() => openLog({ level: "info", clock, file: path })).toThrow("cannot write the log");
  });

  it("cannot serve as a key or a password", () => {
    expect(() => readNamedFile(join(folder, "pipe"), { field: "account.keyFile" })).toThrow(
      "account.keyFile: names a file that is a pipe, a socket or a device",
    );
  });
});

describe("a plain file", () => {
  it("is read and written as ever, through a link too", () => {
    writeFileSync(join(folder, "plain"), "old");
    symlinkSync(join(folder, "plain"), join(folder, "link"));
    const store = new FileStateStore(folder);
    expect(store.read("link")).toBe("old");
    expect(store.read("never-written")).toBeUndefined();
    store.append("log.jsonl", "{}");
    store.close();
    expect(readFileSync(join(folder, "log.jsonl"), "utf8")).toBe("{}\n");
  });
});
