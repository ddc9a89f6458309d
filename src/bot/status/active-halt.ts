import type { MarketId } from "../../core/units.js";
import { haltMarketId } from "../../risk/halt.js";
import type { Bot } from "../engine/bot.js";

/** A halt in force, in `status`. */
export interface ActiveHalt {
  /** `manual`, `drawdown`, `stale-book` ...: the `reason` label of `marketwright_halted`. */
  readonly name: string;
  /** null for a halt of the whole account. */
  readonly marketId: MarketId | null;
  readonly why: string;
  /** True if the halt ends when its condition is over; otherwise a person has to resume. */
  readonly endsByItself: boolean;
}

/** The halts in force, oldest first. */
export function listActiveHalts({ tradingGuards }: Bot): readonly ActiveHalt[] {
  return tradingGuards.halts.map((halt) => ({
    name: halt.name,
    marketId: haltMarketId(halt) ?? null,
    why: halt.why,
    endsByItself: halt.resumesByItself,
  }));
}
