import { queueModelNamed } from "../../core/queue/queue-model-names.js";
import type { Ticks } from "../../core/units.js";
import { BookMatcher } from "../matching/book-matcher.js";
import { KlineMatcher } from "../matching/kline-matcher.js";
import type { Matcher } from "../matching/matcher.js";
import { TradeMatcher } from "../matching/trade-matcher.js";
import type { ReplayMarket } from "../venue/replay-market.js";
import type { FillModels } from "./fill-options.js";
import { playedUntil } from "./history-truncator.js";
import type { MarketHistory } from "./market-history.js";

/** What fills the orders of a market, by the grade of its history. */
export function matcherOf(
  market: ReplayMarket,
  history: MarketHistory,
  fills: FillModels,
  onTouch: (atUs: number, bidTicks: Ticks, askTicks: Ticks) => void,
  cutUs: number | undefined,
): Matcher {
  const { instrument } = market.terms;
  const { slippageTicks } = fills;
  if (history.grade === "klines") {
    const { path, volumeShare } = fills;
    const klines = playedUntil(history.klines, path, cutUs);
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
      ahead === undefined ? Number.POSITIVE_INFINITY : instrument.lotsOf(ahead);
    return new TradeMatcher({
      tape: history.tape,
      listener: market,
      queueAheadLots,
      slippageTicks,
      onTouch,
    });
  }
  const queue = queueModelNamed(fills.queue, instrument.lotBase);
  return new BookMatcher({
    tape: history.tape,
    listener: market,
    queue,
    partialFills: fills.partialFills,
    onTouch,
  });
}
