import type { Hex, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Venue, VenueEvent } from "../../exchange/venue.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { JournalHeader, TurnRecorder } from "../journal/journal.js";

/** State of a session at its beginning, once the exchange has answered. */
export interface SessionBeginning {
  readonly account: Hex;
  readonly rules: VenueRules;
  /** False for a dry run of an account that the exchange does not know. */
  readonly registered: boolean;
}

/** Receives everything of a session and changes nothing: a recording. Must not throw. */
export interface SessionListener {
  /** A venue event, before the bot handles it. */
  onVenueEvent(event: VenueEvent): void;
  /** Called once, before the first event: the recorder of every turn of the bot. */
  createTurnRecorder(header: JournalHeader): TurnRecorder;
  /** An event of the bot. */
  onBotEvent(notice: BotEvent, bot: Bot): void;
}

/** A venue decorator's access to the bot. */
export interface VenueDecoratorDeps {
  /**
   * Rank of a quote, by its distance from the touch, that an order serves; -1 for an order without
   * a quote.
   */
  readonly levelFor: (hash: Hex) => number;
  readonly exchangeNowMs: () => Ms;
}

/** Puts a venue of its own between the live one, whose market streams it follows, and the bot. */
export type VenueDecorator = (
  live: Venue,
  beginning: SessionBeginning,
  bot: VenueDecoratorDeps,
) => Venue;
