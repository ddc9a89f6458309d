import { constantLatency } from "#backtest/latency.js";
import type { Tape } from "#history/tape.js";
import type { Script } from "./scripted-quotes.js";

/** The script of the comparison: from a second in, on a whole second; 40 ms each way, so that between two steps every answer is heard. */
export function scriptOn(tape: Tape): Script {
  const startUs = Math.ceil((tape.localUs[0] as number) / 1_000_000) * 1_000_000 + 1_000_000;
  return { startUs, everyUs: 100_000, latency: constantLatency(40, 40), lots: 10 };
}
