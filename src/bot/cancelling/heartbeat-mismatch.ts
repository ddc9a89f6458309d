import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { HEARTBEAT_FILE } from "../state/heartbeat.js";
import type { StateStore } from "../state/state-dir.js";

/** Dependencies of {@link HeartbeatMismatch}. */
export interface HeartbeatMismatchDeps {
  readonly clock: Clock;
  /** Where the guard reads the heartbeat. */
  readonly store: Pick<StateStore, "read">;
  readonly deadAfterMs: Ms;
  /** True if a bot of the account runs on this machine, wherever its state is. */
  readonly isBotRunning: () => boolean;
  /**
   * Called when a bot runs and no heartbeat appeared for ten seconds at least. Called once, and
   * again only after a heartbeat has appeared in between.
   */
  readonly onMismatch: () => void;
}

/** Longer than a start takes until its first heartbeat. */
const LEAST_MS = 10_000;

/**
 * Detects a bot that runs without showing the guard a heartbeat. Such a bot keeps its state in
 * another folder, for example because either was started from a copy of the file. The guard would
 * wait for a heartbeat that is written elsewhere.
 */
export class HeartbeatMismatch {
  readonly #options: HeartbeatMismatchDeps;
  #timer: Timer | undefined;
  #wasThere = false;
  #isReported = false;
  #lastHeartbeat: string | undefined;

  constructor(options: HeartbeatMismatchDeps) {
    this.#options = options;
  }

  start(): void {
    const { clock, deadAfterMs } = this.#options;
    this.#timer = clock.setTimer(Math.max(LEAST_MS, deadAfterMs), () => this.#check());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #check(): void {
    const beat = this.#readHeartbeat();
    const isThere = this.#options.isBotRunning();
    const isUnseen = isThere && beat === this.#lastHeartbeat;
    if (isUnseen && this.#wasThere && !this.#isReported) this.#options.onMismatch();
    this.#isReported = isUnseen && (this.#isReported || this.#wasThere);
    this.#wasThere = isThere;
    this.#lastHeartbeat = beat;
    this.start();
  }

  /** An unreadable heartbeat counts as none: the guard reports it by itself. */
  #readHeartbeat(): string | undefined {
    try {
      return this.#options.store.read(HEARTBEAT_FILE);
    } catch {
      return undefined;
    }
  }
}
