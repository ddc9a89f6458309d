import { resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { readAccountKey } from "../../bot/config/account-key.js";
import { type BotConfig, loadBotConfig } from "../../bot/config/config.js";
import { FileStateStore, stateDirOf } from "../../bot/state/state-dir.js";
import { ConfigError } from "../../core/errors.js";
import type { Random } from "../../core/seam.js";
import { ecdsaScheme } from "../../core/signing.js";
import type { Hex } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { type Companion, startCompanion } from "../companion.js";
import { parseDuration } from "../duration.js";
import { loadExchangeConfig } from "../load-exchange-config.js";
import { packageFile } from "../package-files.js";
import { runSession } from "../run-session.js";
import { endWith } from "./run.js";

interface StartOptions {
  readonly exchange?: string;
  readonly for?: string;
  readonly json?: boolean;
  readonly screen: boolean;
}

const whereSchema = z.object({ restUrl: z.string(), streamUrl: z.string() });

/** File of the state directory that holds the key of a started bot. */
const KEY_FILE = "key";

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
      const { env, store } = freshAccount(context, config);
      context.stderr.write(`a fresh account for this start; its key is in ${store.pathOf(KEY_FILE)}\n`);
      const { clock } = context.seam;
      const companions: Companion[] = [];
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
        requireSameExchange(await start("exchange", ["exchange", exchangeFile, "--json"]), config);
        const guard = start("guard", ["guard", botFile, "--json"]);
        guard.catch(() => {});
        const screen = options.screen && options.json !== true;
        const summary = await runSession(
          { ...context, env },
          { config, forMs, dryRun: false, screen, companions, beside: guard.then(() => {}) },
        );
        endWith(context, summary, options.json);
      } finally {
        for (const companion of companions) await companion.stop();
      }
    });
}

/** A key that nobody has had before, in the state directory of its own account. */
function freshAccount(
  context: CliContext,
  config: BotConfig,
): { env: Readonly<Record<string, string | undefined>>; store: FileStateStore } {
  const { keyEnv } = config.account;
  const env = { ...context.env, [keyEnv]: randomKey(context.seam.random) };
  const store = new FileStateStore(stateDirOf(config, ecdsaScheme.signer(readAccountKey(keyEnv, env)).address));
  store.write(KEY_FILE, `${env[keyEnv]}\n`);
  return { env, store };
}

/** 256 random bits; that they are no private key has a chance of 2^-128, and is then refused. */
function randomKey(random: Random): Hex {
  const words = Array.from({ length: 4 }, () => random.uint64().toString(16).padStart(16, "0"));
  return `0x${words.join("")}`;
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
