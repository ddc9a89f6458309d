import type { Hex, Ms } from "../../core/units.js";
import type { ActionId, CancelAllAction, Outcome } from "../../exchange/venue.js";
import type { AccountChange } from "../account-change.js";
import { toCancelEvent } from "./outcome-events.js";
import type { OwnOrders } from "./own-orders.js";

/** Cancel-alls under way, and the orders that each certainly covers. */
export class CancelAllTracker {
  readonly #orders: OwnOrders;
  readonly #windowMs: Ms;
  readonly #covered = new Map<ActionId, readonly Hex[]>();

  /** @param windowMs how long the exchange takes a signed request. */
  constructor(orders: OwnOrders, windowMs: Ms) {
    this.#orders = orders;
    this.#windowMs = windowMs;
  }

  /** One is handed to the transport. */
  sent(action: CancelAllAction, nowMs: Ms): readonly AccountChange[] {
    // An order that was never shown to us may reach the exchange after the cancel-all, unless both signature
    // windows lie between them: the exchange's clock may be a window off either timestamp when it takes a request.
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

  /** Its answer, for every order that it covered. */
  answered(actionId: ActionId, outcome: Outcome, nowMs: Ms): readonly AccountChange[] {
    const covered = this.#covered.get(actionId) ?? [];
    this.#covered.delete(actionId);
    const event = toCancelEvent(actionId, outcome, nowMs);
    return covered.flatMap((hash) => this.#orders.apply(hash, event));
  }
}
