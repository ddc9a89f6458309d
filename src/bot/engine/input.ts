import type { PlannedTakeover, Takeover } from "../../account/positions/takeover.js";
import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { HedgeEvent } from "../../hedge/hedge-venue.js";
import type { ReferenceUpdate } from "../../reference/reference-update.js";
import type { Intent } from "../../strategies/intent.js";
import type { RunningValues } from "../config/running-values.js";

/** Commands of an operator through the control socket, or to the process through a signal. */
export type BotCommand =
  /** Starts the queries and streams: the first input of every run. */
  | { readonly command: "start" }
  /** Cancels every quote and exits when the fate of every order is known. */
  | { readonly command: "stop"; readonly reason: string }
  | { readonly command: "halt"; readonly marketId?: MarketId; readonly reason: string }
  | { readonly command: "resume"; readonly marketId?: MarketId }
  /**
   * Lifts a manual halt with exactly this reason. Anything that has failed meanwhile stays halted.
   */
  | { readonly command: "release"; readonly reason: string }
  /** Trades the position of a market, or of all, to zero by price-bounded slices. */
  | {
      readonly command: "flatten";
      readonly marketId?: MarketId;
      readonly maxSlippageBps: number;
      readonly sliceLots?: Lots;
    }
  /**
   * An operator changes values of the file that may change while the bot runs: all of them as they
   * are from now on, checked.
   */
  | { readonly command: "configure"; readonly values: RunningValues }
  /**
   * A liquidation has brought a position: it counts at once, and is unwound. A repeated report
   * changes nothing.
   */
  | { readonly command: "inherit"; readonly takeover: Takeover }
  /**
   * The chain has reverted a takeover: its position and credit no longer count, and what was sold
   * of it is bought back.
   */
  | { readonly command: "disinherit"; readonly takeoverId: string }
  /**
   * All takeovers that are planned or sent, and neither held nor ended: each keeps its room in the
   * limits.
   */
  | { readonly command: "reserve"; readonly takeovers: readonly PlannedTakeover[] }
  /**
   * Another part of the process sends the exchange a query for the same account: it counts against
   * the same limits.
   */
  | { readonly command: "asked" };

/**
 * Every input of a bot (docs/ideas/design.md#one-event-at-a-time). All inputs enter at one place,
 * one at a time, and make up the journal.
 */
export type BotInput =
  | { readonly kind: "event"; readonly event: VenueEvent }
  | { readonly kind: "timer"; readonly id: number }
  /** An action's turn in the outbox has come: it is checked again, then sent or dropped. */
  | { readonly kind: "leave"; readonly key: string }
  | { readonly kind: "command"; readonly command: BotCommand }
  /** A source of reference prices has a new price, or is down. */
  | { readonly kind: "reference"; readonly update: ReferenceUpdate }
  /** An event of a venue where positions are laid off, by its name in the config. */
  | { readonly kind: "hedge"; readonly venue: string; readonly event: HedgeEvent }
  /** A venue that changes books in place has changed the touch of one. */
  | { readonly kind: "wake" }
  /**
   * A strategy emitted or ended outside any turn: one that awaits promises. What it emits inside a
   * turn is part of that turn.
   */
  | { readonly kind: "strategy"; readonly marketId: MarketId; readonly signal: StrategySignal };

/** A signal of a strategy: its output, its end, or its failure. */
export type StrategySignal =
  | { readonly intent: Intent }
  /** It emitted an invalid value, for this reason. */
  | { readonly unreadable: string }
  | { readonly ended: string };

/** Instant at which a turn runs: the one clock reading of that turn. */
export interface TurnStamp {
  readonly atMs: Ms;
  readonly monotonicMs: number;
}
