import type { Runtime } from "../../core/runtime/runtime.js";
import type { Side, Ticks } from "../../core/units.js";
import type {
  FlowMarket,
  FlowOrder,
  FlowOrderRef,
  OrderFlow,
} from "../../simulator/flow/flow-market.js";

/** The shocks of one market that are in force. */
export interface MarketShocks {
  /** Whole ticks by which every price of the market is moved. */
  offsetTicks: Ticks;
  /** The side on which no other participant's order rests. */
  emptySide: Side | undefined;
  /** Distance of the mark from its true value. */
  markBps: number;
}

/** The shocks of a calm market. */
export function calmMarket(): MarketShocks {
  return { offsetTicks: 0, emptySide: undefined, markBps: 0 };
}

/** A resting order of a flow, in the flow's own prices. */
class ShockedRef implements FlowOrderRef {
  constructor(
    readonly real: FlowOrderRef,
    readonly shocks: MarketShocks,
  ) {}

  get agent(): string {
    return this.real.agent;
  }

  get side(): Side {
    return this.real.side;
  }

  get ticks(): Ticks {
    return this.real.ticks - this.shocks.offsetTicks;
  }

  get openLots(): number {
    return this.real.openLots;
  }
}

/**
 * A synthetic flow whose market can be shocked. The flow's agents see the market at their own
 * prices, so after a move their resting orders look wrong to them, as after any news: they cancel
 * and place them again in their own time, and informed takers trade with those that are late.
 */
export class ShockedFlow implements OrderFlow {
  readonly #flow: OrderFlow;
  readonly #shocks: MarketShocks;
  readonly #resting = new Set<ShockedRef>();
  #market: FlowMarket | undefined;
  #reference: { readonly indexTicks: number; readonly markTicks: number } | undefined;

  constructor(flow: OrderFlow, shocks: MarketShocks) {
    this.#flow = flow;
    this.#shocks = shocks;
  }

  start(market: FlowMarket, runtime: Runtime): void {
    this.#market = market;
    this.#flow.start(this.#shocked(market), runtime);
  }

  stop(): void {
    this.#flow.stop();
    this.#market = undefined;
    this.#resting.clear();
  }

  /** Applies shocks that have just changed: the references at once, and the empty side. */
  update(): void {
    const { emptySide } = this.#shocks;
    if (this.#reference !== undefined) this.#refer();
    for (const ref of this.#resting) {
      if (ref.openLots > 0 && ref.side !== emptySide) continue;
      if (ref.openLots > 0) this.#market?.cancel(ref.real);
      this.#resting.delete(ref);
    }
  }

  #refer(): void {
    if (this.#reference === undefined) return;
    const { offsetTicks, markBps } = this.#shocks;
    const { indexTicks, markTicks } = this.#reference;
    this.#market?.setReference(
      indexTicks + offsetTicks,
      (markTicks + offsetTicks) * (1 + markBps / 10_000),
    );
  }

  #place(market: FlowMarket, order: FlowOrder): FlowOrderRef | null {
    const { emptySide, offsetTicks } = this.#shocks;
    const rests = order.timeInForce === "GTC" || order.timeInForce === "POST_ONLY";
    const ticks = order.ticks + offsetTicks;
    if (ticks < 1 || (rests && order.side === emptySide)) return null;
    const real = market.place({ ...order, ticks });
    if (real === null) return null;
    const ref = new ShockedRef(real, this.#shocks);
    this.#resting.add(ref);
    return ref;
  }

  #shocked(market: FlowMarket): FlowMarket {
    const shocks = this.#shocks;
    const seen = (ticks: Ticks | undefined): Ticks | undefined =>
      ticks === undefined ? undefined : ticks - shocks.offsetTicks;
    const seenLevels = (levels: ReturnType<FlowMarket["depth"]>["bids"]) =>
      shocks.offsetTicks === 0
        ? levels
        : levels.map(({ ticks, lots }) => ({ ticks: ticks - shocks.offsetTicks, lots }));
    return {
      marketId: market.marketId,
      instrument: market.instrument,
      nowMs: () => market.nowMs(),
      bestBid: () => seen(market.bestBid()),
      bestAsk: () => seen(market.bestAsk()),
      depth: (count) => {
        const { bids, asks } = market.depth(count);
        return { bids: seenLevels(bids), asks: seenLevels(asks) };
      },
      lastTradeTicks: () => seen(market.lastTradeTicks()),
      place: (order) => this.#place(market, order),
      cancel: (ref) => {
        if (!(ref instanceof ShockedRef)) return false;
        this.#resting.delete(ref);
        return market.cancel(ref.real);
      },
      setReference: (indexTicks, markTicks) => {
        this.#reference = { indexTicks, markTicks };
        this.#refer();
      },
      attachRecorded: (depth, queue) => market.attachRecorded(depth, queue),
      applyRecorded: (message) => market.applyRecorded(message),
      recordedPrint: (print) => market.recordedPrint(print),
    };
  }
}
