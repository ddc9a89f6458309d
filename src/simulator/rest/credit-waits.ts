import type { Seam } from "../../core/seam.js";
import type { Ms } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import type { Credit } from "../accounts/credit.js";

/**
 * Holds the answers to registrations and deposits until the credit counts: on a chain it comes with a block, and a client that orders
 * on the answer would be refused for want of margin.
 */
export class CreditWaits {
  readonly #seam: Seam;
  readonly #credit: Pick<Credit, "isIncoming">;
  readonly #longestMs: Ms;
  readonly #waiting = new Set<{ readonly account: Account; readonly end: () => void }>();

  /** @param longestMs after which an answer leaves although the credit is not there. */
  constructor(seam: Seam, credit: Pick<Credit, "isIncoming">, longestMs: Ms) {
    this.#seam = seam;
    this.#credit = credit;
    this.#longestMs = longestMs;
  }

  /** Resolves once no credit is on its way to an account, the longest wait is over, or the exchange stops. */
  async until(account: Account): Promise<void> {
    if (!this.#credit.isIncoming(account) || this.#longestMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.#seam.clock.setTimer(this.#longestMs, () => waiting.end());
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
      if (!this.#credit.isIncoming(account)) end();
    }
  }

  /** Lets go of every answer. */
  stop(): void {
    for (const { end } of [...this.#waiting]) end();
  }
}
