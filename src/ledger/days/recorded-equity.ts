import type { Ms } from "../../core/units.js";
import type { DayRow, RunFacts } from "./day-row.js";

/**
 * The net value of an account over several runs, in units of 10^-decimals. An amount that only a
 * balance shows yet, and no record, is in {@link underWay}.
 */
export class RecordedEquity {
  readonly #decimals: number;
  #start: bigint | undefined;
  #startUnderWay = 0n;
  #last: { readonly session: Ms; readonly value: bigint; readonly underWay: bigint } | undefined;
  /** Change while no bot ran: fills, funding, transfers, and moves of the marks. */
  unattended = 0n;
  /** Profit of hedges at their venues, credit units; undefined before it was known. */
  hedgeProfit: bigint | undefined;

  constructor(decimals: number) {
    this.#decimals = decimals;
  }

  /** By the records, at the begin of the span; undefined before the first row. */
  get start(): bigint | undefined {
    return this.#start;
  }

  /** As the exchange had it: at the begin of the span, and in the last row. */
  get reported(): { readonly start: bigint; readonly end: bigint } {
    const { value = 0n, underWay = 0n } = this.#last ?? {};
    return { start: (this.#start ?? 0n) + this.#startUnderWay, end: value + underWay };
  }

  /** Change within the span of what only a balance or only a record shows yet. */
  get underWay(): bigint {
    return (this.#last?.underWay ?? 0n) - this.#startUnderWay;
  }

  /**
   * Takes a row of the account.
   * @param counts false for a row before the span
   */
  add(row: DayRow, { creditDecimals, profitDecimals }: RunFacts, counts: boolean): void {
    if (row.equity === undefined) return;
    const scale = 10n ** BigInt(this.#decimals - profitDecimals);
    const profit =
      (row.spread ?? 0n) +
      (row.inventory ?? 0n) +
      (row.fees ?? 0n) +
      (row.funding ?? 0n) +
      (row.basis ?? 0n) +
      (row.failed ?? 0n) +
      (row.liquidation ?? 0n) +
      (row.other ?? 0n) +
      (row.transfers ?? 0n);
    const underWay = (row.underWay ?? 0n) * scale;
    const value = row.equity * 10n ** BigInt(this.#decimals - creditDecimals) - underWay;
    const atStart = value - profit * scale;
    if (counts) {
      if (this.#start === undefined) {
        const isFirst = row.fromMs === row.session;
        this.#start = this.#last?.value ?? (isFirst ? atStart : value);
        this.#startUnderWay = this.#last?.underWay ?? (isFirst ? 0n : underWay);
      }
      if (this.#last !== undefined && this.#last.session !== row.session)
        this.unattended += atStart - this.#last.value;
      this.hedgeProfit = row.hedgeProfit ?? this.hedgeProfit;
    }
    this.#last = { session: row.session, value, underWay };
  }
}
