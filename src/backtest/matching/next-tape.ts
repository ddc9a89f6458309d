import { RunError } from "../../core/errors.js";
import type { Tape } from "../../history/columns/tape.js";

/** @throws RunError when `tape` does not go on where another, of which `played` messages were played, ended */
export function requireNextTape(before: Tape, played: number, tape: Tape): void {
  const lastUs = before.messages === 0 ? Number.NEGATIVE_INFINITY : before.exchangeUs[before.messages - 1];
  const fails = (field: string, value: unknown, expected: unknown): never => {
    throw new RunError("not the next stretch of this history", { field, value, expected: String(expected) });
  };
  if (played < before.messages) fails("messages", played, `all ${before.messages} of the stretch before to be played`);
  if (tape.marketId !== before.marketId) fails("marketId", tape.marketId, before.marketId);
  if (tape.tickSize !== before.tickSize) fails("tickSize", tape.tickSize, before.tickSize);
  if (tape.stepSize !== before.stepSize) fails("stepSize", tape.stepSize, before.stepSize);
  if (tape.messages > 0 && tape.exchangeUs[0] < lastUs) fails("exchangeUs", tape.exchangeUs[0], `at least ${lastUs}`);
}
