import type { Touch } from "./crossing.js";
import type { Plan, PlannedKeep } from "./plan.js";
import { placeTicksOf, planQuotes, type QuotesInput } from "./plan-quotes.js";
import { suitsAlike } from "./quote-matching.js";
import { closesSlot, type WorkingOrder } from "./working-order.js";

/**
 * Plans one market's quotes, and knows when the last plan stands: most looks at a market find the same quotes, the same orders, and a touch
 * that none of them minds. Lists of its inputs are taken for the same when they are the same objects: whoever changes one makes another.
 */
export class QuotePlanner {
  #input: QuotesInput | undefined;
  #plan: Plan | undefined;

  /** What {@link planQuotes} says of the input; the very plan of the last call where nothing that it depends on has changed. */
  plan(input: QuotesInput): Plan {
    if (
      this.#plan === undefined ||
      this.#input === undefined ||
      !stands(this.#plan, this.#input, input)
    )
      this.#plan = planQuotes(input);
    this.#input = input;
    return this.#plan;
  }

  /** Whether the last plan is also the one at another touch, if nothing else has changed. */
  standsAt(touch: Touch): boolean {
    const [plan, input] = [this.#plan, this.#input];
    if (plan === undefined || input === undefined) return false;
    return isSameTouch(touch, input.touch) || (isQuiet(plan) && isPlacedAlike(input, touch));
  }

  /** Whether the last plan will be the same at any later instant for as long as its input is, what it does apart. */
  get isTimeless(): boolean {
    return (
      this.#plan !== undefined &&
      this.#plan.withdrawals.length === 0 &&
      !dependsOnTime(this.#input as QuotesInput)
    );
  }
}

function stands(plan: Plan, last: QuotesInput, now: QuotesInput): boolean {
  return (
    now.quotes === last.quotes &&
    areWorkedAlike(plan, last.working, now.working) &&
    now.rules === last.rules &&
    now.marketId === last.marketId &&
    isSameForeign(now.foreign, last.foreign) &&
    !dependsOnTime(now) &&
    (isSameTouch(now.touch, last.touch) || (isQuiet(plan) && isPlacedAlike(last, now.touch))) &&
    // Asked last: where quotes would be placed is the same by now.
    areMatchedAlike(last, now)
  );
}

/** Whether the orders are those of the plan, or differ in nothing but how far those have come that it keeps, as one that the exchange has taken. */
function areWorkedAlike(
  { keeps, withheld }: Plan,
  last: readonly WorkingOrder[],
  now: readonly WorkingOrder[],
): boolean {
  if (now === last) return true;
  // What is withheld may say of an order how far it had come.
  if (now.length !== last.length || withheld.length > 0) return false;
  for (let at = 0; at < now.length; at++) {
    if (now[at] !== last[at] && !(isSameButPhase(now[at], last[at]) && isKept(keeps, now[at])))
      return false;
  }
  return true;
}

/** The same to a plan that keeps it. When either is over is nothing to such a plan: where that is known of any, {@link dependsOnTime} has it made anew. */
function isSameButPhase(a: WorkingOrder, b: WorkingOrder): boolean {
  return (
    a.hash === b.hash &&
    a.phase !== "cancelling" &&
    b.phase !== "cancelling" &&
    closesSlot(a) === closesSlot(b) &&
    a.mayFillLots === b.mayFillLots &&
    a.ticks === b.ticks &&
    a.lots === b.lots &&
    a.side === b.side &&
    a.level === b.level &&
    a.timeInForce === b.timeInForce
  );
}

function isKept(keeps: readonly PlannedKeep[], { hash }: WorkingOrder): boolean {
  for (const keep of keeps) if (keep.hash === hash) return true;
  return false;
}

/** Whether the settings are the same, but for tolerances under which every order suits every quote as it did. */
function areMatchedAlike(
  { settings: before }: QuotesInput,
  { quotes, working, rules, touch, settings: now }: QuotesInput,
): boolean {
  if (now === before) return true;
  if (
    now.timeInForce !== before.timeInForce ||
    now.gtt !== before.gtt ||
    now.onCross !== before.onCross
  )
    return false;
  for (const quote of quotes) {
    const want = { quote, placeTicks: placeTicksOf(quote, touch, now) };
    for (const order of working)
      if (!suitsAlike(order, want, now.tolerance, before.tolerance, rules.minLots)) return false;
  }
  return true;
}

function isSameTouch(a: Touch, b: Touch): boolean {
  return a.bestBidTicks === b.bestBidTicks && a.bestAskTicks === b.bestAskTicks;
}

function isSameForeign(a: QuotesInput["foreign"], b: QuotesInput["foreign"]): boolean {
  return a === b || (a.openOrders === b.openOrders && isSameTouch(a.touch, b.touch));
}

/** Orders that end by themselves are another matter each moment. */
function dependsOnTime({ settings, working }: QuotesInput): boolean {
  if (settings.timeInForce === "GTT") return true;
  for (const order of working)
    if (order.expirationMs > 0 || order.endDueMs !== undefined) return true;
  return false;
}

/** Whether the touch was asked for nothing but where each quote would be placed. */
function isQuiet({ cancels, places, withheld }: Plan): boolean {
  return cancels.length === 0 && places.length === 0 && withheld.length === 0;
}

function isPlacedAlike({ quotes, touch, settings }: QuotesInput, now: Touch): boolean {
  for (const quote of quotes)
    if (placeTicksOf(quote, touch, settings) !== placeTicksOf(quote, now, settings)) return false;
  return true;
}
