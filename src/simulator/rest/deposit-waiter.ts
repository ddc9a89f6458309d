import type { Seam } from "../../core/runtime/seam.js";
import type { Hex, Ms } from "../../core/units.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { CreditLedger } from "../accounts/credit-ledger.js";
import type { PendingCredit } from "./api-error.js";

/** What answers wait by. */
export interface DepositWaiterDeps {
  readonly runtime: Seam;
  readonly credit: Pick<CreditLedger, "hasPendingDeposit">;
  /** After which an answer leaves although the credit is not there. */
  readonly maxWaitMs: Ms;
  /**
   * When the next block comes, before which no credit can; null where one comes with every
   * transaction.
   */
  nextBlockMs(): Ms | null;
}

/**
 * Holds the answers to registrations and deposits until the credit counts: on a chain it comes with
 * a block, and a client that orders on the answer would be refused for want of margin.
 */
export class DepositWaiter {
  readonly #parts: DepositWaiterDeps;
  /** By address in lower case, so that a block looks at those alone whose credit it brought. */
  readonly #waits = new Map<string, Set<Wait>>();
  /** Addresses with one deposit less on its way, until the review. */
  readonly #done = new Set<string>();

  constructor(parts: DepositWaiterDeps) {
    this.#parts = parts;
  }

  /**
   * Resolves once no credit is on its way to an account, the longest wait is over, or the exchange
   * stops.
   * @returns null where there is nothing to wait for, or no block that could bring it in time
   */
  waitFor({ account, sinceMs }: Pick<PendingCredit, "account" | "sinceMs">): Promise<void> | null {
    const { credit, maxWaitMs: longestMs, nextBlockMs, runtime: seam } = this.#parts;
    const nowMs = seam.clock.nowMs();
    const leftMs = Math.min(longestMs, sinceMs + longestMs - nowMs);
    const isBlockInTime = (nextBlockMs() ?? nowMs) <= nowMs + leftMs;
    if (leftMs <= 0 || !isBlockInTime || !credit.hasPendingDeposit(account)) return null;
    return new Promise<void>((resolve) => {
      const key = account.address.toLowerCase();
      const waits = this.#waits.get(key) ?? new Set<Wait>();
      const timer = seam.clock.setTimer(leftMs, () => wait.end());
      const wait: Wait = {
        account,
        end: () => {
          waits.delete(wait);
          if (waits.size === 0) this.#waits.delete(key);
          timer.cancel();
          resolve();
        },
      };
      this.#waits.set(key, waits.add(wait));
    });
  }

  /**
   * Notes that a deposit is no more on its way to an address; its answers leave with the next
   * review.
   * @param address in lower case
   */
  markArrived(address: Hex): void {
    if (this.#waits.has(address)) this.#done.add(address);
  }

  /** Lets go of the answers whose credit has come; after an event that has been made to last. */
  releaseArrived(): void {
    if (this.#done.size === 0) return;
    const done = [...this.#done];
    this.#done.clear();
    for (const address of done) {
      for (const { account, end } of [...(this.#waits.get(address) ?? [])]) {
        if (!this.#parts.credit.hasPendingDeposit(account)) end();
      }
    }
  }

  /** Lets go of every answer. */
  stop(): void {
    for (const waits of [...this.#waits.values()]) {
      for (const { end } of [...waits]) end();
    }
  }
}

/** An answer that waits. */
interface Wait {
  readonly account: ExchangeAccount;
  end(): void;
}
