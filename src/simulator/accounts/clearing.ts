import {
  type CreditUnits,
  type Lots,
  oppositeSide,
  type Side,
  type Ticks,
} from "../../core/units.js";
import { tradeFee } from "../../perpetual/fees.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market, Trade } from "../markets/market.js";
import type { BookOrder } from "../matching/book-order.js";
import type { ExchangeAccount, UserTrade } from "./account.js";
import { Order } from "./account.js";
import type { CreditLedger } from "./credit-ledger.js";
import type { PendingSettlement, PendingSide } from "./pending-settlement.js";
import type { OnSettlement, Settlement, SettlementOutcome } from "./settlement.js";

/**
 * A match as the book found it. A missing order is the house's: an agent's, or recorded liquidity.
 */
export interface Match {
  readonly market: Market;
  readonly buyer: BookOrder | null;
  readonly seller: BookOrder | null;
  readonly makerSide: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** Matches of one taking order that settle together. */
interface Sweep {
  readonly taker: BookOrder | null;
  readonly takerSide: Side;
  readonly market: Market;
  readonly matches: PendingSettlement[];
  /** Credit of all matches, on which the taker's fee is computed. */
  quote: CreditUnits;
}

/** Books matches on both accounts, has them settled, and books the outcome. */
export class Clearing {
  /** Moves credit outside of trades. */
  readonly credit: CreditLedger;
  readonly #state: ExchangeState;
  readonly #settlement: Settlement;
  #sweep: Sweep | null = null;

  /**
   * @param settlementOf creates the settlement.
   * @param credit moves credit outside of trades.
   */
  constructor(
    state: ExchangeState,
    settlementOf: (onSettlement: OnSettlement) => Settlement,
    credit: CreditLedger,
  ) {
    this.#state = state;
    this.credit = credit;
    this.#settlement = settlementOf((outcomes) => this.#settleAll(outcomes));
  }

  /** The number of matches that are not settled yet. */
  get unsettled(): number {
    return this.#settlement.pending.length;
  }

  /** Restores a match that was pending when the process ended. */
  restore(pending: PendingSettlement): void {
    this.#settlement.restore(pending);
  }

  start(): void {
    this.#settlement.start();
  }

  stop(): void {
    this.#settlement.stop();
  }

  /** Books a match. The orders' `openLots` are already reduced. */
  book(match: Match): void {
    const { market, ticks, lots, makerSide } = match;
    const state = this.#state;
    const buyOrder = match.buyer instanceof Order ? match.buyer : null;
    const sellOrder = match.seller instanceof Order ? match.seller : null;
    const isSettled = buyOrder !== null || sellOrder !== null;
    const quote = makerQuote(match, makerSide === "BUY" ? buyOrder : sellOrder);
    const timeMs = state.nowMs();
    const { houseDelayMs } = this.#settlement;
    const trade: Trade = {
      id: state.nextId(),
      market,
      ticks,
      lots,
      quote,
      timeMs,
      isBuyerMaker: makerSide === "BUY",
      status: "CREATED",
      settlesAtMs: isSettled ? null : timeMs + houseDelayMs,
    };
    market.noteTrade(trade);
    state.gas.onMatch(timeMs);
    if (isSettled) {
      const sweep = this.#sweepOf(match);
      for (const account of [buyOrder, sellOrder].map(
        (order) => order?.terms.account ?? state.accountsFor(market).house,
      )) {
        continueTransaction(sweep.matches, account);
      }
      const buyer = this.#side(trade, buyOrder, true, sweep.quote);
      const seller = this.#side(trade, sellOrder, false, sweep.quote);
      const fees = buyer.record.commission + seller.record.commission;
      state.feeCredit += fees;
      const sides = makerSide === "BUY" ? [buyer, seller] : [seller, buyer];
      const pending: PendingSettlement = {
        trade,
        sides,
        fees,
        dueMs: state.runtime.clock.nowMs() + houseDelayMs,
        ...(this.#settlement.maxMatchesTogether > 1
          ? { sweepId: sweep.matches[0]?.trade.id ?? trade.id }
          : {}),
      };
      this.#join(sweep, pending);
      state.listener.onPending(pending);
    }
    state.listener.onTrade(trade);
  }

  /** Ends the sweep: the taking order trades no more. */
  endSweep(): void {
    const sweep = this.#sweep;
    this.#sweep = null;
    if (sweep !== null && sweep.matches.length > 0) {
      this.#settlement.add(sweep.matches);
    }
  }

  #sweepOf({ market, makerSide, buyer, seller }: Match): Sweep {
    const takerSide = oppositeSide(makerSide);
    // Orders of agents and fills of a recording belong to the house.
    const taking = makerSide === "BUY" ? seller : buyer;
    const taker = taking instanceof Order ? taking : null;
    const held = this.#sweep;
    if (
      held !== null &&
      held.taker === taker &&
      held.takerSide === takerSide &&
      held.market === market
    ) {
      return held;
    }
    this.endSweep();
    this.#sweep = { taker, takerSide, market, matches: [], quote: 0n };
    return this.#sweep;
  }

  #join(sweep: Sweep, pending: PendingSettlement): void {
    sweep.matches.push(pending);
    sweep.quote += pending.trade.quote;
    if (sweep.matches.length === this.#settlement.maxMatchesTogether) {
      this.endSweep();
    }
  }

  /**
   * @param sweptQuote credit that the taker has already traded in the same transaction; the fee is
   * computed on the sum (docs/reference/protocol.md#trades).
   */
  #side(trade: Trade, order: Order | null, isBuyer: boolean, sweptQuote: CreditUnits): PendingSide {
    const { market, lots, quote, timeMs } = trade;
    const isMaker = trade.isBuyerMaker === isBuyer;
    const accounts = this.#state.accountsFor(market);
    const account = order?.terms.account ?? accounts.house;
    const { makerRate, takerRate } = order?.terms ?? market.houseRates;
    const rate = isMaker ? makerRate : takerRate;
    const before = isMaker ? 0n : sweptQuote;
    const commission = tradeFee(quote, rate, before);
    const part = account.inMarket(market.id);
    const { entry, realizedPnl } = accounts.change(account, () =>
      part.position.match({
        paper: market.instrument.lotsToPaper(isBuyer ? lots : -lots),
        quote,
        fee: commission,
        timeMs,
      }),
    );
    const orderType = order?.terms.type ?? "LIMIT";
    const timeInForce = order?.terms.timeInForce ?? "GTC";
    const record: UserTrade = {
      trade,
      account,
      orderType,
      timeInForce,
      isMaker,
      isBuyer,
      commission,
      realizedPnl,
      ...(order === null ? {} : { orderId: order.terms.id }),
    };
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

  #settleAll(outcomes: readonly SettlementOutcome[]): void {
    const touched = new Set<ExchangeAccount>();
    for (const { pending, isSettled } of outcomes) {
      pending.trade.status = !isSettled ? this.#state.config.choices.failedTradeStatus : "SETTLED";
      this.#state.feeCredit -= isSettled ? 0n : pending.fees;
      for (const side of pending.sides) {
        this.#resolve(side, isSettled);
        touched.add(side.record.account);
      }
      this.#state.listener.onResolved(pending);
    }
    this.credit.onAccountsChanged([...touched]);
  }

  #resolve({ record, order, entry }: PendingSide, settled: boolean): void {
    const { trade, account } = record;
    const part = account.inMarket(trade.market.id);
    if (settled) {
      part.position.settle(entry);
    } else {
      this.#state.accountsFor(trade.market).change(account, () => part.position.fail(entry));
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
      this.credit.recordIncomes(account, trade.market.id, [
        [record.isBuyer ? "BUY" : "SELL", record.isBuyer ? -trade.quote : trade.quote],
        [record.isMaker ? "MAKER_FEE" : "TAKER_FEE", -record.commission],
      ]);
    }
    listener.onAccount(account);
  }
}

/** Moves an order whose status is final from the active ones to the history. */
export function archiveIfFinal(order: Order): void {
  if (order.active && order.isFinal) {
    order.active = false;
    const { account, market, id } = order.terms;
    account.activeOrders.delete(id);
    account.inMarket(market.id).history.add(order);
  }
}

/**
 * Continues a position within one transaction. The contracts change a balance once a transaction,
 * by the sum of its trades, so a position between two of these trades never settles by itself.
 */
function continueTransaction(
  matches: readonly PendingSettlement[],
  account: ExchangeAccount,
): void {
  for (let place = matches.length - 1; place >= 0; place -= 1) {
    const earlier = matches[place]?.sides.find(({ record }) => record.account === account);
    if (earlier !== undefined) {
      account.inMarket(earlier.record.trade.market.id).position.continueAfter(earlier.entry);
      return;
    }
  }
}

/**
 * Returns a trade's credit at the maker's signed ratio. The house signs nothing, so its part is
 * rounded as an order's would be.
 */
function makerQuote({ market, makerSide, ticks, lots }: Match, maker: Order | null): CreditUnits {
  return maker?.quoteFor(lots) ?? market.instrument.orderCredit(makerSide, ticks, lots);
}
