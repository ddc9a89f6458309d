import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SweepOutcome } from "#backtest/run-sweep.js";
import { sweepWarnings } from "#backtest/sweep-warnings.js";
import { programVersion } from "#cli/program-version.js";
import { OneByOne, SWEEP, SweepStage } from "../backtest/sweep/sweep-stage.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli, startCli } from "./captured-cli.js";

describe("marketwright sweep", () => {
  const stage = new SweepStage();
  let command: string;
  beforeAll(async () => {
    command = builtCommand();
    await stage.open();
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  it("runs on threads, and comes to the same bytes as one run after the other in one thread", async () => {
    const file = stage.write("threads.yaml", { ...SWEEP, workers: 2, name: "sweep" });
    const out = stage.out();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [command, "sweep", file, "--out", out, "--report-best"],
      {
        encoding: "utf8",
      },
    );
    const alone = (await stage.run(stage.out(), new OneByOne(), {
      version: programVersion(),
    })) as SweepOutcome;
    expect(readFileSync(join(out, "sweep.json"), "utf8")).toBe(readFileSync(alone.json, "utf8"));
    const { points, best } = alone.result;
    // These warnings are printed with the table.
    const doubts = sweepWarnings(alone.result);
    expect(doubts).toEqual([expect.stringMatching(/^2 of the best 6 points have warnings/)]);
    expect([status, stderr.replace(/^The history has a gap: .*\n/gm, "")]).toEqual([
      0,
      `${doubts.join("\n")}\n`,
    ]);
    expect(stdout.split("\n").filter((line) => line.endsWith("  yes"))).toHaveLength(2);
    const profit = String(points[best]?.objective);
    expect(stdout).toMatch(
      new RegExp(`^maximise profit\nrank  point .*\n1 +${best} .*${profit.replace(".", "\\.")}`),
    );
    const report = JSON.parse(readFileSync(join(out, "best", "report.json"), "utf8")) as {
      profit: { total: string };
    };
    expect(report.profit.total).toBe(profit);
  });

  it("ends when it is interrupted while it makes the best point's report, of which nothing is left", async () => {
    const out = stage.out();
    await stage.run(out, new OneByOne(), { version: programVersion() });
    const run = startCli([
      "sweep",
      join(stage.folder, "sweep.yaml"),
      "--out",
      out,
      "--report-best",
    ]);
    run.interrupt();
    const { code, out: told, err } = await run.done;
    expect([code, told]).toEqual([1, ""]);
    expect(err).toContain("Interrupted. The finished runs are in");
    expect(readdirSync(out).sort()).toEqual(["results.jsonl", "sweep.html", "sweep.json"]);
  });

  it("ends with 1 where the strategy failed, naming a point and the failure, with its results in place", async () => {
    stage.writeOwn(0.05);
    writeFileSync(
      join(stage.folder, "own.ts"),
      `import { defineStrategy } from "marketwright";
import { z } from "zod";
export default defineStrategy({ params: z.object({}), create: () => { throw new Error("no such parameter"); } });
`,
    );
    const out = stage.out();
    const { status, stderr } = spawnSync(
      process.execPath,
      [command, "sweep", join(stage.folder, "own.yaml"), "--out", out],
      {
        encoding: "utf8",
      },
    );
    expect(status).toBe(1);
    expect(stderr).toContain(
      "The strategy failed in 1 of 1 runs, for example that of point 0: btcusdc: strategy failed to start: no such parameter\n",
    );
    const { points } = JSON.parse(
      readFileSync(join(out, "sweep.json"), "utf8"),
    ) as SweepOutcome["result"];
    expect(points[0]?.runs).toEqual([
      expect.objectContaining({
        ended: "halted",
        strategyError: "btcusdc: strategy failed to start: no such parameter",
        doubts: expect.arrayContaining([
          expect.stringMatching(/^btcusdc: no order was ever sent: strategy failed to start/),
        ]),
      }),
    ]);
    expect(readFileSync(join(out, "sweep.html"), "utf8")).toContain(
      "The strategy failed in 1 of 1 runs",
    );
  });

  it("ends with 1 where the strategy failed in the report of the best point alone", async () => {
    stage.writeOwn(0.05);
    writeFileSync(
      join(stage.folder, "own.ts"),
      `import { isMainThread } from "node:worker_threads";
import { defineStrategy } from "marketwright";
import { NEVER } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.object({}),
  create: () => {
    if (isMainThread) throw new Error("no such parameter");
    return () => NEVER;
  },
});
`,
    );
    const out = stage.out();
    const { status, stderr } = spawnSync(
      process.execPath,
      [command, "sweep", join(stage.folder, "own.yaml"), "--out", out, "--report-best"],
      {
        encoding: "utf8",
      },
    );
    expect(stderr).toMatch(
      /The strategy of btcusdc failed at \S+ in the report of the best point: strategy failed to start: no such parameter\n/,
    );
    expect(status).toBe(1);
  });

  it("says what is wrong before it makes a folder", async () => {
    const out = stage.out();
    const file = stage.write("wrong.yaml", { ...SWEEP, method: "sobol" });
    const wrong = await captureCli(["sweep", file, "--out", out]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain("count: is missing");
    const address = await captureCli([
      "sweep",
      join(stage.folder, "sweep.yaml"),
      "--out",
      out,
      "--queue",
      "localhost:6379",
    ]);
    expect([address.code, address.err.includes("--queue: is not the address of a queue")]).toEqual([
      2,
      true,
    ]);
    const worker = await captureCli([
      "worker",
      "--queue",
      "redis://127.0.0.1:1",
      "--workers",
      "none",
    ]);
    expect([worker.code, worker.err.includes("--workers: ")]).toEqual([2, true]);
    expect(existsSync(out)).toBe(false);
  });
});
