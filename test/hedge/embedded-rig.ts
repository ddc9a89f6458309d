import type { Runtime } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Lots, Ms, Side, Ticks } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { EmbeddedHedgeVenue } from "#hedge/embedded-hedge-venue.js";
import { toHedgeOrderKey } from "#hedge/hedge-order-key.js";
import type {
  HedgeAction,
  HedgeEvent,
  HedgeFill,
  HedgeOutcome,
  HedgePlace,
} from "#hedge/hedge-venue.js";
import { rulesOf } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import type { FlowMarket, OrderFlow } from "#simulator/flow-market.js";

export const SYMBOL = "btcusdc";
export const TAG = 0xbeef;
const START_MS = 1_700_000_000_000;
const ACCOUNT_KEY = `0x${"51".repeat(32)}` as const;

type Unnumbered<A> = A extends HedgeAction ? Omit<A, "actionId" | "symbol"> : never;

/** Other participants: they rest and take when a test says so. */
class QuietFlow implements OrderFlow {
  market: FlowMarket | undefined;

  start(market: FlowMarket): void {
    this.market = market;
  }

  stop(): void {
    this.market = undefined;
  }
}

/** The embedded hedge venue at a real exchange in this process, in virtual time. */
export class EmbeddedRig {
  readonly clock = new VirtualClock(START_MS);
  readonly machine = new MachineClock(this.clock);
  readonly exchange: EmbeddedExchange;
  readonly faults = new FaultSource([], seededRandom("faults"));
  readonly address: string;
  network!: FaultyNetwork;
  venue!: EmbeddedHedgeVenue;
  events: HedgeEvent[] = [];
  readonly #scheme = keyedScheme();
  readonly #flow = new QuietFlow();
  #opened = 0;
  #actionId = 0;
  #keys = 0;

  /** @param config of the exchange, beyond its market */
  constructor(config: Record<string, unknown> = {}) {
    const { clock } = this;
    this.exchange = new EmbeddedExchange(
      parseExchangeConfig({
        seed: "hedge venue",
        markets: { [SYMBOL]: {} },
        rateLimits: { common: 0, order: 0 },
        ...config,
      }),
      { clock, random: seededRandom("exchange") },
      { scheme: this.#scheme, createFlow: () => this.#flow },
    );
    this.address = this.#scheme.signer(ACCOUNT_KEY).address;
    this.exchange.start();
    this.exchange.register(this.address);
  }

  /** Opens the venue, anew after a restart of its process. */
  async open(): Promise<void> {
    this.#opened += 1;
    this.events = [];
    this.network = new FaultyNetwork(this.exchange, this.clock, this.faults, "10.0.0.9");
    const runtime: Runtime = { clock: this.machine, random: seededRandom(`${this.#opened}`) };
    this.venue = new EmbeddedHedgeVenue({
      transport: this.network,
      runtime,
      signer: this.#scheme.signer(ACCOUNT_KEY),
      rules: rulesOf(this.exchange, [SYMBOL]),
      symbols: [SYMBOL],
      requestTimeoutMs: 1_000,
    });
    this.venue.events$.subscribe((event) => this.events.push(event));
    this.venue.start();
    await this.passes(500);
  }

  /** The process dies: nothing of it is sent or received any more. */
  kill(): void {
    this.network.cut();
    this.venue.close();
  }

  passes(forMs: Ms): Promise<void> {
    return this.clock.runFor(forMs);
  }

  /** Another participant's order; it takes at once or rests. */
  other(side: Side, ticks: Ticks, lots: Lots): void {
    const order = { agent: "other", side, ticks, lots, timeInForce: "GTC" } as const;
    this.#flow.market?.place(order);
  }

  /** The next key of the bot. */
  key(): string {
    this.#keys += 1;
    return toHedgeOrderKey((BigInt(TAG) << 48n) | BigInt(this.#keys));
  }

  order(side: Side, ticks: Ticks, lots: Lots, change: Partial<HedgePlace> = {}) {
    return {
      kind: "place",
      key: this.key(),
      side,
      ticks,
      lots,
      timeInForce: "IOC",
      isReduceOnly: false,
      ...change,
    } as const;
  }

  /** Submits an action and waits for its one answer. */
  async ask(action: Unnumbered<HedgeAction>, withinMs: Ms = 2_500): Promise<HedgeOutcome> {
    this.#actionId += 1;
    const actionId = this.#actionId;
    this.venue.submit({ ...action, actionId, symbol: SYMBOL });
    if (this.#answers(actionId).length > 0) throw new Error("answered within submit");
    await this.passes(withinMs);
    const answers = this.#answers(actionId);
    if (answers.length !== 1) throw new Error(`${answers.length} answers`);
    return answers[0] as HedgeOutcome;
  }

  get fills(): readonly HedgeFill[] {
    return this.events.flatMap((event) => (event.type === "fill" ? [event.fill] : []));
  }

  /** The events of one type. */
  only<Type extends HedgeEvent["type"]>(
    type: Type,
  ): readonly Extract<HedgeEvent, { type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<HedgeEvent, { type: Type }> => event.type === type,
    );
  }

  #answers(actionId: number): readonly HedgeOutcome[] {
    return this.only("answer").flatMap((event) =>
      event.actionId === actionId ? [event.outcome] : [],
    );
  }
}
