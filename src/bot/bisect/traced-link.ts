import type { OrderChange, OwnOrder } from "../../account/orders/order.js";
import type { Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { Action, Outcome } from "../../exchange/venue.js";
import type { PlannedCancel, PlannedPlace } from "../../executor/plan.js";
import type { DecisionCause } from "../../market/view.js";
import type { Intent } from "../../strategies/intent.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotInput } from "../engine/input.js";

/** A view that a strategy was called with. */
export interface TracedView {
  readonly marketId: MarketId;
  readonly sequence: number;
  readonly cause: DecisionCause;
  /** Without the bot's own orders, fractional. */
  readonly midTicks: Ticks;
  readonly positionLots: Lots;
}

/** A part of a plan: one order to place or to cancel. */
export type PlannedAction = (
  | { readonly kind: "place"; readonly place: PlannedPlace }
  | { readonly kind: "cancel"; readonly cancel: PlannedCancel }
) & {
  readonly marketId: MarketId;
  /** Why the bot wanted no quotes then, such as its halts; empty if it wanted its strategy's. */
  readonly stoppedBy: readonly string[];
};

/** The content of a link. */
export type LinkSubject =
  /** An input of the bot: a message of the exchange, a timer, a command. */
  | { readonly step: "frame"; readonly input: BotInput }
  | { readonly step: "view"; readonly view: TracedView }
  | { readonly step: "intent"; readonly intent: Intent }
  | { readonly step: "plan"; readonly planned: PlannedAction }
  | { readonly step: "action"; readonly action: Action }
  | { readonly step: "answer"; readonly action: Action; readonly outcome: Outcome }
  | { readonly step: "order"; readonly order: OwnOrder; readonly change: OrderChange }
  /** `orderHash`: the order of the trade; undefined if no order of the bot explains it. */
  | { readonly step: "fill"; readonly trade: VenueTrade; readonly orderHash: string | undefined }
  /** Anything else that the bot reported: a halt, a rung of the risk ladder, a refused intent. */
  | { readonly step: "event"; readonly event: BotEvent };

/** The kinds of links, in the order in which they follow each other. */
export type LinkStep = LinkSubject["step"];

/** Something that happened in a turn, with what it followed from. */
export interface TracedLink {
  readonly turn: number;
  /** Wall clock of the turn. */
  readonly atMs: Ms;
  readonly subject: LinkSubject;
  /** Links of this turn or of earlier ones. */
  readonly causes: readonly TracedLink[];
}
