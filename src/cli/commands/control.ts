import { type Command, Option } from "commander";
import { accountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotOrders } from "../../bot/config/config.js";
import {
  askRunningBot,
  type BotChoice,
  botRunningFrom,
  findRunningBot,
} from "../../bot/control/control-client.js";
import { type ControlRequest, controlCommandSchema } from "../../bot/control/control-protocol.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { haltRunningBot } from "../halts/halt-running-bot.js";
import { tellStoppedBot, type UnstartedBot } from "../halts/stopped-bot.js";
import { NotWell } from "../process/exit.js";
import { printData } from "../process/output.js";

interface ControlOptions {
  readonly json?: boolean;
  readonly market?: string;
  readonly reason?: string;
  readonly maxSlippageBps?: string;
  readonly sliceBase?: string;
}

/** `marketwright status|halt|resume|flatten [bot.yaml]`: what is said to a running bot through its control socket. */
export function addControlCommands(program: Command, context: CliContext): void {
  controlCommand(program, context, "status", "what a running bot does now", () => ({
    command: "status",
  }));
  controlCommand(
    program,
    context,
    "halt",
    "take a bot's quotes down and keep them down, restarts included; of a bot that does not run, before it starts",
    ({ market, reason }) => ({
      command: "halt",
      marketId: market,
      reason,
    }),
  )
    .addOption(marketOption())
    .option("--reason <text>", "why, for the log and the screen");
  controlCommand(
    program,
    context,
    "resume",
    "let a halted bot quote again; one that does not run, when it is started",
    ({ market }) => ({
      command: "resume",
      marketId: market,
    }),
  ).addOption(marketOption());
  controlCommand(
    program,
    context,
    "flatten",
    "work a running bot's position to zero",
    ({ market, maxSlippageBps, sliceBase }) => ({
      command: "flatten",
      marketId: market,
      maxSlippageBps: maxSlippageBps === undefined ? undefined : slippageOf(maxSlippageBps),
      sliceBase,
    }),
  )
    .addOption(marketOption())
    .option("--max-slippage-bps <bps>", "never further from the touch than this (default: 50)")
    .option("--slice-base <amount>", "largest single order (default: the market's own limit)");
}

function controlCommand(
  program: Command,
  context: CliContext,
  name: string,
  description: string,
  request: (options: ControlOptions) => ControlRequest,
): Command {
  return program
    .command(name)
    .description(description)
    .argument("[file]", "the bot's file; without it, the only bot that runs")
    .option("--json", "JSON on stdout")
    .action(async (file: string | undefined, options: ControlOptions) => {
      const asked = checked(request(options));
      const { answer, note } = await answerOf(context, file, asked);
      printData(context, answer, options.json);
      if (note === undefined) return;
      context.stderr.write(`marketwright: ${note}\n`);
      throw new NotWell();
    });
}

/** What came of a command, and what is not well about it. */
interface Answer {
  readonly answer: unknown;
  readonly note?: string | undefined;
}

/** A halt and a resume are of the account, whether its bot runs now or not; without a file it has to run to be found. */
async function answerOf(
  context: CliContext,
  file: string | undefined,
  asked: ControlRequest,
): Promise<Answer> {
  const { env, seam } = context;
  const command = controlCommandSchema.parse(asked);
  const isKept = command.command === "halt" || command.command === "resume";
  const choice: BotChoice = { file, env, accountOf: (named) => accountOf(named, env) };
  if (isKept && file !== undefined && (await botRunningFrom(file, choice)) === undefined) {
    const unstarted = await tellStoppedBot(context, file, command);
    return { answer: unstarted, note: unresumedText(unstarted, command.marketId) };
  }
  const bot = await findRunningBot(choice);
  return {
    answer: await (command.command === "halt"
      ? haltRunningBot(context, bot, command)
      : askRunningBot(bot, asked, seam.clock)),
  };
}

/** Why a resume of a bot that does not run changed nothing; undefined where it did, and for a halt. */
function unresumedText(
  { halts, resumed }: UnstartedBot,
  marketId: MarketId | undefined,
): string | undefined {
  if (resumed === undefined || resumed.length > 0) return undefined;
  if (halts.length > 0)
    return `nothing was resumed: no halt waits in ${marketId}, and ${halts.map(({ name }) => name).join(", ")} elsewhere; without --market all of them end`;
  return "nothing was resumed: the bot does not run, and no halt waits for its next start; a failed strategy, changed rules and what else a bot finds itself is looked at anew when it starts";
}

/** @throws ConfigError for a file that is none or a key that is not there, RunError for a keystore that does not open. */
function accountOf(file: string, env: CliContext["env"]): string {
  const { account } = loadBotOrders(file, env);
  return accountSigner(account, readAccountKey(account, env)).address;
}

const OPTIONS: Readonly<Record<string, { readonly flag: string; readonly expected: string }>> = {
  marketId: { flag: "--market", expected: "a market's id, such as btcusdc" },
  reason: { flag: "--reason", expected: "1 to 200 characters" },
  sliceBase: { flag: "--slice-base", expected: "a decimal number above zero, such as 0.1" },
};

/** A request that no bot would take is wrong usage, whether one runs or not. */
function checked(request: ControlRequest): ControlRequest {
  const issue = controlCommandSchema.safeParse(request).error?.issues[0];
  const key = String(issue?.path[0]);
  const option = OPTIONS[key];
  if (issue === undefined || option === undefined) return request;
  const value = (request as Readonly<Record<string, unknown>>)[key];
  throw new ConfigError("is not what it should be", {
    field: option.flag,
    value,
    expected: option.expected,
  });
}

function marketOption(): Option {
  return new Option("--market <id>", "this market alone (default: all)");
}

function slippageOf(text: string): number {
  const bps = Number(text);
  if (text.trim() !== "" && bps > 0 && bps <= 10_000) return bps;
  throw new ConfigError("is no slippage", {
    field: "--max-slippage-bps",
    value: text,
    expected: "a number of basis points above 0, at most 10000",
  });
}
