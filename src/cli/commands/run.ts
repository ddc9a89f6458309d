import type { Command } from "commander";
import { loadBotConfig } from "../../bot/config/config.js";
import type { RunSummary } from "../../bot/run/run-summary.js";
import type { CliContext } from "../cli-context.js";
import { parseDuration } from "../duration.js";
import { NotWell } from "../exit.js";
import { printData } from "../output.js";
import { runSession } from "../run-session.js";

interface RunOptions {
  readonly for?: string;
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly journal?: string;
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
    .option("--dry-run", "live streams, nothing sent: what would be done is logged")
    .option("--journal <file>", "record the run, for marketwright replay")
    .option("--no-screen", "log instead of the live screen")
    .action(async (file: string, options: RunOptions) => {
      const forMs = options.for === undefined ? undefined : parseDuration(options.for, "--for");
      const config = loadBotConfig(file, context.env);
      const dryRun = options.dryRun === true;
      const screen = options.screen && options.json !== true && !dryRun;
      const summary = await runSession(context, {
        config,
        forMs,
        dryRun,
        journalPath: options.journal,
        screen,
        guardCommand: `npx marketwright guard ${file}`,
      });
      endWith(context, summary, options.json);
    });
}

/** Prints a run's summary. @throws NotWell when an order of ours may still fill: its fate is named. */
export function endWith(context: CliContext, summary: RunSummary, json: boolean | undefined): void {
  printData(context, summary, json);
  const { ordersLeft, openOrdersLeft } = summary;
  if (ordersLeft.length === 0 && (openOrdersLeft ?? 0) === 0) return;
  const named = ordersLeft.map(({ marketId, hash, phase }) => `${marketId} ${hash} (${phase})`).join(", ");
  context.stderr.write(
    `marketwright: orders that may still fill are left: ${named === "" ? `${openOrdersLeft} open at the exchange` : named}\n`,
  );
  throw new NotWell();
}
