import type { Seam } from "../../core/seam.js";
import type { Ms } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import type { Credit } from "../accounts/credit.js";
import type { IncomingCredit } from "./api-error.js";

/** What answers wait by. */
export interface CreditWaitsParts {
  readonly seam: Seam;
  readonly credit: Pick<Credit, "isIncoming">;
  /** After which an answer leaves although the credit is not there. */
  readonly longestMs: Ms;
  /** When the next block comes, before which no credit can; null where one comes with every transaction. */
  nextBlockMs(): Ms | null;
}

/**
 * Holds the answers to registrations and deposits until the credit counts: on a chain it comes with a block, and a client that orders
 * on the answer would be refused for want of margin.
 */
export class CreditWaits {
  readonly #parts: CreditWaitsParts;
  readonly #waiting = new Set<{ readonly account: Account; readonly end: () => void }>();

  constructor(parts: CreditWaitsParts) {
    this.#parts = parts;
  }

  /**
   * Resolves once no credit is on its way to an account, the longest wait is over, or the exchange stops.
   * @returns null where there is nothing to wait for, or no block that could bring it in time
   */
  until({ account, sinceMs }: Pick<IncomingCredit, "account" | "sinceMs">): Promise<void> | null {
    const { credit, longestMs, nextBlockMs, seam } = this.#parts;
    const nowMs = seam.clock.nowMs();
    const leftMs = Math.min(longestMs, sinceMs + longestMs - nowMs);
    const isBlockInTime = (nextBlockMs() ?? nowMs) <= nowMs + leftMs;
    if (leftMs <= 0 || !isBlockInTime || !credit.isIncoming(account)) return null;
    return new Promise<void>((resolve) => {
      const timer = seam.clock.setTimer(leftMs, () => waiting.end());
      const waiting = {
        account,
        end: () => {
          this.#waiting.delete(waiting);
          timer.cancel();
          resolve();
        },
      };
      this.#waiting.add(waiting);
    });
  }

  /** Lets go of the answers whose credit has come; after an event that has been made to last. */
  review(): void {
    for (const { account, end } of [...this.#waiting]) {
      if (!this.#parts.credit.isIncoming(account)) end();
    }
  }

  /** Lets go of every answer. */
  stop(): void {
    for (const { end } of [...this.#waiting]) end();
  }
}
