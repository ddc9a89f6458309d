import { z } from "zod";
import { RunError } from "#core/errors.js";
import type { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import type { MarketId, Side } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { ExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { StreamSink } from "#simulator/stream-sink.js";
import { DEPTH, type DepthSide, type FlowFigures, FlowMeasure } from "./flow-measure.js";

const START_MS = 1_760_000_000_000;
/** Before this time a market is still being set up. */
const WARM_UP_MS = 5000;

/**
 * Measures the synthetic markets of an exchange over minutes of virtual time, by their published
 * streams. Trades settle in memory. There are no shocks and no leveraged traders: no recorded span
 * has a shock, and a single one outweighs an hour of returns.
 * @throws ConfigError for a configuration that contradicts itself.
 */
export async function syntheticFigures(
  config: ExchangeConfig,
  minutes: number,
): Promise<ReadonlyMap<MarketId, FlowFigures>> {
  const clock = new VirtualClock(START_MS);
  const plain = withoutDisturbances(config);
  const exchange = configuredExchange(plain, { clock, random: seededRandom("unused") });
  exchange.start();
  await clock.runFor(WARM_UP_MS);
  const measures = new Map<MarketId, FlowMeasure>();
  for (const id of Object.keys(plain.markets)) {
    const { instrument } = exchange.market(id);
    const measure = new FlowMeasure(instrument.lotBase);
    measures.set(id, measure);
    const sink = new MeasuringSink(measure, instrument);
    const link = exchange.connect(
      `/v1/multiple?streams=${id}@orderbook/${id}@trades`,
      sink,
      "10.0.0.1",
    );
    if ("refused" in link)
      throw new RunError("the exchange refused a stream", { field: id, value: link.refused.body });
    sink.pong = () => link.pong();
  }
  for (let second = 0; second <= minutes * 60; second++) {
    for (const [id, measure] of measures)
      measure.second(sideOf(exchange, id, "BUY"), sideOf(exchange, id, "SELL"));
    await clock.runFor(1000);
  }
  exchange.stop();
  return new Map([...measures].map(([id, measure]) => [id, measure.figures()]));
}

/** The synthetic markets with their agents only. */
function withoutDisturbances(config: ExchangeConfig): ExchangeConfig {
  const { chain: _chain, dataDir: _folder, ...rest } = config;
  const markets = Object.fromEntries(
    Object.entries(config.markets).flatMap(([id, market]) => {
      if (market.flow.kind !== "synthetic") return [];
      const { shocks: _shocks, leveraged: _traders, ...flow } = market.flow;
      return [[id, { ...market, flow }]];
    }),
  );
  return { ...rest, markets };
}

function sideOf(exchange: EmbeddedExchange, marketId: MarketId, side: Side): DepthSide {
  const lots: number[] = [];
  let bestTicks = Number.NaN;
  exchange.market(marketId).engine.forEachLevel(side, (ticks, held) => {
    if (lots.length === 0) bestTicks = ticks;
    return lots.push(held) < DEPTH;
  });
  return { bestTicks, lots };
}

const message = z.object({ stream: z.string(), data: z.unknown() });
const update = z.object({
  event: z.literal("update"),
  bids: z.array(z.unknown()),
  asks: z.array(z.unknown()),
});
const trade = z.object({ id: z.int(), amount: z.string() });

/** A reader of a market's book and trades. */
class MeasuringSink implements StreamSink {
  readonly #measure: FlowMeasure;
  readonly #instrument: Instrument;
  /** A trade is reported again when it is settled. */
  readonly #seenTradeIds = new Set<number>();
  /** Responds to the exchange's ping; set once the response is known. */
  pong: () => void = () => {};

  constructor(measure: FlowMeasure, instrument: Instrument) {
    this.#measure = measure;
    this.#instrument = instrument;
  }

  send(text: string): void {
    if (text === "ping") {
      this.pong();
      return;
    }
    const { stream, data } = message.parse(JSON.parse(text));
    if (stream.endsWith("@orderbook")) {
      const change = update.safeParse(data);
      if (change.success) this.#measure.changed(change.data.bids.length + change.data.asks.length);
      return;
    }
    const { id, amount } = trade.parse(data);
    if (this.#seenTradeIds.has(id)) return;
    this.#seenTradeIds.add(id);
    this.#measure.traded(this.#instrument.parseAmount(amount));
  }

  ping(): void {
    this.pong();
  }

  sendBytes(): void {
    throw new RunError("a message was compressed that nobody asked to be", { field: "stream" });
  }

  close(): void {}

  terminate(): void {}

  bufferedBytes(): number {
    return 0;
  }
}
