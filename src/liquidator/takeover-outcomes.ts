import type { TransactionReceipt } from "../chain/blocks/transaction-receipt.js";
import { ChainUnavailable } from "../chain/rpc/rpc-errors.js";
import type { JobOutcome } from "../chain/transactions/transaction-event.js";
import { ceilDivide } from "../core/bigints.js";
import { ONE } from "../perpetual/fixed-point.js";
import { findRival } from "./find-rival.js";
import type { Opportunity } from "./ledger/opportunity.js";
import type { TakeoverDeps } from "./takeover-deps.js";

/** Determines the outcome and the cost of opportunities that are gone. */
export class TakeoverOutcomes {
  readonly #options: Pick<TakeoverDeps, "ledger" | "rpc" | "settings" | "venue" | "log">;

  constructor(options: Pick<TakeoverDeps, "ledger" | "rpc" | "settings" | "venue" | "log">) {
    this.#options = options;
  }

  /** Records the outcome of a transaction in its opportunity. @param gas its cost. */
  async recordOutcome(
    opportunity: Opportunity,
    outcome: JobOutcome,
    gas: Pick<Opportunity, "gasWei" | "gasQuote">,
  ): Promise<void> {
    const { ledger, venue, log } = this.#options;
    switch (outcome.kind) {
      case "mined":
        ledger.update(opportunity.id, gas, "final");
        return ledger.end(opportunity.id, "won");
      case "reverted": {
        const { revert, receipt } = outcome;
        ledger.update(opportunity.id, { ...gas, reason: revert.text }, "final");
        if (revert.kind === "lost-race")
          return this.closeOpportunity(
            ledger.get(opportunity.id) ?? opportunity,
            receipt.blockNumber,
            {},
          );
        return ledger.end(opportunity.id, "reverted");
      }
      case "cancelled":
        ledger.update(opportunity.id, gas, "final");
        return ledger.end(opportunity.id, "refused", {
          reason: "cancelled: not mined before its deadline, or on request",
        });
      case "foreign":
        return ledger.end(opportunity.id, "refused", {
          reason: "its nonce was used by another transaction of the key",
        });
      case "refused": {
        const { reason } = outcome;
        if (reason.kind === "revert" && reason.revert.kind === "lost-race") {
          const head = await this.headNumber();
          return this.closeOpportunity(opportunity, head ?? opportunity.confirmedBlock ?? 0, {
            reason: reason.revert.text,
          });
        }
        const text =
          "revert" in reason
            ? reason.revert.text
            : "text" in reason
              ? `${reason.kind}: ${reason.text}`
              : reason.kind;
        ledger.revise(opportunity.id, { reason: text });
        log("info", "a takeover was not sent", {
          marketId: opportunity.marketId,
          victim: opportunity.victim,
          why: text,
        });
        if (venue.pause() !== undefined) ledger.end(opportunity.id, "refused", { reason: text });
      }
    }
  }

  /** Closes an opportunity that is gone: lost to another account, unprofitable, or cured. */
  async closeOpportunity(
    { id }: Opportunity,
    atBlock: number,
    change: Partial<Pick<Opportunity, "reason">>,
  ): Promise<void> {
    const { ledger, rpc, settings } = this.#options;
    const opportunity = ledger.get(id);
    if (opportunity === undefined || opportunity.takenOver !== undefined) return;
    const { victim, perp, seenBlock, shortOfQuote } = opportunity;
    // If taken in the block of the last check, it was another account's before the first report.
    const fromBlock =
      opportunity.confirmedBlock ??
      (seenBlock === undefined ? atBlock : Math.min(seenBlock + 1, atBlock));
    const question = {
      dealer: settings.dealer,
      account: settings.account,
      perp,
      victim,
      fromBlock,
      ourBlock: atBlock,
    };
    const rival = await findRival(rpc, question);
    // The next check requests it again, if the account is still safe.
    if (rival === "unknown" && opportunity.intended === undefined) return;
    // The position became ours meanwhile: its transaction gives the outcome.
    if (ledger.get(id)?.takenOver !== undefined) return;
    const lostTo = rival === undefined || rival === "unknown" ? {} : { lostTo: rival };
    const isLost = "lostTo" in lostTo || rival === "unknown";
    if (opportunity.isRehearsed === true)
      return ledger.end(id, "dry-run", { ...change, ...lostTo });
    if (shortOfQuote !== undefined) return ledger.end(id, "unprofitable", { ...change, ...lostTo });
    if (isLost) return ledger.end(id, "lost", { ...change, ...lostTo });
    const { reason, intended, isWaiting } = opportunity;
    ledger.end(
      id,
      reason !== undefined && intended === undefined && isWaiting !== true ? "refused" : "cured",
      change,
    );
  }

  /** Cost of a transaction in wei, and in credit at the current ether price if there is one. */
  async gasCostFor({
    costWei,
  }: TransactionReceipt): Promise<Pick<Opportunity, "gasWei" | "gasQuote">> {
    try {
      return {
        gasWei: costWei,
        gasQuote: ceilDivide(costWei * (await this.#options.venue.creditPerEth()), ONE),
      };
    } catch (error) {
      this.#options.log(
        "warn",
        "the price of ether is not known: the profit of a takeover lacks its gas",
        {
          why: error instanceof Error ? error.message : String(error),
        },
      );
      return { gasWei: costWei };
    }
  }

  /** Undefined while no RPC is trusted. */
  async headNumber(): Promise<number | undefined> {
    try {
      return (await this.#options.rpc.head()).number;
    } catch (error) {
      if (error instanceof ChainUnavailable) return undefined;
      throw error;
    }
  }
}
