import { SIGNAL_SECONDS, type SignalRecord } from "../record/signal/signal-record.js";
import type { SignalReport } from "./signal-schema.js";

/** The worth of a market's signal, by horizon; undefined if nothing was predicted. */
export function signalReport(signal: SignalRecord): SignalReport | undefined {
  return signal.result()?.map(({ predictions, independentMoves, figures }, index) => ({
    seconds: SIGNAL_SECONDS[index] as number,
    predictions,
    independentMoves,
    figures: figures ?? null,
  }));
}
