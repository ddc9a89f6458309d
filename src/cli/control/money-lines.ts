import type { PnlQuote } from "../../bot/status/quote-text.js";
import { PNL_PARTS } from "../../monitoring/pnl-parts.js";
import { alignAtPoint } from "./aligned-table.js";
import { formatSignedQuote } from "./amount-text.js";

/** A named amount with its asset, and a note on it. */
export interface MoneyLine {
  readonly name: string;
  readonly amount: string;
  readonly note?: string | undefined;
}

/** Formats amounts below each other, aligned at the decimal point. */
export function moneyLines(lines: readonly MoneyLine[]): string {
  const amounts = alignAtPoint(lines.map(({ amount }) => amount));
  const widest = Math.max(0, ...amounts.map((amount) => amount.length));
  return lines
    .map(({ name, note = "" }, at) =>
      `${name.padEnd(9)}  ${(amounts[at] ?? "").padEnd(widest)}  ${note}`.trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** The line of deposits less withdrawals; none without any. */
export function transferLines(
  transfersQuote: string,
  quoteAsset: string | null,
): readonly MoneyLine[] {
  if (Number(transfersQuote) === 0) return [];
  const amount = formatSignedQuote(transfersQuote, quoteAsset);
  return [{ name: "transfers", amount, note: "deposits less withdrawals, not in earned" }];
}

/** The parts of a profit that are not zero, such as `spread +14.00, fees -0.20`. */
export function pnlParts(pnlQuote: PnlQuote): readonly string[] {
  return PNL_PARTS.filter((part) => Number(pnlQuote[part]) !== 0).map(
    (part) => `${part} ${formatSignedQuote(pnlQuote[part])}`,
  );
}
