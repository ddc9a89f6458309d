import type { Bot } from "../engine/bot.js";
import { STREAM_NAMES, type StreamName } from "../engine/stream-activity.js";

/** A stream of the exchange, in `status`. */
export interface StreamStatus {
  readonly name: StreamName;
  /** `up` while it is connected and subscribed. */
  readonly state: "up" | "down";
  /** Time since its newest message; undefined before the first. */
  readonly ageMs?: number;
}

/** The streams of a bot. */
export function listStreams({ context }: Bot): readonly StreamStatus[] {
  const { clock, streams } = context;
  return STREAM_NAMES.map((name) => {
    const { isUp, messageAtMs } = streams.stateOf(name);
    const state = isUp ? ("up" as const) : ("down" as const);
    return messageAtMs === undefined
      ? { name, state }
      : { name, state, ageMs: Math.round(clock.monotonicMs() - messageAtMs) };
  });
}
