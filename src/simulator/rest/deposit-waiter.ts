import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { CreditLedger } from "../accounts/credit-ledger.js";
import type { PendingCredit } from "./api-error.js";

/** Dependencies of {@link DepositWaiter}. */
export interface DepositWaiterDeps {
  readonly runtime: Runtime;
  readonly credit: Pick<CreditLedger, "hasPendingDeposit">;
  /** The time after which a response is sent even if the credit is missing. */
  readonly maxWaitMs: Ms;
  /**
   * The time of the next block, before which no credit can arrive; null if every transaction has
   * its own block.
   */
  nextBlockMs(): Ms | null;
}

/**
 * Holds the responses to registrations and deposits until the credit counts. On a chain the credit
 * arrives with a block, and an order placed right after the response would be refused for missing
 * margin.
 */
export class DepositWaiter {
  readonly #parts: DepositWaiterDeps;
  /** By address in lower case, so that a block checks only the accounts that it credited. */
  readonly #waits = new Map<string, Set<Wait>>();
  /** Addresses of arrived deposits, until the next check. */
  readonly #done = new Set<string>();

  constructor(parts: DepositWaiterDeps) {
    this.#parts = parts;
  }

  /**
   * Resolves once no credit of an account is pending, the longest wait is over, or the exchange
   * stops.
   * @returns null if there is nothing to wait for, or no block could bring it in time
   */
  waitFor({ account, sinceMs }: Pick<PendingCredit, "account" | "sinceMs">): Promise<void> | null {
    const { credit, maxWaitMs, nextBlockMs, runtime } = this.#parts;
    const nowMs = runtime.clock.nowMs();
    const leftMs = Math.min(maxWaitMs, sinceMs + maxWaitMs - nowMs);
    const isBlockInTime = (nextBlockMs() ?? nowMs) <= nowMs + leftMs;
    if (leftMs <= 0 || !isBlockInTime || !credit.hasPendingDeposit(account)) return null;
    return new Promise<void>((resolve) => {
      const key = account.address.toLowerCase();
      const waits = this.#waits.get(key) ?? new Set<Wait>();
      const timer = runtime.clock.setTimer(leftMs, () => wait.end());
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
   * Notes that a deposit of an address is no longer pending. Its responses are sent at the next
   * {@link releaseArrived}.
   * @param address in lower case
   */
  markArrived(address: Hex): void {
    if (this.#waits.has(address)) this.#done.add(address);
  }

  /** Sends the responses whose credit has arrived; called after the event has been committed. */
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

  /** Sends every held response. */
  stop(): void {
    for (const waits of [...this.#waits.values()]) {
      for (const { end } of [...waits]) end();
    }
  }
}

/** A held response. */
interface Wait {
  readonly account: ExchangeAccount;
  end(): void;
}
