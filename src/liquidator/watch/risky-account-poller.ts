import type { Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { TakeoverDeps } from "../takeover-deps.js";
import type { AccountPollSchedule } from "./account-poll-schedule.js";
import { PollPace, TooManyRequests } from "./poll-pace.js";

/** Parts that poll the exchange's list of risky accounts. */
export interface RiskyAccountPollerDeps {
  readonly deps: Pick<TakeoverDeps, "venue" | "ledger" | "log" | "clock" | "settings">;
  /** Receives the accounts. */
  readonly schedule: AccountPollSchedule;
  /** The newest known block. */
  readonly blockNumber: () => number | undefined;
  /** Called after each list. */
  readonly onList: () => void;
}

/** Polls the exchange's list of risky accounts, as often as the rate limit allows. */
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

  /** True once the list was received. */
  get hasList(): boolean {
    return this.#hasList;
  }

  /** Polls now, and then repeatedly. */
  start(): void {
    this.#arm(0);
  }

  /** Stops polling. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Resolves when the request in progress is complete. */
  untilIdle(): Promise<void> {
    return this.#pending;
  }

  #arm(delayMs: Ms): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.deps.clock.setTimer(delayMs, () => {
      this.#pending = this.#requestList().then((waitMs) => this.#arm(waitMs));
    });
  }

  /** @returns the wait before the next request. */
  async #requestList(): Promise<Ms> {
    const { deps, schedule, blockNumber, onList } = this.#options;
    const { venue, ledger, log, clock, settings } = deps;
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
      onList();
    } catch (error) {
      log("warn", "the exchange's list of risky accounts could not be read", {
        why: error instanceof Error ? error.message : String(error),
      });
      if (error instanceof TooManyRequests) return this.#pace.refused(error, clock.monotonicMs());
    }
    return this.#pace.onAccepted(clock.monotonicMs());
  }
}
