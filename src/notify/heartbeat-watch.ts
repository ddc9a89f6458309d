import { HEARTBEAT_FILE, parseHeartbeat } from "../bot/state/heartbeat.js";
import type { Clock } from "../core/runtime/runtime.js";
import type { Ms } from "../core/units.js";
import type { Notice } from "./notice.js";

/** Dependencies of a {@link HeartbeatWatch}. */
interface HeartbeatWatchDeps {
  readonly store: { read(name: string): string | undefined };
  readonly clock: Clock;
  readonly deadAfterMs: Ms;
  /** Time of the heartbeat after which an earlier sender has reported the bot dead. */
  readonly deadBeatAtMs: Ms | undefined;
  /** The fate of its orders, as a phrase. */
  readonly afterDeath: string;
}

/** Sees that a bot has died, and that it is back, by its heartbeat. */
export class HeartbeatWatch {
  readonly #deps: HeartbeatWatchDeps;
  #text: string | undefined;
  #changedAtMs = 0;
  #deadBeatAtMs: Ms | undefined;

  constructor(deps: HeartbeatWatchDeps) {
    this.#deps = deps;
    this.#deadBeatAtMs = deps.deadBeatAtMs;
  }

  /** Time of the heartbeat after which the bot was reported dead; undefined while it lives. */
  get deadBeatAtMs(): Ms | undefined {
    return this.#deadBeatAtMs;
  }

  /**
   * The bot's death, if it ran in a process that has ended. Its heartbeat need not be awaited then.
   * @throws errors of an unreadable heartbeat
   */
  onProcessEnded(pid: number): Notice | undefined {
    const text = this.#deps.store.read(HEARTBEAT_FILE);
    const beat = text === undefined ? undefined : parseHeartbeat(text);
    if (beat?.pid !== pid || beat.state !== "running" || this.#deadBeatAtMs === beat.atMs)
      return undefined;
    return this.#dead(beat, `process ${pid} has ended, and what it had started ends with it`);
  }

  /** The bot's death or its return, if one is new. @throws errors of an unreadable heartbeat */
  check(): Notice | undefined {
    const { store, clock, deadAfterMs, afterDeath } = this.#deps;
    const text = store.read(HEARTBEAT_FILE);
    if (text === undefined) return undefined;
    const beat = parseHeartbeat(text);
    if (text !== this.#text) {
      // A heartbeat from before this process may be as old as its own time says.
      const ageMs = this.#text === undefined ? Math.max(0, clock.nowMs() - beat.atMs) : 0;
      this.#text = text;
      this.#changedAtMs = clock.monotonicMs() - ageMs;
    }
    const about = { atMs: clock.nowMs(), severity: "critical", key: "bot-dead" } as const;
    if (this.#deadBeatAtMs !== undefined && this.#deadBeatAtMs !== beat.atMs) {
      this.#deadBeatAtMs = undefined;
      return beat.state === "running"
        ? { ...about, kind: "bot-back", title: "the bot is back", state: "back", endsKey: true }
        : { ...about, kind: "bot-ended", title: "the bot has ended", state: "back", endsKey: true };
    }
    const silentMs = clock.monotonicMs() - this.#changedAtMs;
    const isDead = beat.state === "running" && silentMs > deadAfterMs;
    if (!isDead || this.#deadBeatAtMs !== undefined) return undefined;
    const seconds = Math.round(silentMs / 1000);
    return this.#dead(beat, `no heartbeat of process ${beat.pid} for ${seconds} s; ${afterDeath}`);
  }

  #dead({ atMs }: { readonly atMs: Ms }, text: string): Notice {
    this.#deadBeatAtMs = atMs;
    return {
      atMs: this.#deps.clock.nowMs(),
      severity: "critical",
      kind: "bot-dead",
      title: "the bot is dead or hangs",
      text,
      key: "bot-dead",
      state: "dead",
    };
  }
}
