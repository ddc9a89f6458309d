import type { QueueModel, QueuePlace } from "../../core/queue-models.js";
import type { Timer } from "../../core/seam.js";
import { type Hex, type Lots, oppositeOf, type Ticks } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import { archiveIfFinal, type Clearing } from "../accounts/clearing.js";
import { riskOf } from "../accounts/margin.js";
import { Order } from "../accounts/order.js";
import type { FlowOrder, RecordedDepth, RecordedMessage, RecordedPrint } from "../flow-market.js";
import { FlowAgentOrder } from "../markets/flow-agent.js";
import type { Market } from "../markets/market.js";
import type { ExchangeState } from "../state.js";
import type { BookOrder } from "./book-order.js";
import type { MatchListener } from "./matching-engine.js";
import { applyRecorded, printRecorded } from "./recorded-fills.js";

/** Takes checked orders into the markets, ends them, and lets the other participants and recordings act on the books. */
export class OrderDesk {
  readonly #state: ExchangeState;
  readonly #clearing: Clearing;
  readonly #expiries = new Map<Order, Timer>();
  readonly #turn: (run: () => void) => void;
  /** Accounts that traded in the event under way: fees and prices may have brought them below maintenance. */
  readonly #traded = new Set<Account>();

  constructor(state: ExchangeState, clearing: Clearing, turn: (run: () => void) => void) {
    this.#state = state;
    this.#clearing = clearing;
    this.#turn = turn;
  }

  /** Sets the expiry of every resting GTT order, those that passed while it was stopped at once. */
  start(): void {
    for (const account of this.#state.accounts.values()) {
      for (const order of account.activeOrders.values()) {
        if (order.openLots > 0) {
          this.#expireLater(order);
        }
      }
    }
  }

  /** Lets nothing expire until the next start. */
  stop(): void {
    for (const timer of this.#expiries.values()) {
      timer.cancel();
    }
    this.#expiries.clear();
  }

  /** What a market's matching engine reports to. */
  listenerOf(market: Market): MatchListener {
    return {
      onMatch: (taker, maker, ticks, lots) => this.#onMatch(market, taker, maker, ticks, lots),
      onSelfMatch: (resting) => {
        if (resting instanceof Order) {
          this.#end(resting, this.#state.config.choices.selfMatchEnd);
        }
      },
      onLevel: (side, ticks) => {
        market.depth.change(side, ticks);
        this.#state.listener.onBook(market);
      },
    };
  }

  /** Whether a POST_ONLY order of these terms would trade on arrival. */
  wouldCross(market: Market, side: Order["side"], ticks: Ticks): boolean {
    return market.engine.crosses(side, ticks);
  }

  /** Whether an order of these terms could trade in full on arrival. */
  couldFill(account: Account, market: Market, side: Order["side"], ticks: Ticks, lots: Lots): boolean {
    return market.engine.canFill({ side, ticks, openLots: lots, selfMatchKey: account });
  }

  /** Takes an order that passed every check: announces it, matches it, and rests or ends what is left. */
  accept(order: Order): void {
    this.#match(order);
    this.#endSweep();
  }

  #match(order: Order): void {
    const { account, market, timeInForce, type } = order.terms;
    const { listener, config } = this.#state;
    account.activeOrders.set(order.terms.id, order);
    account.in(market.id).reserve(order);
    listener.onOrder(order);
    listener.onAccount(account);
    order.activate();
    if (timeInForce === "POST_ONLY" && market.engine.crosses(order.side, order.ticks)) {
      this.#end(order, config.choices.crossingPostOnly === "CANCELED" ? "CANCELED" : "EXPIRED");
      return;
    }
    if (timeInForce === "FOK" && !market.engine.canFill(order)) {
      this.#end(order, config.choices.unfilledFok === "CANCELED" ? "CANCELED" : "EXPIRED");
      return;
    }
    const swept = market.engine.sweep(order);
    this.#refreshMid(market);
    if (order.openLots === 0) {
      return;
    }
    if (swept === "self-match") {
      this.#end(order, config.choices.selfMatchEnd);
    } else if (type === "MARKET" || timeInForce === "IOC" || timeInForce === "FOK") {
      this.#end(order, config.choices.iocRemainder);
    } else {
      market.engine.rest(order);
      this.#refreshMid(market);
      this.#expireLater(order);
    }
  }

  /** Cancels what is open of an active order. @returns false when nothing was. */
  cancel(order: Order): boolean {
    if (order.openLots === 0 || !order.active) {
      return false;
    }
    order.terms.market.engine.remove(order);
    this.#end(order, "CANCELED");
    this.#refreshMid(order.terms.market);
    return true;
  }

  /** Cancels every order of an account with something open, in one market or in all. */
  cancelAll(account: Account, market?: Market): void {
    this.cancelWhere(account, ({ terms }) => market === undefined || terms.market === market);
  }

  /** Cancels every order of an account with something open that `picks` accepts. */
  cancelWhere(account: Account, picks: (order: Order) => boolean): void {
    for (const order of [...account.activeOrders.values()]) {
      if (picks(order)) {
        this.cancel(order);
      }
    }
  }

  /** Somebody may sign for an account no more; what it signed that still rests goes where the venue has it so. @param operator in lower case */
  revoke(account: Account, operator: Hex): void {
    if (!account.operators.delete(operator)) {
      return;
    }
    if (this.#state.config.choices.revokedOperatorOrders === "cancel") {
      // The contracts would no longer take their signatures.
      this.cancelWhere(account, (order) => order.terms.signedBy === operator);
    }
    this.#state.listener.onOperatorRevoked(account, operator);
  }

  /** Cancels the orders of accounts that fell below maintenance margin; from then on they may only reduce. */
  enforceMaintenance(accounts: Iterable<Account>): void {
    for (const account of accounts) {
      if (account.isHouse) {
        continue;
      }
      const { isSafe } = riskOf(account, this.#state.markets);
      if (!isSafe && !account.reduceOnly) {
        account.reduceOnly = true;
        this.cancelAll(account);
        this.#state.listener.onAccount(account);
      } else if (isSafe && account.reduceOnly) {
        account.reduceOnly = false;
        this.#state.listener.onAccount(account);
      }
    }
  }

  /** Places a house agent's order; null when nothing of it rests. */
  placeFlow(market: Market, { agent, side, ticks, lots, timeInForce }: FlowOrder): FlowAgentOrder | null {
    const order = new FlowAgentOrder(market.agent(agent), side, ticks, lots);
    if ((timeInForce === "POST_ONLY" && market.engine.crosses(side, ticks)) || (timeInForce === "FOK" && !market.engine.canFill(order))) {
      return null;
    }
    market.engine.sweep(order);
    if (order.openLots > 0 && (timeInForce === "GTC" || timeInForce === "POST_ONLY")) {
      order.rests(order.openLots);
      market.engine.rest(order);
    }
    this.#refreshMid(market);
    this.#endSweep();
    return order.level === null ? null : order;
  }

  cancelFlow(market: Market, order: FlowAgentOrder): boolean {
    if (order.level === null) {
      return false;
    }
    market.engine.remove(order);
    order.rests(-order.openLots);
    order.openLots = 0;
    this.#refreshMid(market);
    return true;
  }

  /** Puts a recording under the participants' orders; one that was there before goes, level by level. */
  attachRecorded(market: Market, depth: RecordedDepth, queue?: QueueModel<QueuePlace>): void {
    const { engine } = market;
    const before = engine.recorded;
    const gone: [Order["side"], Ticks][] = [];
    for (const side of ["BUY", "SELL"] as const) {
      before?.forEachLevel(side, (ticks) => gone.push([side, ticks]) > 0);
    }
    engine.attach(depth, queue);
    for (const [side, ticks] of gone) {
      market.depth.change(side, ticks);
    }
    for (const side of ["BUY", "SELL"] as const) {
      depth.forEachLevel(side, (ticks) => {
        market.depth.change(side, ticks);
        return true;
      });
    }
    this.#state.listener.onBook(market);
    this.#refreshMid(market);
  }

  /** Applies a recorded message whole, then fills the resting orders that it reached. */
  applyRecorded(market: Market, message: RecordedMessage): void {
    applyRecorded(
      market.engine,
      message,
      (side, ticks) => market.depth.change(side, ticks),
      (maker, ticks, lots) => this.#fillByRecording(market, maker, ticks, lots),
    );
    this.#state.listener.onBook(market);
    this.#refreshMid(market);
    this.#endSweep();
  }

  /** Publishes a recorded trade, less what participants' orders took of it as trades of their own. */
  printRecorded(market: Market, print: RecordedPrint): void {
    const takenLots = printRecorded(market.engine, print, (maker, ticks, lots) => this.#fillByRecording(market, maker, ticks, lots));
    if (print.lots > takenLots) {
      const makerSide = oppositeOf(print.aggressor);
      this.#clearing.book({ market, buyer: null, seller: null, makerSide, ticks: print.ticks, lots: print.lots - takenLots });
    }
    this.#refreshMid(market);
    this.#endSweep();
  }

  /** What was taking takes no more. */
  #endSweep(): void {
    this.#clearing.endSweep();
    if (this.#traded.size > 0) {
      const traded = [...this.#traded];
      this.#traded.clear();
      this.enforceMaintenance(traded);
    }
  }

  #fillByRecording(market: Market, maker: BookOrder, ticks: Ticks, lots: Lots): void {
    market.depth.change(maker.side, ticks);
    this.#state.listener.onBook(market);
    this.#book(market, null, maker, oppositeOf(maker.side), ticks, lots);
  }

  #onMatch(market: Market, taker: BookOrder, maker: BookOrder | null, ticks: Ticks, lots: Lots): void {
    this.#book(market, taker, maker, taker.side, ticks, lots);
  }

  #book(market: Market, taker: BookOrder | null, maker: BookOrder | null, takerSide: Order["side"], ticks: Ticks, lots: Lots): void {
    if (maker instanceof FlowAgentOrder) {
      maker.rests(-lots);
    }
    for (const order of [taker, maker]) {
      if (order instanceof FlowAgentOrder) {
        order.owner.inventoryLots += order.side === "BUY" ? lots : -lots;
      } else if (order instanceof Order) {
        this.#traded.add(order.terms.account);
      }
    }
    this.#clearing.book({
      market,
      buyer: takerSide === "BUY" ? taker : maker,
      seller: takerSide === "BUY" ? maker : taker,
      makerSide: oppositeOf(takerSide),
      ticks,
      lots,
    });
    if (maker instanceof Order && maker.openLots === 0) {
      this.#forgetExpiry(maker);
    }
  }

  #end(order: Order, how: "CANCELED" | "EXPIRED"): void {
    const lots = order.openLots;
    order.end(how);
    order.terms.account.in(order.terms.market.id).release(order, lots);
    this.#forgetExpiry(order);
    archiveIfFinal(order);
    this.#state.listener.onOrder(order);
    this.#state.listener.onAccount(order.terms.account);
  }

  #expireLater(order: Order): void {
    const { timeInForce, expirationMs } = order.terms;
    if (timeInForce === "GTT") {
      const timer = this.#state.seam.clock.setTimer(Math.max(0, expirationMs - this.#state.nowMs()), () =>
        this.#turn(() => this.#expire(order)),
      );
      this.#expiries.set(order, timer);
    }
  }

  #expire(order: Order): void {
    this.#expiries.delete(order);
    if (order.openLots > 0) {
      order.terms.market.engine.remove(order);
      this.#end(order, "EXPIRED");
      this.#refreshMid(order.terms.market);
    }
  }

  #forgetExpiry(order: Order): void {
    this.#expiries.get(order)?.cancel();
    this.#expiries.delete(order);
  }

  #refreshMid(market: Market): void {
    market.prices.onMid(market.midTicks, this.#state.nowMs());
  }
}
