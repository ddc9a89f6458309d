import { fork } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError, FormatError, RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange, openConfiguredExchange } from "#simulator/configured-exchange.js";
import { openDataDir } from "#simulator/data-dir.js";
import { checkLmdbFile } from "#simulator/lmdb-file-check.js";

const ALICE = `0x${"a1".repeat(20)}`;
const folder = (): string => mkdtempSync(join(tmpdir(), "mw-"));
const config = (dataDir: string, more: object = {}) =>
  parseExchangeConfig({ markets: { btcusdc: {} }, dataDir, ...more });

describe("a configuration's dataDir", () => {
  it("is made beside the file and holds what the exchange had when it is opened again", async () => {
    const baseFolder = folder();
    const first = await openConfiguredExchange(config("state"), createLiveRuntime(), {
      baseFolder,
    });
    first.exchange.start();
    first.exchange.register(ALICE);
    first.exchange.deposit(ALICE, "12.5");
    await first.close();
    expect(statSync(join(baseFolder, "state")).mode & 0o777).toBe(0o700);
    const second = await openConfiguredExchange(config("state"), createLiveRuntime(), {
      baseFolder,
    });
    expect(second.exchange.account(ALICE)?.deposits).toBe(100_012_500_000n);
    await second.close();
  });

  it("belongs to one exchange at a time, and to the next once that has ended", async () => {
    const baseFolder = folder();
    const first = await openConfiguredExchange(config("state"), createLiveRuntime(), {
      baseFolder,
    });
    const again = openConfiguredExchange(
      config(`../${baseFolder.split("/").at(-1)}/state`),
      createLiveRuntime(),
      { baseFolder },
    );
    await expect(again).rejects.toThrow(ConfigError);
    await expect(again).rejects.toThrow(/dataDir: is in use by another exchange/);
    await first.close();
    await (
      await openConfiguredExchange(config("state"), createLiveRuntime(), { baseFolder })
    ).close();
  });

  it("is released unchanged when its state contradicts the configuration", async () => {
    const baseFolder = folder();
    await (
      await openConfiguredExchange(config("state"), createLiveRuntime(), { baseFolder })
    ).close();
    await expect(
      openConfiguredExchange(config("state", { creditDecimals: 2 }), createLiveRuntime(), {
        baseFolder,
      }),
    ).rejects.toThrow(/creditDecimals/);
    await (
      await openConfiguredExchange(config("state"), createLiveRuntime(), { baseFolder })
    ).close();
  });

  it("is refused if it is a file, or a folder with other content", async () => {
    const baseFolder = folder();
    writeFileSync(join(baseFolder, "notes"), "mine");
    await expect(openDataDir(join(baseFolder, "notes"))).rejects.toThrow(ConfigError);
    await expect(openDataDir(baseFolder)).rejects.toThrow(/holds other files \(notes\)/);
    expect(existsSync(join(baseFolder, "exchange.mdb"))).toBe(false);
  });

  it.skipIf(!existsSync("/proc/self"))(
    "is refused where no folder can be made, in no time: nothing hangs below /proc",
    async () => {
      await expect(openDataDir("/proc/nothing/state")).rejects.toThrow(ConfigError);
    },
  );

  it("is refused if its file is not a database", async () => {
    const state = join(folder(), "state");
    mkdirSync(state);
    writeFileSync(join(state, "exchange.mdb"), "not a database".repeat(1000));
    await expect(openDataDir(state)).rejects.toThrow(RunError);
  });

  describe("whose state was damaged while nobody used it", () => {
    /**
     * A folder with an exchange's state of about a hundred pages, including records longer than a
     * page.
     */
    async function kept(): Promise<{ readonly state: string; readonly file: string }> {
      const state = join(folder(), "state");
      const { records, close } = await openDataDir(state);
      for (let round = 0; round < 30; round += 1) {
        const puts = new Map(
          Array.from({ length: 40 }, (_, i) => [
            `n/${round * 40 + i}`,
            "x".repeat((i * i * 7) % 9000),
          ]),
        );
        records.commit({ puts, removed: new Set([`n/${round * 20}`]), removedRanges: [] });
      }
      await close();
      return { state, file: join(state, "exchange.mdb") };
    }

    it("is refused with the file's name where the file is empty, or lost beside what is left of it: no exchange begins anew in its place", async () => {
      const { state, file } = await kept();
      truncateSync(file, 0);
      await expect(openDataDir(state)).rejects.toThrow(/exchange\.mdb: is empty/);
      expect(statSync(file).size, "nothing was made of it").toBe(0);
      rmSync(file);
      await expect(openDataDir(state)).rejects.toThrow(
        /exchange\.mdb: is missing, although the folder held a state/,
      );
      expect(existsSync(file)).toBe(false);
    });

    it("is refused if the file is truncated at any point: mapping it would end the process", async () => {
      const { state, file } = await kept();
      const whole = readFileSync(file);
      for (const share of [0.001, 0.01, 0.1, 0.5, 0.9, 0.99]) {
        writeFileSync(file, whole.subarray(0, Math.floor(whole.length * share)));
        await expect(openDataDir(state), `cut off at ${share}`).rejects.toThrow(RunError);
        await expect(openDataDir(state), `cut off at ${share}`).rejects.toThrow(
          /exchange\.mdb: is cut off/,
        );
      }
      writeFileSync(file, whole);
      const { records, close } = await openDataDir(state);
      expect([...records.withPrefix("n/")].length).toBeGreaterThan(1000);
      await close();
    });

    it("is refused if it was overwritten, unless every reachable page is intact", async () => {
      const { state, file } = await kept();
      const whole = readFileSync(file);
      const pages = whole.length / 4096;
      let refused = 0;
      fc.assert(
        fc.property(
          fc.nat(pages - 1),
          fc.uint8Array({ minLength: 4096, maxLength: 4096 }),
          (page, bytes) => {
            const written = Buffer.from(whole);
            written.set(bytes, page * 4096);
            writeFileSync(file, written);
            try {
              checkLmdbFile(file);
            } catch (error) {
              expect(error).toBeInstanceOf(FormatError);
              refused += 1;
            }
          },
        ),
        { numRuns: 60 },
      );
      expect(refused).toBeGreaterThan(20);
      // Records in the middle of a page, wiped out: their keys would be missing without an error.
      const wiped = Buffer.from(whole);
      // An older copy of the page may be in the file, too.
      for (let at = wiped.indexOf("n/1100"); at >= 0; at = wiped.indexOf("n/1100"))
        wiped.fill(0, at, at + 6);
      writeFileSync(file, wiped);
      await expect(openDataDir(state)).rejects.toThrow(/exchange\.mdb: is damaged: page \d+/);
      for (const filler of [0, 255]) {
        writeFileSync(file, Buffer.alloc(whole.length, filler));
        await expect(openDataDir(state)).rejects.toThrow(/is not an LMDB file/);
      }
    });

    it("is refused without blocking if the file is a folder or a pipe", async () => {
      const { state, file } = await kept();
      rmSync(file);
      mkdirSync(file);
      await expect(openDataDir(state)).rejects.toThrow(/is not a plain file/);
    });
  });

  it("is never ignored: without a way to store it no exchange is created", () => {
    expect(() => configuredExchange(config("state"), createLiveRuntime())).toThrow(RunError);
  });
});

describe("records in a file", () => {
  const put = (...entries: [string, string][]) => ({
    puts: new Map(entries),
    removed: new Set<string>(),
    removedRanges: [],
  });

  it("survive a kill -9 right after the commit", async () => {
    const state = join(folder(), "state");
    const child = fork(fileURLToPath(new URL("./commit-and-wait.ts", import.meta.url)), [state], {
      execArgv: ["--import", "tsx"],
    });
    const [count] = (await once(child, "message")) as [number];
    child.kill("SIGKILL");
    await once(child, "exit");
    const { records, close } = await openDataDir(state);
    expect([...records.withPrefix("n/")].length).toBeGreaterThanOrEqual(count);
    await close();
  });

  it("are found by prefix in the order of their keys, and removed by range", async () => {
    const { records, close } = await openDataDir(join(folder(), "state"));
    records.commit(put(["a/3", "x"], ["a/1", "y"], ["a/2", "z"], ["ab", "w"], ["b/1", "v"]));
    expect([...records.withPrefix("a/")].map(([key]) => key)).toEqual(["a/1", "a/2", "a/3"]);
    records.commit({
      puts: new Map([["a/1", "new"]]),
      removed: new Set(["ab", "nowhere"]),
      removedRanges: [{ from: "a/", to: "a/3" }],
    });
    expect([...records.withPrefix("")]).toEqual([
      ["a/1", "new"],
      ["a/3", "x"],
      ["b/1", "v"],
    ]);
    await close();
  });

  it("do not grow the file however often they are overwritten", async () => {
    const state = join(folder(), "state");
    const { records, close } = await openDataDir(state);
    const commit = (from: number, count: number) => {
      for (let round = from; round < from + count; round += 1) {
        records.commit({
          puts: new Map([
            [`list/${String(round).padStart(9, "0")}`, "x".repeat(300)],
            ["head", "y".repeat(600) + round],
          ]),
          removed: new Set(),
          removedRanges: [
            { from: "list/", to: `list/${String(Math.max(0, round - 100)).padStart(9, "0")}` },
          ],
        });
      }
    };
    commit(0, 1000);
    const before = statSync(join(state, "exchange.mdb")).size;
    commit(1000, 10_000);
    expect(statSync(join(state, "exchange.mdb")).size).toBeLessThanOrEqual(2 * before);
    await close();
  });

  it("grow past any size that the file began with", async () => {
    const { records, close } = await openDataDir(join(folder(), "state"));
    for (let part = 0; part < 40; part += 1) {
      records.commit(
        put(
          ...Array.from({ length: 500 }, (_, place): [string, string] => [
            `${part}/${place}`,
            "z".repeat(1000),
          ]),
        ),
      );
    }
    expect([...records.withPrefix("39/")]).toHaveLength(500);
    await close();
  });
});
