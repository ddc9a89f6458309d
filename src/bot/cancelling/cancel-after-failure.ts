import type { Clock } from "../../core/runtime/seam.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Log } from "../../monitoring/log.js";
import type { BotConfig } from "../config/config.js";
import { CancelBudget } from "./cancel-budget.js";
import { cancelUntilNoneOpen, isTimestampRejected } from "./cancel-until-none-open.js";
import { SharedRead } from "./shared-read.js";

/** What a broken bot's orders are cancelled with. */
export interface CancelAfterFailureDeps {
  readonly client: RestClient;
  /** Reads the exchange's clock for what the client signs from then on: asked where a request was refused as one of another time. */
  readonly syncClock: () => Promise<void>;
  readonly config: BotConfig;
  readonly clock: Clock;
  readonly log: Log;
}

/** Between two looks at what a broken bot left. */
const BREAK_PAUSE_MS: Ms = 500;
/** How long it goes on in a market that fails when nothing of the bot's can arrive any more. */
const LAST_TRIES_MS: Ms = 3_000;

/**
 * The last resort of a bot that broke: its own table can no longer be believed, so everything in its markets is cancelled, until nothing that
 * it signed can still arrive and nothing is open. It spends what is the guard's.
 */
export async function cancelAfterFailure({
  client,
  syncClock: readClock,
  config,
  clock,
  log,
}: CancelAfterFailureDeps): Promise<void> {
  const clockRead = new SharedRead(readClock);
  const untilMs = clock.monotonicMs() + config.exchange.signatureWindowMs + BREAK_PAUSE_MS;
  const left = new Map<MarketId, string>(
    Object.keys(config.markets).map((marketId) => [marketId, "nobody could look"]),
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
        left.set(marketId, `open still: ${news.open.map(({ id }) => id).join(", ")}`);
      if (news.kind !== "not-seen" && news.kind !== "not-cancelled") return;
      left.set(marketId, String(news.error));
      // Where it cannot be read, the market's own failure says it.
      if (isTimestampRejected(news)) clockRead.again().catch(() => {});
      log.error({ marketId, error: String(news.error) }, "could not cancel yet");
    },
  });
  for (const [marketId, error] of left)
    log.fatal({ marketId, error }, "could not cancel: run `marketwright cancel-all`");
}
