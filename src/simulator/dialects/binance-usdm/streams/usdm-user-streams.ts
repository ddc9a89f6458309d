import type { Timer } from "../../../../core/runtime/runtime.js";
import type { CreditUnits, Hex, Int64Id, Ms } from "../../../../core/units.js";
import type { IncomeType } from "../../../../exchange/records.js";
import type { ExchangeAccount, Income, Order, UserTrade } from "../../../accounts/account.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market } from "../../../markets/market.js";
import { usdmFunds, usdmPosition } from "../records/usdm-account-records.js";
import type { UsdmConfig } from "../usdm-config.js";
import { UsdmError } from "../usdm-error.js";
import type { UsdmIds } from "../usdm-ids.js";
import type { UsdmOrders } from "../usdm-orders.js";
import type { UsdmSymbols } from "../usdm-symbols.js";
import { type UsdmExecution, usdmOrderEvent } from "./usdm-order-event.js";
import type { UsdmUserStreams } from "./usdm-stream-hub.js";

/** The reasons of an account's change that the exchange has. */
type Reason = "ORDER" | "FUNDING_FEE" | "DEPOSIT" | "WITHDRAW" | "ADJUSTMENT" | "INSURANCE_CLEAR";

const REASONS: Readonly<Partial<Record<IncomeType, Reason>>> = {
  DEPOSIT: "DEPOSIT",
  BONUS: "DEPOSIT",
  WITHDRAWAL: "WITHDRAW",
  FUNDING_FEE: "FUNDING_FEE",
  LIQUIDATED: "INSURANCE_CLEAR",
  LIQUIDATE: "INSURANCE_CLEAR",
  SYSTEM: "INSURANCE_CLEAR",
};

/** The changes of an account by one event of the exchange, for one reason. */
interface Change {
  readonly markets: Set<Market>;
  /** The change of the balance other than by profit and commission. */
  balance: CreditUnits;
}

interface ListenKey {
  readonly text: string;
  readonly account: ExchangeAccount;
  timer: Timer;
  readonly followers: Map<object, (text: string) => void>;
}

/** The listen keys and the user streams of all accounts. */
export class UsdmUserStreamHub implements UsdmUserStreams {
  readonly #state: ExchangeState;
  readonly #symbols: UsdmSymbols;
  readonly #ids: UsdmIds;
  readonly #orders: UsdmOrders;
  readonly #config: UsdmConfig;
  readonly #byText = new Map<string, ListenKey>();
  readonly #byAccount = new Map<ExchangeAccount, ListenKey>();
  readonly #changes = new Map<ExchangeAccount, Map<Reason, Change>>();
  readonly #announced = new WeakSet<Order>();
  readonly #ended = new WeakSet<Order>();

  constructor(
    state: ExchangeState,
    symbols: UsdmSymbols,
    ids: UsdmIds,
    orders: UsdmOrders,
    config: UsdmConfig,
  ) {
    this.#state = state;
    this.#symbols = symbols;
    this.#ids = ids;
    this.#orders = orders;
    this.#config = config;
  }

  /** An account's orders of an earlier run have been announced. */
  restore(account: ExchangeAccount): void {
    for (const market of this.#state.markets.values()) {
      for (const order of this.#orders.all(account, market)) {
        this.#announced.add(order);
        if (order.openLots === 0) this.#ended.add(order);
      }
    }
  }

  /** Creates an account's listen key, or returns its present one with its life extended. */
  create(account: ExchangeAccount): { readonly listenKey: string } {
    const known = this.#byAccount.get(account);
    if (known !== undefined) return this.keepAlive(account);
    const { random } = this.#state.runtime;
    const text = Array.from({ length: 4 }, () =>
      random.uint64().toString(16).padStart(16, "0"),
    ).join("");
    const key: ListenKey = { text, account, timer: this.#expiryOf(account), followers: new Map() };
    this.#byText.set(text, key);
    this.#byAccount.set(account, key);
    return { listenKey: text };
  }

  /** @throws UsdmError -1125 */
  keepAlive(account: ExchangeAccount): { readonly listenKey: string } {
    const key = this.#byAccount.get(account);
    if (key === undefined) throw new UsdmError("-1125");
    key.timer.cancel();
    key.timer = this.#expiryOf(account);
    return { listenKey: key.text };
  }

  /** Invalidates an account's listen key; without one nothing happens. */
  close(account: ExchangeAccount): void {
    const key = this.#byAccount.get(account);
    if (key === undefined) return;
    key.timer.cancel();
    this.#byAccount.delete(account);
    this.#byText.delete(key.text);
  }

  subscribe(name: string, publish: (text: string) => void, owner: object): boolean {
    const key = this.#byText.get(name);
    key?.followers.set(owner, publish);
    return key !== undefined;
  }

  unsubscribe(name: string, owner: object): void {
    this.#byText.get(name)?.followers.delete(owner);
  }

  /** The address of the account of a listen key; undefined for any other name. */
  addressOf(name: string): Hex | undefined {
    return this.#byText.get(name)?.account.address;
  }

  /** Ends the timers of all keys. */
  stop(): void {
    for (const account of [...this.#byAccount.keys()]) this.close(account);
  }

  onOrder(order: Order): void {
    const isNew = order.openLots === order.lots && !this.#announced.has(order);
    if (isNew) {
      this.#announced.add(order);
      this.#report(order, { type: "NEW" });
      return;
    }
    const isEnded = order.status === "CANCELED" || order.status === "EXPIRED";
    if (isEnded && !this.#ended.has(order)) {
      this.#ended.add(order);
      this.#report(order, { type: order.status === "CANCELED" ? "CANCELED" : "EXPIRED" });
    }
  }

  onUserTrade(record: UserTrade): void {
    const { trade, account, orderId } = record;
    if (trade.status === this.#state.config.choices.failedTradeStatus) {
      if (this.#config.failedSettlement === "adjustment") {
        this.#change(account, "ADJUSTMENT").markets.add(trade.market);
      }
      return;
    }
    if (trade.status !== "CREATED") return;
    this.#change(account, "ORDER").markets.add(trade.market);
    const order = this.#orderOf(record, orderId);
    if (order !== undefined) this.#report(order, { type: "TRADE", trade: record });
  }

  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void {
    for (const { type, amount, marketId } of incomes) {
      const reason = REASONS[type];
      if (reason === undefined) continue;
      const change = this.#change(account, reason);
      change.balance += amount;
      const market = this.#state.markets.get(marketId);
      // Funding of a cross position shows the balance alone, as there.
      if (reason === "INSURANCE_CLEAR" && market !== undefined) change.markets.add(market);
    }
  }

  /** Called at the end of an event: sends ACCOUNT_UPDATE for each reason. */
  flush(): void {
    if (this.#changes.size === 0) return;
    for (const [account, reasons] of this.#changes) {
      for (const [reason, change] of reasons) this.#reportAccount(account, reason, change);
    }
    this.#changes.clear();
  }

  #orderOf({ account, trade }: UserTrade, orderId: Int64Id | undefined): Order | undefined {
    return orderId === undefined ? undefined : this.#orders.withId(account, trade.market, orderId);
  }

  #change(account: ExchangeAccount, reason: Reason): Change {
    if (!this.#byAccount.has(account)) return { markets: new Set(), balance: 0n };
    const reasons = this.#changes.get(account) ?? new Map<Reason, Change>();
    this.#changes.set(account, reasons);
    const change = reasons.get(reason) ?? { markets: new Set(), balance: 0n };
    reasons.set(reason, change);
    return change;
  }

  #report(order: Order, execution: UsdmExecution): void {
    const { account } = order.terms;
    if (!this.#byAccount.has(account)) return;
    const nowMs = this.#state.nowMs();
    const { selfTradePreventionMode } = this.#orders.record(order);
    const options = { ids: this.#ids, asset: this.#symbols.asset, nowMs, selfTradePreventionMode };
    this.#publish(account, usdmOrderEvent(order, execution, options));
  }

  #reportAccount(account: ExchangeAccount, reason: Reason, change: Change): void {
    const { markets } = this.#state;
    const nowMs = this.#state.nowMs();
    const [market] = markets.values();
    if (market === undefined) return;
    const quote = (units: CreditUnits) => market.instrument.creditToDecimal(units);
    const wallet = quote(usdmFunds(account, markets).wallet);
    const positions = [...change.markets].map((changed) => {
      const position = usdmPosition(account, changed, markets);
      return {
        s: position.symbol,
        pa: position.amount,
        ep: position.entryPrice,
        bep: position.breakEvenPrice,
        cr: position.realizedBefore,
        up: position.unrealized,
        mt: "cross",
        iw: "0",
        ps: "BOTH",
      };
    });
    this.#publish(account, {
      e: "ACCOUNT_UPDATE",
      E: nowMs,
      T: nowMs,
      a: {
        m: reason,
        B: [{ a: this.#symbols.asset, wb: wallet, cw: wallet, bc: quote(change.balance) }],
        P: positions,
      },
    });
  }

  #publish(account: ExchangeAccount, message: unknown): void {
    const key = this.#byAccount.get(account);
    if (key === undefined || key.followers.size === 0) return;
    const text = JSON.stringify(message);
    for (const publish of [...key.followers.values()]) publish(text);
  }

  #expiryOf(account: ExchangeAccount): Timer {
    const lifeMs: Ms = this.#config.listenKeyLifeMs;
    return this.#state.runtime.clock.setTimer(lifeMs, () => {
      const listenKey = this.#byAccount.get(account)?.text;
      this.#publish(account, { e: "listenKeyExpired", E: this.#state.nowMs(), listenKey });
      this.close(account);
    });
  }
}
