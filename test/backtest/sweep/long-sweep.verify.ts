import { constants } from "node:buffer";
import { appendFileSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ResultsFile } from "#backtest/results-file.js";
import { dropOtherBest, SWEEP_FILES } from "#backtest/sweep-folder.js";
import { SweepStage } from "./sweep-stage.js";

const stage = new SweepStage();
afterAll(() => rmSync(stage.folder, { recursive: true }));

/** As many times ten megabytes as exceed the longest string. */
const PIECES = Math.ceil(constants.MAX_STRING_LENGTH / 10_000_000);

// An interrupted sweep of a million runs could not continue: its results exceed the longest string.
it("continues from the results of a million runs, and drops a line that a kill left unfinished", () => {
  const out = stage.out();
  new ResultsFile(out, "print", false).close();
  const path = join(out, SWEEP_FILES.results);
  const result = { figures: { profit: "1" }, ended: "end-of-history", doubts: [] };
  // Space before a line, which JSON ignores, stands for the other runs.
  for (let at = 0; at < PIECES; at++)
    appendFileSync(
      path,
      `${" ".repeat(10_000_000)}${JSON.stringify({ job: `whole-${at}`, ...result })}\n`,
    );
  const whole = statSync(path).size;
  appendFileSync(path, '{"job":"whole-99","figu');
  const again = new ResultsFile(out, "print", false);
  expect([...again.done.keys()]).toEqual(Array.from({ length: PIECES }, (_, at) => `whole-${at}`));
  again.close();
  expect(statSync(path).size).toBe(whole);
});

it("drops the report of a best point that a longer sweep.json cannot name any more", () => {
  const out = stage.out();
  mkdirSync(join(out, "best"), { recursive: true });
  const path = join(out, SWEEP_FILES.json);
  for (let at = 0; at < PIECES; at++) appendFileSync(path, " ".repeat(10_000_000));
  appendFileSync(path, '{"best":0}\n');
  dropOtherBest(out, 0);
  expect(() => statSync(join(out, "best"))).toThrow(/ENOENT/);
});
