import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms, Side } from "../../core/units.js";
import type { EmbeddedExchange } from "../../simulator/exchange.js";
import { ReplayFlow } from "../../simulator/flow/capture/replay-flow.js";
import { createOrderFlow, type FlowConfig } from "../../simulator/flow/flow-config.js";
import type { OrderFlow } from "../../simulator/flow/flow-market.js";
import { MarketPrice } from "./market-price.js";
import type { RehearsalMarket } from "./rehearsal-market.js";
import { calmMarket, type MarketShocks, ShockedFlow } from "./shocked-flow.js";

interface ShockedMarket {
  readonly flow: FlowConfig;
  readonly shocks: MarketShocks;
  running: ShockedFlow | undefined;
  price: MarketPrice | undefined;
}

/** The other participants of a run's markets, and the shocks that strike them. */
export class ShockedMarkets {
  readonly #markets: ReadonlyMap<MarketId, ShockedMarket>;
  readonly #baseFolder: string;
  readonly #seed: number;
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #replays = new Map<MarketId, ReplayFlow>();

  constructor({ config, baseFolder }: RehearsalMarket, seed: number, clock: Clock) {
    this.#markets = new Map(
      Object.entries(config.markets).map(([id, { flow }]) => [
        id,
        { flow, shocks: calmMarket(), running: undefined, price: undefined },
      ]),
    );
    this.#baseFolder = baseFolder;
    this.#seed = seed;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** True if a market is recorded: its flow cannot be continued after a stop. */
  get hasRecording(): boolean {
    return [...this.#markets.values()].some(({ flow }) => flow.kind === "replay");
  }

  /** Reads the recorded markets, since virtual time does not wait for a disk. */
  async prepare(exchange: EmbeddedExchange): Promise<void> {
    for (const [marketId, market] of this.#markets) {
      const { flow, shocks } = market;
      const seed = this.#seedOf(marketId);
      market.price = new MarketPrice({
        ...{ marketId, flow, seed, exchange, shocks },
        clock: this.#clock,
      });
      if (flow.kind !== "replay") continue;
      const replay = this.#create(marketId, flow);
      if (!(replay instanceof ReplayFlow)) continue;
      await replay.preload(exchange.market(marketId).instrument);
      this.#replays.set(marketId, replay);
    }
  }

  /** The flow of a market, at each start of its exchange. */
  createFlow(marketId: MarketId): OrderFlow | null {
    const market = this.#markets.get(marketId);
    if (market === undefined) return null;
    const replay = this.#replays.get(marketId);
    if (replay !== undefined) return replay;
    const flow = this.#create(marketId, market.flow);
    if (flow === null) return null;
    market.running = new ShockedFlow(flow, market.shocks);
    return market.running;
  }

  /** The true price of a market, in quote for one base. */
  quoteOf(marketId: MarketId): number {
    return this.#markets.get(marketId)?.price?.quote ?? Number.NaN;
  }

  /** Moves the price of a synthetic market by basis points of it. */
  move(marketId: MarketId, bps: number, tickQuote: number): void {
    const market = this.#markets.get(marketId);
    if (market === undefined) return;
    market.shocks.offsetTicks += Math.round((this.quoteOf(marketId) * bps) / 10_000 / tickQuote);
    market.running?.update();
  }

  /** Takes every other participant's order off a side of all synthetic markets, or lets them in. */
  empty(side: Side | undefined): void {
    this.#change((shocks) => {
      shocks.emptySide = side;
    });
  }

  /** Moves the marks of all synthetic markets away from their true values. */
  misprice(markBps: number): void {
    this.#change((shocks) => {
      shocks.markBps = markBps;
    });
  }

  /** The synthetic markets. */
  get synthetic(): readonly MarketId[] {
    return [...this.#markets].flatMap(([id, { flow }]) => (flow.kind === "synthetic" ? [id] : []));
  }

  #change(change: (shocks: MarketShocks) => void): void {
    for (const { shocks, running } of this.#markets.values()) {
      change(shocks);
      running?.update();
    }
  }

  #create(marketId: MarketId, flow: FlowConfig): OrderFlow | null {
    const elapsedMs: Ms = this.#clock.monotonicMs() - this.#startedMs;
    return createOrderFlow(flow, {
      marketId,
      seed: this.#flowSeed,
      baseFolder: this.#baseFolder,
      restart: null,
      elapsedMs,
      onReplayEnd: () => {},
    });
  }

  get #flowSeed(): string {
    return `rehearsal ${this.#seed}`;
  }

  #seedOf(marketId: MarketId): string {
    return `${this.#flowSeed}/${marketId}`;
  }
}
