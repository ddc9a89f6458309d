import type { Touch } from "./crossing.js";
import type { Plan } from "./plan.js";
import { placeTicksOf, planQuotes, type QuoteSettings, type QuotesInput } from "./plan-quotes.js";

/**
 * Plans one market's quotes, and knows when the last plan stands: most looks at a market find the same quotes, the same orders, and a touch
 * that none of them minds. Lists of its inputs are taken for the same when they are the same objects: whoever changes one makes another.
 */
export class QuotePlanner {
  #input: QuotesInput | undefined;
  #plan: Plan | undefined;

  /** What {@link planQuotes} says of the input; the very plan of the last call where nothing that it depends on has changed. */
  plan(input: QuotesInput): Plan {
    if (this.#plan === undefined || this.#input === undefined || !stands(this.#plan, this.#input, input)) this.#plan = planQuotes(input);
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
    return this.#plan !== undefined && this.#plan.withdrawals.length === 0 && !dependsOnTime(this.#input as QuotesInput);
  }
}

function stands(plan: Plan, last: QuotesInput, now: QuotesInput): boolean {
  return (
    now.quotes === last.quotes &&
    now.working === last.working &&
    now.rules === last.rules &&
    now.marketId === last.marketId &&
    isSameForeign(now.foreign, last.foreign) &&
    isSameSettings(now.settings, last.settings) &&
    !dependsOnTime(now) &&
    (isSameTouch(now.touch, last.touch) || (isQuiet(plan) && isPlacedAlike(last, now.touch)))
  );
}

function isSameTouch(a: Touch, b: Touch): boolean {
  return a.bestBidTicks === b.bestBidTicks && a.bestAskTicks === b.bestAskTicks;
}

function isSameForeign(a: QuotesInput["foreign"], b: QuotesInput["foreign"]): boolean {
  return a === b || (a.openOrders === b.openOrders && isSameTouch(a.touch, b.touch));
}

function isSameSettings(a: QuoteSettings, b: QuoteSettings): boolean {
  if (a === b) return true;
  return (
    a.timeInForce === b.timeInForce &&
    a.gtt === b.gtt &&
    a.onCross === b.onCross &&
    a.tolerance.priceTicks === b.tolerance.priceTicks &&
    a.tolerance.sizeFraction === b.tolerance.sizeFraction
  );
}

/** Orders that end by themselves are another matter each moment. */
function dependsOnTime({ settings, working }: QuotesInput): boolean {
  if (settings.timeInForce === "GTT") return true;
  for (const order of working) if (order.expirationMs > 0 || order.endDueMs !== undefined) return true;
  return false;
}

/** Whether the touch was asked for nothing but where each quote would be placed. */
function isQuiet({ cancels, places, withheld }: Plan): boolean {
  return cancels.length === 0 && places.length === 0 && withheld.length === 0;
}

function isPlacedAlike({ quotes, touch, settings }: QuotesInput, now: Touch): boolean {
  for (const quote of quotes) if (placeTicksOf(quote, touch, settings) !== placeTicksOf(quote, now, settings)) return false;
  return true;
}
