import type { BotEvent } from "#bot/bot-event.js";
import type { BotConfig } from "#bot/config.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Lots, Ms, Side } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { BotRig } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { type Delivery, SimulatedSource } from "#simulation/simulated-source.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { botConfig } from "../bot-config.js";
import { journalOption, type ProcessJournal } from "../process-journal.js";
import { START_MS } from "../seed-plan.js";
import { PricePath } from "./price-path.js";
import type { ReferenceBreak } from "./reference-breaks.js";
import { ReferenceOracle } from "./reference-oracle.js";
import type { ReferencePlan } from "./reference-plan.js";
import { referenceStrategy } from "./reference-strategy.js";
import { ReferenceVenue } from "./reference-venue.js";

export const REFERENCE_MARKET = "btcusdc";
const START_PRICE = 60_000;
const PRIVATE_KEY = `0x${"42".repeat(32)}` as const;
const SAMPLE_EVERY_MS = 20;

/**
 * The real bot on the real exchange in virtual time, with a market priced by simulated sources. An
 * oracle judges what the bot sends.
 */
export class ReferenceWorld {
  readonly clock = new VirtualClock(START_MS);
  readonly machine = new MachineClock(this.clock);
  readonly exchange: EmbeddedExchange;
  readonly sources: readonly SimulatedSource[];
  readonly oracle: ReferenceOracle;
  readonly rig: BotRig;
  events = 0;
  actions = 0;
  fills = 0;
  readonly #path: PricePath;

  constructor(
    plan: ReferencePlan,
    broken?: ReferenceBreak,
    trace?: (atMs: Ms, notice: BotEvent) => void,
    journal?: ProcessJournal,
  ) {
    const { clock } = this;
    this.#path = new PricePath(plan.seed, START_PRICE, plan.bpsPerSqrtSecond);
    const scheme = keyedScheme();
    this.exchange = new EmbeddedExchange(
      parseExchangeConfig({
        seed: plan.seed,
        markets: { [REFERENCE_MARKET]: { baseAsset: "BTC" } },
        rateLimits: { common: 1_000_000, order: 1_000_000 },
      }),
      { clock, random: seededRandom(`exchange ${plan.seed}`) },
      {
        scheme,
        createFlow: () =>
          new ReferenceVenue(
            () => this.truePrice() * (1 + plan.venueBasisBps / 10_000),
            seededRandom(`venue ${plan.seed}`),
          ),
      },
    );
    this.exchange.start();
    const { instrument } = this.exchange.market(REFERENCE_MARKET);
    this.oracle = new ReferenceOracle(plan, {
      nowMs: () => clock.nowMs(),
      tickQuote: instrument.tickQuote,
      netMidTicks: () => this.#netMidTicks(),
      openLots: () => this.openLots(),
      wallErrorMs: () => this.machine.skewMs,
    });
    const config = fileFor(plan);
    this.rig = new BotRig({
      door: this.exchange,
      transport: new FaultyNetwork(
        this.exchange,
        clock,
        new FaultSource([], seededRandom(`network ${plan.seed}`)),
        "10.0.0.1",
      ),
      clock: this.machine,
      random: seededRandom(`bot ${plan.seed}`),
      scheme,
      privateKey: PRIVATE_KEY,
      config: broken?.config?.(config) ?? config,
      strategies: new Map([
        [REFERENCE_MARKET, referenceStrategy((reference) => this.oracle.asked(reference))],
      ]),
      ...journalOption(journal, () => clock.nowMs() - START_MS),
      observe: (notice) => this.#observe(notice, trace),
    });
    broken?.bot?.(this.rig);
    this.sources = plan.sources.map(
      (traits) =>
        new SimulatedSource(traits, {
          clock,
          random: seededRandom(`${traits.name} ${plan.seed}`),
          truePrice: () => this.truePrice(),
          deliver: (delivery) => this.#deliver(delivery),
        }),
    );
  }

  /** Starts the bot and its sources. */
  start(): void {
    this.exchange.register(this.rig.address);
    this.rig.start();
    for (const source of this.sources) source.start();
    this.#sample();
  }

  /** Time passes. */
  passes(forMs: Ms): Promise<void> {
    return this.clock.runFor(forMs);
  }

  /** Quote units for one base unit, which the sources and the exchange's other makers follow. */
  truePrice(): number {
    return this.#path.at(this.clock.monotonicMs());
  }

  source(at: number): SimulatedSource {
    const source = this.sources[at];
    if (source === undefined) throw new RangeError(`there are ${this.sources.length} sources`);
    return source;
  }

  /** Lots of the bot's open orders by side, as the exchange has them. */
  openLots(): Readonly<Record<Side, Lots>> {
    const open: Record<Side, Lots> = { BUY: 0, SELL: 0 };
    for (const { side, openLots } of this.exchange.openOrders(this.rig.address))
      open[side] += openLots;
    return open;
  }

  stop(): void {
    this.rig.kill();
    this.exchange.stop();
  }

  #deliver(delivery: Delivery): void {
    this.events += 1;
    this.oracle.delivered(delivery);
    this.rig.bot.accept({ kind: "reference", update: delivery.update });
  }

  #observe(notice: BotEvent, trace?: (atMs: Ms, notice: BotEvent) => void): void {
    trace?.(this.clock.nowMs(), notice);
    if (notice.kind === "account" && notice.change.kind === "fill") this.fills += 1;
    if (notice.kind !== "dispatched") return;
    this.actions += 1;
    if (notice.action.kind === "place") this.oracle.placed(notice.action.side, notice.action.ticks);
  }

  #sample(): void {
    this.events += 1;
    this.oracle.sample();
    this.clock.setTimer(SAMPLE_EVERY_MS, () => this.#sample());
  }

  /** Mid of the exchange's book without the bot's orders. */
  #netMidTicks(): number | undefined {
    const own = new Map<number, Lots>();
    for (const { ticks, openLots } of this.exchange.openOrders(this.rig.address))
      own.set(ticks, (own.get(ticks) ?? 0) + openLots);
    const book = this.exchange.book(REFERENCE_MARKET);
    const best = (levels: readonly (readonly [number, Lots])[]) =>
      levels.find(([ticks, lots]) => lots > (own.get(ticks) ?? 0))?.[0];
    const [bid, ask] = [best(book.bids), best(book.asks)];
    return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
  }
}

function fileFor({ sources, reference }: ReferencePlan): BotConfig {
  return botConfig({
    references: Object.fromEntries(
      sources.map(({ name, multiplier }) => [name, { module: `./${name}.js`, multiplier }]),
    ),
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 30 },
    decide: { everyMs: 500, onTouchChange: false, minGapMs: 200 },
    markets: {
      [REFERENCE_MARKET]: {
        strategy: "ladder",
        reference: {
          ...reference,
          from: sources.map(({ name, weight }) => ({ source: name, weight })),
        },
        limits: { maxPositionBase: "5", maxOrderBase: "1", maxOpenOrders: 12 },
      },
    },
  });
}
