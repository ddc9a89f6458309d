import type { MarketId } from "../../core/units.js";
import type { WirePosition } from "../../exchange/protocol/account.js";
import type { ExchangeAccount, Income, Order, UserTrade } from "../accounts/account.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { AccountEndpoints } from "../rest/endpoints/account-endpoints.js";
import { incomeRecord, userTradeRecord } from "../rest/records/account-records.js";
import { orderRecord } from "../rest/records/order-record.js";
import { writeRecord, writeRecords } from "../rest/records/write-json.js";
import type { StreamLink } from "./stream-link.js";

/**
 * The account streams (docs/reference/protocol.md#account-stream). Balances and positions are
 * collected and sent once at the end of an event.
 */
export class AccountFeed {
  readonly #state: ExchangeState;
  readonly #records: AccountEndpoints;
  /** By account: its links, each with the market it is limited to. */
  readonly #links = new Map<ExchangeAccount, Map<StreamLink, MarketId | undefined>>();
  readonly #changed = new Set<ExchangeAccount>();

  constructor(state: ExchangeState, records: AccountEndpoints) {
    this.#state = state;
    this.#records = records;
  }

  /** @param marketId limits ORDER_UPDATE and TRADE_UPDATE to one market. */
  subscribe(account: ExchangeAccount, link: StreamLink, marketId: MarketId | undefined): void {
    const links = this.#links.get(account) ?? new Map<StreamLink, MarketId | undefined>();
    links.set(link, marketId);
    this.#links.set(account, links);
  }

  unsubscribe(link: StreamLink): void {
    for (const [account, links] of this.#links) {
      if (links.delete(link) && links.size === 0) {
        this.#links.delete(account);
        this.#changed.delete(account);
      }
    }
  }

  onOrder(order: Order): void {
    const { account, market } = order.terms;
    this.#publish(
      account,
      market.id,
      () =>
        `{"event":"ORDER_UPDATE","order":${writeRecord(orderRecord(order, this.#state.config.choices.expirationUnit))},"timestamp":${this.#state.nowMs()}}`,
    );
  }

  onUserTrade(trade: UserTrade): void {
    this.#publish(
      trade.account,
      trade.trade.market.id,
      () => `{"event":"TRADE_UPDATE","trade":${writeRecord(userTradeRecord(trade))}}`,
    );
  }

  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void {
    const { creditDecimals } = this.#state.config;
    this.#publish(
      account,
      undefined,
      () =>
        `{"event":"INCOME_UPDATE","incomes":${writeRecords(incomes.map((income) => incomeRecord(income, creditDecimals)))}}`,
    );
  }

  onAccount(account: ExchangeAccount): void {
    if (this.#links.has(account)) {
      this.#changed.add(account);
    }
  }

  /** Sends ACCOUNT_UPDATE to every account that changed since the last time. */
  publishAccounts(): void {
    for (const account of this.#changed) {
      this.#publish(account, undefined, () => {
        const { balances, positions } = this.#records.balancesAnswer(account);
        return JSON.stringify({
          event: "ACCOUNT_UPDATE",
          balances,
          positions: this.#withSymbol(positions),
        });
      });
    }
    this.#changed.clear();
  }

  /** Some third-party connectors read the market of a streamed position from `symbol`. */
  #withSymbol(positions: readonly WirePosition[]): readonly WirePosition[] {
    return this.#state.config.choices.positionSymbol === "omit"
      ? positions
      : positions.map((position) => ({ ...position, symbol: position.marketId }));
  }

  #publish(account: ExchangeAccount, marketId: MarketId | undefined, text: () => string): void {
    const links = this.#links.get(account);
    if (links === undefined) {
      return;
    }
    let written: string | undefined;
    for (const [link, only] of [...links]) {
      if (marketId === undefined || only === undefined || only === marketId) {
        written ??= text();
        link.send(written);
      }
    }
  }
}
