import { z } from "zod";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import type { StateStore } from "./state-dir.js";
import { claimedExchange, exchangeSchema, isSameExchange } from "./state-owner.js";

/** The guard's heartbeat in the state directory, for the bot that it watches. */
export const GUARD_HEARTBEAT_FILE = "guard-heartbeat.json";

const beatSchema = z.strictObject({
  version: z.literal(1),
  /** Wall time of this machine. */
  atMs: z.number(),
  state: z.enum(["watching", "stopped"]),
  account: z.string(),
  exchange: exchangeSchema,
  pid: z.int(),
});

type GuardBeat = z.output<typeof beatSchema>;

/** Dependencies of a {@link GuardHeartbeat}. */
export interface GuardHeartbeatDeps {
  readonly clock: Clock;
  /** The account's state directory, which is claimed for its exchange. */
  readonly store: Pick<StateStore, "read" | "writeBehind">;
  readonly account: Hex;
  readonly everyMs: Ms;
  /** Called at the first of several heartbeats that cannot be written. */
  readonly onFailure: (error: unknown) => void;
}

/** Writes the guard's heartbeat until it is stopped. */
export class GuardHeartbeat {
  readonly #options: GuardHeartbeatDeps;
  #timer: Timer | undefined;
  #hasFailed = false;

  constructor(options: GuardHeartbeatDeps) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs } = this.#options;
    this.#write("watching");
    this.#timer = clock.setTimer(everyMs, () => this.start());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#write("stopped");
  }

  #write(state: GuardBeat["state"]): void {
    const { clock, store, account, onFailure } = this.#options;
    try {
      const exchange = claimedExchange(store);
      if (exchange === undefined) return;
      const beat: GuardBeat = {
        version: 1,
        atMs: clock.nowMs(),
        state,
        account,
        exchange,
        pid: process.pid,
      };
      store.writeBehind(GUARD_HEARTBEAT_FILE, JSON.stringify(beat));
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) onFailure(error);
      this.#hasFailed = true;
    }
  }
}

/** Inputs of {@link readGuard}. */
export interface GuardedBot {
  readonly store: Pick<StateStore, "read">;
  readonly account: Hex;
  readonly nowMs: Ms;
  /** Age from which a heartbeat proves nothing. */
  readonly deadAfterMs: Ms;
}

/** State of a bot's guard, by its heartbeat. */
export interface GuardReading {
  /** `missing`: there is no heartbeat of this account and exchange, or its guard has ended. */
  readonly state: "alive" | "stale" | "missing";
  /** Age of that heartbeat; undefined if there is none. */
  readonly ageMs?: Ms;
}

/**
 * The state of the guard of this account and this exchange. A heartbeat that cannot be read proves
 * nothing.
 */
export function readGuard({ store, account, nowMs, deadAfterMs }: GuardedBot): GuardReading {
  try {
    const beat = beatSchema.parse(JSON.parse(store.read(GUARD_HEARTBEAT_FILE) ?? "null"));
    const exchange = claimedExchange(store);
    const isOurs =
      beat.account.toLowerCase() === account.toLowerCase() &&
      exchange !== undefined &&
      isSameExchange(beat.exchange, exchange);
    if (!isOurs) return { state: "missing" };
    // A clock that was set back makes a heartbeat newer than now.
    const ageMs = Math.abs(nowMs - beat.atMs);
    if (beat.state !== "watching") return { state: "missing", ageMs };
    return { state: ageMs <= deadAfterMs ? "alive" : "stale", ageMs };
  } catch {
    return { state: "missing" };
  }
}

/** True if a guard of this account and this exchange has written a recent heartbeat. */
export function isGuarded(bot: GuardedBot): boolean {
  return readGuard(bot).state === "alive";
}

/** Options of a {@link GuardMonitor}. */
export interface GuardMonitorOptions {
  readonly clock: Clock;
  readonly everyMs: Ms;
  readonly isGuarded: () => boolean;
  /** Called at the start if no guard is alive, and at each change. */
  readonly onChange: (guarded: boolean) => void;
}

/** Detects that no guard shows a heartbeat: at the start of a bot, and when a guard stops. */
export class GuardMonitor {
  readonly #options: GuardMonitorOptions;
  #wasGuarded = true;
  #timer: Timer | undefined;

  constructor(options: GuardMonitorOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs, isGuarded, onChange } = this.#options;
    const guarded = isGuarded();
    if (guarded !== this.#wasGuarded) onChange(guarded);
    this.#wasGuarded = guarded;
    this.#timer = clock.setTimer(everyMs, () => this.start());
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
