import { resolve } from "node:path";
import { findConfigKind } from "../../../core/config/config-kind.js";
import { loadYamlFile } from "../../../core/config/config-yaml.js";
import { ConfigError } from "../../../core/errors.js";
import type { CliContext } from "../../cli-context.js";
import { parseWorkOptions, type WorkCommandOptions } from "./work-options.js";

const ONLY_LIVE = { dryRun: "--dry-run", journal: "--journal", record: "--record" } as const;
const ONLY_BACKTEST = { out: "--out", replace: "--replace" } as const;

/**
 * Works a position: of the account of a bot's file, or on the history of a backtest's file.
 * @throws ConfigError; ReportedFailure if the target was not reached; Interrupted after a signal
 */
export async function workCommand(
  context: CliContext,
  file: string,
  options: WorkCommandOptions,
): Promise<void> {
  const params = parseWorkOptions(options);
  if (findConfigKind(loadYamlFile(resolve(file))) === "backtest") {
    refuse(options, ONLY_LIVE, "a bot's file: a backtest has recorded streams only");
    const { workInBacktest } = await import("./work-in-backtest.js");
    return workInBacktest(context, file, { ...options, params });
  }
  refuse(options, ONLY_BACKTEST, "a backtest's file: a live run writes no report");
  const { workLive } = await import("./work-live.js");
  await workLive(context, file, { ...options, params });
}

function refuse<Name extends keyof WorkCommandOptions>(
  options: WorkCommandOptions,
  names: Readonly<Record<Name, string>>,
  expected: string,
): void {
  for (const [name, field] of Object.entries<string>(names))
    if (options[name as Name] !== undefined)
      throw new ConfigError("does not apply to this file", { field, expected });
}
