import type { PlannedTakeover, Takeover } from "../../account/positions/takeover.js";
import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { Intent } from "../../strategies/intent.js";

/** What an operator can tell a running bot through its control socket, or the process through a signal. */
export type BotCommand =
  /** Starts the questions and streams: the first input of every run. */
  | { readonly command: "start" }
  /** Takes every quote down and leaves when the fate of every order is known. */
  | { readonly command: "stop"; readonly reason: string }
  | { readonly command: "halt"; readonly marketId?: MarketId; readonly reason: string }
  | { readonly command: "resume"; readonly marketId?: MarketId }
  /** Lifts a halt by hand that has this reason, and nothing else: what failed meanwhile stays halted. */
  | { readonly command: "release"; readonly reason: string }
  /** Works the position of a market, or of all, to zero by price-bounded slices. */
  | {
      readonly command: "flatten";
      readonly marketId?: MarketId;
      readonly maxSlippageBps: number;
      readonly sliceLots?: Lots;
    }
  /** A liquidation has brought a position: it counts at once, and is unwound. Said again, it changes nothing. */
  | { readonly command: "inherit"; readonly takeover: Takeover }
  /** The chain has taken a takeover back: its position and credit count no more, and what was sold of it is bought again. */
  | { readonly command: "disinherit"; readonly takeoverId: string }
  /** All takeovers that are planned or sent, and neither held nor gone: each keeps its room in the limits. */
  | { readonly command: "reserve"; readonly takeovers: readonly PlannedTakeover[] }
  /** Somebody beside the bot's turns asks the exchange a question for the same account: it counts against the same limits. */
  | { readonly command: "asked" };

/**
 * Everything that can happen to the bot (docs/ideas/design.md#one-event-at-a-time). All of it
 * enters at one place, one at a time, and is what a journal holds.
 */
export type BotInput =
  | { readonly kind: "event"; readonly event: VenueEvent }
  | { readonly kind: "timer"; readonly id: number }
  /** An action's turn in the outbox has come: it is validated again and dispatched, or dropped. */
  | { readonly kind: "leave"; readonly key: string }
  | { readonly kind: "command"; readonly command: BotCommand }
  /** A venue that changes books in place has changed the touch of one. */
  | { readonly kind: "wake" }
  /** A strategy spoke, or ended, outside any turn: one that awaits promises. What it says inside a turn is part of that turn. */
  | { readonly kind: "strategy"; readonly marketId: MarketId; readonly signal: StrategySignal };

/** What a strategy can do of itself. */
export type StrategySignal =
  | { readonly intent: Intent }
  /** It emitted what cannot be read, for this reason. */
  | { readonly unreadable: string }
  | { readonly ended: string };

/** The instant at which a turn runs: the one clock reading of that turn. */
export interface TurnStamp {
  readonly atMs: Ms;
  readonly monotonicMs: number;
}
