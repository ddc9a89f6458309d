import type { Clock, Timer } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import { HEARTBEAT_FILE } from "../state/heartbeat.js";
import type { StateStore } from "../state/state-dir.js";

/** What a guard asks of the bot beside its heartbeat. */
export interface HeartbeatMismatchDeps {
  readonly clock: Clock;
  /** Where the guard looks for the heartbeat. */
  readonly store: Pick<StateStore, "read">;
  readonly deadAfterMs: Ms;
  /** Whether a bot of the account runs on this machine, wherever its state is. */
  readonly isBotRunning: () => boolean;
  /** It runs, and no heartbeat came for ten seconds at least. Told once, and again only when one has come in between. */
  readonly onMismatch: () => void;
}

/** Longer than a start takes until its first heartbeat. */
const LEAST_MS = 10_000;

/**
 * Looks for a bot that runs and shows the guard no life: one that keeps its state in another folder, as where either was started from a copy
 * of the file. The guard waits for a heartbeat that is written elsewhere.
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

  /** One that cannot be read is as good as none: the guard says so itself. */
  #readHeartbeat(): string | undefined {
    try {
      return this.#options.store.read(HEARTBEAT_FILE);
    } catch {
      return undefined;
    }
  }
}
