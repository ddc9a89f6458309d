import { resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { type BotConfig, loadBotConfig } from "../../bot/config/config.js";
import type { RunSummary } from "../../bot/run/run-summary.js";
import { ConfigError } from "../../core/errors.js";
import type { CliContext } from "../cli-context.js";
import { type Companion, startCompanion } from "../companion.js";
import { parseDuration } from "../duration.js";
import { endWith } from "../end-with.js";
import { loadExchangeConfig } from "../load-exchange-config.js";
import { packageFile } from "../package-files.js";
import { freshAccount } from "../start-account.js";
import { orAborted, untilInterrupted } from "../until-interrupted.js";

interface StartOptions {
  readonly exchange?: string;
  readonly for?: string;
  readonly json?: boolean;
  readonly screen: boolean;
}

const whereSchema = z.object({ restUrl: z.string(), streamUrl: z.string() });

/** `marketwright start`: what `npm start` runs. */
export function addStart(program: Command, context: CliContext): void {
  program
    .command("start")
    .description("start the embedded exchange, a bot that makes a market on it with a fresh key, and its guard; Ctrl-C ends all three")
    .argument("[file]", "the bot's YAML file (default: the one that comes with the package)")
    .option("--exchange <file>", "the exchange's YAML file (default: the one that comes with the package)")
    .option("--for <duration>", "stop by itself after so long: 30s, 5m, 1h")
    .option("--json", "print one JSON object at the end; no live screen")
    .option("--no-screen", "log instead of the live screen")
    .action(async (file: string | undefined, options: StartOptions) => {
      const forMs = options.for === undefined ? undefined : parseDuration(options.for, "--for");
      const botFile = resolve(file ?? packageFile("config/bot.yaml"));
      const exchangeFile = resolve(options.exchange ?? packageFile("config/exchange.yaml"));
      loadExchangeConfig(exchangeFile);
      const config = loadBotConfig(botFile, context.env, { key: "unused" });
      const { env, store, keyPath, over } = freshAccount(context, config);
      context.stderr.write(`a fresh account for this start; its key is in ${keyPath}\n`);
      const { clock } = context.seam;
      const companions: Companion[] = [];
      let summary: RunSummary | undefined;
      const start = async (name: string, args: readonly string[]): Promise<string> => {
        const { companion, firstLine } = await startCompanion({
          name,
          script: context.script,
          args,
          env,
          logFile: store.pathOf(`${name}.log`),
          clock,
        });
        companions.unshift(companion);
        return firstLine;
      };
      try {
        // What runs a bot is loaded while the exchange opens, not before it.
        const opened = start("exchange", ["exchange", exchangeFile, "--json"]);
        const [where, { runSession }] = await untilInterrupted(context, "nothing was traded", (signal) =>
          orAborted(signal, Promise.all([opened, import("../run-session.js")])),
        );
        requireSameExchange(where, config);
        const guard = start("guard", ["guard", botFile, "--json"]).then(() => {});
        // A session that ends before it waits for the guard has its own error to tell.
        guard.catch(() => {});
        const screen = options.screen && options.json !== true;
        summary = await runSession({ ...context, env }, { config, forMs, dryRun: false, screen, companions, beside: guard });
        endWith(context, summary, { file: botFile, dryRun: false, json: options.json });
      } finally {
        over(summary);
        for (const companion of companions) await companion.stop();
      }
    });
}

function requireSameExchange(line: string, { exchange }: BotConfig): void {
  const { restUrl, streamUrl } = whereSchema.parse(JSON.parse(line));
  if (restUrl === exchange.rest && streamUrl === exchange.stream) return;
  throw new ConfigError("names another exchange than the one that was started", {
    field: "exchange.rest, exchange.stream",
    value: `${exchange.rest}, ${exchange.stream}`,
    expected: `${restUrl}, ${streamUrl}`,
  });
}
