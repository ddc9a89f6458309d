import type { Signer } from "../../core/crypto/signing.js";
import type { Seam } from "../../core/runtime/seam.js";
import { LiveVenue } from "../../exchange/live-venue.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { Venue } from "../../exchange/venue.js";
import type { BotConfig } from "../config/config.js";
import type { SessionBeginning, VenueDecorator, VenueDecoratorDeps } from "./session-listener.js";
import { UnregisteredAccountVenue } from "./unregistered-account-venue.js";

/** Options of {@link sessionVenue}. */
export interface SessionVenueOptions {
  readonly config: BotConfig;
  readonly runtime: Seam;
  readonly transport: Transport;
  readonly signer: Signer;
  readonly beginning: SessionBeginning;
  readonly paper: VenueDecorator | undefined;
  /** Access of a venue decorator to the bot, which is created after it. */
  readonly bot: VenueDecoratorDeps;
  readonly onWritten: (actionId: number) => void;
}

/** A session's venue, and the live one beneath it, which receives the rules. */
export interface SessionVenue {
  readonly venue: Venue;
  readonly live: LiveVenue;
}

/**
 * The exchange as a session trades on it: live, with a paper venue over the markets' streams, or
 * with an account that it does not know.
 */
export function sessionVenue({
  config,
  runtime,
  transport,
  signer,
  beginning,
  paper,
  bot,
  onWritten,
}: SessionVenueOptions): SessionVenue {
  const { registered } = beginning;
  const live = new LiveVenue({
    transport,
    seam: runtime,
    signer,
    markets: Object.keys(config.markets),
    exchangeNowMs: bot.exchangeNowMs,
    requestTimeoutMs: config.exchange.requestTimeoutMs,
    onWritten,
    streams: registered && paper === undefined ? true : "market",
  });
  if (paper !== undefined) return { live, venue: paper(live, beginning, bot) };
  return { live, venue: registered ? live : new UnregisteredAccountVenue(live, runtime.clock) };
}
