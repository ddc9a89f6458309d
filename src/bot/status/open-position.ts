import { absolute } from "../../core/bigints.js";
import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId, PaperUnits } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";

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

/** Unsigned value of a position at a mark, in quote; null without a mark. */
export function notionalText(
  instrument: Instrument,
  paper: PaperUnits,
  mark: CreditUnits | undefined,
): string | null {
  if (paper === 0n) return "0";
  if (mark === undefined) return null;
  return instrument.creditToDecimal(absolute(instrument.markValue(paper, mark)));
}

/** The open positions of a bot, by market; none of a market whose position is not known yet. */
export function listOpenPositions({ context }: Bot): readonly OpenPosition[] {
  const { account, traders } = context;
  if (!account.confirmed) return [];
  return [...traders.values()].flatMap(({ marketId, instrument, state, rules }) => {
    const positionBase = account.positionBase(marketId);
    const paper = account.positionPaper(marketId);
    if (paper === 0n) return [];
    return [
      {
        marketId,
        positionBase,
        entryPrice: account.entryPrice(marketId) ?? null,
        notionalQuote: notionalText(instrument, paper, state.mark),
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
