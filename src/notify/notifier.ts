import { join } from "node:path";
import type { NotifyConfig } from "../bot/config/fields/notify-fields.js";
import { describeThrown } from "../core/describe-thrown.js";
import type { Runtime, Timer } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import { ChannelBacklog } from "./channel-backlog.js";
import { ChannelSender, type NotifierLog } from "./channel-sender.js";
import type { Channel } from "./channels/channel.js";
import { TelegramChannel } from "./channels/telegram-channel.js";
import { ChatCommands, type CommandedBot } from "./chat/chat-commands.js";
import { OneTimePasswords } from "./chat/one-time-passwords.js";
import { TelegramChat } from "./chat/telegram-chat.js";
import { isSummaryDue, makeSummary } from "./daily-summary.js";
import { HeartbeatWatch } from "./heartbeat-watch.js";
import type { Notice } from "./notice.js";
import { FILL_NOTICES_FILE, NOTICES_FILE } from "./notice-file.js";
import { NoticeReader } from "./notice-reader.js";
import {
  NOTIFIER_FILE,
  type NotifierState,
  newNotifierState,
  parseNotifierState,
} from "./notifier-state.js";

const TICK_MS: Ms = 500;
/** Longest time between two saves: they show that the sender is alive. */
const SAVE_EVERY_MS: Ms = 10_000;
/** A sender that has never run sends no older events. */
const FIRST_AGE_MS: Ms = 600_000;
/** How long a sender that ends goes on with what waits. */
const DRAIN_MS: Ms = 3000;
const DRAIN_CHECK_MS: Ms = 50;
/** The step that writes the sender's state. */
const SAVE = "save";

/** Dependencies of a {@link Notifier}. */
export interface NotifierDeps {
  readonly notify: NotifyConfig;
  /** Name of the bot in messages. */
  readonly bot: string;
  /** The bot's state directory. */
  readonly directory: string;
  readonly store: {
    read(name: string): string | undefined;
    writeBehind(name: string, text: string): void;
  };
  /** Age of a heartbeat from which the bot is dead. */
  readonly deadAfterMs: Ms;
  /** The fate of a dead bot's orders, as a phrase. */
  readonly afterDeath: string;
  /** The open channels by name, in the order of the file. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** Executes the commands of chats. */
  readonly commanded: CommandedBot;
  /** The key of the one-time passwords; undefined unless a chat may flatten. */
  readonly totpKey: Buffer | undefined;
  /** The lines that summarise a UTC day, such as 2026-11-27. Rejects if there is no record. */
  readonly summariseDay: (day: string) => Promise<string>;
  readonly runtime: Runtime;
  readonly log: NotifierLog;
}

/**
 * Sends the events of one bot to people, from a process that outlives it: it reads the bot's files
 * and its heartbeat, and needs nothing from it.
 */
export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #state: NotifierState;
  readonly #senders = new Map<string, ChannelSender>();
  readonly #chats: TelegramChat[] = [];
  readonly #events: NoticeReader;
  readonly #fills: NoticeReader;
  readonly #heartbeat: HeartbeatWatch;
  /** Problems that were logged and last. */
  readonly #problems = new Set<string>();
  #timer: Timer | undefined;
  #hasChanged = true;
  #savedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
    const { store, runtime, directory, deadAfterMs, afterDeath } = deps;
    this.#state = this.#load();
    this.#events = new NoticeReader(join(directory, NOTICES_FILE));
    this.#fills = new NoticeReader(join(directory, FILL_NOTICES_FILE));
    const { deadBeatAtMs } = this.#state;
    const { clock } = runtime;
    const about = { deadAfterMs, deadBeatAtMs, afterDeath };
    this.#heartbeat = new HeartbeatWatch({ store, clock, ...about });
    this.#openSenders();
    this.#openChats();
  }

  start(): void {
    this.#tick();
    for (const chat of this.#chats) chat.start();
  }

  /** Sends an event of this process. */
  tell(notice: Notice): void {
    const nowMs = this.#deps.runtime.clock.nowMs();
    for (const { backlog } of this.#senders.values()) backlog.add(notice, nowMs);
    this.#hasChanged = true;
  }

  /**
   * Sends what waits, for a few seconds at most, and ends.
   * @param endedPid a process that has ended: the bot's, perhaps
   */
  async stop(endedPid?: number): Promise<void> {
    const { clock } = this.#deps.runtime;
    this.#timer?.cancel();
    for (const chat of this.#chats) chat.stop();
    this.#readAll();
    if (endedPid !== undefined)
      this.#try("heartbeat", () => this.#tellHeartbeat(this.#heartbeat.onProcessEnded(endedPid)));
    for (const { backlog } of this.#senders.values()) backlog.flush(clock.nowMs());
    const untilMs = clock.monotonicMs() + DRAIN_MS;
    const senders = [...this.#senders.values()];
    for (const sender of senders) sender.wake();
    while (senders.some(({ isBusy }) => isBusy) && clock.monotonicMs() < untilMs)
      await new Promise<void>((resolve) => clock.setTimer(DRAIN_CHECK_MS, resolve));
    for (const sender of senders) sender.stop();
    this.#state.state = "stopped";
    this.#save();
  }

  #openSenders(): void {
    const { notify, bot, channels, runtime, log } = this.#deps;
    const saved = this.#state.channels;
    this.#state.channels = {};
    for (const [name, channel] of channels) {
      const config = notify.channels[name];
      if (config === undefined) continue;
      const backlog = new ChannelBacklog({ bot, channel: config, limits: notify }, saved[name]);
      this.#state.channels[name] = backlog.state;
      const onChange = (): void => this.#save();
      this.#senders.set(
        name,
        new ChannelSender({ name, channel, backlog, runtime, log, onChange }),
      );
    }
  }

  #openChats(): void {
    const { notify, channels, commanded, totpKey, runtime, log } = this.#deps;
    const state = this.#state.chat;
    const save = (): void => this.#save();
    const commands = new ChatCommands({
      bot: commanded,
      clock: runtime.clock,
      passwords: totpKey === undefined ? undefined : new OneTimePasswords(totpKey, state),
      save,
      notify: (notice) => this.tell(notice),
    });
    for (const [name, channel] of channels) {
      const settings = notify.channels[name]?.telegram;
      if (!(channel instanceof TelegramChannel) || settings === undefined) continue;
      const { chatId, allowedIds } = settings;
      if (allowedIds.length === 0) continue;
      const handle = (text: string, userId: number) => commands.handle(text, userId);
      const about = { name, channel, chatId, allowedIds, handle };
      this.#chats.push(new TelegramChat({ ...about, runtime, log, state, save }));
    }
  }

  #tick(): void {
    const { clock } = this.#deps.runtime;
    this.#timer = clock.setTimer(TICK_MS, () => this.#tick());
    this.#readAll();
    this.#checkSummary();
    for (const sender of this.#senders.values()) sender.wake();
    if (this.#hasChanged || clock.monotonicMs() - this.#savedAtMs >= SAVE_EVERY_MS) this.#save();
  }

  #readAll(): void {
    this.#try("events", () => this.#read(this.#events, "events"));
    this.#try("fills", () => this.#read(this.#fills, "fills"));
    this.#try("heartbeat", () => this.#tellHeartbeat(this.#heartbeat.check()));
  }

  #tellHeartbeat(notice: Notice | undefined): void {
    this.#state.deadBeatAtMs = this.#heartbeat.deadBeatAtMs;
    if (notice !== undefined) this.tell(notice);
  }

  #read(reader: NoticeReader, part: "events" | "fills"): void {
    const before = this.#state[part];
    const { notices, position, missing } = reader.read(before);
    this.#state[part] = position;
    const nowMs = this.#deps.runtime.clock.nowMs();
    if (missing > 0)
      this.tell({
        atMs: nowMs,
        severity: part === "fills" ? "info" : "warning",
        kind: "missing",
        title: `${missing} ${part} are not reported`,
        text: "there were too many at once, or the sender was away for too long; the log has all",
      });
    for (const notice of notices)
      if (before !== undefined || nowMs - notice.atMs <= FIRST_AGE_MS) this.tell(notice);
  }

  #checkSummary(): void {
    const { notify, runtime, summariseDay } = this.#deps;
    const nowMs = runtime.clock.nowMs();
    if (isSummaryDue(this.#state.day, notify, nowMs))
      void makeSummary(summariseDay, nowMs).then((notice) => this.tell(notice));
  }

  /** Does a step that may fail while others go on; logs a failure when it begins. */
  #try(step: string, work: () => void): void {
    try {
      work();
      if (this.#problems.delete(step)) this.#onStep(step);
    } catch (error) {
      if (this.#problems.has(step)) return;
      this.#problems.add(step);
      const reason = describeThrown(error);
      this.#deps.log.warn({ step, reason }, "a step of the sender failed, and it tries again");
      this.#onStep(step, reason);
    }
  }

  /** The bot writes into the same folder: on a full disk it could not report that. */
  #onStep(step: string, reason?: string): void {
    if (step !== SAVE) return;
    const isOver = reason === undefined;
    this.tell({
      atMs: this.#deps.runtime.clock.nowMs(),
      severity: "critical",
      kind: "state-unwritten",
      title: isOver
        ? "the sender can write into the state folder again"
        : "the sender cannot write into the state folder: the bot may not be able to, either",
      ...(isOver ? {} : { text: reason }),
      key: `state ${NOTIFIER_FILE}`,
      state: isOver ? "off" : "on",
      endsKey: isOver,
    });
  }

  #load(): NotifierState {
    const { store, runtime, log } = this.#deps;
    const nowMs = runtime.clock.nowMs();
    try {
      const text = store.read(NOTIFIER_FILE);
      if (text !== undefined) return { ...parseNotifierState(text), state: "sending" };
    } catch (error) {
      log.warn(
        { file: NOTIFIER_FILE, reason: describeThrown(error) },
        "the sender's state cannot be read: it begins anew, without the messages that waited",
      );
    }
    return newNotifierState(nowMs);
  }

  /** If the disk refuses it, only a restart of the sender would send something again. */
  #save(): void {
    const { store, runtime } = this.#deps;
    this.#hasChanged = false;
    this.#savedAtMs = runtime.clock.monotonicMs();
    this.#try(SAVE, () => {
      this.#state.aliveAtMs = runtime.clock.nowMs();
      store.writeBehind(NOTIFIER_FILE, JSON.stringify(this.#state));
    });
  }
}
