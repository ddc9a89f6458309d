import { absolute } from "../../core/bigints.js";
import type { CreditUnits, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import type { AccountProfit } from "./account-profit.js";
import type { NetValue, ReportedBalances } from "./net-value.js";

/** By how much the exchange's stamp of a transfer may be later than our estimate of its clock. */
const MAX_CLOCK_DIFFERENCE_MS: Ms = 1_000;

type Transfer = Pick<VenueIncome, "id" | "amount" | "timeMs">;

/**
 * The net value from which the profit counts. A transfer of the moments in which it was told may be in it, or not, and may be told as an income
 * much later: the balances that are told after it show which. It has those before some instant, and none after.
 */
export class StartEquity {
  readonly #profit: AccountProfit;
  readonly #netValue: NetValue;
  #value: CreditUnits | undefined;
  #reportedAtMs: Ms = Number.NEGATIVE_INFINITY;
  /** Transfers that the profit counts, and that may be in the value too. */
  #uncertainTransfers: readonly Transfer[] = [];

  constructor(profit: AccountProfit, netValue: NetValue) {
    this.#profit = profit;
    this.#netValue = netValue;
  }

  /** Without the transfers that the profit counts, in credit units; undefined before the profit begins. */
  get value(): CreditUnits | undefined {
    return this.#value;
  }

  /** Whether balances are waited for that show what was in it. */
  get hasUncertainTransfers(): boolean {
    return this.#uncertainTransfers.length > 0;
  }

  /** By how much the net value is beyond what profit and transfers have made of this one, in credit units: no mark moves that. */
  get unexplainedEquity(): CreditUnits {
    const now = this.#netValue.now;
    return now === undefined || this.#value === undefined
      ? 0n
      : now - this.#value - this.#profit.explained;
  }

  /** The profit begins, with the balances last told. */
  begin({ balances, atMs }: ReportedBalances): void {
    this.#value = balances.netValue;
    this.#reportedAtMs = atMs;
  }

  /** The profit counts a transfer. */
  transferred(transfer: Transfer): void {
    if (transfer.timeMs <= this.#reportedAtMs + MAX_CLOCK_DIFFERENCE_MS)
      this.#uncertainTransfers = [...this.#uncertainTransfers, transfer];
  }

  /** Balances were told: of the transfers in doubt so many were in the value, from the first on, as explain them best. */
  settle(): void {
    if (this.#value === undefined) return;
    const { unexplainedEquity: untold } = this;
    let had = 0n;
    let hadBest = 0n;
    for (const { amount } of [...this.#uncertainTransfers].sort(byTime)) {
      had += amount;
      if (absolute(untold + had) < absolute(untold + hadBest)) hadBest = had;
    }
    this.#value -= hadBest;
    this.#uncertainTransfers = [];
  }
}

function byTime(a: Transfer, b: Transfer): number {
  return a.timeMs - b.timeMs || (BigInt(a.id) < BigInt(b.id) ? -1 : 1);
}
