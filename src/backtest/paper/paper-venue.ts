import { type Observable, Subject, type Subscription } from "rxjs";
import type { BotConfig } from "../../bot/config/config.js";
import { isSameGrid } from "../../bot/market/rule-changes.js";
import { decimalToScaled, Instrument } from "../../core/instrument.js";
import { createQueueModel } from "../../core/queue/queue-model-names.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { DISJOINT_RATE_BUCKETS } from "../../exchange/rate-buckets.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Action, Venue, VenueEvent } from "../../exchange/venue.js";
import { ACTION_COST, computeActionCosts } from "../../executor/dispatch-budget.js";
import { LocalStamps } from "../../history/record/local-stamps.js";
import { BookMatcher } from "../matching/book-matcher.js";
import type { RunObserver } from "../record/run-observer.js";
import { AMBIGUOUS_FILL_RULES } from "../venue/ambiguous-fill-rule.js";
import { applyAgreedFees } from "../venue/apply-agreed-fees.js";
import { constantLatency } from "../venue/latency/latency.js";
import { isLeverage, marketTerms } from "../venue/market-terms.js";
import { OrderGas } from "../venue/order-gas.js";
import type { ReplayMarket } from "../venue/replay-market.js";
import { ReplayVenue } from "../venue/replay-venue.js";
import { FeedDelay } from "./feed-delay.js";
import { emptyTape, type MarketDataEvent, toTape } from "./live-tape.js";
import { OutageDetector } from "./outage-detector.js";

/** Latency and fill models of paper orders. */
export interface PaperModels {
  /** Name of a queue model in `core`. */
  readonly queue: string;
  readonly orderLatencyMs: number;
  readonly responseLatencyMs: number;
  /** Opening credit of the paper account, in the quote asset. */
  readonly creditQuote: string;
}

/** Options of a paper venue. */
export interface PaperVenueOptions {
  /** Subscribes to the markets' streams, not to an account's. */
  readonly live: Venue;
  readonly config: BotConfig;
  readonly rules: VenueRules;
  readonly models: PaperModels;
  readonly clock: Clock;
  readonly levelFor: (hash: Hex) => number;
  /** The exchange's time as the bot estimates it, for expiries and stamps. */
  readonly exchangeNowMs: () => Ms;
}

/**
 * Own liquidations follow the default of the embedded exchange: no public answer states the values.
 */
const LIQUIDATION = { priceOff: 10n ** 16n, insuranceFeeRate: 10n ** 16n };
/** Queries that need no account. The account's part of the answer is empty. */
const PUBLIC: ReadonlySet<string> = new Set(["time", "rules", "bookSequence"]);

/**
 * Paper trading: live markets, with an account and orders that exist only in this process. The
 * models and rules of the replayed venue fill the orders. Received market data was valid at the
 * exchange one feed delay earlier. A request arrives after its latency and meets the market of that
 * time; its answer arrives after another latency. A request sent while the connection is silent may
 * never arrive ({@link OutageDetector}). No order, cancel or account query ever reaches the live
 * venue.
 */
export class PaperVenue implements Venue {
  readonly events$: Observable<VenueEvent>;
  readonly #events = new Subject<VenueEvent>();
  readonly #options: PaperVenueOptions;
  readonly #replayed: ReplayVenue;
  readonly #stamps: LocalStamps;
  readonly #delay = new FeedDelay();
  readonly #line: OutageDetector;
  readonly #subscription: Subscription;
  #timer: Timer | undefined;
  #timerUs = Number.POSITIVE_INFINITY;
  /** The newest exchange time that is known. */
  #exchangeUs = 0;
  #lastUs = 0;
  /** The next funding payment that each market announced. */
  readonly #funding = new Map<MarketId, { readonly rateE18: bigint; readonly atMs: Ms }>();
  #isAccountUp = false;
  #isClosed = false;

  constructor(options: PaperVenueOptions) {
    const { live, config, rules, models, clock, levelFor } = options;
    this.#options = options;
    this.#stamps = new LocalStamps(clock);
    this.#line = new OutageDetector({
      clock,
      // Shorter than the book age at which the bot cancels its quotes: those cancels are the ones
      // that may not arrive.
      maxSilenceMs: config.risk.maxBookAgeMs / 2,
      timeoutMs: config.exchange.requestTimeoutMs,
      onAnswer: (actionId, outcome) => this.#emit({ type: "answer", actionId, outcome }),
    });
    this.events$ = this.#events.asObservable();
    const paperRules: VenueRules = {
      ...applyAgreedFees(rules, config),
      waiveGasFeeMinimumQuote: 0n,
    };
    const terms = new Map(
      Object.keys(config.markets).map((marketId) => {
        const market = paperRules.markets[marketId];
        const { tickSize, stepSize } = market;
        const { creditDecimals, paperDecimals } = rules;
        const instrument = new Instrument({
          marketId,
          tickSize,
          stepSize,
          creditDecimals,
          paperDecimals,
        });
        return [marketId, marketTerms(market, instrument, LIQUIDATION)] as const;
      }),
    );
    this.#replayed = new ReplayVenue({
      rules: paperRules,
      gas: new OrderGas(rules, config.exchange.waiverUnit),
      terms,
      startCredit: decimalToScaled(models.creditQuote, rules.creditDecimals, "paper.creditQuote"),
      latency: constantLatency(models.orderLatencyMs, models.responseLatencyMs),
      doubtful: AMBIGUOUS_FILL_RULES[0],
      costs:
        config.exchange.rateBuckets === "disjoint"
          ? computeActionCosts(DISJOINT_RATE_BUCKETS)
          : ACTION_COST,
      observer: NULL_OBSERVER,
      nowUs: () => this.#nowUs(),
      levelFor: (hash) => levelFor(hash as Hex),
    });
    for (const [marketId, { instrument }] of terms) {
      const market = this.#replayed.markets.get(marketId) as ReplayMarket;
      const { tickSize, stepSize } = instrument;
      market.matcher = new BookMatcher({
        tape: emptyTape({ marketId, tickSize, stepSize }),
        listener: market,
        queue: createQueueModel(models.queue, instrument.lotBase),
        onTouch: (_atUs, bidTicks, askTicks) => {
          const midHalfTicks = bidTicks + askTicks;
          if (!Number.isNaN(midHalfTicks)) this.#replayed.account.mid(marketId, midHalfTicks);
        },
      });
    }
    this.#subscription = live.events$.subscribe((event) => this.#onLiveEvent(event));
  }

  submit(action: Action): void {
    if (action.kind === "question" && PUBLIC.has(action.ask)) {
      this.#options.live.submit(action);
      return;
    }
    if (this.#line.isSilent) {
      this.#line.queue(action);
      return;
    }
    this.#replayed.submit(action);
    this.#arm();
  }

  resubscribe(marketId: MarketId): void {
    this.#options.live.resubscribe(marketId);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#line.close();
    this.#subscription.unsubscribe();
    this.#options.live.close();
    this.#events.complete();
  }

  /** The bot receives market data first: it could not yet know the fate of its own orders. */
  #onLiveEvent(event: VenueEvent): void {
    const nowUs = this.#nowUs();
    this.#line.onEvent(event);
    if (
      event.type === "answer" &&
      event.outcome.result === "answered" &&
      event.outcome.ask === "rules"
    )
      this.#rulesRead(event.outcome.data);
    this.#emit(event);
    if (event.type === "stream" && event.state === "up" && !this.#isAccountUp) {
      this.#isAccountUp = true;
      this.#emit({
        type: "stream",
        stream: "account",
        state: "up",
        reason: "a paper account: the bot fills its orders itself and sends none to the exchange",
      });
    } else if (
      event.type === "public-trade" ||
      event.type === "book-snapshot" ||
      event.type === "book-update"
    ) {
      if (event.type === "public-trade") this.#delay.onTrade(nowUs, event.timeMs * 1000);
      this.#market(event, nowUs);
    } else if (event.type === "market-state" && this.#replayed.markets.has(event.marketId)) {
      this.#exchangeTo(this.#delay.exchangeUs(nowUs));
      this.#fund(event.marketId, event.fundingRate, event.nextFundingMs);
      this.#replayed.mark(event.marketId, event.mark);
      this.#replayed.liquidateIfUnsafe(this.#exchangeUs);
    }
    // After the market data received meanwhile: quotes that the market passed are gone.
    for (const action of this.#line.release()) this.#replayed.submit(action);
    this.#catchUp();
  }

  /**
   * Applies new rules: fees, margin and bounds as the exchange states them now. A market that it no
   * longer lists accepts no orders. A market on another grid is halted until the bot is restarted,
   * and keeps its rules until then. So does a market whose rules cannot be read, until they can.
   */
  #rulesRead(rules: VenueRules): void {
    const { markets, unread } = applyAgreedFees(rules, this.#options.config);
    for (const [marketId, { terms }] of this.#replayed.markets) {
      const now = markets[marketId] ?? { ...terms.rules, status: "DELISTED" };
      if (unread?.[marketId] !== undefined || !isSameGrid(terms.rules, now)) continue;
      // A delisted market may have no leverage at all.
      const { liquidationLeverage } = isLeverage(now.liquidationLeverage) ? now : terms.rules;
      this.#replayed.changeTerms(
        marketId,
        marketTerms({ ...now, liquidationLeverage }, terms.instrument, LIQUIDATION),
      );
    }
    this.#replayed.liquidateIfUnsafe(this.#exchangeUs);
  }

  /**
   * A market that announces its next funding has paid the previous one, by the last mark that named
   * it.
   */
  #fund(marketId: MarketId, rate: number, nextMs: Ms): void {
    const published = this.#funding.get(marketId);
    if (published !== undefined && published.atMs > 0 && nextMs > published.atMs) {
      this.#replayed.payFunding(marketId, published.rateE18, this.#exchangeUs);
      this.#replayed.liquidateIfUnsafe(this.#exchangeUs);
    }
    this.#funding.set(marketId, { rateE18: BigInt(Math.round(rate * 1e18)), atMs: nextMs });
  }

  #market(event: MarketDataEvent, nowUs: number): void {
    const market = this.#replayed.markets.get(event.marketId);
    if (market === undefined) return;
    const atUs = Math.max(this.#exchangeUs, this.#delay.exchangeUs(nowUs));
    // A request that arrived before this data was received meets the market as it was before.
    this.#exchangeTo(atUs, false);
    const { marketId, tickSize, stepSize } = market.terms.instrument;
    (market.matcher as BookMatcher).extend(
      toTape({ marketId, tickSize, stepSize }, event, atUs, Math.max(atUs, nowUs)),
    );
    this.#play(market, atUs);
  }

  /** The exchange's time, as near as the bot knows it. It never goes back. */
  #nowUs(): number {
    const { clock, exchangeNowMs } = this.#options;
    this.#lastUs = Math.max(
      this.#lastUs,
      this.#stamps.nowUs() + Math.round((exchangeNowMs() - clock.nowMs()) * 1000),
    );
    return this.#lastUs;
  }

  /** Advances the exchange to an instant: expiries, and requests that have arrived by then. */
  #exchangeTo(untilUs: number, inclusive = true): void {
    for (;;) {
      const arrivalUs = this.#replayed.nextArrivalUs;
      if (inclusive ? arrivalUs > untilUs : arrivalUs >= untilUs) break;
      const atUs = Math.max(this.#exchangeUs, arrivalUs);
      for (const market of this.#replayed.markets.values()) this.#play(market, atUs);
      this.#exchangeUs = atUs;
      this.#replayed.processArrival(atUs);
    }
    for (const market of this.#replayed.markets.values()) this.#play(market, untilUs);
    this.#exchangeUs = Math.max(this.#exchangeUs, untilUs);
  }

  #play({ matcher }: ReplayMarket, untilUs: number): void {
    while (matcher.nextUs <= untilUs) matcher.advance(untilUs, true);
  }

  /** Advances the exchange to what is known of it now, and delivers the answers that are due. */
  #catchUp(): void {
    if (this.#isClosed) return;
    const nowUs = this.#nowUs();
    this.#exchangeTo(this.#delay.exchangeUs(nowUs));
    while (this.#replayed.nextDeliveryUs <= nowUs)
      for (const event of this.#replayed.takeDelivery()) this.#emit(event);
    this.#arm();
  }

  /** Sets a timer for the next request that arrives, order that expires, or answer that is due. */
  #arm(): void {
    if (this.#isClosed) return;
    const nowUs = this.#nowUs();
    let exchangeDueUs = this.#replayed.nextArrivalUs;
    // All known history has been played: the matcher's next event is an expiry.
    for (const { matcher } of this.#replayed.markets.values())
      exchangeDueUs = Math.min(exchangeDueUs, matcher.nextUs);
    const dueUs = Math.min(exchangeDueUs + this.#delay.us, this.#replayed.nextDeliveryUs);
    if (dueUs >= this.#timerUs && this.#timer !== undefined) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerUs = dueUs;
    if (dueUs === Number.POSITIVE_INFINITY) return;
    // No event is delivered inside `submit`.
    this.#timer = this.#options.clock.setTimer(
      Math.max(0, Math.ceil((dueUs - nowUs) / 1000)),
      () => {
        this.#timer = undefined;
        this.#timerUs = Number.POSITIVE_INFINITY;
        this.#catchUp();
      },
    );
  }

  #emit(event: VenueEvent): void {
    if (!this.#isClosed) this.#events.next(event);
  }
}

/** The bot reports its own fills; no observer follows this account. */
const NULL_OBSERVER: RunObserver = {
  touch() {},
  fill() {},
  equity() {},
  quote() {},
  action() {},
  prediction() {},
  funding() {},
  note() {},
};
