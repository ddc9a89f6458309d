import type { Hex } from "../../core/units.js";
import type { LiquidatorVenue, TakeoverPause } from "../liquidator-venue.js";
import type { Victim } from "../plan/plan-input.js";
import type { Refused, Unprofitable } from "../plan/takeover-plan.js";
import type { Confirmation } from "../watch/candidate.js";
import type { LiquidationLedger } from "./liquidation-ledger.js";
import type { Opportunity } from "./opportunity.js";

/**
 * Records the result of each chain check in the ledger: one entry an account, with the reason why
 * nothing is done yet.
 */
export class AssessmentLog {
  readonly #ledger: LiquidationLedger;
  readonly #venue: Pick<LiquidatorVenue, "marketIdFor">;
  readonly #resolve: (opportunity: Opportunity, atBlock: number) => void;

  /** @param resolve determines the outcome of an opportunity that is gone. */
  constructor(
    ledger: LiquidationLedger,
    venue: Pick<LiquidatorVenue, "marketIdFor">,
    resolve: (opportunity: Opportunity, atBlock: number) => void,
  ) {
    this.#ledger = ledger;
    this.#venue = venue;
    this.#resolve = resolve;
  }

  /**
   * An opportunity begins when the chain itself reports the account unsafe, and ends when it no
   * longer does.
   */
  recordConfirmation({ accounts, blockNumber }: Confirmation): void {
    const [ledger, venue] = [this.#ledger, this.#venue];
    const open = new Map<Hex, Opportunity[]>();
    for (const opportunity of ledger.open) {
      const list = open.get(opportunity.victim) ?? [];
      open.set(opportunity.victim, [...list, opportunity]);
    }
    for (const entry of accounts) {
      if (entry.kind === "unreadable") continue;
      const { account, isSafe } = entry;
      const { papers } = entry.margin;
      for (const opportunity of open.get(account) ?? [])
        if ((isSafe || !papers.has(opportunity.perp)) && isNews(opportunity, blockNumber))
          this.#resolve(opportunity, blockNumber);
      if (isSafe) continue;
      for (const perp of papers.keys()) {
        const marketId = venue.marketIdFor(perp);
        if (marketId === undefined) continue;
        const { id, confirmedBlock } = ledger.recordSeen(account, perp, marketId);
        if (confirmedBlock === undefined)
          ledger.update(id, { confirmedBlock: blockNumber }, "confirmed");
      }
    }
  }

  /** Records that takeovers are paused. */
  recordPause(victims: readonly Victim[], { why, isTemporary }: TakeoverPause): void {
    for (const { account } of victims)
      this.#revise(account, {
        reason: `paused: ${why}`,
        ...(isTemporary ? { isWaiting: true } : {}),
      });
  }

  /** Records that these wait because the maximum number of takeovers is in flight. */
  recordWaiting(victims: readonly Victim[]): void {
    const reason = "waiting: as many takeovers are in flight as liquidator.maxInFlight allows";
    for (const { account } of victims)
      this.#revise(account, { reason, isWaiting: true, shortOfQuote: undefined });
  }

  /** Records a plan that gave no takeover. */
  recordNoTakeover(other: Unprofitable | Refused): void {
    const { victim } = other;
    if (other.kind === "unprofitable") {
      const reason = `would earn too little (limited by ${other.boundBy})`;
      return this.#revise(victim, { reason, shortOfQuote: other.shortOfQuote });
    }
    const change = { reason: other.detail, isWaiting: undefined, shortOfQuote: undefined };
    if (other.perp === undefined) return this.#revise(victim, change);
    const opportunity = this.#ledger.findOpen(victim, other.perp);
    if (opportunity !== undefined) this.#ledger.revise(opportunity.id, change);
  }

  #revise(victim: Hex, change: Pick<Opportunity, "reason" | "isWaiting" | "shortOfQuote">): void {
    for (const opportunity of this.#ledger.open)
      if (opportunity.victim === victim)
        this.#ledger.revise(opportunity.id, { isWaiting: undefined, ...change });
  }
}

/**
 * The exchange may be ahead of the chain's RPCs. A block that was known when the exchange reported
 * does not contradict it.
 */
function isNews({ confirmedBlock, seenBlock }: Opportunity, blockNumber: number): boolean {
  return confirmedBlock !== undefined || seenBlock === undefined || blockNumber > seenBlock;
}
