import type { Hex, Ms } from "../../core/units.js";
import type { ActionId, CancelAllAction, Outcome } from "../../exchange/venue.js";
import type { AccountChange } from "../account-change.js";
import { toCancelEvent } from "./outcome-events.js";
import type { OwnOrders } from "./own-orders.js";

/** Cancel-alls in flight, and the orders that each certainly covers. */
export class CancelAllTracker {
  readonly #orders: OwnOrders;
  readonly #windowMs: Ms;
  readonly #covered = new Map<ActionId, readonly Hex[]>();

  /** @param windowMs how long the exchange accepts a signed request */
  constructor(orders: OwnOrders, windowMs: Ms) {
    this.#orders = orders;
    this.#windowMs = windowMs;
  }

  /** Records a cancel-all that is handed to the transport. */
  sent(action: CancelAllAction, nowMs: Ms): readonly AccountChange[] {
    // An order that the exchange has never reported may reach it after the cancel-all, unless two
    // signature windows lie between them. When the exchange accepts a request, its clock may be a
    // window away from either timestamp.
    const covered = this.#orders
      .unresolved()
      .filter((order) => order.marketId === action.marketId)
      .filter(
        (order) =>
          order.place === "seen" ||
          order.requestTimestampMs + 2 * this.#windowMs < action.timestampMs,
      )
      .filter((order) => order.place !== "intended")
      .map((order) => order.hash);
    this.#covered.set(action.actionId, covered);
    return covered.flatMap((hash) =>
      this.#orders.apply(hash, { kind: "cancel-sent", atMs: nowMs, actionId: action.actionId }),
    );
  }

  /** Applies the response to a cancel-all to every order that it covered. */
  answered(actionId: ActionId, outcome: Outcome, nowMs: Ms): readonly AccountChange[] {
    const covered = this.#covered.get(actionId) ?? [];
    this.#covered.delete(actionId);
    const event = toCancelEvent(actionId, outcome, nowMs);
    return covered.flatMap((hash) => this.#orders.apply(hash, event));
  }
}
