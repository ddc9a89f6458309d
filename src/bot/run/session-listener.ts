import type { Hex, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Venue, VenueEvent } from "../../exchange/venue.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { JournalHeader, TurnRecorder } from "../journal/journal.js";

/** What a session begins with, once the exchange has been asked. */
export interface SessionBeginning {
  readonly account: Hex;
  readonly rules: VenueRules;
  /** False of a dry run for an account that the exchange does not know. */
  readonly registered: boolean;
}

/** Hears everything of a session and changes nothing: a recording. Must not throw. */
export interface SessionListener {
  /** What the venue tells, before the bot takes it. */
  onVenueEvent(event: VenueEvent): void;
  /** Once, before the first event: who is told of every turn of the bot. */
  createTurnRecorder(header: JournalHeader): TurnRecorder;
  /** What the bot tells. */
  onBotEvent(notice: BotEvent, bot: Bot): void;
}

/** What a venue between learns of the bot. */
export interface VenueDecoratorDeps {
  /** The distance rank of the quote that an order is for; -1 of no quote. */
  readonly levelFor: (hash: Hex) => number;
  readonly exchangeNowMs: () => Ms;
}

/**
 * Puts a venue of its own between the live one, of which it follows the markets' streams, and the
 * bot.
 */
export type VenueDecorator = (
  live: Venue,
  beginning: SessionBeginning,
  bot: VenueDecoratorDeps,
) => Venue;
