import { closeSync } from "node:fs";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { findStrategyLocation } from "../../bot/strategy/strategy-stack.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import { EXIT } from "../process/exit-code.js";
import type { ProcessEnd } from "../process/process-end.js";
import {
  BEAT_MS,
  WATCHED,
  type WatchdogCallbacks,
  type WatchdogMessage,
  type WatchdogStart,
  WORD,
  WORDS,
} from "./watchdog-memory.js";

const THREAD = new URL("./watchdog-thread.js", import.meta.url);
const STDERR = 2;

/** The monitored process, and the messages and actions after a stall. */
export type WatchedLoop = Omit<WatchdogStart, "memory">;

/** A screen whose terminal is given back while the event loop hangs. */
interface StallScreen {
  suspend(): void;
  resume(): void;
}

/** Parts of its process that a watchdog needs. */
interface WatchdogDeps {
  readonly clock: Clock;
  readonly signals: Pick<ProcessEnd, "handleSignals" | "endOnSignal" | "now">;
}

/**
 * Monitors this thread from another one. A strategy that never returns blocks this thread's timers,
 * log and signal handlers. The other thread then reports it, lets signals end the process, and
 * cancels the bot's orders if no guard does.
 */
export class LoopWatchdog {
  readonly #clock: Clock;
  readonly #words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  readonly #places: ReadonlyMap<MarketId, number>;
  readonly #worker: Worker;
  readonly #signals: WatchdogDeps["signals"];
  #timer: Timer | undefined;
  #isStalled = false;
  #screen: StallScreen | undefined;

  constructor(watched: WatchedLoop, { clock, signals }: WatchdogDeps) {
    this.#clock = clock;
    this.#signals = signals;
    this.#places = new Map(watched.markets.map(({ marketId }, index) => [marketId, index + 1]));
    (globalThis as Record<string, unknown>)[WATCHED] = this.#hooks(dirname(watched.path));
    const workerData: WatchdogStart = {
      ...watched,
      memory: this.#words.buffer as SharedArrayBuffer,
    };
    this.#worker = new Worker(THREAD, { workerData });
    this.#worker.unref();
    this.#beat();
  }

  /**
   * Called with the market whose strategy is being called, and with undefined once it has returned.
   */
  readonly onStrategyCall = (marketId: MarketId | undefined): void => {
    this.#words[WORD.called] = marketId === undefined ? 0 : (this.#places.get(marketId) ?? 0);
  };

  /** Requires the process to end within this time, even while it is busy. */
  endsIn(ms: Ms): void {
    this.#worker.postMessage({ kind: "ends-in", ms } satisfies WatchdogMessage);
  }

  /**
   * Gives the terminal of a screen back during a stall: its keys are not read then, Ctrl-C is a
   * signal again, and the report is visible.
   */
  showStalls(screen: StallScreen): void {
    this.#screen = screen;
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    delete (globalThis as Record<string, unknown>)[WATCHED];
    await this.#worker.terminate();
  }

  #beat(): void {
    Atomics.add(this.#words, WORD.beats, 1);
    if (this.#isStalled) {
      this.#signals.handleSignals();
      this.#screen?.resume();
    }
    this.#isStalled = false;
    this.#timer = this.#clock.setTimer(BEAT_MS, () => this.#beat());
  }

  #hooks(folder: string): WatchdogCallbacks {
    return {
      stalled: () => {
        this.#isStalled = true;
        this.#signals.endOnSignal();
        this.#screen?.suspend();
        return findStrategyLocation(new Error("stalled"), folder) ?? "";
      },
      end: () => {
        // Node would report there that it waits for a debugger, which is the watchdog.
        closeSync(STDERR);
        this.#signals.now(EXIT.failure);
      },
    };
  }
}
