import type { ProfitParts } from "../../account/profit/account-profit.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { DayRow } from "./day-row.js";

/** The parts of a profit in a row. */
const PARTS = [
  "spread",
  "inventory",
  "fees",
  "funding",
  "basis",
  "failed",
  "liquidation",
  "other",
] as const;

type Parts = Record<(typeof PARTS)[number] | "transfers", bigint>;

/**
 * Adds up the profit of several runs. A run counts its profit from its own start, so what a span
 * has of it is the difference of two of its rows.
 */
export class SummedProfit {
  /** Decimals of the result; those of a run may be fewer. */
  readonly #decimals: number;
  readonly #sums = new Map<MarketId, Parts>();
  readonly #last = new Map<MarketId, { readonly session: Ms; readonly parts: Parts }>();

  constructor(decimals: number) {
    this.#decimals = decimals;
  }

  /**
   * Takes a row of the account (`marketId` empty) or of a market.
   * @param decimals of the row's amounts
   * @param counts false for a row before the span: what came before it is left out
   */
  add(row: DayRow, decimals: number, counts: boolean): void {
    const scale = 10n ** BigInt(this.#decimals - decimals);
    const parts = noParts();
    for (const part of [...PARTS, "transfers"] as const) parts[part] = (row[part] ?? 0n) * scale;
    const last = this.#last.get(row.marketId);
    this.#last.set(row.marketId, { session: row.session, parts });
    const sums = this.#sums.get(row.marketId) ?? noParts();
    this.#sums.set(row.marketId, sums);
    if (!counts) return;
    // The first row of a run has all of its profit. Of a run whose earlier rows are gone, what
    // they had is not known.
    const isFirst = row.fromMs === row.session;
    const before = last?.session === row.session ? last.parts : isFirst ? noParts() : parts;
    for (const part of [...PARTS, "transfers"] as const) sums[part] += parts[part] - before[part];
  }

  /** The sum for a market, or for the account. */
  of(marketId: MarketId): ProfitParts {
    const parts = this.#sums.get(marketId) ?? noParts();
    const total = PARTS.reduce((sum, part) => sum + parts[part], 0n);
    return { ...parts, decimals: this.#decimals, total };
  }
}

function noParts(): Parts {
  return {
    spread: 0n,
    inventory: 0n,
    fees: 0n,
    funding: 0n,
    basis: 0n,
    failed: 0n,
    liquidation: 0n,
    other: 0n,
    transfers: 0n,
  };
}
