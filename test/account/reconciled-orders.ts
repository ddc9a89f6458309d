import { hashOf, placeAction, venueOrder } from "./exchange-story.js";
import { type Story, TIMEOUT } from "./scripted-exchange.js";

/** An order that was sent at the story's present, and whose response never came. */
export function unanswered(
  story: Story,
  serial: number,
  lots = 10,
): ReturnType<typeof placeAction> {
  const action = placeAction(serial, { timestampMs: story.nowMs, lots });
  story.account.intend({ action, level: 0 });
  story.dispatch(action).outcome(action, TIMEOUT);
  return action;
}

/** An order of this run that rests at the exchange. */
export function resting(story: Story, serial: number): void {
  const action = placeAction(serial, { timestampMs: story.nowMs });
  story.account.intend({ action, level: 0 });
  story.dispatch(action);
  const order = venueOrder(serial, { createdAtMs: story.nowMs });
  story.exchange.set(order);
  story.outcome(action, { result: "accepted", order });
}

export const phaseOf = (story: Story, serial: number): string | undefined =>
  story.account.orders.get(hashOf(serial))?.phase;
