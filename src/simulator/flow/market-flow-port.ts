import { FormatError } from "../../core/errors.js";
import type { QueueModel, QueuePlace } from "../../core/queue/queue-models.js";
import type { Ms, Ticks } from "../../core/units.js";
import { FlowAgentOrder } from "../markets/flow-agent-order.js";
import type { Market } from "../markets/market.js";
import type { AgentOrderGateway } from "../matching/agent-order-gateway.js";
import type {
  FlowLevel,
  FlowMarket,
  FlowOrder,
  FlowOrderRef,
  RecordedDepth,
  RecordedMessage,
  RecordedPrint,
} from "./flow-market.js";

/** Dependencies of {@link MarketFlowPort}. */
export interface MarketFlowPortDeps {
  readonly market: Market;
  readonly gateway: AgentOrderGateway;
  nowMs(): Ms;
  /** Runs a change as one event of the exchange. */
  turn(run: () => void): void;
  /** Called when the mark of the market may have changed. */
  onReference(): void;
}

/** A market as an order flow uses it. Once detached it refuses every further change. */
export class MarketFlowPort implements FlowMarket {
  readonly marketId: string;
  readonly instrument: Market["instrument"];
  readonly #parts: MarketFlowPortDeps;
  /** Resting orders, to be cancelled when the flow ends. */
  readonly #resting = new Set<FlowAgentOrder>();
  #attached = true;

  constructor(parts: MarketFlowPortDeps) {
    this.#parts = parts;
    this.marketId = parts.market.id;
    this.instrument = parts.market.instrument;
  }

  nowMs(): Ms {
    return this.#parts.nowMs();
  }

  bestBid(): Ticks | undefined {
    return this.#parts.market.engine.best("BUY");
  }

  bestAsk(): Ticks | undefined {
    return this.#parts.market.engine.best("SELL");
  }

  depth(count: number): { bids: readonly FlowLevel[]; asks: readonly FlowLevel[] } {
    const { market } = this.#parts;
    return { bids: market.levels("BUY", count), asks: market.levels("SELL", count) };
  }

  lastTradeTicks(): Ticks | undefined {
    return this.#parts.market.lastTradeTicks;
  }

  /** @throws FormatError for a price or amount that is not a positive whole number */
  place(order: FlowOrder): FlowOrderRef | null {
    requireCount("ticks", order.ticks);
    requireCount("lots", order.lots);
    let placed: FlowAgentOrder | null = null;
    this.#run(() => {
      placed = this.#parts.gateway.place(this.#parts.market, order);
    });
    if (placed !== null) {
      this.#resting.add(placed);
      if (this.#resting.size > 4096) {
        this.#pruneClosedOrders();
      }
    }
    return placed;
  }

  cancel(ref: FlowOrderRef): boolean {
    let cancelled = false;
    if (ref instanceof FlowAgentOrder) {
      this.#run(() => {
        cancelled = this.#parts.gateway.cancel(this.#parts.market, ref);
      });
      this.#resting.delete(ref);
    }
    return cancelled;
  }

  setReference(indexTicks: number, markTicks: number): void {
    this.#run(() => {
      this.#parts.market.prices.set(indexTicks, markTicks);
      this.#parts.onReference();
    });
  }

  attachRecorded(depth: RecordedDepth, queue?: QueueModel<QueuePlace>): void {
    this.#run(() => this.#parts.gateway.attach(this.#parts.market, depth, queue));
  }

  applyRecorded(message: RecordedMessage): void {
    this.#run(() => this.#parts.gateway.apply(this.#parts.market, message));
  }

  recordedPrint(print: RecordedPrint): void {
    this.#run(() => this.#parts.gateway.print(this.#parts.market, print));
  }

  /** Cancels the flow's resting orders and accepts nothing more from it. */
  detach(): void {
    for (const order of this.#resting) {
      this.cancel(order);
    }
    this.#attached = false;
  }

  #run(change: () => void): void {
    if (this.#attached) {
      this.#parts.turn(change);
    }
  }

  #pruneClosedOrders(): void {
    for (const order of this.#resting) {
      if (!order.isResting) {
        this.#resting.delete(order);
      }
    }
  }
}

function requireCount(field: string, value: number): void {
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new FormatError("is not a valid order amount", {
      field,
      value,
      expected: "a positive whole number",
    });
  }
}
