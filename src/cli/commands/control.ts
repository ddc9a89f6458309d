import { createAccountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotOrders } from "../../bot/config/config.js";
import {
  type BotSelector,
  findRunningBot,
  findRunningBotOfFile,
  sendToRunningBot,
} from "../../bot/control/control-client.js";
import { type ControlRequest, controlCommandSchema } from "../../bot/control/control-protocol.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { haltRunningBot } from "../halts/halt-running-bot.js";
import { commandStoppedBot, type StoppedBotStatus } from "../halts/stopped-bot.js";
import { ReportedFailure } from "../process/exit.js";
import { printData } from "../process/output.js";

/**
 * Sends a command to a running bot, and prints its response. @throws ReportedFailure if a resume
 * changed nothing
 */
export async function controlCommand(
  context: CliContext,
  file: string | undefined,
  request: ControlRequest,
  json: boolean | undefined,
): Promise<void> {
  const checkedRequest = checked(request);
  const { answer, note } = await answerOf(context, file, checkedRequest);
  printData(context, answer, json);
  if (note === undefined) return;
  context.stderr.write(`marketwright: ${note}\n`);
  throw new ReportedFailure();
}

/** The result of a command, and its problem if there is one. */
interface Answer {
  readonly answer: unknown;
  readonly note?: string | undefined;
}

/**
 * A halt or a resume applies to the account, even if its bot does not run. Without a file, the bot
 * must run to be found.
 */
async function answerOf(
  context: CliContext,
  file: string | undefined,
  checkedRequest: ControlRequest,
): Promise<Answer> {
  const { env, runtime } = context;
  const command = controlCommandSchema.parse(checkedRequest);
  const isKept = command.command === "halt" || command.command === "resume";
  const choice: BotSelector = { file, env, accountFor: (named) => accountOf(named, env) };
  if (isKept && file !== undefined && (await findRunningBotOfFile(file, choice)) === undefined) {
    const unstarted = await commandStoppedBot(context, file, command);
    return { answer: unstarted, note: unresumedText(unstarted, command.marketId) };
  }
  const bot = await findRunningBot(choice);
  return {
    answer: await (command.command === "halt"
      ? haltRunningBot(context, bot, command)
      : sendToRunningBot(bot, checkedRequest, runtime.clock)),
  };
}

/**
 * Reason why resuming a bot that does not run changed nothing; undefined if it did change
 * something, and for a halt.
 */
function unresumedText(
  { halts, resumed }: StoppedBotStatus,
  marketId: MarketId | undefined,
): string | undefined {
  if (resumed === undefined || resumed.length > 0) return undefined;
  if (halts.length > 0)
    return `nothing was resumed: ${marketId} has no halt to resume. Elsewhere there is ${halts.map(({ name }) => name).join(", ")}; the command without --market resumes all`;
  return "nothing was resumed: the bot does not run, and no halt waits for its next start. When it starts, it checks its strategies, the exchange's rules and its other guards again";
}

/**
 * @throws ConfigError for an invalid file or a missing key, RunError for a keystore that cannot be
 * decrypted.
 */
function accountOf(file: string, env: CliContext["env"]): string {
  const { account } = loadBotOrders(file, env);
  return createAccountSigner(account, readAccountKey(account, env)).address;
}

const OPTIONS: Readonly<Record<string, { readonly flag: string; readonly expected: string }>> = {
  marketId: { flag: "--market", expected: "a market's id, such as btcusdc" },
  reason: { flag: "--reason", expected: "1 to 200 characters" },
  sliceBase: { flag: "--slice-base", expected: "a decimal number above zero, such as 0.1" },
};

/** A request that no bot would accept is wrong usage, even if none runs. */
function checked(request: ControlRequest): ControlRequest {
  const issue = controlCommandSchema.safeParse(request).error?.issues[0];
  const key = String(issue?.path[0]);
  const option = OPTIONS[key];
  if (issue === undefined || option === undefined) return request;
  const value = (request as Readonly<Record<string, unknown>>)[key];
  throw new ConfigError("is not valid", {
    field: option.flag,
    value,
    expected: option.expected,
  });
}
