import { thrownText } from "../../core/thrown-text.js";
import { copyIntent } from "../../risk/intent-copy.js";
import type { StrategySignal } from "./input.js";

/** What a strategy says outside of a turn waits for one, and is written into the journal: by then it may have changed its object. */
export function ownSignal(signal: StrategySignal): StrategySignal {
  if (!("intent" in signal)) return signal;
  try {
    return { intent: copyIntent(signal.intent) };
  } catch (error) {
    return { unreadable: `an intent that cannot be read: ${thrownText(error)}` };
  }
}
