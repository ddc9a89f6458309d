import type { Random } from "../../core/seam.js";
import { seededRandom } from "../../core/seeded-random.js";
import type { CreditUnits, Lots, Side, Ticks } from "../../core/units.js";
import type { Market } from "../markets/market.js";
import { ONE } from "../markets/market-rules.js";
import type { BookOrder } from "../matching/book-order.js";
import type { ExchangeState } from "../state.js";
import type { Account } from "./account.js";
import { Order } from "./order.js";
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

interface Waiting {
  readonly trade: Trade;
  readonly sides: readonly UserTrade[];
  readonly fees: CreditUnits;
}

/** Books matches on both accounts, settles or fails them after the configured delay, and pays funding. */
export class Clearing {
  readonly #state: ExchangeState;
  readonly #waiting: SettlementQueue<Waiting>;
  readonly #failures: Random;
  readonly #afterChange: (accounts: Iterable<Account>) => void;

  /** @param afterChange called with the accounts whose money or positions have changed by settlement or funding. */
  constructor(state: ExchangeState, turn: (run: () => void) => void, afterChange: (accounts: Iterable<Account>) => void) {
    const { settlement, seed } = state.config;
    this.#state = state;
    this.#afterChange = afterChange;
    this.#failures = seededRandom(`${seed} settlement`);
    this.#waiting = new SettlementQueue(state.seam, settlement.delayMs, (items) => turn(() => this.#settleAll(items)));
  }

  /** Matches whose settlement is still to come. */
  get unsettled(): number {
    return this.#waiting.size;
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
    market.lastTradeTicks = ticks;
    market.volumeQuote += quote;
    market.prices.onTrade(ticks);
    market.candles.record(BigInt(ticks), lots, quote, timeMs);
    market.trades.add(trade);
    if (buyOrder !== null || sellOrder !== null) {
      const buyer = this.#side(trade, buyOrder, true);
      const seller = this.#side(trade, sellOrder, false);
      const fees = buyer.commission + seller.commission;
      state.feeCredit += fees;
      this.#waiting.add({ trade, sides: makerSide === "BUY" ? [buyer, seller] : [seller, buyer], fees });
    }
    state.listener.onTrade(trade);
  }

  #side(trade: Trade, order: Order | null, isBuyer: boolean): UserTrade {
    const { market, lots, quote, timeMs } = trade;
    const isMaker = trade.isBuyerMaker === isBuyer;
    const account = order?.terms.account ?? market.house;
    const rate = isMaker ? (order?.terms.makerRate ?? market.rules.makerRate) : (order?.terms.takerRate ?? market.rules.takerRate);
    const commission = (quote * rate) / ONE;
    const part = account.in(market.id);
    const { entry, realizedPnl } = withOpenInterest(market, account, () =>
      part.position.match({ lots: isBuyer ? lots : -lots, quote, fee: commission, timeMs }),
    );
    const side: UserTrade = { trade, account, order, isMaker, isBuyer, commission, realizedPnl, entry };
    if (order !== null) {
      order.match(lots, quote);
      part.release(order, lots);
      part.trades.add(side);
      archiveIfFinal(order);
      this.#state.listener.onOrder(order);
      this.#state.listener.onUserTrade(side);
      this.#state.listener.onAccount(account);
    }
    return side;
  }

  #settleAll(items: readonly Waiting[]): void {
    const touched = new Set<Account>();
    for (const item of items) {
      const failed = this.#failures.uniform() < this.#state.config.settlement.failureRate;
      item.trade.status = failed ? this.#state.config.choices.failedTradeStatus : "SETTLED";
      this.#state.feeCredit -= failed ? item.fees : 0n;
      for (const side of item.sides) {
        this.#resolve(side, !failed);
        touched.add(side.account);
      }
    }
    this.#afterChange(touched);
  }

  #resolve(side: UserTrade, settled: boolean): void {
    const { trade, account, order } = side;
    const part = account.in(trade.market.id);
    if (settled) {
      part.position.settle(side.entry);
    } else {
      withOpenInterest(trade.market, account, () => part.position.fail(side.entry));
    }
    if (order === null) {
      return;
    }
    const { listener } = this.#state;
    order.resolve(trade.lots, trade.quote, settled);
    archiveIfFinal(order);
    listener.onOrder(order);
    listener.onUserTrade(side);
    if (settled) {
      this.#income(account, trade.market.id, [
        [side.isBuyer ? "BUY" : "SELL", side.isBuyer ? -trade.quote : trade.quote],
        [side.isMaker ? "MAKER_FEE" : "TAKER_FEE", -side.commission],
      ]);
    }
    listener.onAccount(account);
  }

  /** Credits an account from outside: registration, or the faucet. */
  deposit(account: Account, amount: CreditUnits): void {
    account.deposits += amount;
    this.#income(account, "", [["DEPOSIT", amount]]);
    this.#state.listener.onAccount(account);
    this.#afterChange([account]);
  }

  /**
   * Pays funding on every position of a market at its mark: the cumulative rate falls by rate times mark, and each position
   * gains what that changes in dMul(paper, rate) (protocol 7.4). What truncation leaves over goes to the dust account.
   */
  fund(market: Market): void {
    const timeMs = this.#state.nowMs();
    const before = market.cumulativeFunding;
    const after = before - (market.rules.fundingRate * market.prices.mark) / ONE;
    market.cumulativeFunding = after;
    market.fundings.add({ rate: market.rules.fundingRate, timeMs });
    for (const account of market.holders) {
      const { position } = account.in(market.id);
      const paper = BigInt(position.matched.lots) * market.instrument.paperPerLot;
      const amount = (paper * after) / market.rules.paperUnit - (paper * before) / market.rules.paperUnit;
      position.fund(amount, timeMs);
      this.#state.dustCredit -= amount;
      if (!account.isHouse) {
        this.#income(account, market.id, [["FUNDING_FEE", amount]]);
        this.#state.listener.onAccount(account);
      }
    }
    this.#afterChange([...market.holders]);
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
  const before = position.matched.lots;
  const result = change();
  const after = position.matched.lots;
  market.openInterestLots += Math.max(0, after) - Math.max(0, before);
  if (after === 0) {
    market.holders.delete(account);
  } else {
    market.holders.add(account);
  }
  return result;
}
