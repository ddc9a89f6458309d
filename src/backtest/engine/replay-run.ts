import { Bot } from "../../bot/engine/bot.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import { quotingStatusFor } from "../../bot/market/quoting-status.js";
import { DiscardingStore } from "../../bot/state/discarding-store.js";
import { RunError } from "../../core/errors.js";
import { Instrument } from "../../core/instrument.js";
import { drainMicrotasks } from "../../core/runtime/drain-microtasks.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { Hex, MarketId, Side, Ticks } from "../../core/units.js";
import { DISJOINT_RATE_BUCKETS } from "../../exchange/rate-buckets.js";
import type { Venue } from "../../exchange/venue.js";
import { ACTION_COST, computeActionCosts } from "../../executor/dispatch-budget.js";
import { toMarkoutLevel } from "../../executor/markout-level.js";
import type { ReferenceTape } from "../../history/columns/reference-tape.js";
import type { MarkTape, Tape } from "../../history/columns/tape/tape.js";
import { instantText } from "../../history/day.js";
import type { Span } from "../../history/spans.js";
import { BookStateTimer } from "../../history/staging/book-state-timer.js";
import type { MarketState } from "../../market/market-state.js";
import { BookFeed } from "../feed/book-feed.js";
import { createFeed } from "../feed/create-feed.js";
import type { LocalFeed } from "../feed/local-feed.js";
import { TradeFeed } from "../feed/trade-feed.js";
import { BookMatcher } from "../matching/book-matcher.js";
import { TradeMatcher } from "../matching/trade-matcher.js";
import { LossRecord } from "../record/loss-record.js";
import { QuotingRecord } from "../record/quotes/quoting-record.js";
import { type OrderRefusal, RefusalCounter } from "../record/refusals.js";
import { type StrategyError, StrategyErrors } from "../record/strategy-errors.js";
import type { RungEvents } from "../report/run-meta.js";
import { applyAgreedFees } from "../venue/apply-agreed-fees.js";
import { OutageVenue } from "../venue/latency/outage-venue.js";
import { marketTerms } from "../venue/market-terms.js";
import { OrderGas } from "../venue/order-gas.js";
import type { ReplayMarket } from "../venue/replay-market.js";
import { ReplayVenue } from "../venue/replay-venue.js";
import { createMatcher } from "./create-matcher.js";
import { HistoryTruncator, truncateReference } from "./history-truncator.js";
import { MarkReplay } from "./mark-replay.js";
import type { MarketHistory } from "./market-history.js";
import { observeNotice } from "./observe-notice.js";
import {
  type ReferenceFactory,
  ReferenceReplay,
  type ReplayedReference,
} from "./reference-replay.js";
import { ReplayClock } from "./replay-clock.js";
import { FINE_PACE, type ReplayPace, replayConfig, replayRules } from "./replay-config.js";
import { type EngineMarket, ReplayEngine } from "./replay-engine.js";
import type { ReplayRunOptions } from "./replay-run-options.js";
import { SyncOutbox } from "./sync-outbox.js";

/** Requests in flight at once, as live. */
const CONNECTIONS = 32;
const MADE_MARKS_EVERY_US = 1_000_000;
/**
 * A bar's open, high and low each make a mark: an account that the low would have liquidated must
 * not survive to the close.
 */
export const MARKS_OF_A_BAR = 3;
/** How long the exchange continues after the end of history, at most, for the bot to exit. */
const LEAVE_WITHIN_US = 60_000_000;
/** The account of the orders where none is given. It has no key, and nothing is signed. */
const REPLAY_ACCOUNT: Hex = "0x00000000000000000000000000000000000ba5e5";

/** A bot on replayed history, from its start to its end. Each instance runs once. */
export class ReplayRun {
  readonly bot: Bot;
  readonly venue: ReplayVenue;
  readonly #options: ReplayRunOptions;
  readonly #engine: ReplayEngine;
  readonly #clock: ReplayClock;
  readonly #feeds = new Map<MarketId, LocalFeed>();
  readonly #truncators = new Map<MarketId, HistoryTruncator>();
  readonly #marks = new Map<MarketId, MarkReplay>();
  readonly #references = new Map<string, ReplayedReference>();
  readonly #isCoarse: boolean;
  readonly #losses = new LossRecord();
  readonly #refusals: RefusalCounter;
  readonly #errors = new StrategyErrors();
  readonly #quoting = new QuotingRecord();
  /** Of recorded books. */
  readonly #bookStates = new Map<MarketId, BookStateTimer>();
  #isWarm = false;

  constructor(options: ReplayRunOptions) {
    const { config, strategies, markets, startUs, observer, startCredit, sampleUs } = options;
    this.#options = options;
    const pace = paceOf(markets.values());
    this.#isCoarse = pace.silenceMs > 0;
    const rules = replayRules(applyAgreedFees(options.rules, config), Math.floor(startUs / 1000));
    const clock = new ReplayClock(startUs);
    this.#clock = clock;
    const outbox = new SyncOutbox(CONNECTIONS);
    const terms = new Map(
      [...markets.keys()].map((marketId) => {
        const market = rules.markets[marketId];
        if (market === undefined)
          throw new RunError("has no rules", {
            field: `markets.${marketId}`,
            expected: "a market of the rules",
          });
        const { tickSize, stepSize } = market;
        const { creditDecimals, paperDecimals } = rules;
        const instrument = new Instrument({
          marketId,
          tickSize,
          stepSize,
          creditDecimals,
          paperDecimals,
        });
        return [marketId, marketTerms(market, instrument, options.liquidation)] as const;
      }),
    );
    this.#refusals = new RefusalCounter(terms);
    const latency = options.createLatency(() => this.#feedLatencyUs());
    const replayed = replayConfig(config, new Set(markets.keys()), pace);
    this.venue = new ReplayVenue({
      rules,
      gas: new OrderGas(options.rules, config.exchange.waiverUnit),
      terms,
      startCredit,
      opening: options.opening,
      latency,
      latencyFor: (marketId) => options.marketModels?.get(marketId)?.latency,
      doubtful: options.fills.doubtful,
      costs:
        config.exchange.rateBuckets === "disjoint"
          ? computeActionCosts(DISJOINT_RATE_BUCKETS)
          : ACTION_COST,
      observer,
      nowUs: () => clock.nowUs,
      levelFor: (hash) => toMarkoutLevel(this.bot.context.account.orders.get(hash)?.level),
    });
    const parts: EngineMarket[] = [];
    for (const [marketId, history] of markets) {
      const market = this.venue.markets.get(marketId) as ReplayMarket;
      const states = history.grade === "books" ? new BookStateTimer(this.#warmUs) : undefined;
      if (states !== undefined) this.#bookStates.set(marketId, states);
      const onTouch = (atUs: number, bidTicks: Ticks, askTicks: Ticks): void => {
        observer.touch(marketId, atUs, bidTicks, askTicks);
        states?.touch(atUs, bidTicks, askTicks);
        const midHalfTicks = bidTicks + askTicks;
        if (!Number.isNaN(midHalfTicks)) this.venue.account.mid(marketId, midHalfTicks);
      };
      if (history.grade === "klines") market.volume.addBars(history.klines, this.#warmUs);
      else market.volume.add(history.tape, this.#warmUs);
      const queue = options.marketModels?.get(marketId)?.queue ?? options.fills.queue;
      market.matcher = createMatcher(
        market,
        history,
        { ...options.fills, queue },
        onTouch,
        options.cutUs,
      );
      let state: MarketState | undefined;
      const onTrade = (ticks: Ticks, lots: number, aggressor: Side): void => {
        state ??= this.bot.context.traders.get(marketId)?.state;
        state?.noteTraded(ticks, lots, aggressor);
      };
      const truncator = new HistoryTruncator(options.cutUs);
      this.#truncators.set(marketId, truncator);
      const feed = (options.createFeed ?? createFeed)(truncator.truncate(history), clock, onTrade);
      const publishedEveryUs =
        history.grade === "klines" ? history.klines.intervalUs : MADE_MARKS_EVERY_US;
      const everyUs =
        history.grade === "klines" ? publishedEveryUs / MARKS_OF_A_BAR : publishedEveryUs;
      const marks = new MarkReplay(
        this.venue,
        market,
        {
          marks: truncator.truncateMarks(history.marks),
          funding: history.funding,
          everyUs,
          publishEveryUs: publishedEveryUs,
        },
        startUs,
        () => feed.latencyUs,
      );
      this.#feeds.set(marketId, feed);
      this.#marks.set(marketId, marks);
      parts.push({ market, feed, marks });
    }
    let orders = 0;
    this.bot = new Bot({
      config: replayed,
      accountAddress: options.account ?? REPLAY_ACCOUNT,
      rules,
      strategies,
      venue: options.outages === undefined ? this.venue : this.#withOutages(options.outages),
      runtime: { clock, random: seededRandom(options.seed) },
      store: new DiscardingStore(),
      // Nothing is signed: a number identifies an order as well as a hash.
      nextOrderHash: () => `0x${(++orders).toString(16)}`,
      outbox,
      listener: (notice) => this.#noticed(notice),
      bookFor: (marketId) => (this.#feeds.get(marketId) as LocalFeed).book,
      tickMs: pace.tickMs,
      keepsStatistics: options.keepsStatistics ?? false,
    });
    const { createReference = createReferenceReplay } = options;
    for (const [source, tape] of options.references ?? []) {
      const truncated = truncateReference(tape, options.cutUs);
      const minGapMs = config.references?.[source]?.minGapMs ?? 0;
      this.#references.set(source, createReference(source, truncated, { minGapMs, startUs }));
    }
    this.#engine = new ReplayEngine({
      clock,
      bot: this.bot,
      outbox,
      venue: this.venue,
      markets: parts,
      references: [...this.#references.values()],
      observer,
      sampleUs,
      startUs,
    });
    for (const order of options.openOrders ?? []) this.venue.resume(order, startUs);
    if (options.warmupMs > 0) this.#engine.command({ command: "halt", reason: WARMING_UP });
    else this.#isWarm = true;
    this.#engine.command({ command: "start" });
    this.venue.openStreams(startUs);
  }

  /** The present instant of the run, microseconds since 1970. */
  get nowUs(): number {
    return this.#engine.nowUs;
  }

  #withOutages(cutOff: readonly Span[]): Venue {
    return new OutageVenue({
      venue: this.venue,
      outages: cutOff,
      clock: this.#clock,
      timeoutMs: this.#options.config.exchange.requestTimeoutMs,
      onAnswer: (actionId, outcome) =>
        this.bot.accept({ kind: "event", event: { type: "answer", actionId, outcome } }),
    });
  }

  /** Adds the next part of a market's books or trades. */
  extend(marketId: MarketId, tape: Tape): void {
    const feed = this.#feeds.get(marketId);
    const truncated = this.#truncators.get(marketId)?.truncateTape(tape);
    if (truncated !== undefined && (feed instanceof BookFeed || feed instanceof TradeFeed))
      feed.extend(truncated);
    const market = this.venue.markets.get(marketId);
    market?.volume.add(tape, this.#warmUs);
    const matcher = market?.matcher;
    if (matcher instanceof BookMatcher || matcher instanceof TradeMatcher) matcher.extend(tape);
  }

  /** Adds the next block of a market's marks. Only for a market that began with marks. */
  extendMarks(marketId: MarketId, marks: MarkTape): void {
    const truncated = this.#truncators.get(marketId)?.truncateMarks(marks);
    if (truncated !== undefined) this.#marks.get(marketId)?.extend(truncated);
  }

  /** Adds the next block of a source's prices. Only for a source that the run began with. */
  extendReference(source: string, tape: ReferenceTape): void {
    this.#references.get(source)?.extend(truncateReference(tape, this.#options.cutUs));
  }

  /**
   * Runs everything before an instant.
   * @param until checked before each instant; returning true ends the run sooner.
   */
  play(untilUs: number, until?: () => boolean): void {
    const warmUs = this.#warmUs;
    if (!this.#isWarm) {
      this.#engine.play(Math.min(untilUs, warmUs), until);
      if (this.#engine.nowUs < warmUs) return;
      this.#isWarm = true;
      this.#engine.command({ command: "release", reason: WARMING_UP });
    }
    this.#engine.play(untilUs, until);
  }

  /**
   * The same for strategies that await promises. After each view, time does not move until
   * everything that a strategy does with it is done (docs/ideas/design.md#time-and-randomness).
   * @param mostViews it stops sooner, after this many views.
   */
  async playAwaiting(untilUs: number, mostViews = Number.POSITIVE_INFINITY): Promise<void> {
    const firstViews = this.#views;
    while (this.nowUs < untilUs && this.#views - firstViews < mostViews) {
      const views = this.#views;
      this.play(untilUs, () => this.#views !== views);
      await drainMicrotasks();
      this.#engine.dispatchOutbox();
    }
  }

  /** When the bot may begin to trade. */
  get #warmUs(): number {
    return this.#options.startUs + this.#options.warmupMs * 1000;
  }

  /** Number of views that the strategies have received. */
  get #views(): number {
    let views = 0;
    for (const { lastView } of this.bot.context.traders.values()) views += lastView?.sequence ?? 0;
    return views;
  }

  /** Since when and why the bot would not resume trading without help; undefined when it would. */
  get haltReason(): string | undefined {
    const lasting = this.bot.tradingGuards.halts.filter(({ resumesByItself }) => !resumesByItself);
    // Halts are stamped by the monotonic clock, which began with the run.
    const since = (sinceMs: number): string =>
      instantText(Math.floor(this.#options.startUs / 1000 + sinceMs));
    return lasting.length === 0
      ? undefined
      : lasting
          .map(({ name, why, sinceMs }) => `since ${since(sinceMs)} by ${name}: ${why}`)
          .join("; ");
  }

  /** Steps that the risk ladder took. */
  get rungs(): RungEvents {
    return this.#losses.rungs;
  }

  /**
   * Open positions of a bot that a loss has halted, and their result since; undefined without any.
   */
  get positionsSinceHalt(): string | undefined {
    return this.#losses.heldSinceHalt(this.bot.context);
  }

  /** Intents and orders that were refused. */
  get refusals(): readonly OrderRefusal[] {
    return this.#refusals.list;
  }

  /** The first error of each market's strategy. */
  get strategyErrors(): readonly StrategyError[] {
    return this.#errors.list;
  }

  /**
   * Reasons why the run is unusable so far, as text: markets without a book to quote in, and
   * markets in which no order was ever accepted, with the cause.
   */
  get worthless(): string[] {
    const { context, tradingGuards } = this.bot;
    return context.traderList.flatMap((trader) => {
      const { marketId, newestViewSequence: views } = trader;
      const book = this.#bookStates.get(marketId)?.explainUnusable(this.nowUs, "the run");
      const end = {
        // The bot reports a broken sequence both for missing sides and for a missing snapshot.
        book: book ?? trader.book.reason,
        startUs: this.#warmUs,
        endUs: this.nowUs,
        views,
        blocks: quotingStatusFor(context, tradingGuards, trader).reasons,
        refusals: this.refusals,
      };
      const found = [book, this.#quoting.explainNoOrders(marketId, end)];
      return found.flatMap((text) => (text === undefined ? [] : [`${marketId}: ${text}`]));
    });
  }

  /**
   * Ends the run: the bot cancels its orders and exits, and the account is sampled once more.
   * Returns the last instant.
   */
  finish(): number {
    const untilUs = this.#engine.nowUs + LEAVE_WITHIN_US;
    this.#engine.command({ command: "stop", reason: "the history has ended" });
    // Events of the exchange at the history's last instant, such as funding, belong to the run,
    // even if no order is open.
    this.#engine.play(
      this.#engine.nowUs + FINE_PACE.tickMs * 1000,
      () => this.bot.phase === "stopped",
    );
    this.#engine.play(untilUs, () => this.#hasExited);
    this.bot.abandon();
    this.#engine.sample(this.#engine.nowUs);
    return this.#engine.nowUs;
  }

  /**
   * True if the bot has nothing open at the exchange. It finds that out itself at its next check,
   * which on candles is a bar away.
   */
  get #hasExited(): boolean {
    const { phase, account, dispatcher } = this.bot.context;
    return (
      phase === "stopped" ||
      (this.#isCoarse && dispatcher.inFlightCount === 0 && account.orders.unresolved().length === 0)
    );
  }

  #feedLatencyUs(): number {
    let newest = 0;
    for (const feed of this.#feeds.values()) newest = Math.max(newest, feed.latencyUs);
    return newest;
  }

  #noticed(notice: BotEvent): void {
    const atUs = this.#clock.nowUs;
    // Nearly half of all events are the account's, and none of the records is about those.
    if (notice.kind !== "account") this.#record(notice, atUs);
    this.#options.onBotEvent?.(notice, atUs, this.bot);
  }

  #record(notice: BotEvent, atUs: number): void {
    this.#losses.onBotEvent(notice, atUs, () => this.bot.context.account.equity);
    this.#refusals.onBotEvent(notice, atUs);
    this.#errors.onBotEvent(notice, atUs);
    if (isWarmingUp(notice)) return;
    this.#quoting.onBotEvent(notice, atUs);
    observeNotice(notice, atUs, this.#options.observer);
  }
}

function createReferenceReplay(
  ...[source, tape, replayed]: Parameters<ReferenceFactory>
): ReplayedReference {
  return new ReferenceReplay(source, tape, replayed);
}

const WARMING_UP = "warming up";

/** True for the event of the halt that keeps a bot from quoting during its warm-up. */
function isWarmingUp(notice: BotEvent): boolean {
  return notice.kind === "halted" && notice.why.includes(WARMING_UP);
}

function paceOf(markets: Iterable<MarketHistory>): ReplayPace {
  let tickUs = Number.POSITIVE_INFINITY;
  let silenceUs = 0;
  for (const history of markets) {
    if (history.grade !== "klines") return FINE_PACE;
    tickUs = Math.min(tickUs, history.klines.intervalUs);
    silenceUs = Math.max(silenceUs, history.klines.intervalUs);
  }
  return { tickMs: tickUs / 1000, silenceMs: silenceUs / 1000 };
}
