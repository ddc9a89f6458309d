import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";
import { BlockPollSchedule } from "./block-poll-schedule.js";
import { CanonicalChain, type ChainStep } from "./canonical-chain.js";

/** The chain to watch, and the poll interval. */
export interface BlockWatcherOptions {
  readonly rpc: ChainRpc;
  readonly clock: Clock;
  /** Time from one poll to the next on a chain without a regular block interval. Default 500. */
  readonly pollMs?: Ms;
  /** Largest depth of a reorg that is followed, blocks. Default 64. */
  readonly keep?: number;
  /** Called with each change: new blocks, replaced ones. Must not throw. */
  readonly onStep: (step: ChainStep) => void;
  /** Called with each failed poll; polling continues. */
  readonly onPollError: (error: unknown) => void;
}

/**
 * Polls the chain when the next block is due, and reports new blocks and blocks that a reorg
 * removed.
 */
export class BlockWatcher {
  readonly #options: BlockWatcherOptions;
  readonly #chain: CanonicalChain;
  readonly #pollSchedule: BlockPollSchedule;
  #timer: Timer | undefined;
  #currentPoll: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** The first poll starts once the caller's synchronous code is done. */
  constructor(options: BlockWatcherOptions) {
    this.#options = options;
    this.#chain = new CanonicalChain(options.rpc, options.keep);
    this.#pollSchedule = new BlockPollSchedule(options.pollMs ?? 500);
    this.#arm(0);
  }

  /** Stops polling, and waits for a poll in progress, which reports nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#currentPoll;
  }

  #arm(delayMs: Ms): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      this.#currentPoll = this.#poll();
    });
  }

  async #poll(): Promise<void> {
    const { clock, onStep, onPollError, pollMs = 500 } = this.#options;
    const atMs = clock.monotonicMs();
    let waitMs = pollMs;
    try {
      const step = await this.#chain.advance(0);
      this.#pollSchedule.recordPoll(step.head.number, atMs);
      waitMs = this.#pollSchedule.waitMs(clock.monotonicMs());
      if (!this.#isClosed && step.added.length + step.removed.length > 0) onStep(step);
    } catch (error) {
      if (!this.#isClosed) onPollError(error);
    } finally {
      this.#arm(waitMs);
    }
  }
}
