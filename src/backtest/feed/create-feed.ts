import type { MarketHistory } from "../engine/market-history.js";
import type { ReplayClock } from "../engine/replay-clock.js";
import { BookFeed } from "./book-feed.js";
import { KlineFeed } from "./kline-feed.js";
import type { GapCheck, LocalFeed, TradeSink } from "./local-feed.js";
import { TradeFeed } from "./trade-feed.js";

/** Creates the bot's feed of a market from its history, on the bot's clock. */
export type FeedFactory = (
  history: MarketHistory,
  clock: ReplayClock,
  onTrade: TradeSink,
) => LocalFeed;

/** Creates the feed of a market for the grade of its history. */
export const createFeed: FeedFactory = (history, clock, onTrade) => {
  const { gaps = [] } = history;
  // A candle is timed by its end: until the first one after a gap has ended, the newest price is
  // from before the gap.
  const lastsMs = history.grade === "klines" ? history.klines.intervalUs / 1000 : 0;
  const isGap: GapCheck = (latencyUs) => {
    const publishedMs = clock.nowMs() - Math.floor(latencyUs / 1000);
    return gaps.some(([fromMs, toMs]) => publishedMs >= fromMs && publishedMs < toMs + lastsMs);
  };
  switch (history.grade) {
    case "books":
      return new BookFeed(history.tape, clock, onTrade, isGap);
    case "trades":
      return new TradeFeed(history.tape, clock, onTrade, isGap);
    case "klines":
      return new KlineFeed(history.klines, clock, onTrade, isGap);
  }
};
