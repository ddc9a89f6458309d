import { NEVER } from "rxjs";
import type { MarketId } from "../../core/units.js";
import type { Venue } from "../../exchange/venue.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotOptions } from "../engine/bot-options.js";
import { MemoryStateStore } from "../state/state-dir.js";
import type { JournalHeader } from "./journal.js";
import { replayedHedgeVenues } from "./recorded-hedge-venues.js";

/** The options that a bot of a replay has from its journal. Nothing is sent and nothing stored. */
export type ReplayBotOptions = Omit<
  BotOptions,
  "runtime" | "outbox" | "listener" | "journal" | "keepsStatistics"
>;

/** The options with which the bot of a journal is created again. */
export function replayBotOptions(
  header: JournalHeader,
  strategies: ReadonlyMap<MarketId, BoundStrategy>,
): ReplayBotOptions {
  return {
    config: header.config,
    accountAddress: header.account,
    rules: header.rules,
    strategies,
    venue: silentVenue(),
    store: new MemoryStateStore(header.state),
    hedgeVenues: replayedHedgeVenues(header.hedgeVenues),
    madeAt: header.stamp,
    isReplay: true,
    dryRun: header.dryRun ?? false,
    isPaper: header.isPaper ?? false,
  };
}

/** Responses come from the journal. */
function silentVenue(): Venue {
  return { events$: NEVER, submit: () => {}, resubscribe: () => {}, close: () => {} };
}
