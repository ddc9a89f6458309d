import { constantLatency } from "#backtest/latency.js";
import type { Tape } from "#history/tape.js";
import type { Script } from "./scripted-quotes.js";

/**
 * The script of the comparison. It begins on a whole second, one second in. The latency is 40 ms
 * each way, so every response arrives between two steps.
 */
export function scriptOn(tape: Tape): Script {
  const startUs = Math.ceil((tape.localUs[0] as number) / 1_000_000) * 1_000_000 + 1_000_000;
  return { startUs, everyUs: 100_000, latency: constantLatency(40, 40), lots: 10 };
}
