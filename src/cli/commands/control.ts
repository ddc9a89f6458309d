import { loadBotOrders } from "../../bot/config/config.js";
import {
  type BotSelector,
  findRunningBot,
  findRunningBotOfFile,
  sendToRunningBot,
} from "../../bot/control/control-client.js";
import {
  type OperatorCommand,
  type OperatorRequest,
  operatorCommandSchema,
} from "../../bot/control/control-protocol.js";
import { HEARTBEAT_FILE, mayArriveUntilMs } from "../../bot/state/heartbeat.js";
import type { RunningBotEntry } from "../../bot/state/running-bots.js";
import { stateDirFor } from "../../bot/state/state-dir.js";
import { ConfigError, FormatError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { accountOfFile } from "../control/account-of-file.js";
import { describeCommand, whyNotFlattening } from "../control/describe-command.js";
import { describeStoppedBot, readStoppedBotStatus } from "../control/describe-stopped-bot.js";
import { formatStatus } from "../control/format-status.js";
import { countCancelled, countOpenOrders } from "../control/market-figures.js";
import { readControlAnswer } from "../control/read-answer.js";
import { waitForBot } from "../control/wait-for-bot.js";
import { openExistingState } from "../halts/existing-state.js";
import { haltRunningBot } from "../halts/halt-running-bot.js";
import { commandStoppedBot, type StoppedBotStatus } from "../halts/stopped-bot.js";
import { ReportedFailure } from "../process/exit.js";
import { printData } from "../process/output.js";
import { untilInterrupted } from "../process/until-interrupted.js";
import type { CommandOutcome } from "../session/control-handler.js";

/** Options of a command to a bot. */
export interface ControlCommandOptions {
  readonly json: boolean | undefined;
  /** How long to wait for the end of a halt or a flatten; undefined does not wait. */
  readonly waitMs?: Ms | undefined;
}

/**
 * Sends a command to a running bot, and prints its response: the whole status as JSON, or a few
 * lines for a person.
 * @throws ReportedFailure if the command, or a wait for its end, did not do what it is for; the
 * reason is printed
 */
export async function controlCommand(
  context: CliContext,
  file: string | undefined,
  request: OperatorRequest,
  { json, waitMs }: ControlCommandOptions,
): Promise<void> {
  const checkedRequest = checked(request);
  const { data, text, problem } = await answerOf(context, file, checkedRequest, waitMs);
  if (json === true || text === undefined) printData(context, data, json);
  else context.stdout.write(text);
  const auditError = readAuditError(data);
  if (auditError !== undefined)
    context.stderr.write(`marketwright: done, but not in the audit file: ${auditError}\n`);
  if (problem === undefined) return;
  context.stderr.write(`marketwright: ${problem}\n`);
  throw new ReportedFailure();
}

/** Why the command is not in the audit file; undefined if it is. */
function readAuditError(data: unknown): string | undefined {
  return typeof data === "object" && data !== null && "auditError" in data
    ? String(data.auditError)
    : undefined;
}

/** The result of a command. */
interface Answer {
  readonly data: unknown;
  /** For a person; undefined for an answer of another version of the program. */
  readonly text: string | undefined;
  readonly problem?: string | undefined;
}

/**
 * A halt or a resume applies to the account, even if its bot does not run. Without a file, the bot
 * must run to be found.
 */
async function answerOf(
  context: CliContext,
  file: string | undefined,
  checkedRequest: OperatorRequest,
  waitMs: Ms | undefined,
): Promise<Answer> {
  const { env, runtime } = context;
  const command = operatorCommandSchema.parse(checkedRequest);
  const isKept = command.command === "halt" || command.command === "resume";
  const choice: BotSelector = { file, env, accountFor: (named) => accountOfFile(named, env) };
  const resume = `marketwright resume${file === undefined ? "" : ` ${shellWord(file)}`}`;
  if (isKept && file !== undefined && (await findRunningBotOfFile(file, choice)) === undefined) {
    const unstarted = await commandStoppedBot(context, file, command);
    return {
      data: unstarted,
      text: describeStoppedBot(unstarted, resume),
      problem:
        unresumedText(unstarted, command.marketId) ??
        (waitMs === undefined ? undefined : openOrdersUnknown(file, env)),
    };
  }
  const bot = await findRunningBot(choice);
  const data = await (command.command === "halt"
    ? haltRunningBot(context, bot, command)
    : sendToRunningBot(bot, checkedRequest, runtime.clock));
  if (waitMs === undefined) return describeAnswer(data, command, resume);
  // The program's own message of an interrupt comes first; this one ends the wait.
  return untilInterrupted(context, "the bot goes on with it", (signal) =>
    waitForEnd(context, { bot, data, command, resume, forMs: waitMs, signal }),
  );
}

/** Describes the answer of a bot that was not waited for. */
function describeAnswer(data: unknown, command: OperatorCommand, resume: string): Answer {
  const answer = readControlAnswer(data);
  if (answer === undefined) {
    const stopped = readStoppedBotStatus(data);
    return { data, text: stopped === undefined ? undefined : describeStoppedBot(stopped, resume) };
  }
  const { outcome } = answer;
  if (command.command === "status") return { data, text: formatStatus(answer, resume) };
  if (outcome === undefined) return { data, text: undefined };
  return {
    data,
    text: describeCommand({ answer, outcome, resume, maxSlippageBps: slippageOf(command) }),
    problem:
      command.command === "flatten" ? whyNotFlattening(answer, outcome.marketIds) : undefined,
  };
}

interface EndOptions {
  readonly bot: RunningBotEntry;
  /** The answer to the command. */
  readonly data: unknown;
  readonly command: OperatorCommand;
  readonly resume: string;
  readonly forMs: Ms;
  readonly signal: AbortSignal;
}

async function waitForEnd(
  context: CliContext,
  { bot, data, command, resume, forMs, signal }: EndOptions,
): Promise<Answer> {
  const described = describeAnswer(data, command, resume);
  const first = readControlAnswer(data);
  const outcome = first?.outcome;
  // A flatten that trades nothing has no end to wait for, and another version none that is known.
  if (described.problem !== undefined || described.text === undefined) return described;
  const marketId = command.command === "status" ? undefined : command.marketId;
  const { answer, problem } = await waitForBot(context, {
    bot,
    goal: command.command === "flatten" ? "flat" : "no-orders",
    marketIds: outcome?.marketIds ?? (marketId === undefined ? undefined : [marketId]),
    forMs,
    first,
    signal,
  });
  if (answer === undefined) return { ...described, problem };
  const { command: name } = command;
  const shown: CommandOutcome = outcome ?? {
    command: name === "status" ? "halt" : name,
    marketIds: marketId === undefined ? Object.keys(answer.markets) : [marketId],
    endedHalts: [],
    abandonedFlattening: [],
  };
  const waited =
    first === undefined
      ? undefined
      : {
          openOrders: countOpenOrders(first, shown.marketIds),
          cancelled:
            countCancelled(answer, shown.marketIds) - countCancelled(first, shown.marketIds),
        };
  return {
    data: { ...answer, outcome: { ...shown, ...waited } },
    text: describeCommand({
      answer,
      outcome: shown,
      waited,
      resume,
      maxSlippageBps: slippageOf(command),
    }),
    problem,
  };
}

function slippageOf(command: OperatorCommand): number {
  return command.command === "flatten" ? command.maxSlippageBps : 0;
}

/**
 * Why a halt of a bot that does not run cannot say that no order is open; undefined if its last run
 * made sure of it, or it never ran.
 */
function openOrdersUnknown(file: string, env: CliContext["env"]): string | undefined {
  const config = loadBotOrders(file, env);
  const heartbeat = openExistingState(stateDirFor(config, accountOfFile(file, env)))?.read(
    HEARTBEAT_FILE,
  );
  const { signatureWindowMs } = config.exchange;
  try {
    if (mayArriveUntilMs(heartbeat, signatureWindowMs) === undefined) return undefined;
  } catch (error) {
    // A broken heartbeat does not say that the bot left in order.
    if (!(error instanceof FormatError)) throw error;
  }
  return `the halt is written down, but the bot did not leave in order: its orders may still be open; marketwright cancel-all ${shellWord(file)} cancels them`;
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

const OPTIONS: Readonly<Record<string, { readonly flag: string; readonly expected: string }>> = {
  marketId: { flag: "--market", expected: "a market's id, such as btcusdc" },
  reason: { flag: "--reason", expected: "1 to 200 characters" },
  sliceBase: { flag: "--slice-base", expected: "a decimal number above zero, such as 0.1" },
};

/** A request that no bot would accept is wrong usage, even if none runs. */
function checked(request: OperatorRequest): OperatorRequest {
  const issue = operatorCommandSchema.safeParse(request).error?.issues[0];
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
