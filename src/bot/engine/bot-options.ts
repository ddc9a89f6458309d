import type { Seam } from "../../core/runtime/seam.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Venue } from "../../exchange/venue.js";
import type { LiveOrderBook } from "../../market/live-order-book.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";
import type { OutboxPort } from "../execution/dispatcher.js";
import type { TurnRecorder } from "../journal/journal.js";
import type { StateStore } from "../state/state-dir.js";
import type { BotListener } from "./bot-event.js";
import type { TurnStamp } from "./input.js";

/** What a bot is made of. Everything real about it comes in here. */
export interface BotOptions {
  readonly config: BotConfig;
  readonly accountAddress: Hex;
  /** `exchangeInfo`, read before: the grid and domain of the whole run. */
  readonly rules: VenueRules;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly venue: Venue;
  readonly runtime: Seam;
  readonly store: StateStore;
  readonly outbox: OutboxPort;
  readonly listener: BotListener;
  /** Books that the venue itself changes in place before a `wake`: those of a replay. Absent for a venue that tells them by events. */
  readonly bookFor?: (marketId: MarketId) => LiveOrderBook;
  readonly journal?: TurnRecorder;
  /** The instant that the state is read against, as the journal's header tells it; that of the seam when absent. */
  readonly madeAt?: TurnStamp;
  /** A journal brings every input: what a strategy says outside a turn is dropped, because its recorded turn comes. */
  readonly isReplay?: boolean;
  /**
   * What the next order of our own making is recognised by, another name each time: it stands for its `info` too, and no nonce is drawn. Its EIP-712
   * hash, which the exchange uses, when absent. Only for a venue to which nothing is signed.
   */
  readonly nextOrderHash?: () => Hex;
  readonly dryRun?: boolean;
  /** Its orders are filled on paper: the market's book has none of them. */
  readonly isPaper?: boolean;
  /** Interval of the ticks; 100 ms when absent. Longer only where history is coarser: candles. */
  readonly tickMs?: Ms;
  /** Told which market's strategy is being called, and undefined once it has returned: for whoever watches that it does. */
  readonly onStrategyCall?: (marketId: MarketId | undefined) => void;
  /** When the message that is being handled was received; undefined outside one. For the tick-to-order metric alone. */
  readonly receivedMonotonicMs?: () => Ms | undefined;
}
