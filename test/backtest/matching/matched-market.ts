import { BookMatcher, type BookMatcherOptions } from "#backtest/book-matcher.js";
import { riskAverseQueue } from "#core/queue-models.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { Heard } from "./heard.js";

export const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

/** Bids 100 x 10, 99 x 20; asks 102 x 10, 103 x 20, at 1,000 us. */
const opening = (): TapeBuilder =>
  new TapeBuilder(GRID)
    .snapshot(1000, 1000)
    .level("BUY", 100, 10)
    .level("BUY", 99, 20)
    .level("SELL", 102, 10)
    .level("SELL", 103, 20);

/** A market of that book and what `then` adds, played to 1,500 us. */
export function market(
  then: (tape: TapeBuilder) => void = () => {},
  options: Partial<BookMatcherOptions> = {},
) {
  const builder = opening();
  then(builder);
  const heard = new Heard();
  const matcher = new BookMatcher({
    tape: builder.build(),
    listener: heard,
    queue: riskAverseQueue,
    ...options,
  });
  matcher.advance(1500, true);
  return { matcher, heard, toEnd: () => playOut(matcher) };
}

export function playOut(matcher: BookMatcher, untilUs = 1_000_000): void {
  while (matcher.advance(untilUs, true) < untilUs);
}
