import type { Hex } from "../../core/units.js";
import type { LiquidatorVenue, TakeoverPause } from "../liquidator-venue.js";
import type { Victim } from "../plan/plan-input.js";
import type {
  ExpectedTakeover,
  Refused,
  TakeoverDecision,
  TakeoverPlan,
  Unprofitable,
} from "../plan/takeover-plan.js";
import type { Confirmation } from "../watch/candidate.js";
import type { LiquidationLedger } from "./liquidation-ledger.js";
import type { AssessedTakeover, Opportunity } from "./opportunity.js";

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
        skippedFor: "paused",
        ...(isTemporary ? { isWaiting: true } : {}),
      });
  }

  /** Records that these wait because the maximum number of takeovers is in flight. */
  recordWaiting(victims: readonly Victim[]): void {
    const reason = "waiting: as many takeovers are in flight as liquidator.maxInFlight allows";
    for (const { account } of victims)
      this.#revise(account, {
        reason,
        isWaiting: true,
        shortOfQuote: undefined,
        skippedFor: "in-flight",
      });
  }

  /** True if the value of a takeover from one of these is not known yet. */
  hasUnassessed(victims: readonly Victim[]): boolean {
    const accounts = new Set(victims.map(({ account }) => account));
    return this.#ledger.open.some(
      ({ victim, assessed }) => assessed === undefined && accounts.has(victim),
    );
  }

  /** Records what a takeover would bring that is not sent, whatever the reason. */
  recordValue(decision: TakeoverDecision): void {
    const { victim, perp, blockNumber } = decision;
    const value = decision.kind === "refused" ? decision.missed : decision;
    if (perp !== undefined && value !== undefined)
      this.#recordAssessed(victim, perp, toAssessed({ ...value, blockNumber }));
  }

  /** Records a plan that gave no takeover, and what it would have brought. */
  recordNoTakeover(other: Unprofitable | Refused): void {
    const { victim, perp } = other;
    if (other.kind === "unprofitable") {
      const reason = `would earn too little (limited by ${other.boundBy})`;
      this.#revise(victim, {
        reason,
        shortOfQuote: other.shortOfQuote,
        skippedFor: "unprofitable",
      });
      return this.recordValue(other);
    }
    const { detail, reason: skippedFor } = other;
    const change = { reason: detail, isWaiting: undefined, shortOfQuote: undefined, skippedFor };
    if (perp === undefined) return this.#revise(victim, change);
    const opportunity = this.#ledger.findOpen(victim, perp);
    if (opportunity !== undefined) this.#ledger.revise(opportunity.id, change);
    this.recordValue(other);
  }

  #recordAssessed(victim: Hex, perp: Hex, assessed: AssessedTakeover): void {
    const opportunity = this.#ledger.findOpen(victim, perp);
    if (opportunity !== undefined) this.#ledger.revise(opportunity.id, { assessed });
  }

  #revise(
    victim: Hex,
    change: Pick<Opportunity, "reason" | "isWaiting" | "shortOfQuote" | "skippedFor">,
  ): void {
    for (const opportunity of this.#ledger.open)
      if (opportunity.victim === victim)
        this.#ledger.revise(opportunity.id, { isWaiting: undefined, ...change });
  }
}

/** The value of a plan as the ledger stores it. */
export function toAssessed({
  blockNumber,
  requestPaper,
  expected,
}: Pick<TakeoverPlan, "blockNumber" | "requestPaper"> & {
  readonly expected: ExpectedTakeover;
}): AssessedTakeover {
  const { discountQuote, takerFeeQuote, slippageQuote, gasQuote, profitQuote } = expected;
  return {
    blockNumber,
    requestPaper,
    discountQuote,
    takerFeeQuote,
    slippageQuote,
    gasQuote,
    profitQuote,
  };
}

/**
 * The exchange may be ahead of the chain's RPCs. A block that was known when the exchange reported
 * does not contradict it.
 */
function isNews({ confirmedBlock, seenBlock }: Opportunity, blockNumber: number): boolean {
  return confirmedBlock !== undefined || seenBlock === undefined || blockNumber > seenBlock;
}
