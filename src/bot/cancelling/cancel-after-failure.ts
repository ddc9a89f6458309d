import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Log } from "../../monitoring/log.js";
import type { BotConfig } from "../config/config.js";
import { CancelBudget } from "./cancel-budget.js";
import { cancelUntilNoneOpen, isTimestampRejected } from "./cancel-until-none-open.js";
import { SharedRead } from "./shared-read.js";

/** Dependencies of {@link cancelAfterFailure}. */
export interface CancelAfterFailureDeps {
  readonly client: RestClient;
  /**
   * Synchronises the client's clock with the exchange's, for all later signatures. Called when a
   * request was refused because of its timestamp.
   */
  readonly syncClock: () => Promise<void>;
  readonly config: BotConfig;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause between two reads of a market after a failure. */
const BREAK_PAUSE_MS: Ms = 500;
/**
 * How long cancelling continues in a market that fails, once no signed request can still be
 * accepted.
 */
const LAST_TRIES_MS: Ms = 3_000;

/**
 * Last resort of a bot that failed. Its own order table is no longer trusted, so everything in its
 * markets is cancelled, until no signed request can still be accepted and nothing is open. It
 * spends the guard's share of the rate limits.
 */
export async function cancelAfterFailure({
  client,
  syncClock,
  config,
  clock,
  log,
}: CancelAfterFailureDeps): Promise<void> {
  const clockRead = new SharedRead(syncClock);
  const untilMs = clock.monotonicMs() + config.exchange.signatureWindowMs + BREAK_PAUSE_MS;
  const left = new Map<MarketId, string>(
    Object.keys(config.markets).map((marketId) => [marketId, "its orders could not be read"]),
  );
  await cancelUntilNoneOpen({
    client,
    clock,
    budget: new CancelBudget({ clock, fraction: config.guard.orderTokensFraction }),
    markets: [...left.keys()],
    everyMs: BREAK_PAUSE_MS,
    mayOrderStillArrive: () => clock.monotonicMs() < untilMs,
    shouldStop: () => clock.monotonicMs() >= untilMs + LAST_TRIES_MS,
    onProgress: (news) => {
      const { marketId } = news;
      if (news.kind === "clean") left.delete(marketId);
      if (news.kind === "seen" && news.open.length > 0)
        left.set(marketId, `still open: ${news.open.map(({ id }) => id).join(", ")}`);
      if (news.kind !== "not-seen" && news.kind !== "not-cancelled") return;
      left.set(marketId, String(news.error));
      // If the clock cannot be read, the market's own failure reports it.
      if (isTimestampRejected(news)) clockRead.again().catch(() => {});
      log.error({ marketId, error: String(news.error) }, "could not cancel yet");
    },
  });
  for (const [marketId, error] of left)
    log.fatal({ marketId, error }, "could not cancel: run `marketwright cancel-all`");
}
