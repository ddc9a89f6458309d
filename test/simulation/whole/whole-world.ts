import { MemoryStateStore } from "#bot/state-dir.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex, Ms } from "#core/units.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { startSimulatedGuard } from "#simulation/simulated-guard.js";
import type { WaitingClock } from "#simulation/waiting-clock.js";
import type { OpenExchange } from "#simulator/configured-exchange.js";
import type { OpenChain } from "#simulator/open-chain.js";
import type { PlanRunOptions } from "../plan-run.js";
import { journalOption } from "../process-journal.js";
import { START_MS } from "../seed-plan.js";
import { BotProcess, type Machine, type ProcessEnd } from "./bot-process.js";
import { chainNodes, weatherIn } from "./chain-nodes.js";
import type { Trace, WholeBreak, WholeResult } from "./run-whole.js";
import { Surroundings } from "./surroundings.js";
import type { WholePlan } from "./whole-plan.js";
import { WholeWitness } from "./whole-witness.js";

const PRIVATE_KEY = `0x${"42".repeat(32)}`;
const BOT_ADDRESS = "10.0.0.1";
const SAMPLE_MS: Ms = 5_000;
/**
 * Time after the last fault in which bot and exchange must come to agree. The market and its
 * takeovers continue.
 */
const AGREE_WITHIN_MS: Ms = 40_000;
const AGREE_EVERY_MS: Ms = 97;
/** A stop waits 10 s for takeovers in flight, then until the end of every order is known. */
const STOP_WITHIN_MS: Ms = 90_000;
/** The supervisor restarts the process after so long when its start failed. */
const RESTART_MS: Ms = 2_000;
const BREAK_CHECK_EVERY_MS: Ms = 1_000;

/** The parts from which a run is built. */
export interface WorldParts {
  readonly plan: WholePlan;
  readonly broken: WholeBreak | undefined;
  readonly options: PlanRunOptions;
  readonly trace: Trace | undefined;
  readonly clock: WaitingClock;
  readonly open: OpenExchange;
  readonly chain: OpenChain;
}

/**
 * The exchange with its chain, the bot's machine with its network and RPCs, its guard, and the
 * witnesses of all that.
 */
export class WholeWorld {
  readonly #parts: WorldParts;
  readonly #account: Hex;
  readonly #machineClock: MachineClock;
  readonly #machine: Machine = { store: new MemoryStateStore(), lanes: [] };
  readonly #faults: FaultSource;
  readonly #surroundings: Surroundings;
  readonly #witness: WholeWitness;
  #process: BotProcess | undefined;
  #network: FaultyNetwork | undefined;
  #guardNetwork: FaultyNetwork | undefined;
  #starts = 0;
  #isStopping = false;
  #end: ProcessEnd | undefined;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    const { plan, clock, open, chain } = parts;
    const { exchange } = open;
    this.#account = ecdsaScheme.signer(PRIVATE_KEY).address;
    this.#machineClock = new MachineClock(clock);
    this.#witness = new WholeWitness(plan, exchange, chain, this.#account, () => clock.nowMs());
    this.#faults = new FaultSource(
      plan.faults,
      seededRandom(`faults ${plan.seed}`),
      (nowMs) => {
        this.#witness.disturbed(nowMs);
      },
      plan.strikes,
    );
    this.#surroundings = new Surroundings({
      plan,
      clock,
      machineClock: this.#machineClock,
      exchange,
      faults: this.#faults,
      networks: () =>
        [this.#network, this.#guardNetwork].filter((network) => network !== undefined),
      dropStreams: () => this.#network?.dropStreams("connection reset"),
      kill: (downMs) => this.#kill(downMs),
      disturbed: (nowMs) => {
        this.#witness.disturbed(nowMs);
      },
    });
  }

  async run(): Promise<WholeResult> {
    const { plan, clock, open, options } = this.#parts;
    const { untilMs = Number.POSITIVE_INFINITY } = options;
    const endMs = START_MS + plan.marketMs;
    open.exchange.start();
    clock.between = {
      settled: async () => {
        await open.waitUntilSettled();
        for (const takeover of await this.#witness.onBlocks()) {
          this.#trace("mined", takeover);
          this.#surroundings.afterTakeover("mined", this.#witness.takeovers);
        }
      },
      afterTimer: () => this.#witness.afterEvent(),
    };
    await clock.runUntil(START_MS + 2_000);
    this.#startBot();
    this.#startGuard();
    this.#surroundings.schedule();
    this.#sample();
    try {
      await this.#runMarket(Math.min(endMs, untilMs));
      if (!this.#isNoticed() && endMs <= untilMs) await this.#conclude();
    } catch (error) {
      this.#witness.crashed(error);
    }
    this.#process?.kill();
    return {
      seed: plan.seed,
      ...this.#witness.counts,
      faults: new Map<string, number>([...this.#faults.struck, ...this.#surroundings.struck]),
      violations: this.#witness.violations,
      scripts: [this.#faults.script()],
    };
  }

  async #runMarket(untilMs: Ms): Promise<void> {
    const { clock } = this.#parts;
    while (clock.nowMs() < untilMs && !this.#isNoticed())
      await clock.runUntil(Math.min(untilMs, clock.nowMs() + BREAK_CHECK_EVERY_MS));
  }

  /**
   * Waits until both sides agree after the faults, stops the bot, and checks its final report
   * against the exchange.
   */
  async #conclude(): Promise<void> {
    const { clock, plan } = this.#parts;
    if (!plan.endsDisturbed) {
      const endMs = clock.nowMs() + AGREE_WITHIN_MS;
      while (clock.nowMs() < endMs && this.#witness.disagreements().length > 0)
        await clock.runUntil(clock.nowMs() + AGREE_EVERY_MS);
      this.#witness.agree();
    }
    this.#isStopping = true;
    this.#process?.stop("the time is over");
    const endMs = clock.nowMs() + STOP_WITHIN_MS;
    while (clock.nowMs() < endMs && this.#end === undefined && this.#process !== undefined)
      await clock.runUntil(clock.nowMs() + 500);
    if (this.#end !== undefined) this.#witness.ended(this.#end, (nonce) => this.#jobOf(nonce));
    else if (!plan.endsDisturbed)
      this.#witness.crashed(new Error(`the bot has not stopped within ${STOP_WITHIN_MS} ms`));
  }

  /** The name of what was sent under a nonce, by the process's own record of it. */
  #jobOf(nonce: number): string | undefined {
    for (const record of this.#machine.lanes)
      if (record.kind === "attempt" && record.attempt.nonce === nonce && record.job !== null)
        return record.job.id;
    return undefined;
  }

  #isNoticed(): boolean {
    return this.#parts.options.stopsAtViolation === true && this.#witness.violations.length > 0;
  }

  #trace(kind: string, fields: object): void {
    this.#parts.trace?.(this.#parts.clock.nowMs(), { ...fields, kind });
  }

  #startBot(): void {
    const { plan, clock, open, chain, broken, trace } = this.#parts;
    if (this.#isStopping) return;
    if (!open.exchange.isRunning) {
      clock.setTimer(1_000, () => this.#startBot());
      return;
    }
    this.#starts += 1;
    const life = this.#starts;
    const network = new FaultyNetwork(
      open.exchange,
      clock,
      this.#faults,
      BOT_ADDRESS,
      this.#witness.network,
    );
    this.#network = network;
    const nodes = chainNodes({
      count: plan.rpcs,
      open: chain,
      clock,
      random: (node) => seededRandom(`node ${plan.seed} ${life} ${node}`),
      weather: () => weatherIn(this.#surroundings.outage),
      onFault: (fault) => this.#surroundings.count(`rpc ${fault}`),
      onSent: (raw) => this.#takeoverSent(raw),
      onAnswer: (method, params) => this.#witness.rpcAnswered(method, params),
    });
    const process = new BotProcess({
      config: plan.bot,
      privateKey: PRIVATE_KEY,
      clock: this.#machineClock,
      random: seededRandom(`bot ${plan.seed} ${life}`),
      machine: this.#machine,
      network,
      nodes,
      ...journalOption(this.#parts.options.journal, () => clock.nowMs() - START_MS),
      rework: broken?.rework ?? ((options) => options),
      onBot: (bot) => {
        broken?.bot?.(bot);
        this.#witness.attach(bot);
      },
      onNotice: (notice) => {
        trace?.(clock.nowMs(), notice);
        this.#witness.observe(notice);
      },
      onEnd: (end) => this.#ended(end),
    });
    this.#process = process;
    this.#trace("started", { life });
    process.start();
  }

  #takeoverSent(raw: Hex): void {
    const takeover = this.#witness.transactionSent(raw);
    if (takeover === undefined) return;
    this.#trace("sent", takeover);
    this.#surroundings.afterTakeover("sent", this.#witness.takeoversSent);
  }

  #ended(end: ProcessEnd | { readonly error: unknown }): void {
    const { clock } = this.#parts;
    this.#detach();
    this.#trace("ended", { end });
    if ("exitCode" in end) {
      this.#end = end;
      return;
    }
    if (this.#starts > 0 && !this.#isStopping) {
      this.#surroundings.count("start failed");
      clock.setTimer(RESTART_MS, () => this.#startBot());
    }
    const { error } = end;
    if (!(error instanceof Error) || !isPassing(error)) this.#witness.crashed(error);
  }

  #detach(): void {
    this.#witness.attach(undefined);
    this.#network?.cut();
    this.#process = undefined;
  }

  #kill(downMs: Ms): void {
    if (this.#process === undefined || this.#isStopping) return;
    this.#faults.count("bot-killed");
    this.#process.kill();
    this.#detach();
    this.#trace("killed", { downMs });
    this.#parts.clock.setTimer(downMs, () => this.#startBot());
  }

  #startGuard(): void {
    const { plan, clock, open } = this.#parts;
    const network = new FaultyNetwork(open.exchange, clock, this.#faults, "10.0.0.2", undefined);
    this.#guardNetwork = network;
    const signer = ecdsaScheme.signer(PRIVATE_KEY);
    startSimulatedGuard({
      bot: plan.bot,
      door: open.exchange,
      network,
      clock,
      signer,
      store: this.#machine.store,
      onCancel: () => this.#witness.orders.budgets.guardSpends(),
      onNotice: ({ kind }) => {
        if (kind === "safe") this.#witness.orders.onGuardSafe();
      },
    });
  }

  #sample(): void {
    this.#parts.clock.setTimer(SAMPLE_MS, () => {
      this.#witness.sample();
      this.#sample();
    });
  }
}

/**
 * True for an error that ends a start because a peer is unavailable: the supervisor starts the
 * process again.
 */
function isPassing(error: Error): boolean {
  return ["VenueRequestError", "ChainUnavailable", "VenueError"].includes(error.name);
}
