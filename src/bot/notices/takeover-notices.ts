import { scaledToDecimal } from "../../core/instrument.js";
import type { Ms } from "../../core/units.js";
import type { LedgerChange } from "../../liquidator/ledger/liquidation-ledger.js";
import type { Notice } from "../../notify/notice.js";

/** The end of a takeover's unwinding by its state, as a phrase after the market. */
const ENDS: Readonly<Record<string, string>> = {
  done: "is sold",
  "laid-off": "is hedged, and the market's own now",
  dust: "is sold but for less than an order",
  expired: "was not sold in time: the rest is kept",
};

/**
 * The outcome of a takeover, and the end of what it brought.
 * @param about the time of the notices, and the decimals of a profit
 */
export function takeoverNotices(
  { opportunity, stage, outcome }: LedgerChange,
  { atMs, creditDecimals }: { readonly atMs: Ms; readonly creditDecimals: number },
): readonly Notice[] {
  const { marketId, victim, reason, profitQuote, unwound } = opportunity;
  const about = { atMs, kind: "takeover", marketId } as const;
  const profit = (words: string): readonly string[] =>
    profitQuote === undefined ? [] : [`${words} ${scaledToDecimal(profitQuote, creditDecimals)}`];
  const notices: Notice[] = [];
  if (outcome === "won" || outcome === "lost" || outcome === "reverted") {
    const why = reason === undefined ? [] : [reason];
    notices.push({
      ...about,
      severity: outcome === "reverted" ? "warning" : "info",
      title: `takeover ${outcome} in ${marketId}`,
      text: [`account ${victim}`, ...why, ...profit("profit so far")].join(", "),
    });
  }
  const end = stage?.name === "unwound" ? ENDS[unwound?.state ?? ""] : undefined;
  if (end !== undefined)
    notices.push({
      ...about,
      severity: unwound?.state === "expired" ? "warning" : "info",
      kind: "takeover-over",
      title: `the position taken over in ${marketId} ${end}`,
      text: [`account ${victim}`, ...profit("profit")].join(", "),
    });
  return notices;
}
