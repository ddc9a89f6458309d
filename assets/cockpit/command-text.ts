import { countText, decimalText, listText, numberText, signOf, unsigned } from "./format.js";
import type { BotStatus, CommandPreview, FlattenPreview, PageResponse } from "./frame.js";

/** Describes the effect that a command would have now, in sentences. */
export function previewSentences(
  { command, markets, haltsEnded, haltsKept, flattenStopped }: CommandPreview,
  status: BotStatus,
): readonly string[] {
  const orders = markets.reduce((sum, { ordersCancelled }) => sum + ordersCancelled, 0);
  const cancelled = `${countText(orders, "order")} will be cancelled`;
  const open = markets.flatMap(({ marketId, positionBase }) =>
    positionBase === null || signOf(positionBase) === 0
      ? []
      : [`${decimalText(positionBase)} ${status.markets[marketId]?.baseAsset ?? marketId}`],
  );
  const isOne = open.length === 1;
  const noun = isOne ? "position" : "positions";
  const unknown = markets.filter(({ positionBase }) => positionBase === null);
  const positions =
    open.length === 0
      ? unknown.length === 0
        ? "No position is open."
        : "The position is not known yet."
      : `The ${noun} ${listText(open)} ${isOne ? "stays" : "stay"} open.`;
  const kept = haltsKept.map(({ name, why }) => `${name} (${why})`);
  switch (command) {
    case "halt":
      return [`${cancelled}, and none is placed until you resume.`, positions];
    case "flatten":
      return [
        `${cancelled}, and none is placed until you resume.`,
        open.length === 0
          ? positions
          : `The ${noun} ${listText(open)} ${isOne ? "is" : "are"} traded to zero:`,
      ];
    case "resume": {
      const ended = haltsEnded.map(({ name, why }) => `${name} (${why})`);
      return [
        ended.length === 0
          ? "No halt will end by this."
          : `${countText(ended.length, "halt")} will end: ${listText(ended)}.`,
        ...(flattenStopped.length === 0
          ? []
          : [`Flattening of ${listText(flattenStopped)} stops, and the rest stays open.`]),
        kept.length === 0
          ? ended.length === 0
            ? ""
            : "The bot may then quote."
          : `${countText(kept.length, "halt")} ${kept.length === 1 ? "stays" : "stay"} in force: ${listText(kept)}.`,
      ].filter((sentence) => sentence !== "");
    }
  }
}

/** Describes the trades of a flatten of one market, in a sentence. */
export function flattenSentence(
  preview: FlattenPreview,
  baseAsset: string,
  quoteAsset: string,
): string {
  const { side, amountBase, expectedPrice, worstPrice, unfilledBase, why } = preview;
  const verb = side === "BUY" ? "Buys" : "Sells";
  if (expectedPrice === null)
    return `Nothing can be traded now: ${why ?? "the book has no price"}.`;
  const rest =
    signOf(unfilledBase) === 0
      ? ""
      : ` ${decimalText(unfilledBase)} ${baseAsset} stays open${why === undefined ? "" : `: ${why}`}.`;
  const fee = preview.takerFeeQuote;
  return `${verb} ${decimalText(amountBase)} ${baseAsset} at about ${decimalText(expectedPrice)}, no worse than ${decimalText(worstPrice)}. Slippage ${numberText(preview.slippageBps, 2)} bps (${decimalText(preview.slippageQuote)} ${quoteAsset}), taker ${signOf(fee) < 0 ? "rebate" : "fee"} ${decimalText(unsigned(fee))} ${quoteAsset}.${rest}`;
}

/** The error of a refused command, as a sentence. */
export function refusalSentence(error: Extract<PageResponse, { ok: false }>["error"]): string {
  const text = error.message.trim();
  return `Refused: ${text}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** Describes the effect that a command had, in a sentence. */
export function outcomeSentence(
  command: string,
  data: unknown,
  marketId: string | undefined,
): string {
  const status = data as Partial<BotStatus> & {
    readonly outcome?: {
      readonly endedHalts?: readonly { readonly name: string }[];
      readonly abandonedFlattening?: readonly string[];
    };
  };
  const markets = Object.entries(status.markets ?? {}).filter(
    ([id]) => marketId === undefined || id === marketId,
  );
  const where = marketId === undefined ? " in all markets" : ` in ${marketId}`;
  const open = markets.reduce((sum, [, { openBids, openAsks }]) => sum + openBids + openAsks, 0);
  const orders =
    open === 0
      ? "no order is open"
      : `${countText(open, "order")} ${open === 1 ? "is" : "are"} being cancelled`;
  const positions = markets.flatMap(([id, { positionBase, baseAsset }]) =>
    positionBase === null || signOf(positionBase) === 0
      ? []
      : [`${decimalText(positionBase)} ${baseAsset ?? id}`],
  );
  const rest =
    positions.length === 0 ? "no position is open" : `position ${listText(positions)} stays open`;
  switch (command) {
    case "halt":
      return `Halted${where}: ${orders}, ${rest}.`;
    case "flatten": {
      const worked = markets.filter(([, { isFlattening }]) => isFlattening).map(([id]) => id);
      return worked.length === 0
        ? `Halted${where}: ${orders}, ${rest}.`
        : `Flattening ${listText(worked)}: position ${listText(positions)} is being closed, and ${orders}.`;
    }
    case "resume": {
      const ended = (status.outcome?.endedHalts ?? []).map(({ name }) => name);
      const remain = (status.activeHalts ?? []).filter(
        (halt) => marketId === undefined || halt.marketId === null || halt.marketId === marketId,
      );
      const remaining =
        remain.length === 0
          ? "the bot may quote"
          : `${countText(remain.length, "halt")} ${remain.length === 1 ? "remains" : "remain"} (${listText(remain.map(({ name }) => name))})`;
      return ended.length === 0
        ? `Nothing was resumed${where}: ${remain.length === 0 ? "no halt was in force" : remaining}.`
        : `Resumed${where}: ${listText(ended)} ended, and ${remaining}.`;
    }
    default:
      return "Done.";
  }
}
