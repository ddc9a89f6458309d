import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SweepOutcome } from "../../src/backtest/sweep/run-sweep.js";
import { sweepDoubts } from "../../src/backtest/sweep/sweep-doubts.js";
import { programVersion } from "../../src/cli/program-version.js";
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
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, "sweep", file, "--out", out, "--report-best"], {
      encoding: "utf8",
    });
    const alone = (await stage.run(stage.out(), new OneByOne(), { version: programVersion() })) as SweepOutcome;
    expect(readFileSync(join(out, "sweep.json"), "utf8")).toBe(readFileSync(alone.json, "utf8"));
    const { points, best } = alone.result;
    // Whoever reads the table on a terminal reads this too.
    const doubts = sweepDoubts(alone.result);
    expect(doubts).toEqual([expect.stringMatching(/^Doubtful are 2 of the best 6 points/)]);
    expect([status, stderr.replace(/^The history has a gap: .*\n/gm, "")]).toEqual([0, `${doubts.join("\n")}\n`]);
    expect(stdout.split("\n").filter((line) => line.endsWith("  yes"))).toHaveLength(2);
    const profit = String(points[best]?.objective);
    expect(stdout).toMatch(new RegExp(`^maximise profit\nrank  point .*\n1 +${best} .*${profit.replace(".", "\\.")}`));
    const report = JSON.parse(readFileSync(join(out, "best", "report.json"), "utf8")) as { profit: { total: string } };
    expect(report.profit.total).toBe(profit);
  });

  it("ends when it is interrupted while it makes the best point's report, of which nothing is left", async () => {
    const out = stage.out();
    await stage.run(out, new OneByOne(), { version: programVersion() });
    const run = startCli(["sweep", join(stage.folder, "sweep.yaml"), "--out", out, "--report-best"]);
    run.interrupt();
    const { code, out: told, err } = await run.done;
    expect([code, told]).toEqual([1, ""]);
    expect(err).toContain("Interrupted. What is done is in");
    expect(readdirSync(out).sort()).toEqual(["results.jsonl", "sweep.html", "sweep.json"]);
  });

  it("says what is wrong before it makes a folder", async () => {
    const out = stage.out();
    const file = stage.write("wrong.yaml", { ...SWEEP, method: "sobol" });
    const wrong = await captureCli(["sweep", file, "--out", out]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain("count: is missing");
    const address = await captureCli(["sweep", join(stage.folder, "sweep.yaml"), "--out", out, "--queue", "localhost:6379"]);
    expect([address.code, address.err.includes("--queue: is no address of a queue")]).toEqual([2, true]);
    const worker = await captureCli(["worker", "--queue", "redis://127.0.0.1:1", "--workers", "none"]);
    expect([worker.code, worker.err.includes("--workers: ")]).toEqual([2, true]);
    expect(existsSync(out)).toBe(false);
  });
});
