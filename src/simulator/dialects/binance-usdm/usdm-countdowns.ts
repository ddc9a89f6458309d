import type { Timer } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { ExchangeAccount } from "../../accounts/account.js";
import type { Market } from "../../markets/market.js";
import type { DialectDeps } from "../dialect.js";

/** The countdowns after which an account's orders in a market are cancelled. */
export class UsdmCountdowns {
  readonly #deps: Pick<DialectDeps, "state" | "orderManager" | "turn">;
  readonly #timers = new Map<ExchangeAccount, Map<Market, Timer>>();

  constructor(deps: Pick<DialectDeps, "state" | "orderManager" | "turn">) {
    this.#deps = deps;
  }

  /** Starts a countdown anew; 0 ends it. */
  set(account: ExchangeAccount, market: Market, countdownMs: Ms): void {
    const own = this.#timers.get(account) ?? new Map<Market, Timer>();
    this.#timers.set(account, own);
    own.get(market)?.cancel();
    own.delete(market);
    if (countdownMs === 0) return;
    const { state, orderManager, turn } = this.#deps;
    const fire = (): void => {
      own.delete(market);
      turn(() => orderManager.cancelAll(account, market));
    };
    own.set(market, state.runtime.clock.setTimer(countdownMs, fire));
  }

  /** Ends every countdown. */
  stop(): void {
    for (const own of this.#timers.values()) for (const timer of own.values()) timer.cancel();
    this.#timers.clear();
  }
}
