import type { Command } from "commander";
import { type BotConfig, loadBotConfig } from "../../bot/config/config.js";
import { paperModels } from "../../bot/config/paper-fields.js";
import { ConfigError } from "../../core/errors.js";
import type { CliContext } from "../cli-context.js";
import { parseDuration } from "../duration.js";
import { endWith } from "../session/end-with.js";
import { runSession } from "../session/run-session.js";

interface RunOptions {
  readonly for?: string;
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly journal?: string;
  readonly record?: string;
  readonly fills: boolean;
  readonly screen: boolean;
}

/** `marketwright run bot.yaml` */
export function addRun(program: Command, context: CliContext): void {
  program
    .command("run")
    .description(
      "run the bot that a file describes until SIGINT or SIGTERM; it cancels its orders, and waits for their fate, before it leaves",
    )
    .argument("<file>", "the bot's YAML file")
    .option("--for <duration>", "stop by itself after so long: 30s, 5m, 1h")
    .option("--json", "print one JSON object at the end; no live screen")
    .option("--dry-run", "live streams, nothing sent: orders are filled here, on paper")
    .option("--no-fills", "of a dry run: nothing is filled, what would be done is logged")
    .option("--journal <file>", "record the run, for marketwright replay")
    .option(
      "--record <folder>",
      "record the session, its market, orders, fills and intents, for marketwright compare",
    )
    .option("--no-screen", "log instead of the live screen")
    .action(async (file: string, options: RunOptions) => {
      const forMs = options.for === undefined ? undefined : parseDuration(options.for, "--for");
      const loaded = loadBotConfig(file, context.env);
      const dryRun = options.dryRun === true;
      if (!options.fills && !dryRun)
        throw new ConfigError("is of a dry run", {
          field: "--no-fills",
          expected: "--dry-run beside it",
        });
      // No server builds an order that is never sent.
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
        guardCommand: `npx marketwright guard ${file}`,
        cancelCommand: `npx marketwright cancel-all ${file}`,
      });
      endWith(context, summary, { file, dryRun, json: options.json });
    });
}
