import { spawnSync } from "node:child_process";
import { PROJECT_ROOT } from "./checkout.js";

/** Runs the bench command, with just enough work to show that a benchmark still runs. */
export function runBench(...args: string[]): {
  status: number | null;
  stdout: string;
  stderr: string;
} {
  return spawnSync(
    process.execPath,
    ["--expose-gc", "--import", "tsx", "--import", "./bench/built.mjs", "bench/run.ts", ...args],
    {
      cwd: PROJECT_ROOT,
      encoding: "utf8",
      env: { ...process.env, MARKETWRIGHT_BENCH: "tiny" },
    },
  );
}

/** The output of the command for one benchmark with `--json`. */
export interface Measured {
  readonly name: string;
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
  readonly details?: Readonly<Record<string, number>>;
}

/** Finds the object of a benchmark in the output of several. @throws Error if there is none */
export function measuredIn({ stdout, stderr, status }: ReturnType<typeof runBench>, name: string) {
  const line = stdout.split("\n").find((text) => text.startsWith(`{"name":"${name}",`));
  if (line === undefined)
    throw new Error(`${name} was not measured: exit code ${status}, ${stderr}`);
  return JSON.parse(line) as Measured;
}
