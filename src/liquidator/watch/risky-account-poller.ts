import type { Timer } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import type { TakeoverMeans } from "../takeover-deps.js";
import type { LookSchedule } from "./account-poll-schedule.js";
import { PollPace, TooManyQuestions } from "./poll-pace.js";

/** What the exchange's list of risky accounts is asked for with. */
export interface RiskyPollOptions {
  readonly means: Pick<TakeoverMeans, "venue" | "ledger" | "log" | "clock" | "settings">;
  /** Is told of the accounts. */
  readonly schedule: LookSchedule;
  /** The newest that is known. */
  readonly blockNumber: () => number | undefined;
  /** Called after each list. */
  readonly heard: () => void;
}

/** Asks the exchange again and again which accounts it lists as risky, as often as it lets itself be asked. */
export class RiskyPoll {
  readonly #options: RiskyPollOptions;
  readonly #pace: PollPace;
  #timer: Timer | undefined;
  #asking: Promise<void> = Promise.resolve();
  #isHeard = false;
  #isStopped = false;

  constructor(options: RiskyPollOptions) {
    this.#options = options;
    this.#pace = new PollPace(options.means.settings.pollMs);
  }

  /** Whether the list was heard at least once. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Asks at once, and from now on. */
  start(): void {
    this.#arm(0);
  }

  /** Asks no more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Resolves when the question that is under way has its answer. */
  ended(): Promise<void> {
    return this.#asking;
  }

  #arm(delayMs: Ms): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.means.clock.setTimer(delayMs, () => {
      this.#asking = this.#ask().then((waitMs) => this.#arm(waitMs));
    });
  }

  /** @returns how long the next question waits. */
  async #ask(): Promise<Ms> {
    const { means, schedule, blockNumber, heard } = this.#options;
    const { venue, ledger, log, clock, settings } = means;
    try {
      for (const { account, isSafe, marketIds } of await venue.riskyAccounts()) {
        const victim = account.toLowerCase();
        if (victim === settings.account) continue;
        if (isSafe) {
          schedule.heard(victim);
          continue;
        }
        schedule.touched(victim);
        for (const marketId of marketIds) {
          const perp = venue.perpOf(marketId);
          if (perp !== undefined) ledger.seen(victim, perp, marketId, blockNumber());
        }
      }
      this.#isHeard = true;
      heard();
    } catch (error) {
      log("warn", "the exchange's list of risky accounts could not be read", {
        why: error instanceof Error ? error.message : String(error),
      });
      if (error instanceof TooManyQuestions) return this.#pace.refused(error, clock.monotonicMs());
    }
    return this.#pace.asked(clock.monotonicMs());
  }
}
