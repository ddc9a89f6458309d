import { isOwnStrategy } from "../../../bot/config/strategy-name.js";
import type { StrategyFile } from "../../../bot/journal/journal.js";
import { hashFile } from "../../../history/file-hash.js";
import type { BacktestConfig } from "../../config/backtest-config.js";
import { ChangedInput } from "../../run/opening/changed-input.js";

/**
 * Checksums of the files that runs read beside their history, by path: strategy files, each with
 * the user's own files that it imports, and files of round trips.
 */
export type InputChecksums = Readonly<Record<string, string>>;

/** The files that a configuration names beside the history. */
function inputPaths({ bot, fills: { latencyFile } }: BacktestConfig): string[] {
  const strategies = Object.values(bot.markets).flatMap(({ strategy }) =>
    strategy !== undefined && isOwnStrategy(strategy) ? [strategy] : [],
  );
  return [...new Set([...strategies, ...(latencyFile === undefined ? [] : [latencyFile])])];
}

/** The checksums of the files that a configuration names. */
export function selectInputs(config: BacktestConfig, all: InputChecksums): InputChecksums {
  return Object.fromEntries(inputPaths(config).map((path) => [path, all[path] as string]));
}

/**
 * The checksums of the files of round trips that configurations name.
 * @throws Error of the system where one cannot be read
 */
export async function hashLatencyFiles(
  configs: readonly BacktestConfig[],
): Promise<InputChecksums> {
  const sums: Record<string, string> = {};
  for (const { fills } of configs)
    if (fills.latencyFile !== undefined)
      sums[fills.latencyFile] ??= await hashFile(fills.latencyFile);
  return sums;
}

/** The checksums of strategies that are files. */
export function strategyChecksums(files: Readonly<Record<string, StrategyFile>>): InputChecksums {
  return Object.fromEntries(Object.values(files).map(({ name, sha256 }) => [name, sha256]));
}

/**
 * A key that is equal for two jobs with the same strategies and the same content of their files.
 */
export function strategiesKey({ bot }: BacktestConfig, inputs: InputChecksums): string {
  return JSON.stringify(
    Object.entries(bot.markets).map(([id, { strategy = "" }]) => [id, strategy, inputs[strategy]]),
  );
}

/**
 * @param found on this machine, now.
 * @throws ChangedInput naming a file that differs from the job's
 */
export function requireInputs(wanted: InputChecksums, found: InputChecksums): void {
  for (const [path, sha256] of Object.entries(found)) {
    if (wanted[path] === sha256) continue;
    throw new ChangedInput(
      "differs from the sweep's: the file or one that it imports has changed since the sweep began",
      {
        field: path,
        value: sha256,
        expected: `a file with SHA-256 ${wanted[path]}`,
      },
    );
  }
}
