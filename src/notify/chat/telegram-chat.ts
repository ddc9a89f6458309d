import { z } from "zod";
import { describeThrown } from "../../core/describe-thrown.js";
import { formatCount } from "../../core/format-count.js";
import { ReconnectPauses } from "../../core/runtime/reconnect-pauses.js";
import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { NotifierLog } from "../channel-sender.js";
import type { TelegramChannel } from "../channels/telegram-channel.js";
import type { ChatState } from "./chat-state.js";

/** How long Telegram holds a request open while nothing arrives. */
const POLL_SECONDS = 25;
const ANSWER_WITHIN_MS: Ms = (POLL_SECONDS + 10) * 1000;
const PAUSES = { reconnectMinMs: 1000, reconnectMaxMs: 60_000, stableAfterMs: 0 };
/** Age from which a command is not executed: it may be from before an outage. */
const MOST_AGE_MS: Ms = 60_000;
const LOG_EVERY_MS: Ms = 60_000;

const updatesSchema = z.array(
  z.object({
    update_id: z.int(),
    message: z
      .object({
        /** Seconds since 1970. */
        date: z.number(),
        chat: z.object({ id: z.number() }),
        from: z.object({ id: z.number() }).optional(),
        text: z.string().optional(),
      })
      .optional(),
  }),
);

type Update = z.output<typeof updatesSchema>[number];

/** Executes the text of a command; returns the answer. */
export type ChatCommandHandler = (text: string, userId: number) => Promise<string>;

/** Dependencies of a {@link TelegramChat}. */
interface TelegramChatDeps {
  /** Name of the channel. */
  readonly name: string;
  readonly channel: Pick<TelegramChannel, "api" | "reply">;
  readonly chatId: number;
  readonly allowedIds: readonly number[];
  readonly handle: ChatCommandHandler;
  readonly runtime: Runtime;
  readonly log: NotifierLog;
  /** Changed in place. */
  readonly state: ChatState;
  /** Saves the state: called before a command is executed, so that none is executed twice. */
  readonly save: () => void;
}

/** Reads the commands of one Telegram chat, by long polling. */
export class TelegramChat {
  readonly #deps: TelegramChatDeps;
  readonly #pauses: ReconnectPauses;
  #ignored = 0;
  #ignoredLoggedAtMs = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #isStopped = false;
  #timer: Timer | undefined;

  constructor(deps: TelegramChatDeps) {
    this.#deps = deps;
    this.#pauses = new ReconnectPauses(PAUSES, deps.runtime);
  }

  start(): void {
    void this.#poll().finally(() => {
      if (this.#isStopped) return;
      const pauseMs = this.#isFailing ? this.#pauses.nextMs() : 0;
      this.#timer = this.#deps.runtime.clock.setTimer(pauseMs, () => this.start());
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #poll(): Promise<void> {
    const { name, channel, state, log } = this.#deps;
    const offset = state.offsets[name];
    try {
      const result = await channel.api.call(
        "getUpdates",
        {
          timeout: POLL_SECONDS,
          allowed_updates: ["message"],
          ...(offset === undefined ? {} : { offset }),
        },
        ANSWER_WITHIN_MS,
      );
      const updates = updatesSchema.parse(result);
      this.#isFailing = false;
      this.#pauses.reset();
      await this.#take(updates);
    } catch (error) {
      if (this.#isStopped) return;
      this.#pauses.onFailure();
      if (!this.#isFailing)
        log.warn(
          { channel: name, reason: describeThrown(error) },
          "the chat's commands cannot be read: it is tried again",
        );
      this.#isFailing = true;
    }
  }

  async #take(updates: readonly Update[]): Promise<void> {
    const { name, state, save, runtime } = this.#deps;
    let tooOld = 0;
    for (const { update_id: id, message } of updates) {
      state.offsets[name] = id + 1;
      save();
      const text = message?.text?.trim() ?? "";
      if (message === undefined || !text.startsWith("/")) continue;
      const userId = message.from?.id;
      if (!this.#isAllowed(message.chat.id, userId) || userId === undefined) this.#ignore();
      else if (runtime.clock.nowMs() - message.date * 1000 > MOST_AGE_MS) tooOld++;
      else await this.#answer(text, userId);
    }
    if (tooOld > 0)
      await this.#reply(
        `${formatCount(tooOld, "command")} older than a minute: not executed. Send again what still holds.`,
      );
  }

  #isAllowed(chatId: number, userId: number | undefined): boolean {
    const { chatId: ours, allowedIds } = this.#deps;
    return chatId === ours && userId !== undefined && allowedIds.includes(userId);
  }

  async #answer(text: string, userId: number): Promise<void> {
    const { handle } = this.#deps;
    let answer: string;
    try {
      answer = await handle(text, userId);
    } catch (error) {
      answer = `Not done: ${describeThrown(error)}`;
    }
    await this.#reply(answer);
  }

  /** The command is executed, whether its answer arrives or not. */
  async #reply(text: string): Promise<void> {
    const { name, channel, log } = this.#deps;
    try {
      await channel.reply(text);
    } catch (error) {
      log.warn({ channel: name, reason: describeThrown(error) }, "an answer could not be sent");
    }
  }

  #ignore(): void {
    const { name, runtime, log } = this.#deps;
    this.#ignored++;
    const nowMs = runtime.clock.monotonicMs();
    if (nowMs - this.#ignoredLoggedAtMs < LOG_EVERY_MS) return;
    this.#ignoredLoggedAtMs = nowMs;
    log.warn(
      { channel: name, ignored: this.#ignored },
      "commands from other users or chats are ignored",
    );
  }
}
