import type { BotEvent } from "#bot/bot-event.js";
import type { BotConfig } from "#bot/config.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import type { Clock, Runtime, Timer } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { EmbeddedHedgeVenue } from "#hedge/embedded-hedge-venue.js";
import { toHedgeOrderKey } from "#hedge/hedge-order-key.js";
import { BotRig, type RigOptions, rulesOf } from "#simulation/bot-rig.js";
import { DeepVenue } from "#simulation/deep-venue.js";
import { FaultSource, type FaultWindow } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { SimulatedSource } from "#simulation/simulated-source.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import type { OrderFlow } from "#simulator/flow-market.js";
import { botConfig } from "../bot-config.js";
import { journalOption, type ProcessJournal } from "../process-journal.js";
import { PricePath } from "../references/price-path.js";
import { ReferenceVenue } from "../references/reference-venue.js";
import { START_MS } from "../seed-plan.js";
import type { HedgeBreak } from "./hedge-breaks.js";
import { HedgeOracle, type Leg } from "./hedge-oracle.js";
import type { HedgePlan } from "./hedge-plan.js";
import { HedgeTruth } from "./hedge-truth.js";
import { type HedgeTap, tappedHedgeVenue } from "./tapped-hedge-venue.js";

export const MARKET = "btcusdc";
const SOURCE = "deep";
const VENUE = "deep";
const START_PRICE = 60_000;
const PRIMARY_KEY = `0x${"42".repeat(32)}` as const;
const HEDGE_KEY = `0x${"43".repeat(32)}` as const;
const SAMPLE_EVERY_MS: Ms = 100;
/** Pause of the supervisor between two starts. */
const START_AGAIN_MS: Ms = 1_000;
const FUNDING_EVERY_MS: Ms = 25_000;
const DEEP_LEVEL_BASE = 0.12;

/**
 * The real bot between two real exchanges in virtual time: it quotes on the first and lays its
 * position off on the second. Networks, machine and settlements have faults; an oracle judges by
 * what both exchanges know.
 */
export class HedgeWorld {
  readonly clock = new VirtualClock(START_MS);
  readonly machine: MachineClock;
  readonly oracle: HedgeOracle;
  readonly faults: Readonly<Record<Leg, FaultSource>>;
  readonly exchanges: Readonly<Record<Leg, EmbeddedExchange>>;
  readonly truths: Readonly<Record<Leg, HedgeTruth>>;
  rig: BotRig | undefined;
  events = 0;
  actions = 0;
  fills = 0;
  hedges = 0;
  /** The bot's own report of its end. */
  stopped: Extract<BotEvent, { readonly kind: "stopped" }> | undefined;
  readonly #plan: HedgePlan;
  readonly #broken: HedgeBreak | undefined;
  readonly #trace: ((atMs: Ms, notice: BotEvent) => void) | undefined;
  readonly #watched: Clock;
  readonly #scheme = keyedScheme();
  readonly #store = new MemoryStateStore();
  readonly #source: SimulatedSource | undefined;
  #networks: Readonly<Record<Leg, FaultyNetwork>> | undefined;
  #starts = 0;
  #isWanted = true;

  readonly #journal: ProcessJournal | undefined;

  constructor(
    plan: HedgePlan,
    broken?: HedgeBreak,
    trace?: (atMs: Ms, notice: BotEvent) => void,
    journal?: ProcessJournal,
  ) {
    this.#plan = plan;
    this.#journal = journal;
    this.#broken = broken;
    this.#trace = trace;
    const { clock } = this;
    this.#watched = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (delayMs, fire): Timer =>
        clock.setTimer(delayMs, () => {
          fire();
          this.events += 1;
          this.oracle.afterEvent();
        }),
    };
    this.machine = new MachineClock(this.#watched);
    const path = new PricePath(`${plan.seed}`, START_PRICE, plan.bpsPerSqrtSecond);
    const priceAt = (lagMs: Ms): number => path.at(clock.monotonicMs() - lagMs);
    this.exchanges = {
      primary: this.#exchange(
        "primary",
        1,
        plan.primaryFailureRate,
        () => new ReferenceVenue(() => priceAt(plan.lagMs), seededRandom(`venue ${plan.seed}`)),
      ),
      hedge: this.#exchange(
        "hedge",
        plan.stepMilli,
        plan.hedgeFailureRate,
        () =>
          new DeepVenue(
            () => priceAt(0),
            seededRandom(`deep ${plan.seed}`),
            Math.round((DEEP_LEVEL_BASE * 1_000) / plan.stepMilli),
          ),
      ),
    };
    this.truths = { primary: this.#truth("primary"), hedge: this.#truth("hedge") };
    this.oracle = new HedgeOracle({ plan, nowMs: () => clock.nowMs(), ...this.truths });
    this.faults = { primary: this.#faultSource("primary"), hedge: this.#faultSource("hedge") };
    this.#source = plan.isPegged ? this.#createSource(() => priceAt(0)) : undefined;
  }

  /** Starts everything. */
  async start(): Promise<void> {
    for (const leg of LEGS) {
      this.exchanges[leg].start();
      this.exchanges[leg].register(this.#signer(leg).address);
      for (const window of this.#windows(leg)) this.#schedule(leg, window);
    }
    for (const { fromMs, untilMs } of this.#plan.silences) this.#silence(fromMs, untilMs);
    await this.clock.runFor(1_000);
    this.#startBot();
    this.#source?.start();
    this.#sample();
  }

  /** Time passes. */
  passes(forMs: Ms): Promise<void> {
    return this.clock.runFor(forMs);
  }

  /** Tells the bot to stop. */
  stopBot(): void {
    this.#isWanted = false;
    this.oracle.stopping();
    this.rig?.bot.command({ command: "stop", reason: "the time is over" });
  }

  stop(): void {
    this.rig?.kill();
    for (const exchange of Object.values(this.exchanges)) exchange.stop();
  }

  #signer(leg: Leg) {
    return this.#scheme.signer(leg === "primary" ? PRIMARY_KEY : HEDGE_KEY);
  }

  #windows(leg: Leg) {
    return leg === "primary" ? this.#plan.primaryFaults : this.#plan.hedgeFaults;
  }

  #exchange(
    leg: Leg,
    stepMilli: number,
    failureRate: number,
    createFlow: () => OrderFlow,
  ): EmbeddedExchange {
    const { seed } = this.#plan;
    return new EmbeddedExchange(
      parseExchangeConfig({
        seed: `${leg} ${seed}`,
        markets: {
          [MARKET]: {
            stepSize: `${stepMilli / 1_000}`,
            amountBase: { min: `${stepMilli / 1_000}`, max: "1000" },
            marketAmountBase: { min: `${stepMilli / 1_000}`, max: "100" },
            funding: { mode: "fixed", rate: "0.0001", intervalMs: FUNDING_EVERY_MS },
          },
        },
        gasFee: { waiverMultiple: 0 },
        settlement: { delayMs: 1_500, failureRate },
        rateLimits: { common: 0, order: 0 },
      }),
      { clock: this.#watched, random: seededRandom(`${leg} exchange ${seed}`) },
      { scheme: this.#scheme, createFlow },
    );
  }

  #truth(leg: Leg): HedgeTruth {
    return new HedgeTruth(this.exchanges[leg], this.#signer(leg).address, MARKET);
  }

  #faultSource(leg: Leg): FaultSource {
    return new FaultSource(
      this.#windows(leg),
      seededRandom(`${leg} faults ${this.#plan.seed}`),
      () => this.oracle.disturbed(leg),
      leg === "primary" ? this.#plan.primaryStrikes : this.#plan.hedgeStrikes,
    );
  }

  /** A source of the hedge venue's price, which is silent while that venue is stopped. */
  #createSource(truePrice: () => number): SimulatedSource {
    const traits = {
      name: SOURCE,
      ...{ weight: 1, multiplier: 1, offsetBps: 0, halfSpreadBps: 0.5 },
      ...{ everyMs: 150, latencyMs: 5, hasOwnTime: false },
    };
    return new SimulatedSource(traits, {
      clock: this.#watched,
      random: seededRandom(`source ${this.#plan.seed}`),
      truePrice,
      deliver: ({ update }) => {
        if (this.rig === undefined || !this.exchanges.hedge.isRunning) return;
        this.oracle.referred(update.type === "price");
        this.rig.bot.accept({ kind: "reference", update });
      },
    });
  }

  #startBot(): void {
    if (!this.#isWanted) return;
    if (LEGS.some((leg) => !this.exchanges[leg].isRunning)) {
      this.#watched.setTimer(START_AGAIN_MS, () => this.#startBot());
      return;
    }
    if (this.rig !== undefined) return;
    this.#starts += 1;
    this.oracle.started();
    const { seed } = this.#plan;
    const networks = { primary: this.#network("primary"), hedge: this.#network("hedge") };
    this.#networks = networks;
    const runtime: Runtime = {
      clock: this.machine,
      random: seededRandom(`hedge venue ${seed} ${this.#starts}`),
    };
    const venue = new EmbeddedHedgeVenue({
      transport: networks.hedge,
      runtime,
      signer: this.#signer("hedge"),
      rules: rulesOf(this.exchanges.hedge, [MARKET]),
      symbols: [MARKET],
      requestTimeoutMs: 2_000,
    });
    const taps = [
      ...(this.#broken?.hedgeTap === undefined ? [] : [this.#broken.hedgeTap()]),
      this.#oracleTap(),
    ];
    const config = fileFor(this.#plan);
    const options: RigOptions = {
      door: this.exchanges.primary,
      transport: networks.primary,
      clock: this.machine,
      random: seededRandom(`bot ${seed} ${this.#starts}`),
      scheme: this.#scheme,
      privateKey: PRIMARY_KEY,
      config: this.#broken?.config?.(config) ?? config,
      store: this.#broken?.store?.(this.#store) ?? this.#store,
      hedgeVenues: new Map([[VENUE, tappedHedgeVenue(venue, taps)]]),
      ...journalOption(this.#journal, () => this.clock.nowMs() - START_MS),
      observe: (notice) => this.#observe(notice),
      tap: {
        event: (event) => {
          if (event.type === "stream") this.oracle.streamed("primary", event.state);
          if (event.type === "trade-update") this.truths.primary.reported(event.trade.id);
          return this.#broken?.primaryEvent === undefined
            ? event
            : this.#broken.primaryEvent(event);
        },
      },
    };
    const rig = new BotRig(options);
    this.rig = rig;
    this.#broken?.bot?.(rig, this.#plan);
    rig.start();
  }

  #network(leg: Leg): FaultyNetwork {
    const network = new FaultyNetwork(
      this.exchanges[leg],
      this.#watched,
      this.faults[leg],
      "10.0.0.1",
      {
        bookSeenAtMs: new Map(),
        delivered: (info) => {
          if (leg === "hedge")
            this.oracle.hedgeDecided(toHedgeOrderKey(BigInt(`0x${info.slice(-16)}`)));
        },
      },
    );
    network.down = !this.exchanges[leg].isRunning;
    return network;
  }

  #oracleTap(): HedgeTap {
    return {
      event: (event) => {
        if (event.type === "stream") this.oracle.streamed("hedge", event.state);
        return event;
      },
      action: (action) => {
        if (action.kind === "place") {
          this.hedges += 1;
          this.oracle.hedgePlaced(action);
        }
        return action;
      },
    };
  }

  #observe(notice: BotEvent): void {
    this.#trace?.(this.clock.nowMs(), notice);
    if (notice.kind === "account" && notice.change.kind === "fill") this.fills += 1;
    if (notice.kind === "stopped") this.stopped = notice;
    if (notice.kind === "hedge" && notice.notice.kind === "position-adopted")
      this.oracle.adopted(notice.notice.fromLots, notice.notice.toLots);
    if (notice.kind !== "dispatched") return;
    this.actions += 1;
    if (notice.action.kind === "place") this.oracle.quoted(notice.action.side, notice.action.lots);
  }

  #schedule(leg: Leg, window: FaultWindow): void {
    const { kind, fromMs, untilMs } = window;
    const at = (instantMs: Ms, run: () => void): void => {
      this.#watched.setTimer(instantMs - this.clock.nowMs(), run);
    };
    const faults = this.faults[leg];
    if (kind === "clock-step") {
      at(fromMs, () => {
        this.oracle.machineDisturbed();
        this.machine.skewMs += faults.clockStepMs(window);
      });
      at(untilMs + 15_000, () => {
        this.oracle.machineDisturbed();
        this.machine.skewMs = 0;
      });
    }
    if (kind === "bot-killed") {
      at(fromMs, () => this.#kill());
      at(untilMs, () => this.#startBot());
    }
    if (kind === "exchange-stopped") {
      at(fromMs, () => this.#stopExchange(leg));
      at(untilMs, () => this.#restartExchange(leg));
    }
  }

  #kill(): void {
    if (this.rig === undefined) return;
    this.faults.primary.count("bot-killed");
    this.rig.kill();
    this.rig = undefined;
    for (const network of Object.values(this.#networks ?? {})) network.cut();
    this.oracle.killed();
  }

  #stopExchange(leg: Leg): void {
    if (!this.exchanges[leg].isRunning) return;
    this.faults[leg].count("exchange-stopped");
    this.oracle.disturbed(leg);
    const network = this.#networks?.[leg];
    if (network !== undefined) network.down = true;
    this.exchanges[leg].stop();
    network?.dropStreams("connection reset");
  }

  #restartExchange(leg: Leg): void {
    if (this.exchanges[leg].isRunning) return;
    this.exchanges[leg].start();
    const network = this.#networks?.[leg];
    if (network !== undefined) network.down = false;
    this.oracle.disturbed(leg);
  }

  #silence(fromMs: Ms, untilMs: Ms): void {
    const set = (atMs: Ms, isSilent: boolean): void => {
      this.#watched.setTimer(atMs - this.clock.nowMs(), () => {
        if (this.#source !== undefined) this.#source.faults.isSilent = isSilent;
      });
    };
    set(fromMs, true);
    set(untilMs, false);
  }

  #sample(): void {
    this.oracle.sample();
    this.clock.setTimer(SAMPLE_EVERY_MS, () => this.#sample());
  }
}

const LEGS: readonly Leg[] = ["primary", "hedge"];

function fileFor({ hedge, reconcileMs, isPegged, maxReferenceAgeMs }: HedgePlan): BotConfig {
  const { minClipBase, ...settings } = hedge;
  return botConfig({
    exchange: {
      rest: "http://exchange.test/v1",
      stream: "ws://exchange.test/v1",
      reconcileMs: 5_000,
    },
    ...(isPegged ? { references: { [SOURCE]: { module: "./deep.js" } } } : {}),
    hedgeVenues: {
      [VENUE]: { ccxt: "binanceusdm", keyEnv: "HEDGE_KEY", secretEnv: "HEDGE_SECRET", reconcileMs },
    },
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 20 },
    decide: { everyMs: 500, onTouchChange: false, minGapMs: 200 },
    markets: {
      [MARKET]: {
        ...(isPegged
          ? {
              strategy: "pegged",
              params: { edgeBps: 4, sizeBase: 0.02 },
              reference: { from: [SOURCE], maxAgeMs: maxReferenceAgeMs },
            }
          : { strategy: "ladder", params: { halfSpreadBps: 3, sizeBase: 0.02 } }),
        limits: { maxPositionBase: "2", maxOrderBase: "1", maxOpenOrders: 12 },
        hedge: {
          venue: VENUE,
          symbol: MARKET,
          ...settings,
          ...(minClipBase === undefined ? {} : { minClipBase }),
        },
      },
    },
  });
}
