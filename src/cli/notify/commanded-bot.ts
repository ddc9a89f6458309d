import {
  type BotSelector,
  findRunningBotOfFile,
  sendToRunningBot,
} from "../../bot/control/control-client.js";
import { type OperatorRequest, operatorCommandSchema } from "../../bot/control/control-protocol.js";
import { appendAudit } from "../../bot/state/audit-log.js";
import type { RunningBotEntry } from "../../bot/state/running-bots.js";
import { RunError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import type { CommandedBot } from "../../notify/chat/chat-commands.js";
import type { CliContext } from "../cli-context.js";
import { accountOfFile } from "../control/account-of-file.js";
import { describeCommand, whyNotFlattening } from "../control/describe-command.js";
import { describeStoppedBot, readStoppedBotStatus } from "../control/describe-stopped-bot.js";
import { readControlAnswer } from "../control/read-answer.js";
import { haltRunningBot } from "../halts/halt-running-bot.js";
import { commandStoppedBot } from "../halts/stopped-bot.js";
import { chatStatusText } from "./chat-status.js";

/** Worst price of a flatten from a chat: the default of the command. */
const MAX_SLIPPAGE_BPS = 50;

/** The bot of a file, for the commands of a chat. @param directory its state directory */
export class BotOfFile implements CommandedBot {
  readonly #context: CliContext;
  readonly #file: string;
  readonly #directory: string;
  readonly #resume: string;

  constructor(context: CliContext, file: string, directory: string) {
    this.#context = context;
    this.#file = file;
    this.#directory = directory;
    this.#resume = `marketwright resume ${shellWord(file)}`;
  }

  /** The status as the bot answers it. @throws RunError if it does not run or does not answer */
  async #readStatus(): Promise<unknown> {
    const bot = await this.#find();
    if (bot === undefined) throw new RunError("the bot does not run");
    return sendToRunningBot(bot, { command: "status" }, this.#context.runtime.clock);
  }

  async status(): Promise<string> {
    if ((await this.#find()) === undefined) return "The bot does not run.";
    const answer = readControlAnswer(await this.#readStatus());
    return answer === undefined ? "The bot is starting or ending." : chatStatusText(answer);
  }

  async halt(marketId: string | undefined, reason: string): Promise<string> {
    const bot = await this.#find();
    const command = operatorCommandSchema.parse({ command: "halt", marketId, reason, via: "chat" });
    if (command.command !== "halt") throw new RunError("is not a halt");
    const known = bot?.state?.markets;
    if (marketId !== undefined && known?.includes(marketId) === false)
      throw this.#refused(
        { command: "halt", marketId },
        `${marketId} is not a market of this bot: it has ${known.join(", ")}`,
      );
    const data =
      bot === undefined
        ? await commandStoppedBot(this.#context, this.#file, command)
        : await haltRunningBot(this.#context, bot, command);
    return this.#describe(data);
  }

  async flatten(marketId: string | undefined): Promise<string> {
    const bot = await this.#find();
    const request: OperatorRequest = {
      command: "flatten",
      maxSlippageBps: MAX_SLIPPAGE_BPS,
      via: "chat",
      ...(marketId === undefined ? {} : { marketId }),
    };
    if (bot === undefined)
      throw this.#refused({ command: "flatten", marketId }, "the bot does not run");
    const data = await sendToRunningBot(bot, request, this.#context.runtime.clock);
    const answer = readControlAnswer(data);
    const problem =
      answer?.outcome === undefined
        ? undefined
        : whyNotFlattening(answer, answer.outcome.marketIds);
    return problem ?? this.#describe(data);
  }

  auditRefusal(command: Readonly<Record<string, unknown>>, reason: string): void {
    const atMs = this.#context.runtime.clock.nowMs();
    appendAudit(this.#directory, { atMs, via: "chat", command, outcome: "error", error: reason });
  }

  /** The error of a command that did not reach the bot, which writes down those that did. */
  #refused(command: Readonly<Record<string, unknown>>, reason: string): RunError {
    this.auditRefusal(command, reason);
    return new RunError(reason);
  }

  #find(): Promise<RunningBotEntry | undefined> {
    const { env } = this.#context;
    const choice: BotSelector = {
      file: this.#file,
      env,
      accountFor: (named) => accountOfFile(named, env),
    };
    return findRunningBotOfFile(this.#file, choice);
  }

  #describe(data: unknown): string {
    const answer = readControlAnswer(data);
    if (answer?.outcome !== undefined) {
      const { outcome } = answer;
      const about = { resume: this.#resume, maxSlippageBps: MAX_SLIPPAGE_BPS };
      return describeCommand({ answer, outcome, ...about });
    }
    const stopped = readStoppedBotStatus(data);
    return stopped === undefined ? "Done." : describeStoppedBot(stopped, this.#resume);
  }
}
