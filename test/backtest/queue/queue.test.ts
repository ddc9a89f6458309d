import { type ChildProcess, spawn } from "node:child_process";
import { getEventListeners } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobBatch } from "#backtest/job-runner.js";
import { QUEUE_NAME } from "#backtest/queue-address.js";
import { QueueRunner } from "#backtest/queue-runner.js";
import { QueueWorker } from "#backtest/queue-worker.js";
import type { SweepOutcome } from "#backtest/run-sweep.js";
import { SWEEP_FILES } from "#backtest/sweep-folder.js";
import { programVersion } from "#cli/program-version.js";
import { ConfigError, FormatError, RunError } from "#core/errors.js";
import { builtCommand } from "../../support/built-command.js";
import { generateHistory } from "../../support/generated-history.js";
import { OneByOne, SHORT_SECONDS, SWEEP, SweepStage } from "../sweep/sweep-stage.js";
import { hasRedis, RedisServer } from "./redis-server.js";

describe("a queue's address", () => {
  it("is one of a Redis, and its password is in no message", async () => {
    await expect(QueueRunner.open("http://user:hunter2@queue.test", "1")).rejects.toThrow(
      ConfigError,
    );
    await expect(QueueRunner.open("http://user:hunter2@queue.test", "1")).rejects.toThrow(
      /^--queue: is not the address of a queue.*redis:\/\/HOST:PORT/,
    );
    const told = QueueRunner.open("http://user:hunter2@queue.test", "1").catch(
      (error: Error) => error.message,
    );
    expect(await told).not.toContain("hunter2");
  });

  it("without a server is reported at once", async () => {
    // Port 1 of this machine: no server listens there.
    await expect(QueueRunner.open("redis://:hunter2@127.0.0.1:1", "1")).rejects.toThrow(RunError);
    await expect(QueueRunner.open("redis://:hunter2@127.0.0.1:1", "1")).rejects.toThrow(
      /^--queue: does not answer: .*"127.0.0.1:1"/,
    );
  });
});

describe.skipIf(!hasRedis)(
  `a sweep through a queue${hasRedis ? "" : " (skipped: no redis-server here)"}`,
  () => {
    const stage = new SweepStage();
    let version: string;
    let redis: RedisServer;
    let command: string;
    let alone: string;

    beforeAll(async () => {
      command = builtCommand();
      version = programVersion();
      await stage.open();
      redis = await RedisServer.start(stage.folder);
      const outcome = (await stage.run(stage.out(), new OneByOne(), { version })) as SweepOutcome;
      alone = readFileSync(outcome.json, "utf8");
    });
    afterAll(async () => {
      await redis?.stop();
      rmSync(stage.folder, { recursive: true, force: true });
    });

    const worker = (
      store = join(stage.folder, "history"),
      over: { readonly version?: string } = {},
    ) =>
      QueueWorker.open({
        address: redis.url,
        store,
        workers: 1,
        version: over.version ?? version,
        lockMs: 2000,
        entry: new URL("../dist/backtest/sweep/jobs/job-thread.js", pathToFileURL(command)),
      });

    /** Sweeps through the queue while `meanwhile` does something. */
    async function swept(
      out: string,
      meanwhile: () => Promise<unknown>,
      onAway?: (what: string) => void,
    ): Promise<SweepOutcome> {
      const runner = await QueueRunner.open(redis.url, version, {
        pollMs: 500,
        ...(onAway === undefined ? {} : { onAvailability: onAway }),
      });
      try {
        const [outcome] = await Promise.all([stage.run(out, runner, { version }), meanwhile()]);
        return outcome as SweepOutcome;
      } finally {
        await runner.close();
      }
    }

    it("is refused by a worker with another history, run again after a worker's kill, counted once, and comes to the bytes of one machine", async () => {
      const other = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-other-")));
      await generateHistory(other, {
        market: "btcusdc",
        fromMs: Date.UTC(2026, 0, 5, 12),
        seconds: 5,
        seed: "another",
      });
      const out = stage.out();
      let last: QueueWorker | undefined;
      const outcome = await swept(out, async () => {
        const wrong = await worker(join(other, "history"));
        await expect(wrong.refused).rejects.toThrow(
          /differs from the history that the sweep uses.*got "btcusdc .*expected btcusdc book 2026-01-05/,
        );
        await wrong.close();
        const store = join(stage.folder, "history");
        const args = [
          "worker",
          "--queue",
          redis.url,
          "--store",
          store,
          "--workers",
          "1",
          "--lock",
          "2",
        ];
        const killed = spawn(process.execPath, [command, ...args], {
          stdio: ["ignore", "ignore", "pipe"],
        });
        await said(killed, /begins[\s\S]*begins/);
        killed.kill("SIGKILL");
        last = await worker();
      });
      await last?.close();
      rmSync(other, { recursive: true, force: true });
      const [, ...lines] = readFileSync(join(out, SWEEP_FILES.results), "utf8")
        .trimEnd()
        .split("\n");
      const jobs = lines.map((line) => (JSON.parse(line) as { job: string }).job);
      expect(jobs.sort()).toEqual([0, 1, 2, 3, 4, 5].map((at) => `whole-${at}`));
      expect(readFileSync(outcome.json, "utf8")).toBe(alone);
    });

    it("requests jobs again that its server has lost, and reports the outage", async () => {
      const told: string[] = [];
      let last: QueueWorker | undefined;
      const look = new Redis(redis.url);
      const outcome = await swept(
        stage.out(),
        async () => {
          await expect
            .poll(() => look.llen(`bull:${QUEUE_NAME}:wait`), { timeout: 300_000 })
            .toBe(6);
          // Like a server that was restarted without its data: it knows no job, and every
          // connection to it is closed.
          await look.flushall();
          await look.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
          last = await worker();
        },
        (what) => told.push(what),
      );
      await last?.close();
      look.disconnect();
      expect(readFileSync(outcome.json, "utf8")).toBe(alone);
      expect(told[0]).toMatch(
        /^the connection to the queue at 127\.0\.0\.1:\d+ was lost: waiting until it is back$/,
      );
    });

    it("fails with the error of a worker's job, and names the job once", async () => {
      stage.write("fine.yaml", {
        ...SWEEP,
        parameters: { "account.creditQuote": { values: ["1000.0000000001"] } },
      });
      const runner = await QueueRunner.open(redis.url, version, { pollMs: 500 });
      const one = await worker();
      const failed = await stage
        .run(stage.out(), runner, { version, file: "fine.yaml" })
        .catch((error: Error) => error);
      await Promise.all([one.close(), runner.close()]);
      // The error must match that of a sweep on the own machine: the field, and the exit code of
      // its type.
      expect(failed).toBeInstanceOf(FormatError);
      expect(failed).toMatchObject({ field: "account.creditQuote", value: "1000.0000000001" });
      expect(failed).toHaveProperty(
        "message",
        expect.stringMatching(/^whole-0: account\.creditQuote: more decimals/),
      );
    });

    it("removes its abort listener after each window: a walk forward of eleven ended with Node's warning of a memory leak", async () => {
      const runner = await QueueRunner.open(redis.url, version);
      const { signal } = new AbortController();
      const batch: JobBatch = {
        sweep: "0".repeat(64),
        window: { name: "train0", fromUs: 0, toUs: 1 },
        jobs: [],
        open: () => Promise.reject(new Error("nobody opens it here")),
        contents: async () => ({ files: [], gaps: [] }),
      };
      await runner.run(batch, () => {}, signal);
      await runner.close();
      expect(getEventListeners(signal, "abort")).toEqual([]);
    });

    it("is refused by a worker of another build, and by one whose strategy file imports something else", async () => {
      stage.writeOwn(0.01);
      const runner = await QueueRunner.open(redis.url, version, { pollMs: 500 });
      const sweeping = stage.run(stage.out(), runner, { version, file: "own.yaml" });
      const look = new Redis(redis.url);
      await expect.poll(() => look.llen(`bull:${QUEUE_NAME}:wait`), { timeout: 300_000 }).toBe(1);
      look.disconnect();
      const older = await worker(undefined, { version: "0.0.1+000000000000" });
      await expect(older.refused).rejects.toThrow(
        `worker: differs from the version that runs the sweep (got "0.0.1+000000000000"); expected ${version}`,
      );
      await older.close();
      stage.writeDistance(5);
      const other = await worker();
      await expect(other.refused).rejects.toThrow(/own\.ts: differs from the sweep's/);
      await other.close();
      stage.writeDistance(0.01);
      const right = await worker();
      expect((await sweeping)?.result.points[0]?.runs[0]?.figures.fills).toBeGreaterThan(0);
      await Promise.all([right.close(), runner.close()]);
    });

    // A worker keeps opened histories; columns with other ticks and lots would give this sweep
    // wrong figures.
    it("gets a history of its own where another sweep had the same files on another grid", async () => {
      const { rules, ...rest } = stage.backtest(SHORT_SECONDS) as {
        readonly rules: { readonly markets: { readonly btcusdc: object } };
      };
      const finer = { markets: { btcusdc: { ...rules.markets.btcusdc, tickSizeQuote: 0.01 } } };
      stage.write("bt-finer.yaml", { ...rest, rules: finer });
      stage.write("finer.yaml", { ...SWEEP, backtest: "bt-finer.yaml" });
      const own = (await stage.run(stage.out(), new OneByOne(), {
        version,
        file: "finer.yaml",
      })) as SweepOutcome;
      const one = await worker();
      await swept(stage.out(), async () => {});
      const runner = await QueueRunner.open(redis.url, version, { pollMs: 500 });
      const outcome = (await stage.run(stage.out(), runner, {
        version,
        file: "finer.yaml",
      })) as SweepOutcome;
      await Promise.all([one.close(), runner.close()]);
      expect(readFileSync(outcome.json, "utf8")).toBe(readFileSync(own.json, "utf8"));
    });

    it("serves two runs of one sweep at once, though the first to receive a result removes it from the queue", async () => {
      const one = await worker();
      const outs = [stage.out(), stage.out()];
      const outcomes = await Promise.all(outs.map((out) => swept(out, async () => {})));
      await one.close();
      for (const { json } of outcomes) expect(readFileSync(json, "utf8")).toBe(alone);
    });
  },
);

/** Resolves when a process has printed a text. */
function said(child: ChildProcess, what: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (what.test(text)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${text}`)));
  });
}
