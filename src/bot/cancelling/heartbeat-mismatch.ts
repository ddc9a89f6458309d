import type { Clock, Timer } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import { HEARTBEAT_FILE } from "../state/heartbeat.js";
import type { StateStore } from "../state/state-dir.js";

/** What a guard asks of the bot beside its heartbeat. */
export interface UnseenBotOptions {
  readonly clock: Clock;
  /** Where the guard looks for the heartbeat. */
  readonly store: Pick<StateStore, "read">;
  readonly deadAfterMs: Ms;
  /** Whether a bot of the account runs on this machine, wherever its state is. */
  readonly isThere: () => boolean;
  /** It runs, and no heartbeat came for ten seconds at least. Told once, and again only when one has come in between. */
  readonly tell: () => void;
}

/** Longer than a start takes until its first heartbeat. */
const LEAST_MS = 10_000;

/**
 * Looks for a bot that runs and shows the guard no life: one that keeps its state in another folder, as where either was started from a copy
 * of the file. The guard waits for a heartbeat that is written elsewhere.
 */
export class UnseenBot {
  readonly #options: UnseenBotOptions;
  #timer: Timer | undefined;
  #wasThere = false;
  #isTold = false;
  #beat: string | undefined;

  constructor(options: UnseenBotOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, deadAfterMs } = this.#options;
    this.#timer = clock.setTimer(Math.max(LEAST_MS, deadAfterMs), () => this.#look());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #look(): void {
    const beat = this.#newestBeat();
    const isThere = this.#options.isThere();
    const isUnseen = isThere && beat === this.#beat;
    if (isUnseen && this.#wasThere && !this.#isTold) this.#options.tell();
    this.#isTold = isUnseen && (this.#isTold || this.#wasThere);
    this.#wasThere = isThere;
    this.#beat = beat;
    this.start();
  }

  /** One that cannot be read is as good as none: the guard says so itself. */
  #newestBeat(): string | undefined {
    try {
      return this.#options.store.read(HEARTBEAT_FILE);
    } catch {
      return undefined;
    }
  }
}
