import type { ProfitParts } from "../../account/profit/account-profit.js";
import { scaledToDecimal } from "../../core/instrument.js";
import { PNL_PARTS, type PnlPart } from "../../monitoring/pnl-parts.js";
import type { Bot } from "../engine/bot.js";

/** Decimal strings of quote by the parts of profit. */
export type PnlQuote = Readonly<Record<PnlPart, string>>;

/** Credit units as a decimal string of quote. */
export function quoteText(bot: Pick<Bot, "context">, units: bigint): string {
  return scaledToDecimal(units, bot.context.rules.creditDecimals);
}

/** Profit by its parts as decimal strings of quote. */
export function pnlText(profit: ProfitParts): { readonly parts: PnlQuote; readonly total: string } {
  const text = (scaled: bigint): string => scaledToDecimal(scaled, profit.decimals);
  const parts = Object.fromEntries(PNL_PARTS.map((part) => [part, text(profit[part])])) as Record<
    PnlPart,
    string
  >;
  return { parts, total: text(profit.total) };
}
