import { existsSync } from "node:fs";
import { createConnection } from "node:net";
import { resolve as resolvePath } from "node:path";
import { z } from "zod";
import { ConfigError, RunError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { findRunningBots, type RunningBotEntry, realPath } from "../state/running-bots.js";
import { type ControlRequest, type ControlResponse, LineReader } from "./control-protocol.js";
import { isListening } from "./control-server.js";

const answerSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      name: z.string(),
      message: z.string(),
      field: z.string().optional(),
      expected: z.string().optional(),
    }),
  }),
]);

/** Selects a bot: the one of a file, or the only one that runs. */
export interface BotSelector {
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The account that a bot started from this file here and now would trade. Called if several run
   * from one file, each with its own key, for example a paper bot beside a live one. @throws
   * ConfigError or RunError if the account cannot be determined.
   */
  readonly accountFor: (file: string) => string;
}

/**
 * The bot that runs from a file; undefined if none does.
 * @throws ConfigError if several do, and this terminal's key belongs to none of them.
 */
export async function findRunningBotOfFile(
  file: string,
  { env, accountFor }: BotSelector,
): Promise<RunningBotEntry | undefined> {
  return botOf(await findRunningBots(env, isListening), file, accountFor);
}

/**
 * The running bot that the command is for.
 * @throws RunError if none runs, ConfigError if several do and neither a file nor this terminal's
 * key selects one.
 */
export async function findRunningBot({
  file,
  env,
  accountFor,
}: BotSelector): Promise<RunningBotEntry> {
  const bots = await findRunningBots(env, isListening);
  if (file !== undefined) {
    const found = botOf(bots, file, accountFor);
    if (found !== undefined) return found;
    throw noBotRunsFrom(file, bots.length === 0 ? "a running bot" : `one of ${names(bots)}`);
  }
  const [first, second] = bots;
  if (first === undefined)
    throw new RunError("no bot of this user is running", {
      expected: "marketwright run bot.yaml, or npm start",
    });
  if (second !== undefined)
    throw new ConfigError("several bots are running", {
      field: "file",
      expected: `one of ${names(bots)}`,
    });
  return first;
}

/** The error for a file from which no bot runs. It says if there is no such file. */
export function noBotRunsFrom(file: string, expected: string): RunError {
  const isThere = existsSync(file);
  return new RunError(
    `no bot of this user runs from this file${isThere ? "" : ", which does not exist"}`,
    { field: "file", value: file, expected },
  );
}

/** Field of the error of a bot that did not answer, apart from those of its answers. */
export const CONTROL_SOCKET = "control socket";

/** Longest wait for a bot's answer. */
const ANSWER_WITHIN_MS: Ms = 10_000;

/** Sends a command to a bot of this user, as {@link sendControlRequest} does. */
export function sendToRunningBot(
  { socketPath, pid }: RunningBotEntry,
  request: ControlRequest,
  clock: Clock,
): Promise<unknown> {
  return sendControlRequest(
    socketPath,
    request,
    clock,
    ANSWER_WITHIN_MS,
    `the bot's process ${pid}`,
  );
}

/**
 * Sends a command to a bot and waits for the result.
 * @param name of the bot, for errors.
 * @throws RunError if the bot does not answer or answers that the command failed; ConfigError if it
 * answers that the command is wrong.
 */
export async function sendControlRequest(
  socketPath: string,
  request: ControlRequest,
  clock: Clock,
  timeoutMs: Ms = ANSWER_WITHIN_MS,
  name = "the bot",
): Promise<unknown> {
  const answer = await requestControlResponse(socketPath, request, clock, timeoutMs, name);
  if (answer.ok) return answer.data;
  throw refusal(answer.error);
}

/** Sends a command to a bot and waits for its response. @throws RunError if none comes. */
export function requestControlResponse(
  socketPath: string,
  request: ControlRequest,
  clock: Clock,
  timeoutMs: Ms = ANSWER_WITHIN_MS,
  name = "the bot",
): Promise<ControlResponse> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketPath);
    const reader = new LineReader();
    const end = (settle: () => void): void => {
      timer.cancel();
      socket.destroy();
      settle();
    };
    const fail = (summary: string, cause?: unknown): void =>
      end(() =>
        reject(
          new RunError(summary, {
            field: CONTROL_SOCKET,
            value: socketPath,
            expected: "a running bot that answers",
            cause,
          }),
        ),
      );
    const timer = clock.setTimer(timeoutMs, () =>
      fail(
        `${name} has not answered for ${timeoutMs / 1000} s: its event loop is busy, as in a strategy that does not return. Its log shows where. A signal ends the process; marketwright cancel-all cancels its orders`,
      ),
    );
    socket.setEncoding("utf8");
    socket.once("connect", () => socket.write(`${JSON.stringify(request)}\n`));
    socket.once("error", (cause) => fail(`cannot reach the bot (${cause.message})`, cause));
    socket.once("close", () => fail("the bot closed the connection before it answered"));
    socket.on("data", (chunk: string) => {
      const lines = reader.push(chunk);
      if (lines === undefined) return fail("the bot's answer is too long");
      const [line] = lines;
      if (line === undefined) return;
      let answer: ControlResponse;
      try {
        answer = answerSchema.parse(JSON.parse(line));
      } catch (cause) {
        return fail("the bot's answer is not valid", cause);
      }
      end(() => resolve(answer));
    });
  });
}

/** The bot's error, rebuilt with its kind: wrong usage or not. */
function refusal({
  name,
  message,
}: {
  readonly name: string;
  readonly message: string;
}): ConfigError | RunError {
  return name === ConfigError.name ? new ConfigError(message) : new RunError(message);
}

/**
 * An operator who halts because of news must not halt the paper bot by mistake. If the file does
 * not select a bot, its account must.
 */
function botOf(
  bots: readonly RunningBotEntry[],
  file: string,
  accountOf: BotSelector["accountFor"],
): RunningBotEntry | undefined {
  const wanted = realPath(resolvePath(file));
  const [first, ...others] = bots.filter((bot) => bot.config === wanted);
  if (first === undefined || others.length === 0) return first;
  const all = [first, ...others];
  let cause: unknown;
  try {
    const account = accountOf(file).toLowerCase();
    const found = all.find((bot) => bot.account.toLowerCase() === account);
    if (found !== undefined) return found;
  } catch (error) {
    cause = error;
  }
  const expected = `the key of the intended bot where the file expects it: of ${all.map(accountAndProcess).join(", or ")}`;
  throw new ConfigError("several bots run from this file", {
    field: "file",
    value: file,
    expected,
    cause,
  });
}

function names(bots: readonly RunningBotEntry[]): string {
  return bots.map((bot) => `${bot.config} (${accountAndProcess(bot)})`).join(", ");
}

function accountAndProcess({ account, pid }: RunningBotEntry): string {
  return `account ${account}, process ${pid}`;
}
