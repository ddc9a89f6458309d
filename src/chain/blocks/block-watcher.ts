import type { Clock, Timer } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";
import { BlockPollSchedule } from "./block-poll-schedule.js";
import { CanonicalChain, type ChainStep } from "./canonical-chain.js";

/** What is watched, and how often it is looked at. */
export interface BlockWatcherOptions {
  readonly rpc: ChainRpc;
  readonly clock: Clock;
  /** From the end of one look to the next where the chain has no rhythm to look by. Default 500. */
  readonly pollMs?: Ms;
  /** How many blocks back a reorganisation is followed. Default 64. */
  readonly keep?: number;
  /** Hears of each change: new blocks, replaced ones. Does not throw. */
  readonly onStep: (step: ChainStep) => void;
  /** Hears of each look that failed; the next comes all the same. */
  readonly onPollError: (error: unknown) => void;
}

/** Tells of new blocks, and of those that are not part of the chain any more, by looking when the next one is due. */
export class BlockWatcher {
  readonly #options: BlockWatcherOptions;
  readonly #chain: CanonicalChain;
  readonly #pollSchedule: BlockPollSchedule;
  #timer: Timer | undefined;
  #currentPoll: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** Looks for the first time as soon as the caller is done. */
  constructor(options: BlockWatcherOptions) {
    this.#options = options;
    this.#chain = new CanonicalChain(options.rpc, options.keep);
    this.#pollSchedule = new BlockPollSchedule(options.pollMs ?? 500);
    this.#arm(0);
  }

  /** No look is taken any more; waits for one that is under way, which tells nothing. */
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
    const { clock, onStep, onPollError: onTrouble, pollMs = 500 } = this.#options;
    const atMs = clock.monotonicMs();
    let waitMs = pollMs;
    try {
      const step = await this.#chain.advance(0);
      this.#pollSchedule.recordPoll(step.head.number, atMs);
      waitMs = this.#pollSchedule.waitMs(clock.monotonicMs());
      if (!this.#isClosed && step.added.length + step.removed.length > 0) onStep(step);
    } catch (error) {
      if (!this.#isClosed) onTrouble(error);
    } finally {
      this.#arm(waitMs);
    }
  }
}
