import { FormatError } from "../../core/errors.js";
import type { Hex, Int64Id, MarketId, Ms } from "../../core/units.js";
import { KLINE_INTERVALS } from "../../exchange/protocol/parameters.js";
import type { ExchangeAccount, Income, Order, UserTrade } from "../accounts/account.js";
import type { Clearing } from "../accounts/clearing.js";
import type { PendingSide } from "../accounts/pending-settlement.js";
import type { LedgerEntry } from "../accounts/position-ledger.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Candle } from "../markets/candles.js";
import type { Minute } from "../markets/day-window.js";
import type { Market, SettledFunding, Trade } from "../markets/market.js";
import type { ChainRequest } from "../settlement/chain-request.js";
import { AccountKeys } from "./account-keys.js";
import {
  type AccountRecord,
  assignAccount,
  type PositionRecord,
  readPosition,
  restoreAccount,
} from "./account-record.js";
import {
  assignMarket,
  BAR_SOURCES,
  candleSeriesFor,
  dayWindowFor,
  type MarketRecord,
  type MarketSource,
} from "./market-record.js";
import { readFields, type WrittenFields } from "./plain-fields.js";
import { type AccountKey, KEYS } from "./record-keys.js";
import type { RecordStore } from "./record-store.js";
import { assignState, type StateRecord } from "./state-record.js";
import { type OrderRecord, readOrder } from "./stored-order.js";
import {
  type PendingRecord,
  type PendingTerms,
  readEntry,
  type TradeRecord,
  type UserTradeRecord,
} from "./trade-record.js";

/** The state that a writer continues with. */
export interface Restored {
  readonly keys: AccountKeys;
  /** The number of the next order hash. */
  readonly hashNumber: number;
}

/**
 * Restores a store's state into a new exchange. Settlements, expiries and fundings that fell due
 * while no process ran are left to the start; the house's orders are gone.
 * @throws FormatError when a record does not match its key
 */
export function restoreExchange(
  state: ExchangeState,
  clearing: Clearing,
  records: RecordStore,
): Restored {
  return new Restoration(state, clearing, records).run();
}

class Restoration {
  readonly #state: ExchangeState;
  readonly #clearing: Clearing;
  readonly #records: RecordStore;
  readonly #keys: AccountKeys;
  readonly #orders = new Map<Int64Id, Order>();
  readonly #trades = new Map<Int64Id, Trade>();
  readonly #userTrades = new Map<string, UserTrade>();

  constructor(state: ExchangeState, clearing: Clearing, records: RecordStore) {
    this.#state = state;
    this.#clearing = clearing;
    this.#records = records;
    this.#keys = new AccountKeys(state);
  }

  run(): Restored {
    this.#each<StateRecord>(KEYS.state, (record) => assignState(this.#state, record));
    this.#restoreAccounts();
    this.#restoreOrders();
    this.#restoreTrades();
    this.#restorePositions();
    for (const market of this.#state.markets.values()) {
      this.#restoreMarket(market);
    }
    this.#each<ChainRequest>(KEYS.requests, (request) => {
      this.#state.requests.add(request);
    });
    this.#each<Ms>(KEYS.spentRequests, (untilMs, digest) => {
      this.#state.usedRequests.set(digest as Hex, untilMs);
    });
    return { keys: this.#keys, hashNumber: this.#restoreHashes() };
  }

  #restoreAccounts(): void {
    const { accounts, unregisteredAccounts, config } = this.#state;
    this.#each<AccountRecord>(KEYS.accounts, (record, key) => {
      const house = this.#keys.account(key);
      if (house !== undefined) {
        assignAccount(house, record);
        return;
      }
      const account = restoreAccount(record, config.retention);
      this.#keys.restore(account, key);
      (account.isRegistered ? accounts : unregisteredAccounts).set(
        account.address.toLowerCase() as Hex,
        account,
      );
    });
    this.#each<WrittenFields>(KEYS.allIncomes, (record, key) => {
      this.#account(key.split("/")[0] as string).incomes.add(readFields<Income>(record));
    });
  }

  /** In the order of their ids, which is their time order at each price. */
  #restoreOrders(): void {
    this.#each<OrderRecord>(KEYS.orders, (record) => {
      const order = this.#order(record);
      const { account, market, id } = order.terms;
      if (!order.active) {
        return;
      }
      account.activeOrders.set(id, order);
      if (order.openLots > 0) {
        account.inMarket(market.id).reserve(order);
        market.engine.rest(order);
      }
    });
    this.#each<OrderRecord>(KEYS.allHistory, (record) => {
      const order = this.#order(record);
      order.terms.account.inMarket(order.terms.market.id).history.add(order);
    });
  }

  #order(record: OrderRecord): Order {
    const account = this.#account(record.account);
    const order = readOrder(
      record,
      account,
      this.#market(record.market),
      this.#state.config.choices,
    );
    const known = this.#orders.get(order.terms.id);
    if (known === undefined) {
      this.#orders.set(order.terms.id, order);
    }
    return known ?? order;
  }

  #restoreTrades(): void {
    this.#each<TradeRecord>(KEYS.allTrades, (record) => {
      this.#market(record.market).trades.add(this.#trade(record));
    });
    this.#each<UserTradeRecord>(KEYS.allUserTrades, (record) => {
      const account = this.#account(record.account);
      const trade = this.#trade(record);
      const userTrade: UserTrade = {
        ...readFields<Omit<UserTrade, "trade" | "account">>(record.side),
        trade,
        account,
      };
      this.#userTrades.set(`${record.account}/${trade.id}`, userTrade);
      account.inMarket(record.market).trades.add(userTrade);
    });
  }

  #trade(record: TradeRecord): Trade {
    const trade: Trade = {
      ...readFields<Omit<Trade, "market">>(record.trade),
      market: this.#market(record.market),
    };
    const known = this.#trades.get(trade.id);
    if (known === undefined) {
      this.#trades.set(trade.id, trade);
    }
    return known ?? trade;
  }

  /** Restores positions with their pending changes. */
  #restorePositions(): void {
    const waiting = new Map<string, LedgerEntry[]>();
    this.#each<PendingRecord>(KEYS.allPending, (record) => {
      const trade = this.#trade(record);
      const sides = record.sides.map(
        ({ account: key, side, orderId, entry: written }): PendingSide => {
          const entry = readEntry(written);
          const position = `${key}/${record.market}`;
          waiting.set(position, [...(waiting.get(position) ?? []), entry]);
          const known = this.#userTrades.get(`${key}/${trade.id}`);
          const made: UserTrade = {
            ...readFields<Omit<UserTrade, "trade" | "account">>(side),
            trade,
            account: this.#account(key),
          };
          return {
            record: known ?? made,
            order: orderId === null ? null : this.#knownOrder(orderId),
            entry,
          };
        },
      );
      this.#clearing.restore({ ...readFields<PendingTerms>(record.pending), trade, sides });
    });
    this.#each<PositionRecord>(KEYS.positions, (record, key) => {
      const [accountKey, marketId] = key.split("/") as [AccountKey, MarketId];
      const account = this.#account(accountKey);
      const part = account.inMarket(marketId);
      const { position } = part;
      part.leverage = record.leverage ?? null;
      position.restore(readPosition(record), waiting.get(key) ?? []);
      if (position.matched.paper !== 0n) {
        this.#state.accountsFor(this.#market(marketId)).holders.add(account);
      }
    });
  }

  #restoreMarket(market: Market): void {
    const { id } = market;
    this.#each<readonly WrittenFields[]>(KEYS.fundings(id), (payments) => {
      for (const payment of payments) {
        market.fundings.add(readFields<SettledFunding>(payment));
      }
    });
    for (const source of SOURCES.flatMap((each) => BAR_SOURCES[each])) {
      const series = candleSeriesFor(market, source);
      let open: Readonly<Record<string, WrittenFields>> = {};
      this.#each<typeof open>(KEYS.openBars(id, source), (bars) => {
        open = bars;
      });
      for (const interval of KLINE_INTERVALS) {
        const bars: Candle[] = [];
        this.#each<WrittenFields>(KEYS.bars(id, source, interval), (bar) =>
          bars.push(readFields<Candle>(bar)),
        );
        const last = open[interval];
        series.restore(interval, last === undefined ? bars : [...bars, readFields<Candle>(last)]);
      }
    }
    this.#each<MarketRecord>(KEYS.market(id), (record, key) => {
      // A market's id may be the prefix of another's.
      if (key !== "") {
        return;
      }
      for (const source of SOURCES) {
        const minutes: Minute[] = [];
        this.#each<WrittenFields>(KEYS.minutes(id, source), (minute) =>
          minutes.push(readFields<Minute>(minute)),
        );
        dayWindowFor(market, source).restore(
          minutes,
          readFields<Record<MarketSource, bigint | null>>(record.before)[source],
        );
      }
      assignMarket(market, record, this.#state.config, this.#state.runtime.clock.nowMs());
    });
  }

  #restoreHashes(): number {
    let next = 1;
    for (const [key, hash] of this.#records.withPrefix(KEYS.hashes)) {
      this.#state.orderHashes.add(hash as Hex);
      next = Number(key.slice(KEYS.hashes.length)) + 1;
    }
    return next;
  }

  /** Reads the records under a prefix, each with the rest of its key. */
  #each<Record>(prefix: string, read: (record: Record, key: string) => void): void {
    for (const [key, text] of this.#records.withPrefix(prefix)) {
      try {
        read(JSON.parse(text) as Record, key.slice(prefix.length));
      } catch (cause) {
        throw new FormatError("a record of the exchange's state cannot be read", {
          field: `${this.#records.place}: ${key}`,
          value: text,
          expected: cause instanceof Error ? cause.message : String(cause),
          cause,
        });
      }
    }
  }

  #account(key: AccountKey): ExchangeAccount {
    return found(this.#keys.account(key), "an account", key);
  }

  #market(id: MarketId): Market {
    return found(this.#state.markets.get(id), "a market", id);
  }

  #knownOrder(id: Int64Id): Order {
    return found(this.#orders.get(id), "an order", id);
  }
}

const SOURCES: readonly MarketSource[] = ["trades", "marks"];

function found<Thing>(thing: Thing | undefined, what: string, name: string): Thing {
  if (thing === undefined) {
    throw new FormatError(`refers to ${what} that does not exist`, {
      value: name,
      expected: "a name in the same store",
    });
  }
  return thing;
}
