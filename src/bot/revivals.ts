import type { MarketId, Ms } from "../core/units.js";
import { EMPTY_MINUTE, eventsIn, type MinuteWindow, withEvent } from "../risk/minute-window.js";
import type { BotContext } from "./context.js";
import type { Safety } from "./safety.js";
import { wantCancelAll } from "./want-cancel-all.js";

/** Contradictions within a minute after which a market is halted. */
const MOST_A_MINUTE = 3;
const WHY = `${MOST_A_MINUTE} times within a minute the exchange showed orders as open that it had said were cancelled or did not exist`;

/**
 * Counts, market by market, how often the exchange shows orders as open that its answers had ended: something between answers in its place, and
 * cancels do not arrive. A line may fail for a moment; at the third time within a minute the market's orders are cancelled all at once, and the
 * market is halted until a person has looked.
 */
export class Revivals {
  readonly #context: BotContext;
  readonly #safety: Safety;
  readonly #windows = new Map<MarketId, MinuteWindow>();

  constructor(context: BotContext, safety: Safety) {
    this.#context = context;
    this.#safety = safety;
  }

  /** An order was shown as open after all. All that one answer shows is one time. */
  note(marketId: MarketId): void {
    if (this.#safety.haltsOf(marketId).some(({ name }) => name === REVIVED_ORDERS)) return;
    const nowMs: Ms = this.#context.clock.monotonicMs();
    const before = this.#windows.get(marketId) ?? EMPTY_MINUTE;
    if (before.atMs.at(-1) === nowMs) return;
    const window = withEvent(before, nowMs);
    const isOver = eventsIn(window, nowMs) >= MOST_A_MINUTE;
    // Whoever resumes is told again only of what happens from then on.
    this.#windows.set(marketId, isOver ? EMPTY_MINUTE : window);
    if (!isOver) return;
    this.#safety.haltMarket(marketId, "revived-orders", `${WHY}: cancels may not reach it. Look at what is open there, then resume`);
    wantCancelAll(this.#context, marketId, "cancels one by one do not reach the exchange");
  }
}

const REVIVED_ORDERS = "revived-orders";
