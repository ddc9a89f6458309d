import { z } from "zod";
import type { ChannelConfig, NotifyConfig } from "../bot/config/fields/notify-fields.js";
import { maskSecrets } from "../core/crypto/secrets.js";
import { toPlainLine } from "../core/plain-line.js";
import type { Ms } from "../core/units.js";
import { type Message, type MessageEntry, messageEntrySchema } from "./message.js";
import { isAtLeast, type Notice, SEVERITIES, type Severity } from "./notice.js";

/** Most keys whose repetitions are counted; the oldest is forgotten. */
const MOST_KEYS = 300;
/** Most events of one message. */
const MOST_ENTRIES = 20;
/** Critical events have a message each while no more than these wait. */
const FEW_ENTRIES = 5;

const waitingSchema = messageEntrySchema.extend({ dueAtMs: z.number() });

const repeatSchema = z.object({
  untilMs: z.number(),
  states: z.array(z.string()),
  more: z.int(),
  last: messageEntrySchema.omit({ id: true, more: true }).optional(),
});

/** The schema of a channel's part of the saved state. */
export const channelStateSchema = z.object({
  waiting: z.array(waitingSchema).default([]),
  repeats: z.record(z.string(), repeatSchema).default({}),
  dropped: z.int().default(0),
  nextId: z.int().default(1),
});

/** A channel's events that wait, as they are saved. */
export type ChannelState = z.output<typeof channelStateSchema>;

/** Settings of a {@link ChannelBacklog}. */
export interface BacklogOptions {
  readonly bot: string;
  readonly channel: Pick<ChannelConfig, "from" | "digestMs" | "fills" | "dailySummary">;
  readonly limits: Pick<NotifyConfig, "repeatMs" | "maxBacklog" | "maxAgeMs">;
}

/**
 * The events that wait for one channel. It leaves out what the channel does not want, counts
 * repetitions, collects what is not critical, and drops the least severe and oldest events when
 * there are too many.
 */
export class ChannelBacklog {
  readonly #options: BacklogOptions;
  readonly #state: ChannelState;

  constructor(options: BacklogOptions, state: ChannelState = channelStateSchema.parse({})) {
    this.#options = options;
    this.#state = state;
  }

  /** The whole content, to be saved. */
  get state(): ChannelState {
    return this.#state;
  }

  get size(): number {
    return this.#state.waiting.length;
  }

  /** Takes an event, if the channel wants it. */
  add(notice: Notice, nowMs: Ms): void {
    if (!this.#isWanted(notice)) return;
    const { key, state = "", endsKey = false } = notice;
    const entry = toEntry(notice);
    if (key !== undefined && this.#isRepetition(key, state, entry, nowMs)) return;
    if (key !== undefined && endsKey) delete this.#state.repeats[key];
    this.#push(entry, nowMs);
  }

  /** The next message that is due; undefined if there is none. */
  next(nowMs: Ms): Message | undefined {
    this.#tellRepetitions(nowMs);
    this.#dropOld(nowMs);
    const due = this.#state.waiting
      .filter(({ dueAtMs }) => dueAtMs <= nowMs)
      .sort((one, other) => rank(other.severity) - rank(one.severity) || one.atMs - other.atMs);
    const [first] = due;
    if (first === undefined) return undefined;
    const isAlone = first.severity === "critical" && due.length <= FEW_ENTRIES;
    const entries = due
      .slice(0, isAlone ? 1 : MOST_ENTRIES)
      .sort((one, other) => one.atMs - other.atMs)
      .map(({ dueAtMs: _, ...entry }) => entry);
    const { dropped } = this.#state;
    const id = `${entries[0]?.id}-${entries.length}`;
    return { id, bot: this.#options.bot, severity: first.severity, entries, dropped };
  }

  /** True if a message that failed may be sent again: none of its events was dropped meanwhile. */
  isWaiting({ entries }: Message, nowMs: Ms): boolean {
    this.#dropOld(nowMs);
    const ids = new Set(this.#state.waiting.map(({ id }) => id));
    return entries.every(({ id }) => ids.has(id));
  }

  /** When a message will be due; Infinity if nothing waits. */
  nextDueAtMs(): Ms {
    const { waiting, repeats } = this.#state;
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...waiting.map(({ dueAtMs }) => dueAtMs),
      ...Object.values(repeats).flatMap(({ more, untilMs }) => (more > 0 ? [untilMs] : [])),
    );
  }

  /** Makes everything due that waits for a digest. */
  flush(nowMs: Ms): void {
    for (const entry of this.#state.waiting) entry.dueAtMs = Math.min(entry.dueAtMs, nowMs);
  }

  /** The channel has accepted a message. */
  onDelivered(message: Message): void {
    this.#remove(message);
    this.#state.dropped = Math.max(0, this.#state.dropped - message.dropped);
  }

  /** The channel will never accept a message: the next one counts its events. */
  onRefused(message: Message): void {
    this.#remove(message);
    this.#state.dropped += message.entries.length;
  }

  #remove({ entries }: Message): void {
    const ids = new Set(entries.map(({ id }) => id));
    this.#state.waiting = this.#state.waiting.filter(({ id }) => !ids.has(id));
  }

  #isWanted({ kind, severity }: Notice): boolean {
    const { from, fills, dailySummary } = this.#options.channel;
    if (kind === "fill") return fills;
    if (kind === "summary") return dailySummary;
    return isAtLeast(severity, from);
  }

  /** True if it is counted in place of being sent. */
  #isRepetition(key: string, state: string, entry: NewEntry, nowMs: Ms): boolean {
    const { repeats } = this.#state;
    const known = repeats[key];
    if (known !== undefined && nowMs < known.untilMs) {
      if (!known.states.includes(state)) {
        known.states.push(state);
        return false;
      }
      known.more++;
      known.last = entry;
      return true;
    }
    if (known !== undefined) this.#tellRepetition(known, nowMs);
    delete repeats[key];
    repeats[key] = { untilMs: nowMs + this.#options.limits.repeatMs, states: [state], more: 0 };
    const [oldest] = Object.keys(repeats);
    if (Object.keys(repeats).length > MOST_KEYS && oldest !== undefined) {
      this.#tellRepetition(repeats[oldest], nowMs);
      delete repeats[oldest];
    }
    return false;
  }

  /** Ends the times in which repetitions are counted. */
  #tellRepetitions(nowMs: Ms): void {
    for (const [key, repeat] of Object.entries(this.#state.repeats)) {
      if (nowMs < repeat.untilMs) continue;
      if (repeat.more === 0) {
        delete this.#state.repeats[key];
        continue;
      }
      this.#tellRepetition(repeat, nowMs);
      repeat.more = 0;
      repeat.untilMs = nowMs + this.#options.limits.repeatMs;
    }
  }

  #tellRepetition(repeat: ChannelState["repeats"][string] | undefined, nowMs: Ms): void {
    if (repeat?.last !== undefined && repeat.more > 0)
      this.#push({ ...repeat.last, more: repeat.more }, nowMs);
  }

  #push(entry: NewEntry & { readonly more?: number }, nowMs: Ms): void {
    const { digestMs } = this.#options.channel;
    const { waiting } = this.#state;
    const isUrgent = entry.severity === "critical" || entry.kind === "summary";
    // One digest takes everything that arrives before it is due.
    const begun = waiting.find((entry) => entry.dueAtMs > nowMs)?.dueAtMs;
    const dueAtMs = isUrgent ? nowMs : (begun ?? nowMs + digestMs);
    waiting.push({ ...entry, id: String(this.#state.nextId++), dueAtMs });
    while (waiting.length > this.#options.limits.maxBacklog) this.#dropOne();
  }

  #dropOne(): void {
    const { waiting } = this.#state;
    const least = SEVERITIES.find((severity) =>
      waiting.some((entry) => entry.severity === severity),
    );
    const at = waiting.findIndex(({ severity }) => severity === least);
    waiting.splice(Math.max(0, at), 1);
    this.#state.dropped++;
  }

  #dropOld(nowMs: Ms): void {
    const { waiting } = this.#state;
    const young = waiting.filter(({ atMs }) => nowMs - atMs <= this.#options.limits.maxAgeMs);
    this.#state.dropped += waiting.length - young.length;
    this.#state.waiting = young;
  }
}

type NewEntry = Omit<MessageEntry, "id" | "more">;

/**
 * The event as it is sent: in one line, and with the secrets of this process masked, too. The lines
 * of a summary are this program's own.
 */
function toEntry(notice: Notice): NewEntry {
  const { atMs, severity, kind, title, text, marketId, command } = notice;
  const masked = (foreign: string): string => toPlainLine(maskSecrets(foreign));
  const lines = kind === "summary" ? text?.trim().split("\n") : text === undefined ? text : [text];
  const words = {
    title: masked(title),
    text: lines?.map(masked).join("\n"),
    command: command === undefined ? command : masked(command),
  };
  return { atMs, severity, kind, marketId, ...words };
}

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
