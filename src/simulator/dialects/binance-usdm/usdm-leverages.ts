import { absolute, larger } from "../../../core/bigints.js";
import type { CreditUnits, Lots, Side } from "../../../core/units.js";
import type { ExchangeAccount } from "../../accounts/account.js";
import { computeMargin } from "../../accounts/margin.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { Market } from "../../markets/market.js";

/**
 * The leverage that accounts have set. The exchange itself requires margin by the market's highest
 * leverage; a lower one only bounds the orders of the dialect.
 */
export class UsdmLeverages {
  readonly #state: ExchangeState;

  constructor(state: ExchangeState) {
    this.#state = state;
  }

  /** The market's highest, until it is set. */
  of(account: ExchangeAccount, market: Market): number {
    return account.markets.get(market.id)?.leverage ?? market.rules.config.maxLeverage;
  }

  set(account: ExchangeAccount, market: Market, leverage: number): void {
    account.inMarket(market.id).leverage = leverage;
    this.#state.listener.onPosition(account, market);
  }

  /** The largest notional of a position at the account's leverage: the market's own limit. */
  maxNotional(market: Market): string {
    return market.rules.config.maxExposureQuote;
  }

  /**
   * True if the position of the market and every order of one side, with a new one, is within the
   * leverage that the account has set.
   * @param notional of the new order
   */
  allows(
    account: ExchangeAccount,
    market: Market,
    side: Side,
    lots: Lots,
    notional: CreditUnits,
  ): boolean {
    const leverage = this.of(account, market);
    if (leverage === market.rules.config.maxLeverage) return true;
    const part = account.markets.get(market.id);
    const paper = part?.position.matched.paper ?? 0n;
    const added = market.instrument.lotsToPaper(side === "BUY" ? lots : -lots);
    const open = side === "BUY" ? (part?.openBuyCredit ?? 0n) : (part?.openSellCredit ?? 0n);
    // An order against the position opens only what exceeds it.
    const isAgainst = paper !== 0n && paper > 0n !== added > 0n;
    const held = absolute(market.valueAtMark(paper));
    const worst = isAgainst ? larger(open + notional - held, held) : held + open + notional;
    const { netValueCredit } = computeMargin(account, this.#state.markets);
    return worst <= netValueCredit * BigInt(leverage);
  }
}
