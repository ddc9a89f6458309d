import { basename, dirname, join, resolve } from "node:path";
import { loadBotConfig } from "../../bot/config/config.js";
import { checkOnGrid } from "../../bot/config/config-grid.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { CliContext } from "../cli-context.js";
import { BOT_TEMPLATES } from "../init/bot-templates.js";
import {
  chooseBalance,
  chooseKey,
  type KeyOptions,
  relativeToFolder,
} from "../init/choose-account.js";
import {
  type ChosenExchange,
  chooseExchange,
  chooseMarkets,
  chooseRpc,
  type ExchangeAddressOptions,
} from "../init/choose-exchange.js";
import { chooseBot, chooseRisk, findRisk } from "../init/choose-strategy.js";
import { type Choice, Chooser } from "../init/chooser.js";
import { type ConfigLine, explainedValues } from "../init/config-line.js";
import { findRepositoryFolder, initStrategyCommand } from "../init/init-strategy.js";
import { checkNewBotFile, type ReplacedFile, writeNewFiles } from "../init/new-files.js";
import { type NextCommand, nextCommands } from "../init/next-commands.js";
import { proposeBot } from "../init/propose-bot.js";
import { type BotHeader, renderBot, renderEnvExample, variableNames } from "../init/render-bot.js";
import { RISK_APPETITES } from "../init/risk-appetites.js";
import { jsonText, table } from "../process/output.js";
import { TerminalPrompt } from "../process/terminal-prompt.js";

export interface InitCommandOptions extends ExchangeAddressOptions, KeyOptions {
  /** True if given without a name: lists the templates. */
  readonly template?: string | true;
  /** True without a name: writes a repository, as a name that is a folder does. */
  readonly strategy?: string | true;
  readonly market?: readonly string[];
  readonly risk?: string;
  readonly balance?: string;
  readonly rpc?: string;
  readonly rpcEnv?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Left behind by an interrupted command, which writes only at its end. */
const INIT_LEAVES = "no file was left half written";

/** Everything that was chosen, for the report. */
type Choices = Readonly<Record<string, Pick<Choice<unknown>, "text" | "source">>>;

/**
 * Writes a bot's file and an example of its environment, from options, answers and the exchange's
 * data.
 */
export async function initCommand(
  context: CliContext,
  file: string | undefined,
  options: InitCommandOptions,
): Promise<void> {
  if (options.template === true) {
    listTemplates(context, options.json);
    return;
  }
  const { strategy } = options;
  const folder = findRepositoryFolder(strategy, file);
  if (strategy === true || folder !== undefined) {
    initStrategyCommand(context, folder ?? "", { ...options });
    return;
  }
  const written = file ?? "bot.yaml";
  const path = resolve(written);
  checkNewBotFile(path, written, options.force === true);
  const isSilent = options.yes === true || options.json === true;
  const prompt =
    context.terminal === undefined || isSilent
      ? undefined
      : new TerminalPrompt(context.terminal, INIT_LEAVES);
  const work = writeBot(context, new Chooser(prompt, context.stderr), {
    ...options,
    template: options.template,
    strategy,
    written,
    path,
  });
  try {
    await (prompt === undefined ? work : Promise.race([work, prompt.ended]));
  } finally {
    prompt?.close();
  }
}

function listTemplates(context: CliContext, json: boolean | undefined): void {
  const list = Object.entries(BOT_TEMPLATES);
  context.stdout.write(
    json === true
      ? jsonText(
          list.map(([name, { description }]) => ({ name, description })),
          2,
        )
      : table(list.map(([name, { description }]) => [name, description])),
  );
}

interface BotRequest extends Omit<InitCommandOptions, "strategy" | "template"> {
  readonly template: string | undefined;
  readonly strategy: string | undefined;
  /** Path of the file, as it was written. */
  readonly written: string;
  readonly path: string;
}

async function writeBot(context: CliContext, chooser: Chooser, request: BotRequest): Promise<void> {
  // A wrong option is an error before the exchange is read or anything is asked.
  if (request.risk !== undefined) findRisk(request.risk);
  const exchange = await chooseExchange(context, chooser, request);
  try {
    await writeBotFor(context, chooser, request, exchange);
  } finally {
    exchange.value.close();
  }
}

async function writeBotFor(
  context: CliContext,
  chooser: Chooser,
  request: BotRequest,
  exchange: Choice<ChosenExchange>,
): Promise<void> {
  const { path, template, strategy } = request;
  const { rules, rest, stream, isLocal } = exchange.value;
  const key = await chooseKey(context, chooser, request);
  const bot = await chooseBot(chooser, path, {
    ...(template === undefined ? {} : { template }),
    ...(strategy === undefined ? {} : { strategy }),
  });
  const { liquidates, makesMarkets } = bot.value.template;
  const markets = await chooseMarkets(context, chooser, exchange.value, {
    given: request.market,
    all: !makesMarkets,
  });
  const rpc = liquidates
    ? await chooseRpc(chooser, exchange.value, { ...request, env: context.env })
    : undefined;
  const propose = (balance: bigint, appetite: keyof typeof RISK_APPETITES) =>
    proposeBot({
      rules,
      markets: markets.value,
      balance,
      appetite: RISK_APPETITES[appetite],
      strategy: bot.value.strategy,
      liquidates,
      isLocal,
    });
  const balance = await chooseBalance(context, chooser, exchange.value, {
    given: request.balance,
    signer: key.value.signer,
    // Sizes below the smallest orders do not depend on the appetite.
    check: (amount) => void propose(amount, "balanced"),
  });
  const risk = await chooseRisk(chooser, request.risk);
  const proposed = propose(balance.value, risk.value);
  const choices: Choices = {
    exchange: { text: rest, source: exchange.source },
    key,
    strategy: bot,
    markets: { ...markets, text: markets.value.map(({ marketId }) => marketId).join(", ") },
    ...(rpc === undefined ? {} : { rpc }),
    balance: { ...balance, text: scaledToDecimal(balance.value, rules.creditDecimals) },
    risk,
  };
  const folder = dirname(path);
  const header: BotHeader = {
    folder,
    name: basename(path),
    notes: notesOn(choices),
    rest,
    stream,
    key: relativeToFolder(key.value.source, folder),
    rpc: rpc?.value,
  };
  finish(context, request, { header, proposed, choices, exchange: exchange.value });
}

/** Writes the files, and reports them. */
function finish(
  context: CliContext,
  { path, written, force, json }: BotRequest,
  {
    header,
    proposed,
    choices,
    exchange: { rules, isLocal },
  }: {
    readonly header: BotHeader;
    readonly proposed: readonly ConfigLine[];
    readonly choices: Choices;
    readonly exchange: ChosenExchange;
  },
): void {
  const envName = basename(path).replace(/\.ya?ml$/, ".env");
  const envPath = join(header.folder, envName);
  const files = [
    { path, text: renderBot(header, proposed) },
    { path: `${envPath}.example`, text: renderEnvExample(header, envName) },
  ];
  const replaced = writeNewFiles(files, {
    force: force === true,
    // A file that the bot would refuse is never left behind.
    check: () => checkOnGrid(loadBotConfig(path, context.env, { key: "unused" }), rules),
  });
  const seenFolder = dirname(written);
  const seen = (name: string): string => (seenFolder === "." ? name : join(seenFolder, name));
  const next = nextCommands({
    file: seen(header.name),
    envFile: seen(envName),
    variables: variableNames(header),
    keyEnv: header.key.keyEnv,
    env: context.env,
    isLocal,
    script: context.script,
  });
  const report = { written: [seen(header.name), seen(`${envName}.example`)], replaced };
  context.stdout.write(
    json === true
      ? jsonText(
          {
            file: path,
            envExample: `${envPath}.example`,
            replaced,
            choices: Object.fromEntries(
              Object.entries(choices).map(([name, { text, source }]) => [
                name,
                { value: text, source },
              ]),
            ),
            proposals: explainedValues(proposed).map(({ path: at, value, reason }) => ({
              path: at.join("."),
              value,
              ...(reason === undefined ? {} : { reason }),
            })),
            next,
          },
          2,
        )
      : reportText(report, choices, next),
  );
}

const SOURCES = {
  option: "as the option says",
  answer: "as you answered",
  default: "by default",
  account: "the account's net value",
} as const;

function notesOn({ balance, risk }: Choices): readonly string[] {
  return [
    `Planned for a balance of ${balance?.text} quote (${SOURCES[balance?.source ?? "default"]}) and the risk appetite ${risk?.text}.`,
  ];
}

function reportText(
  {
    written,
    replaced,
  }: { readonly written: readonly string[]; readonly replaced: readonly ReplacedFile[] },
  choices: Choices,
  next: readonly NextCommand[],
): string {
  const kept = replaced.map(({ path, keptAs }) => `kept the old ${basename(path)} as ${keptAs}\n`);
  return [
    table(Object.entries(choices).map(([name, { text, source }]) => [name, text, SOURCES[source]])),
    `\n${kept.join("")}wrote ${written.join(" and ")}\n`,
    "\nType next:\n",
    ...next.map(({ command, does }) => `\n  # ${does}\n  ${command}\n`),
  ].join("");
}
