import type { Ms } from "#core/units.js";
import type { FaultSource } from "#simulation/faults.js";
import type { FaultyNetwork } from "#simulation/faulty-network.js";
import type { MachineClock } from "#simulation/machine-clock.js";
import type { WaitingClock } from "#simulation/waiting-clock.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import type { RpcOutage, TakeoverTrigger, WholePlan } from "./whole-plan.js";

/** The parts of a run on which its faults act. */
export interface SurroundingsOptions {
  readonly plan: WholePlan;
  readonly clock: WaitingClock;
  readonly machineClock: MachineClock;
  readonly exchange: EmbeddedExchange;
  readonly faults: FaultSource;
  readonly networks: () => readonly FaultyNetwork[];
  readonly dropStreams: () => void;
  readonly kill: (downMs: Ms) => void;
  readonly disturbed: (nowMs: Ms) => void;
}

/**
 * The faults of a run beyond single requests and frames: kills, stops, clock steps, outages of the
 * RPCs, and faults that a takeover triggers.
 */
export class Surroundings {
  /** How often each thing happened. */
  readonly struck = new Map<string, number>();
  readonly #options: SurroundingsOptions;
  /** Until then the RPCs are silent, because of a takeover. */
  #rpcSilentUntilMs: Ms = 0;

  constructor(options: SurroundingsOptions) {
    this.#options = options;
  }

  count(fault: string): void {
    this.struck.set(fault, (this.struck.get(fault) ?? 0) + 1);
  }

  /** The present outage of the RPCs; undefined if there is none. */
  get outage(): RpcOutage["kind"] | undefined {
    const { clock, plan } = this.#options;
    const now = clock.nowMs();
    if (now < this.#rpcSilentUntilMs) return "silent";
    return plan.outages.find(({ fromMs, untilMs }) => fromMs <= now && now < untilMs)?.kind;
  }

  /** Starts the faults that the plan has for the n-th takeover that was sent or mined. */
  afterTakeover(on: TakeoverTrigger["on"], nth: number): void {
    const { plan, clock, faults, kill, dropStreams } = this.#options;
    const now = clock.nowMs();
    const lastMs = plan.endsDisturbed ? Number.POSITIVE_INFINITY : plan.faultsEndMs;
    for (const trigger of plan.triggers) {
      if (trigger.on !== on || trigger.nth !== nth || now >= lastMs) continue;
      const { fault } = trigger;
      this.count(`${fault} after a takeover was ${on}`);
      const untilMs = Math.min(lastMs, now + trigger.forMs);
      if (fault === "rpc-silent")
        this.#rpcSilentUntilMs = Math.max(this.#rpcSilentUntilMs, untilMs);
      else if (fault === "rest-slow") faults.strikeUntil("answer-delayed", untilMs);
      // Not within the call that triggered it.
      else if (fault === "bot-killed")
        clock.setTimer(1, () => kill(Math.min(trigger.forMs, 10_000)));
      else clock.setTimer(1, dropStreams);
    }
  }

  /** Schedules the faults that the plan has at fixed times. */
  schedule(): void {
    const { plan, clock, machineClock, faults, kill } = this.#options;
    for (const window of plan.faults) {
      const { kind, fromMs, untilMs } = window;
      const at = (instantMs: Ms, run: () => void): void =>
        void clock.setTimer(instantMs - clock.nowMs(), run);
      if (kind === "clock-step") {
        at(fromMs, () => {
          machineClock.skewMs += faults.clockStepMs(window);
        });
        at(untilMs + 20_000, () => {
          machineClock.skewMs = 0;
        });
      }
      if (kind === "bot-killed") at(fromMs, () => kill(untilMs - fromMs));
      if (kind === "exchange-stopped") {
        at(fromMs, () => this.#stopExchange());
        at(untilMs, () => this.#restartExchange());
      }
    }
  }

  #stopExchange(): void {
    const { exchange, faults, networks, dropStreams } = this.#options;
    if (!exchange.isRunning) return;
    faults.count("exchange-stopped");
    for (const network of networks()) network.down = true;
    exchange.stop();
    dropStreams();
  }

  #restartExchange(): void {
    const { exchange, clock, networks, disturbed } = this.#options;
    if (exchange.isRunning) return;
    exchange.start();
    for (const network of networks()) network.down = false;
    disturbed(clock.nowMs());
  }
}
