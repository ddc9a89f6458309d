import { seededRandom } from "../../core/seeded-random.js";
import type { CreditUnits, Lots, PaperUnits, Side, Ticks } from "../../core/units.js";
import type { Market } from "../markets/market.js";
import { ONE } from "../markets/market-rules.js";
import type { BookOrder } from "../matching/book-order.js";
import type { ExchangeState } from "../state.js";
import type { Account } from "./account.js";
import { Order } from "./order.js";
import type { PendingSettlement, PendingSide } from "./pending-settlement.js";
import type { Income, IncomeType, Trade, UserTrade } from "./records.js";
import { SettlementQueue } from "./settlement-queue.js";

/** A match as the book found it. An absent order is the house's: an agent's, or recorded liquidity. */
export interface Match {
  readonly market: Market;
  readonly buyer: BookOrder | null;
  readonly seller: BookOrder | null;
  readonly makerSide: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** Books matches on both accounts, settles or fails them after the configured delay, and pays funding. */
export class Clearing {
  readonly #state: ExchangeState;
  readonly #waiting: SettlementQueue<PendingSettlement>;
  readonly #afterChange: (accounts: Iterable<Account>) => void;

  /** @param afterChange called with the accounts whose money or positions have changed by settlement or funding. */
  constructor(state: ExchangeState, turn: (run: () => void) => void, afterChange: (accounts: Iterable<Account>) => void) {
    this.#state = state;
    this.#afterChange = afterChange;
    this.#waiting = new SettlementQueue(state.seam, (items) => turn(() => this.#settleAll(items)));
  }

  /** Matches whose settlement is still to come. */
  get unsettled(): number {
    return this.#waiting.size;
  }

  /** What waits for settlement, the next due first. */
  get pending(): readonly PendingSettlement[] {
    return this.#waiting.items;
  }

  /** Puts back a match that waited when the process ended; what came due meanwhile settles at the start. */
  restore(pending: PendingSettlement): void {
    this.#waiting.load(pending, Math.max(0, pending.dueMs - this.#state.seam.clock.nowMs()));
  }

  start(): void {
    this.#waiting.resume();
  }

  stop(): void {
    this.#waiting.stop();
  }

  /** Books a match. The orders' `openLots` are already reduced. */
  book(match: Match): void {
    const { market, ticks, lots, makerSide } = match;
    const state = this.#state;
    const buyOrder = match.buyer instanceof Order ? match.buyer : null;
    const sellOrder = match.seller instanceof Order ? match.seller : null;
    const quote = makerQuote(match, makerSide === "BUY" ? buyOrder : sellOrder);
    const timeMs = state.nowMs();
    const trade: Trade = {
      id: state.nextId(),
      market,
      ticks,
      lots,
      quote,
      timeMs,
      isBuyerMaker: makerSide === "BUY",
      status: "CREATED",
      settlesAtMs: buyOrder === null && sellOrder === null ? timeMs + state.config.settlement.delayMs : null,
    };
    market.noteTrade(trade);
    state.gas.onMatch(timeMs);
    if (buyOrder !== null || sellOrder !== null) {
      const buyer = this.#side(trade, buyOrder, true);
      const seller = this.#side(trade, sellOrder, false);
      const fees = buyer.record.commission + seller.record.commission;
      state.feeCredit += fees;
      const { delayMs } = state.config.settlement;
      const sides = makerSide === "BUY" ? [buyer, seller] : [seller, buyer];
      const pending: PendingSettlement = { trade, sides, fees, dueMs: state.seam.clock.nowMs() + delayMs };
      this.#waiting.add(pending, delayMs);
      state.listener.onPending(pending);
    }
    state.listener.onTrade(trade);
  }

  #side(trade: Trade, order: Order | null, isBuyer: boolean): PendingSide {
    const { market, lots, quote, timeMs } = trade;
    const isMaker = trade.isBuyerMaker === isBuyer;
    const account = order?.terms.account ?? market.house;
    const rate = isMaker ? (order?.terms.makerRate ?? market.rules.makerRate) : (order?.terms.takerRate ?? market.rules.takerRate);
    const commission = (quote * rate) / ONE;
    const part = account.in(market.id);
    const { entry, realizedPnl } = withOpenInterest(market, account, () =>
      part.position.match({ paper: market.paperOf(isBuyer ? lots : -lots), quote, fee: commission, timeMs }),
    );
    const orderType = order?.terms.type ?? "LIMIT";
    const timeInForce = order?.terms.timeInForce ?? "GTC";
    const record: UserTrade = { trade, account, orderType, timeInForce, isMaker, isBuyer, commission, realizedPnl };
    this.#state.listener.onPosition(account, market);
    if (order !== null) {
      order.match(lots, quote);
      part.release(order, lots);
      part.trades.add(record);
      archiveIfFinal(order);
      this.#state.listener.onOrder(order);
      this.#state.listener.onUserTrade(record);
      this.#state.listener.onAccount(account);
    }
    return { record, order, entry };
  }

  #settleAll(items: readonly PendingSettlement[]): void {
    const touched = new Set<Account>();
    for (const item of items) {
      const failed = this.#fails(item.trade);
      item.trade.status = failed ? this.#state.config.choices.failedTradeStatus : "SETTLED";
      this.#state.feeCredit -= failed ? item.fees : 0n;
      for (const side of item.sides) {
        this.#resolve(side, !failed);
        touched.add(side.record.account);
      }
      this.#state.listener.onResolved(item);
    }
    this.#changed([...touched]);
  }

  /** Drawn from the seed and the trade's id alone, so that a restart changes no trade's fate. */
  #fails({ id }: Trade): boolean {
    const { seed, settlement } = this.#state.config;
    const { failureRate } = settlement;
    return failureRate > 0 && seededRandom(`${seed} settlement ${id}`).uniform() < failureRate;
  }

  #resolve({ record, order, entry }: PendingSide, settled: boolean): void {
    const { trade, account } = record;
    const part = account.in(trade.market.id);
    if (settled) {
      part.position.settle(entry);
    } else {
      withOpenInterest(trade.market, account, () => part.position.fail(entry));
    }
    this.#state.listener.onPosition(account, trade.market);
    if (order === null) {
      return;
    }
    const { listener } = this.#state;
    order.resolve(trade.lots, trade.quote, settled);
    archiveIfFinal(order);
    listener.onOrder(order);
    listener.onUserTrade(record);
    if (settled) {
      this.#income(account, trade.market.id, [
        [record.isBuyer ? "BUY" : "SELL", record.isBuyer ? -trade.quote : trade.quote],
        [record.isMaker ? "MAKER_FEE" : "TAKER_FEE", -record.commission],
      ]);
    }
    listener.onAccount(account);
  }

  /** Credits an account from outside: registration, or the faucet. */
  deposit(account: Account, amount: CreditUnits, type: "DEPOSIT" | "BONUS" = "DEPOSIT"): void {
    account.deposits += amount;
    this.#state.depositedCredit += amount;
    this.#moved(account, type, amount);
  }

  /** Lets credit leave an account and the exchange. */
  withdraw(account: Account, amount: CreditUnits): void {
    account.deposits -= amount;
    this.#state.withdrawnCredit += amount;
    this.#moved(account, "WITHDRAWAL", -amount);
  }

  /**
   * The insurance account takes over the debt of accounts that have no position and nothing to come, but debt (protocol 7.7,
   * "Bad debt").
   */
  #coverDebts(accounts: Iterable<Account>): void {
    for (const account of accounts) {
      const debt = -account.primaryCredit;
      if (debt > 0n && !account.isHouse && [...account.markets.values()].every(({ position }) => position.isFlat)) {
        account.insuredCredit += debt;
        this.#state.insuranceCredit -= debt;
        this.#income(account, "", [["SYSTEM", debt]]);
        this.#state.listener.onAccount(account);
      }
    }
  }

  #changed(accounts: readonly Account[]): void {
    this.#coverDebts(accounts);
    this.#afterChange(accounts);
  }

  /** Credit of an account has come from outside, or gone there. */
  #moved(account: Account, type: IncomeType, amount: CreditUnits): void {
    this.#income(account, "", [[type, amount]]);
    this.#state.listener.onAccount(account);
    this.#changed([account]);
  }

  /**
   * Ends a funding interval and pays its rate on every position of a market at its mark: the cumulative rate falls by rate times
   * mark, and each position gains what that changes in dMul(paper, rate) (protocol 7.4). What truncation leaves over goes to the
   * dust account. Too few samples of the premium, and nothing is paid.
   */
  fund(market: Market): void {
    const rate = market.rules.config.funding.mode === "fixed" ? market.rules.fundingRate : market.premium.close();
    if (rate === null) {
      return;
    }
    const timeMs = this.#state.nowMs();
    const before = market.cumulativeFunding;
    const after = before - (rate * market.prices.mark) / ONE;
    market.cumulativeFunding = after;
    market.fundings.add({ rate, timeMs });
    const holders = [market.house, ...this.#state.accounts.values()].filter((account) => market.holders.has(account));
    for (const account of holders) {
      const { position } = account.in(market.id);
      const { paper } = position.matched;
      const amount = (paper * after) / market.rules.paperUnit - (paper * before) / market.rules.paperUnit;
      position.fund(amount, timeMs);
      this.#state.listener.onPosition(account, market);
      this.#state.dustCredit -= amount;
      if (!account.isHouse) {
        this.#income(account, market.id, [["FUNDING_FEE", amount]]);
        this.#state.listener.onAccount(account);
      }
    }
    this.#state.listener.onMarket(market);
    this.#changed(holders);
  }

  #income(account: Account, marketId: string, amounts: readonly (readonly [IncomeType, CreditUnits])[]): void {
    const timeMs = this.#state.nowMs();
    const incomes = amounts.map(([type, amount]): Income => ({ id: this.#state.nextId(), type, amount, timeMs, marketId }));
    for (const income of incomes) {
      account.incomes.add(income);
    }
    this.#state.listener.onIncomes(account, incomes);
  }
}

/** Moves an order whose status is final from the active ones to the history. */
export function archiveIfFinal(order: Order): void {
  if (order.active && order.isFinal) {
    order.active = false;
    const { account, market, id } = order.terms;
    account.activeOrders.delete(id);
    account.in(market.id).history.add(order);
  }
}

/** A trade goes at the maker's signed ratio; the house signs nothing, so its part is rounded as an order's would be. */
function makerQuote({ market, makerSide, ticks, lots }: Match, maker: Order | null): CreditUnits {
  if (maker !== null) {
    return maker.quoteOf(lots);
  }
  return makerSide === "BUY" ? market.instrument.creditCeil(ticks, lots) : market.instrument.creditFloor(ticks, lots);
}

/** Runs a change of an account's position and keeps the market's open interest and holders in step. */
function withOpenInterest<Result>(market: Market, account: Account, change: () => Result): Result {
  const { position } = account.in(market.id);
  const before = position.matched.paper;
  const result = change();
  const after = position.matched.paper;
  market.openInterestPaper += longOf(after) - longOf(before);
  if (after === 0n) {
    market.holders.delete(account);
  } else {
    market.holders.add(account);
  }
  return result;
}

function longOf(paper: PaperUnits): PaperUnits {
  return paper > 0n ? paper : 0n;
}
