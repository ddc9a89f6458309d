import type { Signer } from "../../../core/crypto/signing.js";
import type { Runtime } from "../../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../../core/units.js";
import { LiveVenue } from "../../../exchange/live-venue.js";
import type { VenueRules } from "../../../exchange/records.js";
import type { Transport } from "../../../exchange/rest/transport.js";
import type { VenueEvent } from "../../../exchange/venue.js";
import type { BotConfig } from "../../config/config.js";
import type { Finding } from "./finding.js";

/** Failed attempts after which a stream counts as failed: waiting does not fix it. */
const MOST_FAILURES = 3;

/** Inputs of {@link checkStreams}. */
export interface StreamCheck {
  readonly config: BotConfig;
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly signer: Signer;
  readonly rules: VenueRules;
  /** Exchange time, once its clock was read. */
  readonly exchangeNowMs: () => Ms;
  /** No account stream is opened for an unregistered account. */
  readonly registered: boolean;
  /** Longest wait for a snapshot of each book, and for the account's stream. */
  readonly withinMs: Ms;
}

/**
 * Opens the streams that the bot would: the markets' until each book's snapshot arrives, and the
 * account's signed one. Returns one finding each. A stream that does not deliver in time is an
 * error, with its address and its reason. Never throws.
 */
export async function checkStreams(check: StreamCheck): Promise<Finding[]> {
  const { config, transport, runtime, signer, rules, exchangeNowMs, registered, withinMs } = check;
  const venue = new LiveVenue({
    transport,
    runtime,
    signer,
    markets: Object.keys(config.markets),
    exchangeNowMs,
    streams: registered ? true : "market",
  });
  const progress = new StreamProgress(config, registered, runtime.clock.monotonicMs());
  await new Promise<void>((resolve) => {
    const timer = runtime.clock.setTimer(withinMs, resolve);
    venue.events$.subscribe((event) => {
      progress.onEvent(event, runtime.clock.monotonicMs());
      if (!progress.isOver) return;
      timer.cancel();
      resolve();
    });
    venue.setRules(rules);
  });
  venue.close();
  return progress.findings(config.exchange.stream, withinMs);
}

interface Trouble {
  failures: number;
  reason: string | undefined;
}

class StreamProgress {
  readonly #books = new Map<MarketId, string | undefined>();
  readonly #trouble = {
    market: { failures: 0, reason: undefined } as Trouble,
    account: { failures: 0, reason: undefined } as Trouble,
  };
  readonly #registered: boolean;
  readonly #startedMs: number;
  #accountAfterMs: number | undefined;

  constructor({ markets }: BotConfig, registered: boolean, startedMs: number) {
    for (const marketId of Object.keys(markets)) this.#books.set(marketId, undefined);
    this.#registered = registered;
    this.#startedMs = startedMs;
  }

  onEvent(event: VenueEvent, nowMs: number): void {
    const afterMs = Math.round(nowMs - this.#startedMs);
    if (event.type === "book-snapshot" && this.#books.has(event.marketId)) {
      const { bids, asks, sequence } = event;
      const levels = `${bids.length / 2} bids and ${asks.length / 2} asks`;
      this.#books.set(
        event.marketId,
        `a book of ${levels} at sequence ${sequence} came after ${afterMs} ms`,
      );
    }
    if (event.type === "malformed")
      this.#trouble.market.reason ??= `${event.where} is not as specified: ${event.reason}`;
    if (event.type !== "stream") return;
    const trouble = this.#trouble[event.stream];
    if (event.state === "down") {
      trouble.failures += 1;
      trouble.reason = event.reason;
    }
    if (event.stream === "account")
      this.#accountAfterMs = event.state === "up" ? afterMs : undefined;
  }

  /** True if everything has arrived, or the rest will not. */
  get isOver(): boolean {
    const { market, account } = this.#trouble;
    const hasBooks = [...this.#books.values()].every((book) => book !== undefined);
    const hasAccount = !this.#registered || this.#accountAfterMs !== undefined;
    return (
      (hasBooks || market.failures >= MOST_FAILURES) &&
      (hasAccount || account.failures >= MOST_FAILURES)
    );
  }

  findings(address: string, withinMs: Ms): Finding[] {
    const waited = `within ${withinMs} ms`;
    const found: Finding[] = [];
    for (const [marketId, book] of this.#books) {
      const subject = `stream ${marketId}`;
      if (book !== undefined) found.push({ level: "ok", subject, text: book });
      else
        found.push({
          level: "error",
          subject,
          text: `no book ${waited}: ${reasonOf(this.#trouble.market, address)}`,
        });
    }
    const subject = "stream account";
    if (!this.#registered)
      found.push({
        level: "warning",
        subject,
        text: "not tried: the account is not registered, and the bot registers it when it starts",
      });
    else if (this.#accountAfterMs !== undefined)
      found.push({
        level: "ok",
        subject,
        text: `signed by the account, open after ${this.#accountAfterMs} ms`,
      });
    else
      found.push({
        level: "error",
        subject,
        text: `not open ${waited}: ${reasonOf(this.#trouble.account, address)}`,
      });
    return found;
  }
}

function reasonOf({ reason }: Trouble, address: string): string {
  return reason ?? `exchange.stream: nothing came from ${address}`;
}
