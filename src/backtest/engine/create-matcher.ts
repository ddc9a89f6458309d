import { createQueueModel } from "../../core/queue/queue-model-names.js";
import type { Ticks } from "../../core/units.js";
import { BookMatcher } from "../matching/book-matcher.js";
import { KlineMatcher } from "../matching/kline-matcher.js";
import type { Matcher } from "../matching/matcher.js";
import { TradeMatcher } from "../matching/trade-matcher.js";
import type { ReplayMarket } from "../venue/replay-market.js";
import type { FillOptions } from "./fill-options.js";
import { truncateKlines } from "./history-truncator.js";
import type { MarketHistory } from "./market-history.js";

/** Creates the matcher of a market for the grade of its history. */
export function createMatcher(
  market: ReplayMarket,
  history: MarketHistory,
  fills: FillOptions,
  onTouch: (atUs: number, bidTicks: Ticks, askTicks: Ticks) => void,
  cutUs: number | undefined,
): Matcher {
  const { instrument } = market.terms;
  const { slippageTicks } = fills;
  if (history.grade === "klines") {
    const { path, volumeShare } = fills;
    const klines = truncateKlines(history.klines, path, cutUs);
    return new KlineMatcher({
      klines,
      listener: market,
      path,
      volumeShare,
      slippageTicks,
      onTouch,
    });
  }
  if (history.grade === "trades") {
    const ahead = fills.queueAheadBase;
    const queueAheadLots =
      ahead === undefined ? Number.POSITIVE_INFINITY : instrument.parseAmount(ahead);
    return new TradeMatcher({
      tape: history.tape,
      listener: market,
      queueAheadLots,
      slippageTicks,
      onTouch,
    });
  }
  const queue = createQueueModel(fills.queue, instrument.lotBase);
  return new BookMatcher({
    tape: history.tape,
    listener: market,
    queue,
    partialFills: fills.partialFills,
    onTouch,
  });
}
