import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SEED_VARIABLE } from "../support/property-seed.js";
import { PROJECT_ROOT } from "./checkout.js";

/** The behaviour of npm at each of its three calls: its output and its exit code. */
interface NpmScript {
  readonly install?: number;
  readonly check?: number;
  readonly test?: number;
  readonly testOutput?: string;
  /** The names and the errors that the tests leave. */
  readonly failures?: string;
  /** True when the tests live long enough to leave the record of the rules that they held. */
  readonly recorded?: boolean;
  readonly conformance?: number;
  /** How the tests on newer versions of Node exit; without it, none can be installed. */
  readonly newer?: number;
}

describe(".ci/run", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "marketwright-ci-"));
    cpSync(join(PROJECT_ROOT, ".ci"), join(root, ".ci"), { recursive: true });
    mkdirSync(join(root, "bin"));
    for (const found of ["promtool", "chromium", "redis-server", "python3"])
      program(found, "exit 0");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function program(name: string, body: string): void {
    writeFileSync(join(root, "bin", name), `#!/usr/bin/env bash\n${body}\n`);
    chmodSync(join(root, "bin", name), 0o755);
  }

  /**
   * An npm that stands in for the real one: this script must not install and test the project that
   * is testing it.
   */
  function run(script: NpmScript): SpawnSyncReturns<string> {
    const {
      install = 0,
      check = 0,
      test = 0,
      testOutput = "3 passed, 0 failed",
      failures = "",
      recorded = true,
      conformance = 0,
      newer,
    } = script;
    const record = recorded ? 'echo {} > "$MARKETWRIGHT_CONFORMANCE_RECORD";' : "";
    const named =
      failures === "" ? "" : `echo ${JSON.stringify(failures)} >> "$MARKETWRIGHT_FAILURES";`;
    const node = `bin=$3/node_modules/.bin; mkdir -p "$bin"; printf '#!/bin/sh\\nexit ${newer}\\n' > "$bin/node"; chmod +x "$bin/node"`;
    program(
      "npm",
      `case "$*" in "install --prefix node_modules/.cache/node-"*) ${newer === undefined ? "exit 64" : node};; ci) exit ${install};; "run check") echo a line of the check; exit ${check};; test) ${record} ${named} echo "${testOutput}"; exit ${test};; "run conformance -- --check --record "*) exit ${conformance};; *) exit 64;; esac`,
    );
    const PATH = `${join(root, "bin")}:${process.env.PATH ?? ""}`;
    return spawnSync(join(root, ".ci/run"), [], {
      cwd: tmpdir(),
      encoding: "utf8",
      env: { ...process.env, PATH },
    });
  }

  function verdict({
    status,
    stdout,
  }: SpawnSyncReturns<string>): [number | null, string | undefined] {
    return [status, stdout.trimEnd().split("\n").at(-1)];
  }

  it("ends with the tests' own count when all is well, from whatever folder it is called", () => {
    expect(verdict(run({}))).toEqual([0, "3 passed, 0 failed"]);
  });

  it("goes on without a newer Node where none can be had, and counts a failure there as one", () => {
    const without = run({});
    expect(without.stdout).toContain("Node 24 could not be installed");
    expect(without.stdout).toContain("Node 26 could not be installed");
    const passing = run({ newer: 0 });
    expect(passing.stdout).toContain("a part of the tests on Node 26");
    expect(verdict(passing)).toEqual([0, "3 passed, 0 failed"]);
    expect(verdict(run({ newer: 1 }))).toEqual([1, "3 passed, 1 failed"]);
  });

  it("fails with the tests", () => {
    expect(verdict(run({ test: 1, testOutput: "2 passed, 1 failed" }))).toEqual([
      1,
      "2 passed, 1 failed",
    ]);
  });

  it("names what failed just before the count, whatever ran after it", () => {
    const failures = "FAILED on Node 20: test/a.test.ts > a name";
    const tests = run({ test: 1, testOutput: "2 passed, 1 failed", failures, newer: 0 });
    expect(tests.stdout.trimEnd().split("\n").slice(-2)).toEqual([failures, "2 passed, 1 failed"]);
    const checks = run({ check: 2, newer: 0 });
    expect(checks.stdout.trimEnd().split("\n").slice(-3)).toEqual([
      "a line of the check",
      "npm run check failed with exit code 2",
      "3 passed, 1 failed",
    ]);
  });

  it("counts a failed check as one, tests none the less, and fails", () => {
    expect(verdict(run({ check: 2 }))).toEqual([2, "3 passed, 1 failed"]);
  });

  it("fails when nothing could be installed, or the tests died before they could count", () => {
    expect(verdict(run({ install: 7 }))).toEqual([1, "0 passed, 1 failed"]);
    expect(verdict(run({ test: 137, testOutput: "Killed", recorded: false }))).toEqual([
      137,
      "0 passed, 1 failed",
    ]);
  });

  it("counts a conformance table that does not hold as one, and fails", () => {
    expect(verdict(run({ conformance: 1 }))).toEqual([1, "3 passed, 1 failed"]);
    expect(verdict(run({ conformance: 1, test: 5, testOutput: "2 passed, 1 failed" }))).toEqual([
      5,
      "2 passed, 2 failed",
    ]);
  });
});

describe("a run of the tests", () => {
  it("draws its properties from one seed, so that it says something about the commit and nothing about luck", () => {
    const { [SEED_VARIABLE]: seed = "1" } = process.env;
    expect(fc.readConfigureGlobal()).toMatchObject({ seed: Number(seed) });
    const draw = () => fc.sample(fc.bigInt(), 20);
    expect(draw()).toEqual(draw());
  });
});
