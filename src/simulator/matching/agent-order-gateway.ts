import type { QueueModel, QueuePlace } from "../../core/queue/queue-models.js";
import { type Lots, oppositeSide, type Side, type Ticks } from "../../core/units.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type {
  FlowOrder,
  RecordedDepth,
  RecordedMessage,
  RecordedPrint,
} from "../flow/flow-market.js";
import { FlowAgentOrder } from "../markets/flow-agent-order.js";
import type { Market } from "../markets/market.js";
import type { BookOrder } from "./book-order.js";
import type { MatchBooking } from "./match-booking.js";
import { applyRecorded, printRecorded } from "./recorded-fills.js";

/** Lets the markets' other participants act on the books: house agents, and recordings. */
export class AgentOrderGateway {
  readonly #state: ExchangeState;
  readonly #booking: MatchBooking;

  constructor(state: ExchangeState, booking: MatchBooking) {
    this.#state = state;
    this.#booking = booking;
  }

  /** Places a house agent's order, on the market's current grid; null if no part of it rests. */
  place(market: Market, { agent, side, timeInForce, ...wanted }: FlowOrder): FlowAgentOrder | null {
    const ticks = market.orderTicks(side, wanted.ticks);
    const lots = market.orderLots(wanted.lots);
    if (ticks === 0 || lots === 0) return null;
    const order = new FlowAgentOrder(market.agent(agent), side, ticks, lots);
    if (
      (timeInForce === "POST_ONLY" && market.engine.crosses(side, ticks)) ||
      (timeInForce === "FOK" && !market.engine.canFill(order))
    ) {
      return null;
    }
    market.engine.sweep(order);
    if (order.openLots > 0 && (timeInForce === "GTC" || timeInForce === "POST_ONLY")) {
      order.rests(order.openLots);
      market.engine.rest(order);
    }
    this.#refreshMid(market);
    this.#booking.endSweep();
    return order.isResting ? order : null;
  }

  /** @returns false if no part of it rested. */
  cancel(market: Market, order: FlowAgentOrder): boolean {
    if (!order.isResting) {
      return false;
    }
    market.engine.remove(order);
    order.rests(-order.openLots);
    order.openLots = 0;
    this.#refreshMid(market);
    return true;
  }

  /** Adds a recording under the participants' orders. An earlier one is removed, level by level. */
  attach(market: Market, depth: RecordedDepth, queue?: QueueModel<QueuePlace>): void {
    const { engine } = market;
    const before = engine.recorded;
    const gone: [Side, Ticks][] = [];
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

  /** Applies a recorded message as a whole, then fills the resting orders that it reached. */
  apply(market: Market, message: RecordedMessage): void {
    applyRecorded(
      market.engine,
      message,
      (side, ticks) => market.depth.change(side, ticks),
      (maker, ticks, lots) => this.#fillByRecording(market, maker, ticks, lots),
    );
    this.#state.listener.onBook(market);
    this.#refreshMid(market);
    this.#booking.endSweep();
  }

  /**
   * Publishes a recorded trade, less the part that participants' orders took as trades of their
   * own.
   */
  print(market: Market, print: RecordedPrint): void {
    const takenLots = printRecorded(market.engine, print, (maker, ticks, lots) =>
      this.#fillByRecording(market, maker, ticks, lots),
    );
    if (print.lots > takenLots) {
      this.#booking.book(market, null, null, print.aggressor, print.ticks, print.lots - takenLots);
    }
    this.#refreshMid(market);
    this.#booking.endSweep();
  }

  #fillByRecording(market: Market, maker: BookOrder, ticks: Ticks, lots: Lots): void {
    market.depth.change(maker.side, ticks);
    this.#state.listener.onBook(market);
    this.#booking.book(market, null, maker, oppositeSide(maker.side), ticks, lots);
  }

  #refreshMid(market: Market): void {
    market.prices.onMid(market.midTicks, this.#state.nowMs());
  }
}
