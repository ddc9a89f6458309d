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
import type { PlanRun, PlanRunOptions } from "./plan-run.js";
import { journalOption } from "./process-journal.js";
import { CALM_AFTER_MS, planOf, type SeedPlan, START_MS } from "./seed-plan.js";
import { Treasurer } from "./treasurer.js";
import type { Violation } from "./violation.js";
import { Witness } from "./witness.js";

/** The result of one seed. */
export interface SeedResult extends PlanRun {
  readonly seed: number;
  readonly actions: number;
  readonly fills: number;
  readonly faults: ReadonlyMap<string, number>;
}

const PRIVATE_KEY = `0x${"42".repeat(32)}`;
const BOT_ADDRESS = "10.0.0.1";
/**
 * Number of checks, one of which must find bot and exchange in agreement. The market continues, so
 * that some event is always on its way.
 */
const MAX_AGREE_CHECKS = 20;
const AGREE_CHECK_EVERY_MS: Ms = 97;
const BREAK_CHECK_EVERY_MS: Ms = 500;

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
  return runPlan(broken?.plan?.(drawn) ?? drawn, broken, {
    ...(broken === undefined ? {} : { stopsAtViolation: true }),
    ...(trace === undefined ? {} : { trace }),
  });
}

/** The same for a plan, which a break does not change any more. */
export function runPlan(
  plan: SeedPlan,
  broken: Break | undefined,
  options: PlanRunOptions = {},
): Promise<SeedResult> {
  return new World(plan, broken, options).run();
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

  readonly #options: PlanRunOptions;

  constructor(plan: SeedPlan, broken: Break | undefined, options: PlanRunOptions) {
    this.#plan = plan;
    this.#options = options;
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
    this.#faults = new FaultSource(
      plan.faults,
      seededRandom(`faults ${plan.seed}`),
      (nowMs) => {
        this.#witness.disturbedAtMs = nowMs;
      },
      plan.strikes,
    );
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
      const endMs = START_MS + this.#plan.marketMs;
      const { untilMs = Number.POSITIVE_INFINITY } = this.#options;
      await this.#runMarket(Math.min(endMs, untilMs));
      if (this.#isNoticed() || untilMs < endMs) return this.#result();
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
    while (this.#clock.nowMs() < untilMs && !this.#isNoticed())
      await this.#clock.runUntil(Math.min(untilMs, this.#clock.nowMs() + BREAK_CHECK_EVERY_MS));
  }

  #isNoticed(): boolean {
    return this.#options.stopsAtViolation === true && this.#violations().length > 0;
  }

  #violations(): readonly Violation[] {
    return [...this.#witness.violations, ...(this.#options.alsoFound?.() ?? [])];
  }

  #result(): SeedResult {
    this.#exchange.stop();
    return {
      seed: this.#plan.seed,
      events: this.#witness.events,
      actions: this.#witness.actions,
      fills: this.#fills,
      faults: this.#faults.struck,
      violations: this.#violations(),
      scripts: [this.#faults.script()],
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
      ...journalOption(this.#options.journal, () => this.#clock.nowMs() - START_MS),
      observe: (notice) => {
        if (notice.kind === "account" && notice.change.kind === "fill") this.#fills++;
        if (notice.kind === "account" && notice.change.kind === "trade-failed")
          this.#faults.count("settlement-failed");
        if (notice.kind === "stopped") this.#ordersLeft = notice.result.ordersLeft.length;
        this.#options.trace?.(this.#clock.nowMs(), notice);
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
    for (const window of this.#plan.faults) {
      const { kind, fromMs, untilMs } = window;
      const at = (instantMs: Ms, run: () => void): void => {
        this.#watched.setTimer(instantMs - this.#clock.nowMs(), run);
      };
      if (kind === "clock-step") {
        at(fromMs, () => {
          this.#machine.skewMs += this.#faults.clockStepMs(window);
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
