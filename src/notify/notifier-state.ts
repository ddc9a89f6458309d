import { z } from "zod";
import { channelStateSchema } from "./channel-backlog.js";
import { chatStateSchema } from "./chat/chat-state.js";
import { dayStateSchema } from "./daily-summary.js";
import { noticePositionSchema } from "./notice-reader.js";

/** The sender's file in the state directory: everything that must survive its end. */
export const NOTIFIER_FILE = "notify.json";

const schema = z.object({
  version: z.literal(1),
  /** Wall time at which the sender was alive. */
  aliveAtMs: z.number(),
  state: z.enum(["sending", "stopped"]).default("sending"),
  events: noticePositionSchema.optional(),
  fills: noticePositionSchema.optional(),
  /** Time of the heartbeat after which the bot was reported dead. */
  deadBeatAtMs: z.number().optional(),
  day: dayStateSchema.prefault({}),
  channels: z.record(z.string(), channelStateSchema).default({}),
  chat: chatStateSchema.prefault({}),
});

/** The saved state of a sender. */
export type NotifierState = z.output<typeof schema>;

/** The state of a sender that has never run. */
export function newNotifierState(nowMs: number): NotifierState {
  return schema.parse({ version: 1, aliveAtMs: nowMs });
}

/** Reads a saved state. @throws ZodError or SyntaxError if the text is none */
export function parseNotifierState(text: string): NotifierState {
  return schema.parse(JSON.parse(text));
}

/** Age of the file from which its sender is gone. */
const GONE_AFTER_MS = 30_000;

/** True if a sender has written this text and is alive. */
export function isSenderAlive(text: string | undefined, nowMs: number): boolean {
  if (text === undefined) return false;
  try {
    const { aliveAtMs, state } = parseNotifierState(text);
    return state === "sending" && Math.abs(nowMs - aliveAtMs) <= GONE_AFTER_MS;
  } catch {
    return false;
  }
}
