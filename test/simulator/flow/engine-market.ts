import type { Instrument } from "#core/instrument.js";
import type { QueueModel, QueuePlace } from "#core/queue-models.js";
import type { Clock } from "#core/runtime.js";
import type { Lots, Side, Ticks } from "#core/units.js";
import { BookOrder } from "#simulator/book-order.js";
import type {
  FlowMarket,
  FlowOrder,
  FlowOrderRef,
  RecordedDepth,
  RecordedMessage,
  RecordedPrint,
} from "#simulator/flow-market.js";
import { MatchingEngine } from "#simulator/matching-engine.js";
import { applyRecorded, printRecorded } from "#simulator/recorded-fills.js";

/** A trade as this market reports it. */
export interface MarketTrade {
  readonly atMs: number;
  readonly taker: string;
  readonly maker: string;
  readonly takerSide: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

class AgentOrder extends BookOrder implements FlowOrderRef {
  constructor(
    readonly agent: string,
    side: Side,
    ticks: Ticks,
    lots: Lots,
  ) {
    super(side, ticks, lots);
  }

  get selfMatchKey(): object | null {
    return null;
  }
}

/**
 * The exchange's matching engine alone, without accounts, fees or streams: the part of a market
 * that an order flow needs.
 */
export class EngineMarket implements FlowMarket {
  readonly trades: MarketTrade[] = [];
  readonly references: {
    readonly atMs: number;
    readonly indexTicks: number;
    readonly markTicks: number;
  }[] = [];
  readonly prints: RecordedPrint[] = [];
  recordedMessages = 0;
  calls = 0;
  readonly #clock: Clock;
  readonly #engine = new MatchingEngine(
    {
      onMatch: (taker, maker, ticks, lots) =>
        this.#matched(
          nameOf(taker),
          maker === null ? "recorded" : nameOf(maker),
          taker.side,
          ticks,
          lots,
        ),
      onSelfMatch: () => {},
      onLevel: () => {},
    },
    "cancel-resting",
  );

  constructor(
    readonly marketId: string,
    readonly instrument: Instrument,
    clock: Clock,
  ) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  bestBid(): Ticks | undefined {
    return this.#engine.best("BUY");
  }

  bestAsk(): Ticks | undefined {
    return this.#engine.best("SELL");
  }

  depth(count: number) {
    return { bids: this.#levels("BUY", count), asks: this.#levels("SELL", count) };
  }

  lastTradeTicks(): Ticks | undefined {
    return this.trades.at(-1)?.ticks;
  }

  place({ agent, side, ticks, lots, timeInForce }: FlowOrder): FlowOrderRef | null {
    this.calls += 1;
    const order = new AgentOrder(agent, side, ticks, lots);
    if (timeInForce === "POST_ONLY" && this.#engine.crosses(side, ticks)) return null;
    this.#engine.sweep(order);
    if (order.openLots === 0 || timeInForce === "IOC") return null;
    this.#engine.rest(order);
    return order;
  }

  cancel(ref: FlowOrderRef): boolean {
    this.calls += 1;
    if (!(ref instanceof AgentOrder) || !ref.isResting) return false;
    this.#engine.remove(ref);
    ref.openLots = 0;
    return true;
  }

  setReference(indexTicks: number, markTicks: number): void {
    this.references.push({ atMs: this.nowMs(), indexTicks, markTicks });
  }

  attachRecorded(depth: RecordedDepth, queue?: QueueModel<QueuePlace>): void {
    this.#engine.attach(depth, queue);
  }

  applyRecorded(message: RecordedMessage): void {
    this.recordedMessages += 1;
    applyRecorded(
      this.#engine,
      message,
      () => {},
      (maker, ticks, lots) =>
        this.#matched(
          "recorded",
          nameOf(maker),
          maker.side === "BUY" ? "SELL" : "BUY",
          ticks,
          lots,
        ),
    );
  }

  recordedPrint(print: RecordedPrint): void {
    this.prints.push(print);
    printRecorded(this.#engine, print, (maker, ticks, lots) =>
      this.#matched("recorded", nameOf(maker), print.aggressor, ticks, lots),
    );
  }

  #levels(side: Side, count: number) {
    const levels: { ticks: Ticks; lots: Lots }[] = [];
    if (count > 0)
      this.#engine.forEachLevel(side, (ticks, lots) => levels.push({ ticks, lots }) < count);
    return levels;
  }

  #matched(taker: string, maker: string, takerSide: Side, ticks: Ticks, lots: Lots): void {
    this.trades.push({ atMs: this.nowMs(), taker, maker, takerSide, ticks, lots });
  }
}

function nameOf(order: BookOrder): string {
  return order instanceof AgentOrder ? order.agent : "?";
}
