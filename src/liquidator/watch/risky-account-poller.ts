import type { Timer } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import type { TakeoverDeps } from "../takeover-deps.js";
import type { AccountPollSchedule } from "./account-poll-schedule.js";
import { PollPace, TooManyRequests } from "./poll-pace.js";

/** What the exchange's list of risky accounts is asked for with. */
export interface RiskyAccountPollerDeps {
  readonly deps: Pick<TakeoverDeps, "venue" | "ledger" | "log" | "clock" | "settings">;
  /** Is told of the accounts. */
  readonly schedule: AccountPollSchedule;
  /** The newest that is known. */
  readonly blockNumber: () => number | undefined;
  /** Called after each list. */
  readonly onList: () => void;
}

/** Asks the exchange again and again which accounts it lists as risky, as often as it lets itself be asked. */
export class RiskyAccountPoller {
  readonly #options: RiskyAccountPollerDeps;
  readonly #pace: PollPace;
  #timer: Timer | undefined;
  #pending: Promise<void> = Promise.resolve();
  #hasList = false;
  #isStopped = false;

  constructor(options: RiskyAccountPollerDeps) {
    this.#options = options;
    this.#pace = new PollPace(options.deps.settings.pollMs);
  }

  /** Whether the list was heard at least once. */
  get hasList(): boolean {
    return this.#hasList;
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
  untilIdle(): Promise<void> {
    return this.#pending;
  }

  #arm(delayMs: Ms): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.deps.clock.setTimer(delayMs, () => {
      this.#pending = this.#requestList().then((waitMs) => this.#arm(waitMs));
    });
  }

  /** @returns how long the next question waits. */
  async #requestList(): Promise<Ms> {
    const { deps: means, schedule, blockNumber, onList: heard } = this.#options;
    const { venue, ledger, log, clock, settings } = means;
    try {
      for (const { account, isSafe, marketIds } of await venue.riskyAccounts()) {
        const victim = account.toLowerCase();
        if (victim === settings.account) continue;
        if (isSafe) {
          schedule.add(victim);
          continue;
        }
        schedule.markChanged(victim);
        for (const marketId of marketIds) {
          const perp = venue.perpFor(marketId);
          if (perp !== undefined) ledger.recordSeen(victim, perp, marketId, blockNumber());
        }
      }
      this.#hasList = true;
      heard();
    } catch (error) {
      log("warn", "the exchange's list of risky accounts could not be read", {
        why: error instanceof Error ? error.message : String(error),
      });
      if (error instanceof TooManyRequests) return this.#pace.refused(error, clock.monotonicMs());
    }
    return this.#pace.onAccepted(clock.monotonicMs());
  }
}
