import type { Hex, Ms } from "../../core/units.js";
import type { ExchangeAccount, Income, Order, UserTrade } from "../accounts/account.js";
import type { PendingSettlement } from "../accounts/pending-settlement.js";
import type { ExchangeState, StateListener } from "../engine/exchange-state.js";
import type { Market, Trade } from "../markets/market.js";
import type { ChainRequest } from "../settlement/chain-request.js";
import type { AccountKeys } from "./account-keys.js";
import { writeAccount, writePosition } from "./account-record.js";
import { ChangeBuilder } from "./change-builder.js";
import { MarketWriter } from "./market-writer.js";
import { writeFields } from "./plain-fields.js";
import { idKey, KEYS } from "./record-keys.js";
import type { RecordStore } from "./record-store.js";
import { writeState } from "./state-record.js";
import { writeOrder } from "./stored-order.js";
import { writePending, writeTrade, writeUserTrade } from "./trade-record.js";

/**
 * Keeps the records of an exchange in step with it: collects the changes of each event, and writes
 * all of them in one commit at the event's end, before any of them is reported.
 */
export class StateWriter implements StateListener {
  readonly #state: ExchangeState;
  readonly #records: RecordStore;
  readonly #keys: AccountKeys;
  readonly #orders = new Set<Order>();
  readonly #accounts = new Set<ExchangeAccount>();
  readonly #positions = new Map<ExchangeAccount, Set<Market>>();
  readonly #userTrades = new Set<UserTrade>();
  readonly #incomes: [ExchangeAccount, Income][] = [];
  readonly #trades = new Set<Trade>();
  readonly #pending = new Set<PendingSettlement>();
  readonly #resolved = new Set<PendingSettlement>();
  readonly #hashes: Hex[] = [];
  /** null for one that need not be remembered any longer. */
  readonly #usedRequests = new Map<Hex, Ms | null>();
  /** null for one whose outcome is known. */
  readonly #requests = new Map<number, ChainRequest | null>();
  #isStateTouched = false;
  /** The last written texts of accounts, which are often marked and seldom changed. */
  readonly #written = new Map<ExchangeAccount, string>();
  readonly #change = new ChangeBuilder();
  readonly #markets: MarketWriter;
  #hashNumber: number;

  /** @param hashNumber the number of the next order hash. */
  constructor(state: ExchangeState, records: RecordStore, keys: AccountKeys, hashNumber: number) {
    this.#state = state;
    this.#records = records;
    this.#keys = keys;
    this.#hashNumber = hashNumber;
    this.#markets = new MarketWriter(this.#change, state.markets.values());
  }

  onOrder(order: Order): void {
    this.#orders.add(order);
  }

  onUserTrade(trade: UserTrade): void {
    this.#userTrades.add(trade);
  }

  onAccount(account: ExchangeAccount): void {
    this.#accounts.add(account);
  }

  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void {
    for (const income of incomes) {
      this.#incomes.push([account, income]);
    }
  }

  onOperatorRevoked(account: ExchangeAccount): void {
    this.#accounts.add(account);
  }

  onTrade(trade: Trade): void {
    this.#trades.add(trade);
    this.#markets.touch(trade.market, "trades");
  }

  onBook(market: Market): void {
    this.#markets.touchHead(market);
  }

  onMarket(market: Market): void {
    this.#markets.touch(market, "marks");
  }

  onPosition(account: ExchangeAccount, market: Market): void {
    this.#accounts.add(account);
    // Open interest is part of the market's record.
    this.#markets.touchHead(market);
    const markets = this.#positions.get(account);
    if (markets === undefined) {
      this.#positions.set(account, new Set([market]));
    } else {
      markets.add(market);
    }
  }

  onPending(pending: PendingSettlement): void {
    this.#pending.add(pending);
  }

  onResolved(pending: PendingSettlement): void {
    this.#resolved.add(pending);
    this.#pending.delete(pending);
    this.#trades.add(pending.trade);
  }

  onOrderHash(hash: Hex): void {
    this.#hashes.push(hash);
  }

  onUsedRequest(digest: Hex, untilMs: Ms): void {
    this.#usedRequests.set(digest, untilMs);
  }

  onExpiredUsedRequest(digest: Hex): void {
    this.#usedRequests.set(digest, null);
  }

  onRequest(request: ChainRequest): void {
    this.#requests.set(request.id, request);
  }

  onRequestResolved(request: ChainRequest): void {
    this.#requests.set(request.id, null);
  }

  onState(): void {
    this.#isStateTouched = true;
  }

  /**
   * Writes the store's identity, and the state before the first event.
   * @throws RunError when the write fails
   */
  begin(identity: ReadonlyMap<string, string>): void {
    for (const [key, text] of identity) {
      this.#change.putText(key, text);
    }
    for (const market of this.#state.markets.values()) {
      this.#markets.touchHead(market);
      this.#accounts.add(this.#state.accountsFor(market).house);
    }
    this.commit();
  }

  /**
   * Commits the event's changes.
   * @throws RunError when the write fails
   */
  commit(): void {
    this.#writeAccounts();
    this.#writeOrders();
    this.#writeTrades();
    this.#markets.write();
    this.#writeHashes();
    this.#writeUsedRequests();
    this.#writeRequests();
    if (!this.#change.isEmpty || this.#isStateTouched) {
      this.#isStateTouched = false;
      this.#change.put(KEYS.state, writeState(this.#state));
      this.#records.commit(this.#change.take());
    }
  }

  #writeAccounts(): void {
    for (const account of this.#accounts) {
      const text = JSON.stringify(writeAccount(account));
      if (this.#written.get(account) !== text) {
        this.#written.set(account, text);
        this.#change.putText(KEYS.account(this.#keys.keyFor(account)), text);
      }
    }
    this.#accounts.clear();
    for (const [account, markets] of this.#positions) {
      for (const market of markets) {
        this.#change.put(
          KEYS.position(this.#keys.keyFor(account), market.id),
          writePosition(account.inMarket(market.id)),
        );
      }
    }
    this.#positions.clear();
    for (const [account, income] of this.#incomes) {
      const prefix = KEYS.incomes(this.#keys.keyFor(account));
      this.#change.putKept(prefix, account.incomes.firstId, income.id, () => writeFields(income));
    }
    this.#incomes.length = 0;
  }

  #writeOrders(): void {
    for (const order of this.#orders) {
      const { account, market, id } = order.terms;
      const key = this.#keys.keyFor(account);
      const record = writeOrder(order, key);
      if (order.active || order.pendingLots > 0) {
        this.#change.put(KEYS.order(id), record);
      } else {
        this.#change.remove(KEYS.order(id));
      }
      if (!order.active) {
        this.#change.putKept(
          KEYS.history(key, market.id),
          account.inMarket(market.id).history.firstId,
          id,
          () => record,
        );
      }
    }
    this.#orders.clear();
  }

  #writeTrades(): void {
    for (const trade of this.#trades) {
      this.#change.putKept(
        KEYS.trades(trade.market.id),
        trade.market.trades.firstId,
        trade.id,
        () => writeTrade(trade),
      );
    }
    this.#trades.clear();
    for (const side of this.#userTrades) {
      const key = this.#keys.keyFor(side.account);
      const { market, id } = side.trade;
      const { trades } = side.account.inMarket(market.id);
      this.#change.putKept(KEYS.userTrades(key, market.id), trades.firstId, id, () =>
        writeUserTrade(side, key),
      );
    }
    this.#userTrades.clear();
    for (const pending of this.#pending) {
      this.#change.put(
        KEYS.pending(pending.trade.id),
        writePending(pending, ({ account }) => this.#keys.keyFor(account)),
      );
    }
    this.#pending.clear();
    for (const { trade } of this.#resolved) {
      this.#change.remove(KEYS.pending(trade.id));
    }
    this.#resolved.clear();
  }

  #writeRequests(): void {
    for (const [id, request] of this.#requests) {
      if (request === null) {
        this.#change.remove(KEYS.request(id));
      } else {
        this.#change.put(KEYS.request(id), request);
      }
    }
    this.#requests.clear();
  }

  #writeUsedRequests(): void {
    for (const [digest, untilMs] of this.#usedRequests) {
      if (untilMs === null) {
        this.#change.remove(KEYS.spentRequest(digest));
      } else {
        this.#change.put(KEYS.spentRequest(digest), untilMs);
      }
    }
    this.#usedRequests.clear();
  }

  #writeHashes(): void {
    for (const hash of this.#hashes) {
      this.#change.putText(KEYS.hashes + idKey(this.#hashNumber), hash);
      this.#hashNumber += 1;
    }
    if (this.#hashes.length > 0) {
      this.#change.forget(KEYS.hashes, idKey(this.#hashNumber - this.#state.orderHashes.size));
      this.#hashes.length = 0;
    }
  }
}
