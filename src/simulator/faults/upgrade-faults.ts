import type { StreamRefusal } from "../streams/stream-sink.js";
import type { FaultableStream } from "./fault-format.js";
import { drawDelayMs, type FaultSchedule, type Strike } from "./fault-schedule.js";
import type { Fault, FaultKind } from "./fault-shape.js";
import { strikesAccount } from "./strikes-account.js";

/** The handshake of a websocket: without an answer, or refused, or answered after a delay. */
export type FaultyUpgrade = "no-answer" | StreamRefusal | { readonly delayMs: number };

/** Draws the fault of a handshake. @returns undefined for none. */
export function strikeUpgrade(
  schedule: FaultSchedule,
  stream: FaultableStream,
): FaultyUpgrade | undefined {
  const applies = (fault: Fault): boolean =>
    strikesAccount(fault, stream.interface, () => stream.account);
  const strike = <Kind extends FaultKind>(kind: Kind): Strike<Kind> | undefined =>
    schedule.strike(kind, applies);
  if (strike("upgrade-lost") !== undefined) return "no-answer";
  const refused = strike("upgrade-refused");
  if (refused !== undefined) return { refused: stream.fail(refused.fault.status) };
  const late = strike("upgrade-delayed");
  return late === undefined ? undefined : { delayMs: drawDelayMs(late) };
}
