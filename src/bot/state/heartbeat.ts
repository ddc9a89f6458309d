import { FormatError } from "../../core/errors.js";
import type { MarketId, Ms } from "../../core/units.js";

/** A bot's periodic sign of life for the guard that watches it. */
export interface Heartbeat {
  /** Wall time of this machine. */
  readonly atMs: Ms;
  /** The latest timestamp that any request of the bot may carry so far, in exchange time. */
  readonly lastRequestMs: Ms;
  /** `stopped` only after the fate of every order was known. */
  readonly state: "running" | "stopped";
  readonly markets: readonly MarketId[];
  readonly pid: number;
}

/** The heartbeat's file in the state directory. */
export const HEARTBEAT_FILE = "heartbeat.json";

/**
 * Exchange time until which a request that a bot sent before its end may be accepted, by its last
 * heartbeat; undefined after a clean shutdown, or if it never ran. @throws FormatError as {@link
 * parseHeartbeat} does
 */
export function mayArriveUntilMs(text: string | undefined, signatureWindowMs: Ms): Ms | undefined {
  if (text === undefined) return undefined;
  const { state, lastRequestMs } = parseHeartbeat(text);
  return state === "stopped" ? undefined : lastRequestMs + signatureWindowMs;
}

/**
 * @throws FormatError if the text is not a heartbeat: a guard must not take a corrupt file for a
 * live bot.
 */
export function parseHeartbeat(text: string): Heartbeat {
  let value: Partial<Heartbeat> | null = null;
  try {
    value = JSON.parse(text) as Partial<Heartbeat> | null;
  } catch (cause) {
    throw new FormatError("corrupt heartbeat", {
      field: HEARTBEAT_FILE,
      value: text,
      expected: "one JSON object",
      cause,
    });
  }
  if (
    value === null ||
    typeof value.atMs !== "number" ||
    typeof value.lastRequestMs !== "number" ||
    (value.state !== "running" && value.state !== "stopped") ||
    !Array.isArray(value.markets) ||
    typeof value.pid !== "number"
  ) {
    throw new FormatError("not a heartbeat", {
      field: HEARTBEAT_FILE,
      value: text,
      expected: "atMs, lastRequestMs, state, markets, pid",
    });
  }
  return value as Heartbeat;
}
