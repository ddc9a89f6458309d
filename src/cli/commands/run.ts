import { type BotConfig, loadBotConfig } from "../../bot/config/config.js";
import { paperModels } from "../../bot/config/fields/paper-fields.js";
import { ConfigError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { CliContext } from "../cli-context.js";
import { parseDuration } from "../duration.js";
import { reportRunEnd } from "../session/report-run-end.js";
import { runSession } from "../session/run-session.js";

export interface RunCommandOptions {
  readonly for?: string;
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly journal?: string;
  readonly record?: string;
  readonly fills: boolean;
  readonly screen: boolean;
}

/** Runs a bot until it stops or a signal arrives. */
export async function runCommand(
  context: CliContext,
  file: string,
  options: RunCommandOptions,
): Promise<void> {
  const forMs = options.for === undefined ? undefined : parseDuration(options.for, "--for");
  const loaded = loadBotConfig(file, context.env);
  const dryRun = options.dryRun === true;
  if (!options.fills && !dryRun)
    throw new ConfigError("needs a dry run", {
      field: "--no-fills",
      expected: "--dry-run beside it",
    });
  // A server does not build an order that is never sent.
  const config: BotConfig =
    dryRun && options.fills
      ? { ...loaded, exchange: { ...loaded.exchange, placement: "local" } }
      : loaded;
  const screen = options.screen && options.json !== true && !dryRun;
  const summary = await runSession(context, {
    config,
    forMs,
    dryRun,
    journalPath: options.journal,
    recordFolder: options.record,
    paper: dryRun && options.fills ? paperModels(config) : undefined,
    screen,
    guardCommand: `marketwright guard ${shellWord(file)}`,
    notifyCommand: `marketwright notify ${shellWord(file)}`,
    cancelCommand: `marketwright cancel-all ${shellWord(file)}`,
  });
  reportRunEnd(context, summary, { file, dryRun, json: options.json });
}
