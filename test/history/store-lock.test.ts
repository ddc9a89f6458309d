import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RunError } from "#core/errors.js";
import { StoreLock } from "#history/store-lock.js";
import { builtCommand } from "../support/built-command.js";

/** An id larger than any process has. */
const NOBODY = "2147483646";
const TAKERS = 3;
const ROUNDS = 100;

/**
 * Takes one lock after another at the same instants as other processes, and prints which it got.
 */
const TAKER = `
import { parentPort, workerData } from "node:worker_threads";
const { folder, source, takers, rounds, shared } = workerData;
const { StoreLock } = await import(source);
const arrived = new Int32Array(shared);
const got = [];
for (let round = 0; round < rounds; round++) {
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  for (let count; (count = Atomics.load(arrived, 0)) < takers * (round + 1);) Atomics.wait(arrived, 0, count, 100);
  try {
    StoreLock.take(folder + "/" + round);
    got.push(round);
  } catch (error) {
    if (error.name !== "RunError") throw error;
  }
}
parentPort.postMessage(got);
`;

describe("the lock of a folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-lock-")));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is refused while its holder lives, and free when the holder has released it or died", () => {
    const held = StoreLock.take(folder);
    expect(() => StoreLock.take(folder)).toThrow(RunError);
    expect(StoreLock.holder(folder)).toBe(process.pid);
    held.release();
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(join(folder, "lock"), NOBODY);
    StoreLock.take(folder).release();
    // The lock file that a full disk left.
    writeFileSync(join(folder, "lock"), "");
    StoreLock.take(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  // In a container nearly every program is process 1: a recorder killed there could once never
  // start again.
  it.skipIf(process.platform !== "linux")(
    "is free when its holder's process id now belongs to another process, even this one",
    () => {
      const held = StoreLock.take(folder);
      const own = readFileSync(join(folder, "lock"), "utf8");
      held.release();
      const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
      const [, tick, ...place] = own.split(".");
      const [earlier, parents] = [
        Number(tick) - 1,
        stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19],
      ];
      for (const holder of [process.pid, process.ppid]) {
        writeFileSync(join(folder, "lock"), [holder, earlier, ...place].join("."));
        expect(StoreLock.holder(folder)).toBeUndefined();
        StoreLock.take(folder).release();
      }
      writeFileSync(join(folder, "lock"), [process.ppid, parents, ...place].join("."));
      expect(() => StoreLock.take(folder)).toThrow(RunError);
      rmSync(join(folder, "lock"));
      // As an earlier version wrote it.
      writeFileSync(join(folder, "lock"), String(process.pid));
      StoreLock.take(folder).release();
    },
  );

  // Two recorders of one market in two containers, as during an upgrade, would each take the
  // other's records.
  it.skipIf(process.platform !== "linux")(
    "is held by a process of another container as long as that touches it",
    async () => {
      const held = StoreLock.take(folder);
      const lock = join(folder, "lock");
      utimesSync(lock, 1, 1);
      await vi.waitFor(() => expect(statSync(lock).mtimeMs).toBeGreaterThan(1000), {
        timeout: 300_000,
      });
      const [id, tick, boot] = readFileSync(lock, "utf8").split(".");
      held.release();
      writeFileSync(lock, [id, tick, boot, "1"].join("."));
      expect(() => StoreLock.take(folder)).toThrow(RunError);
      utimesSync(lock, 1, 1);
      const taken = StoreLock.take(folder);
      // A process that stalled too long leaves alone a lock that another now holds.
      writeFileSync(lock, [id, tick, boot, "1"].join("."));
      taken.release();
      expect(readdirSync(folder)).toEqual(["lock"]);
    },
  );

  // Two sweeps or imports that write into one folder would overwrite each other's files.
  it("goes to only one of several processes at the same instant, even if a dead one held it", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      mkdirSync(join(folder, String(round)));
      if (round % 2 === 0) writeFileSync(join(folder, String(round), "lock"), NOBODY);
    }
    const program = join(folder, "taker.mjs");
    writeFileSync(program, TAKER);
    const shared = new SharedArrayBuffer(4);
    const source = new URL("../dist/history/store/store-lock.js", pathToFileURL(builtCommand()))
      .href;
    const workerData = { folder, source, takers: TAKERS, rounds: ROUNDS, shared };
    const takers = Array.from(
      { length: TAKERS },
      () => new Worker(program, { workerData, execArgv: [] }),
    );
    const got = await Promise.all(
      takers.map((taker) => {
        return new Promise<number[]>((resolve, reject) => {
          taker.once("message", resolve);
          taker.once("error", reject);
        });
      }),
    );
    await Promise.all(takers.map((taker) => taker.terminate()));
    expect(got.flat().sort((a, b) => a - b)).toEqual(
      Array.from({ length: ROUNDS }, (_, round) => round),
    );
  });
});
