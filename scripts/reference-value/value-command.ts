import { parseArgs } from "node:util";
import { ConfigError } from "#core/errors.js";
import { writePageTables } from "../page-table.js";
import type { Arm } from "./value-arms.js";
import { missingCaptures } from "./value-captures.js";
import { runJobs, type ValueAnswer, type ValueJob } from "./value-pool.js";
import { MARKETS } from "./value-run.js";

/** A command that compares bots on seeds, and its page in docs/reference. */
export interface ValueCommand {
  /** Name of the command and of its page. */
  readonly name: string;
  readonly arms: readonly Arm[];
  /** The tables, by the names in the page's comments. */
  readonly render: (answers: readonly ValueAnswer[]) => Readonly<Record<string, string>>;
}

/**
 * Runs the bots on every market and seed. Prints the tables; with `--write` those of the page are
 * replaced.
 */
export async function runValueCommand({ name, arms, render }: ValueCommand): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1-50" },
      processes: { type: "string", default: "2" },
      write: { type: "boolean", default: false },
    },
  });
  const seeds = seedsFrom(values.seeds);
  const processes = wholeNumber("--processes", values.processes, 1, 64);
  const missing = missingCaptures();
  if (missing.length > 0) {
    process.stderr.write(
      `the recorded prices are not on this machine (MARKETWRIGHT_DATA): ${missing.join(", ")}\n`,
    );
    return;
  }
  const jobs = MARKETS.flatMap((market) =>
    seeds.flatMap((seed) => arms.map((arm): ValueJob => ({ arm, seed, market }))),
  );
  let done = 0;
  const answers = await runJobs(jobs, processes, () => {
    done += 1;
    if (done % 20 === 0) process.stderr.write(`${done} of ${jobs.length} runs are done\n`);
  });
  const tables = render(answers);
  if (values.write) writePageTables(name, tables);
  else process.stdout.write(`${Object.values(tables).join("\n\n")}\n`);
}

function seedsFrom(text: string): readonly number[] {
  const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? match?.[1]);
  if (first >= 1 && first < last) {
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  }
  throw new ConfigError("is not a range of seeds", {
    field: "--seeds",
    value: text,
    expected: "two whole numbers such as 1-50: an interval needs two seeds at least",
  });
}

function wholeNumber(field: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text !== "" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ConfigError("is not a whole number in its range", {
    field,
    value: text,
    expected: `from ${least} to ${most}`,
  });
}
