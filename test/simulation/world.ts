import type { BotEvent } from "#bot/bot-event.js";
import { MemoryStateStore, type StateStore } from "#bot/state-dir.js";
import type { Clock, Timer } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme, type SignatureScheme, type Signer } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { BotRig, type RigOptions, rulesOf } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { startSimulatedGuard } from "#simulation/simulated-guard.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { createOrderFlow, parseFlowConfig } from "#simulator/flow-config.js";
import type { Break } from "./break.js";
import { ManualTrader } from "./manual-trader.js";
import { CALM_AFTER_MS, planOf, type SeedPlan, START_MS } from "./seed-plan.js";
import { Treasurer } from "./treasurer.js";
import type { Violation } from "./violation.js";
import { Witness } from "./witness.js";

/** The result of one seed. */
export interface SeedResult {
  readonly seed: number;
  readonly events: number;
  readonly actions: number;
  readonly fills: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

const PRIVATE_KEY = `0x${"42".repeat(32)}`;
const BOT_ADDRESS = "10.0.0.1";
/**
 * Number of checks, one of which must find bot and exchange in agreement. The market continues, so
 * that some event is always on its way.
 */
const MAX_AGREE_CHECKS = 20;
const AGREE_CHECK_EVERY_MS: Ms = 97;
const BREAK_CHECK_EVERY_MS: Ms = 5_000;

/**
 * Runs the simulated market of a seed with its faults. The same seed and length give the same run.
 * A run with a broken rule ends as soon as a violation is found.
 */
export async function runSeed(
  seed: number,
  marketMs: Ms,
  broken?: Break,
  trace?: (atMs: Ms, notice: BotEvent) => void,
): Promise<SeedResult> {
  const drawn = planOf(seed, marketMs);
  return new World(broken?.plan?.(drawn) ?? drawn, broken, trace).run();
}

class World {
  readonly #plan: SeedPlan;
  readonly #broken: Break | undefined;
  readonly #clock = new VirtualClock(START_MS);
  readonly #watched: Clock;
  readonly #scheme: SignatureScheme;
  readonly #signer: Signer;
  readonly #exchange: EmbeddedExchange;
  readonly #faults: FaultSource;
  readonly #machine: MachineClock;
  readonly #witness: Witness;
  readonly #store: StateStore = new MemoryStateStore();
  readonly #treasurer: Treasurer | undefined;
  #rig: BotRig | undefined;
  #network: FaultyNetwork | undefined;
  #guardNetwork: FaultyNetwork | undefined;
  #starts = 0;
  #isStarting = false;
  #fills = 0;
  #ordersLeft: number | undefined;

  readonly #trace: ((atMs: Ms, notice: BotEvent) => void) | undefined;

  constructor(
    plan: SeedPlan,
    broken: Break | undefined,
    trace: ((atMs: Ms, notice: BotEvent) => void) | undefined,
  ) {
    this.#plan = plan;
    this.#trace = trace;
    this.#broken = broken;
    this.#watched = {
      nowMs: () => this.#clock.nowMs(),
      monotonicMs: () => this.#clock.monotonicMs(),
      setTimer: (delayMs, fire): Timer =>
        this.#clock.setTimer(delayMs, () => {
          fire();
          this.#witness.afterEvent();
        }),
    };
    this.#scheme = plan.realSignatures ? ecdsaScheme : keyedScheme();
    this.#signer = this.#scheme.signer(PRIVATE_KEY);
    const { exchange } = plan;
    this.#exchange = new EmbeddedExchange(
      exchange,
      { clock: this.#watched, random: seededRandom(`exchange ${plan.seed}`) },
      {
        scheme: this.#scheme,
        createFlow: (marketId) => {
          const flow = parseFlowConfig(exchange.markets[marketId]?.flow);
          return createOrderFlow(flow, {
            marketId,
            restart: null,
            seed: `flow ${plan.seed} ${this.#clock.nowMs()}`,
            baseFolder: ".",
            onReplayEnd: () => {},
          });
        },
      },
    );
    this.#faults = new FaultSource(plan.faults, seededRandom(`faults ${plan.seed}`), (nowMs) => {
      this.#witness.disturbedAtMs = nowMs;
    });
    this.#machine = new MachineClock(this.#watched);
    this.#witness = new Witness(plan, this.#exchange, this.#signer.address, () =>
      this.#clock.nowMs(),
    );
    this.#treasurer =
      plan.transfersEveryMs === 0
        ? undefined
        : new Treasurer({
            exchange: this.#exchange,
            signer: this.#signer,
            clock: this.#watched,
            random: seededRandom(`treasurer ${plan.seed}`),
            everyMs: plan.transfersEveryMs,
            untilMs: START_MS + plan.marketMs - CALM_AFTER_MS,
            onTransfer: (amount) => this.#witness.transferred(amount),
          });
  }

  async run(): Promise<SeedResult> {
    this.#exchange.start();
    this.#exchange.register(this.#signer.address);
    await this.#clock.runFor(2_000);
    this.#startBot();
    this.#startGuard();
    this.#scheduleEvents();
    if (this.#plan.manualEveryMs > 0) {
      const random = seededRandom(`manual ${this.#plan.seed}`);
      new ManualTrader({
        exchange: this.#exchange,
        signer: this.#signer,
        clock: this.#watched,
        random,
        everyMs: this.#plan.manualEveryMs,
        witness: this.#witness,
        untilMs: START_MS + this.#plan.marketMs - CALM_AFTER_MS,
      }).start();
    }
    this.#treasurer?.start();
    this.#sampleEvery(5_000);
    try {
      await this.#runMarket(START_MS + this.#plan.marketMs);
      if (this.#isBreakNoticed()) return this.#result();
      for (
        let checks = 0;
        checks < MAX_AGREE_CHECKS && this.#witness.disagreements().length > 0;
        checks++
      )
        await this.#clock.runFor(AGREE_CHECK_EVERY_MS);
      this.#witness.agree();
      this.#rig?.bot.command({ command: "stop", reason: "the hour is over" });
      await this.#clock.runFor(40_000);
      this.#witness.stopped(this.#ordersLeft);
    } catch (error) {
      this.#witness.crashed(error);
    }
    return this.#result();
  }

  async #runMarket(untilMs: Ms): Promise<void> {
    while (this.#clock.nowMs() < untilMs && !this.#isBreakNoticed())
      await this.#clock.runUntil(Math.min(untilMs, this.#clock.nowMs() + BREAK_CHECK_EVERY_MS));
  }

  /**
   * True if a run with a broken rule has its first violation: the rest of the run is not needed. A
   * run with all rules continues and reports every violation.
   */
  #isBreakNoticed(): boolean {
    return this.#broken !== undefined && this.#witness.violations.length > 0;
  }

  #result(): SeedResult {
    this.#exchange.stop();
    return {
      seed: this.#plan.seed,
      events: this.#witness.events,
      actions: this.#witness.actions,
      fills: this.#fills,
      faults: this.#faults.struck,
      violations: this.#witness.violations,
    };
  }

  #startBot(): void {
    if (!this.#exchange.isRunning) {
      // A bot does not start without its exchange. The supervisor tries again.
      this.#isStarting = true;
      this.#watched.setTimer(1_000, () => this.#startBot());
      return;
    }
    this.#isStarting = false;
    this.#starts++;
    this.#treasurer?.botStarts();
    const network = new FaultyNetwork(
      this.#exchange,
      this.#watched,
      this.#faults,
      BOT_ADDRESS,
      this.#witness,
    );
    network.down = !this.#exchange.isRunning;
    this.#network = network;
    const plain: RigOptions = {
      door: this.#exchange,
      transport: network,
      clock: this.#machine,
      random: seededRandom(`bot ${this.#plan.seed} ${this.#starts}`),
      scheme: this.#scheme,
      privateKey: PRIVATE_KEY,
      config: this.#plan.bot,
      store: this.#store,
      observe: (notice) => {
        if (notice.kind === "account" && notice.change.kind === "fill") this.#fills++;
        if (notice.kind === "account" && notice.change.kind === "trade-failed")
          this.#faults.count("settlement-failed");
        if (notice.kind === "stopped") this.#ordersLeft = notice.result.ordersLeft.length;
        this.#trace?.(this.#clock.nowMs(), notice);
        this.#witness.observe(notice);
      },
    };
    let made: BotRig | undefined;
    const rigOf = (): BotRig => {
      if (made === undefined) throw new Error("the bot is not built yet");
      return made;
    };
    const rules = rulesOf(this.#exchange, Object.keys(this.#plan.bot.markets));
    const rig = new BotRig(this.#broken?.rig?.(plain, { rig: rigOf, rules }) ?? plain);
    made = rig;
    this.#broken?.bot?.(rig);
    this.#rig = rig;
    this.#witness.attach(rig.bot);
    rig.start();
  }

  #startGuard(): void {
    const network = new FaultyNetwork(
      this.#exchange,
      this.#watched,
      this.#faults,
      "10.0.0.2",
      undefined,
    );
    this.#guardNetwork = network;
    startSimulatedGuard({
      bot: this.#plan.bot,
      door: this.#exchange,
      network,
      clock: this.#watched,
      signer: this.#signer,
      store: this.#store,
      onCancel: () => this.#witness.budgets.guardSpends(),
      onNotice: ({ kind }) => {
        if (kind === "safe") this.#witness.onGuardSafe();
      },
    });
  }

  #scheduleEvents(): void {
    for (const { kind, fromMs, untilMs } of this.#plan.faults) {
      const at = (instantMs: Ms, run: () => void): void => {
        this.#watched.setTimer(instantMs - this.#clock.nowMs(), run);
      };
      if (kind === "clock-step") {
        at(fromMs, () => {
          this.#faults.count(kind);
          this.#machine.skewMs += this.#faults.half()
            ? this.#faults.delayMs(100, 8_000)
            : -this.#faults.delayMs(100, 8_000);
        });
        at(untilMs + 20_000, () => {
          this.#machine.skewMs = 0;
        });
      }
      if (kind === "bot-killed") {
        at(fromMs, () => this.#kill());
        at(untilMs, () => {
          if (this.#rig === undefined && !this.#isStarting) this.#startBot();
        });
      }
      if (kind === "exchange-stopped") {
        at(fromMs, () => this.#stopExchange());
        at(untilMs, () => this.#restartExchange());
      }
    }
  }

  #kill(): void {
    if (this.#rig === undefined) return;
    this.#faults.count("bot-killed");
    this.#witness.attach(undefined);
    this.#rig.kill();
    this.#network?.cut();
    this.#rig = undefined;
  }

  #stopExchange(): void {
    if (!this.#exchange.isRunning) return;
    this.#faults.count("exchange-stopped");
    for (const network of [this.#network, this.#guardNetwork])
      if (network !== undefined) network.down = true;
    this.#exchange.stop();
    this.#network?.dropStreams("connection reset");
  }

  #restartExchange(): void {
    if (this.#exchange.isRunning) return;
    this.#exchange.start();
    for (const network of [this.#network, this.#guardNetwork])
      if (network !== undefined) network.down = false;
    this.#witness.disturbedAtMs = this.#clock.nowMs();
  }

  #sampleEvery(everyMs: Ms): void {
    this.#clock.setTimer(everyMs, () => {
      this.#witness.sample();
      this.#sampleEvery(everyMs);
    });
  }
}
