import { absolute } from "../../core/bigints.js";
import type { CreditUnits, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import type { AccountProfit } from "./account-profit.js";
import type { NetValue, ReportedBalances } from "./net-value.js";

/** Maximum lead of the exchange's time stamp of a transfer over our estimate of its clock. */
const MAX_CLOCK_DIFFERENCE_MS: Ms = 1_000;

type Transfer = Pick<VenueIncome, "id" | "amount" | "timeMs">;

/**
 * The net value from which the profit counts. A transfer near the time of that value may or may not
 * be included in it, and its income may be reported much later. The balances reported after the
 * income decide. The value includes all transfers before some instant, and none after it.
 */
export class StartEquity {
  readonly #profit: AccountProfit;
  readonly #netValue: NetValue;
  #value: CreditUnits | undefined;
  #reportedAtMs: Ms = Number.NEGATIVE_INFINITY;
  /** Transfers that the profit counts, and that the value may include too. */
  #uncertainTransfers: readonly Transfer[] = [];

  constructor(profit: AccountProfit, netValue: NetValue) {
    this.#profit = profit;
    this.#netValue = netValue;
  }

  /**
   * Value without the transfers that the profit counts, in credit units; undefined before the
   * profit starts.
   */
  get value(): CreditUnits | undefined {
    return this.#value;
  }

  /** True while it awaits balances that show which transfers the value includes. */
  get hasUncertainTransfers(): boolean {
    return this.#uncertainTransfers.length > 0;
  }

  /**
   * The difference between the net value and this one after profit and transfers, in credit units.
   * Marks do not change it.
   */
  get unexplainedEquity(): CreditUnits {
    const now = this.#netValue.now;
    return now === undefined || this.#value === undefined
      ? 0n
      : now - this.#value - this.#profit.explained;
  }

  /** Starts the profit with the last reported balances. */
  begin({ balances, atMs }: ReportedBalances): void {
    this.#value = balances.netValue;
    this.#reportedAtMs = atMs;
  }

  /** Records a transfer that the profit counts. */
  transferred(transfer: Transfer): void {
    if (transfer.timeMs <= this.#reportedAtMs + MAX_CLOCK_DIFFERENCE_MS)
      this.#uncertainTransfers = [...this.#uncertainTransfers, transfer];
  }

  /**
   * Decides after a report of balances which uncertain transfers the value includes: the first
   * ones, as many as explain the balances best.
   */
  settle(): void {
    if (this.#value === undefined) return;
    const { unexplainedEquity } = this;
    let had = 0n;
    let hadBest = 0n;
    for (const { amount } of [...this.#uncertainTransfers].sort(byTime)) {
      had += amount;
      if (absolute(unexplainedEquity + had) < absolute(unexplainedEquity + hadBest)) hadBest = had;
    }
    this.#value -= hadBest;
    this.#uncertainTransfers = [];
  }
}

function byTime(a: Transfer, b: Transfer): number {
  return a.timeMs - b.timeMs || (BigInt(a.id) < BigInt(b.id) ? -1 : 1);
}
