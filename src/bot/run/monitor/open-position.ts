import { absolute } from "../../../core/bigints.js";
import { decimalToScaled } from "../../../core/instrument.js";
import type { MarketId } from "../../../core/units.js";
import type { Bot } from "../../engine/bot.js";

/** An open position, in `status` and in the summary of a run. Amounts are decimal strings. */
export interface OpenPosition {
  readonly marketId: MarketId;
  /** Signed: a long is positive. */
  readonly positionBase: string;
  /**
   * Average entry price of the exchange's own record, in quote for one base; null while the
   * exchange has not reported a position of this sign.
   */
  readonly entryPrice: string | null;
  /** Value at the last known mark, unsigned; null without a mark. */
  readonly notionalQuote: string | null;
  /** Name of the asset, such as BTC; null if the exchange does not name it. */
  readonly baseAsset: string | null;
  readonly quoteAsset: string | null;
}

/** The open positions of a bot, by market; none of a market whose position is not known yet. */
export function listOpenPositions({ context }: Bot): readonly OpenPosition[] {
  const { account, traders } = context;
  if (!account.confirmed) return [];
  return [...traders.values()].flatMap(({ marketId, instrument, state, rules }) => {
    const positionBase = account.positionBase(marketId);
    const paper = decimalToScaled(positionBase, instrument.paperDecimals);
    if (paper === 0n) return [];
    const reported = account.venuePositions.get(marketId);
    const reportedPaper =
      reported === undefined
        ? 0n
        : instrument.lotsToPaper(reported.lots) + (reported.restPaper ?? 0n);
    const isSameSide = reportedPaper !== 0n && reportedPaper > 0n === paper > 0n;
    return [
      {
        marketId,
        positionBase,
        entryPrice: isSameSide ? (reported?.entryPrice ?? null) : null,
        notionalQuote:
          state.mark === undefined
            ? null
            : instrument.creditToDecimal(absolute(instrument.markValue(paper, state.mark))),
        baseAsset: rules.baseAsset ?? null,
        quoteAsset: rules.quoteAsset ?? null,
      },
    ];
  });
}

/** Name of the asset that money is counted in; null if the exchange does not name one. */
export function quoteAssetOf({ context: { traders } }: Bot): string | null {
  for (const { rules } of traders.values())
    if (rules.quoteAsset !== undefined) return rules.quoteAsset;
  return null;
}
