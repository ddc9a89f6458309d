import { Subscription } from "rxjs";
import type { BotConfig } from "../bot/config/config.js";
import { Bot } from "../bot/engine/bot.js";
import type { BotEvent } from "../bot/engine/bot-event.js";
import { type JournalSink, JournalWriter, type TurnRecorder } from "../bot/journal/journal.js";
import { recordHedgeVenues } from "../bot/journal/recorded-hedge-venues.js";
import { sessionHeader } from "../bot/run/session-journal.js";
import { MemoryStateStore, type StateStore } from "../bot/state/state-dir.js";
import type { SignatureScheme } from "../core/crypto/signing.js";
import type { Clock, Random, Runtime } from "../core/runtime/runtime.js";
import type { Hex, MarketId } from "../core/units.js";
import { LiveVenue } from "../exchange/live-venue.js";
import { decodeRules } from "../exchange/protocol/decode-rules.js";
import type { VenueRules } from "../exchange/records.js";
import type { Transport } from "../exchange/rest/transport.js";
import type { Action, Venue, VenueEvent } from "../exchange/venue.js";
import { Outbox } from "../executor/outbox.js";
import type { HedgeVenue } from "../hedge/hedge-venue.js";
import { builtInStrategies } from "../strategies/built-in.js";
import { type BoundStrategy, isStrategy, type Strategy } from "../strategies/strategy.js";
import type { ExchangeDoor } from "./exchange-door.js";

/** Observes or changes events and actions between a venue and the bot. */
export interface VenueTap {
  /** May change or drop (undefined) an event on its way to the bot. */
  readonly event?: (event: VenueEvent) => VenueEvent | undefined;
  readonly action?: (action: Action) => Action | undefined;
}

export interface RigOptions {
  readonly door: ExchangeDoor;
  /** Rules that were read before, if the exchange may be unavailable now. */
  readonly rules?: VenueRules | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly scheme: SignatureScheme;
  readonly privateKey: Hex;
  readonly config: BotConfig;
  readonly store?: StateStore;
  readonly observe?: (notice: BotEvent) => void;
  readonly tap?: VenueTap;
  /** Records every turn of the bot, in place of `journal`. */
  readonly turnRecorder?: TurnRecorder;
  /** Of strategies that are not built in, by market; one that is bound keeps its parameters. */
  readonly strategies?: ReadonlyMap<MarketId, Strategy | BoundStrategy>;
  /** Venues where positions are laid off, by name. The rig starts and closes them. */
  readonly hedgeVenues?: ReadonlyMap<string, HedgeVenue>;
  /** Receives the journal of the bot. It names built-in strategies only. */
  readonly journal?: JournalSink;
}

/**
 * The real client, account, executor, risk and strategies, on the test's transport and clock.
 */
export class BotRig {
  readonly bot: Bot;
  readonly venue: LiveVenue;
  readonly store: StateStore;
  readonly address: Hex;
  readonly rules: VenueRules;
  readonly notices: BotEvent[] = [];
  readonly #subscription = new Subscription();
  readonly #hedgeVenues: ReadonlyMap<string, HedgeVenue>;

  constructor(options: RigOptions) {
    const { config, clock, random } = options;
    const runtime: Runtime = { clock, random };
    const signer = options.scheme.signer(options.privateKey);
    this.address = signer.address;
    this.store = options.store ?? new MemoryStateStore();
    this.rules = options.rules ?? rulesOf(options.door, Object.keys(config.markets));
    const strategies = new Map<MarketId, BoundStrategy>();
    for (const [marketId, { strategy, params }] of Object.entries(config.markets)) {
      if (strategy === undefined) continue;
      const found = options.strategies?.get(marketId) ?? builtInStrategies[strategy];
      if (found === undefined) throw new Error(`no built-in strategy ${strategy}`);
      strategies.set(marketId, isStrategy(found) ? found.bind(params) : found);
    }
    this.venue = new LiveVenue({
      transport: options.transport,
      runtime,
      signer,
      markets: Object.keys(config.markets),
      exchangeNowMs: () => this.bot.context.exchangeTime.nowMs(),
      requestTimeoutMs: config.exchange.requestTimeoutMs,
    });
    this.#hedgeVenues = options.hedgeVenues ?? new Map();
    const { tap } = options;
    const venue: Venue = {
      events$: this.venue.events$,
      submit: (action) => {
        const passed = tap?.action === undefined ? action : tap.action(action);
        if (passed !== undefined) this.venue.submit(passed);
      },
      resubscribe: (marketId) => this.venue.resubscribe(marketId),
      close: () => this.venue.close(),
    };
    const turnRecorder =
      options.turnRecorder ??
      (options.journal && this.#journalWriter(options.journal, config, clock));
    this.bot = new Bot({
      config,
      accountAddress: this.address,
      rules: this.rules,
      strategies,
      venue,
      runtime,
      store: this.store,
      outbox: new Outbox({ concurrency: 32 }),
      listener: (notice) => options.observe?.(notice),
      hedgeVenues: this.#hedgeVenues,
      ...(turnRecorder === undefined ? {} : { journal: turnRecorder }),
    });
    for (const [name, { events$ }] of this.#hedgeVenues)
      this.#subscription.add(
        events$.subscribe((event) => this.bot.accept({ kind: "hedge", venue: name, event })),
      );
    this.#subscription.add(
      this.venue.events$.subscribe((event) => {
        const passed = tap?.event === undefined ? event : tap.event(event);
        if (passed !== undefined) this.bot.accept({ kind: "event", event: passed });
      }),
    );
  }

  #journalWriter(sink: JournalSink, config: BotConfig, clock: Clock): JournalWriter {
    const venues = this.#hedgeVenues;
    const header = sessionHeader(
      {
        account: this.address,
        config,
        rules: this.rules,
        dryRun: false,
        isPaper: false,
        strategies: {},
        ...(venues.size === 0 ? {} : { hedgeVenues: recordHedgeVenues(venues) }),
      },
      { clock },
      this.store,
    );
    return new JournalWriter(sink, header);
  }

  start(): void {
    this.bot.command({ command: "start" });
    this.venue.setRules(this.rules);
    for (const venue of this.#hedgeVenues.values()) venue.start();
  }

  /** Ends the bot as `kill -9` does: nothing runs any more, and no peer is notified. */
  kill(): void {
    this.bot.abandon();
    this.#subscription.unsubscribe();
    this.venue.close();
    for (const venue of this.#hedgeVenues.values()) venue.close();
  }
}

/** The exchange's rules, read without a network. */
export function rulesOf(door: ExchangeDoor, markets: readonly MarketId[]): VenueRules {
  const answer = door.handle({
    method: "GET",
    path: "/v1/exchangeInfo",
    query: "",
    body: "",
    ip: "127.0.0.1",
  });
  if (answer.status !== 200) throw new Error(`exchangeInfo: HTTP ${answer.status} ${answer.body}`);
  return decodeRules(JSON.parse(answer.body), markets);
}
