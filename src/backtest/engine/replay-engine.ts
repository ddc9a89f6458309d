import type { Bot } from "../../bot/engine/bot.js";
import type { LocalFeed } from "../feed/local-feed.js";
import type { Matcher } from "../matching/matcher.js";
import type { RunObserver } from "../record/run-observer.js";
import type { ReplayMarket } from "../venue/replay-market.js";
import type { ReplayVenue } from "../venue/replay-venue.js";
import type { MarkReplay } from "./mark-replay.js";
import type { ReplayClock } from "./replay-clock.js";
import type { SyncOutbox } from "./sync-outbox.js";

/** One market of a replay: what the exchange has, what the bot hears. */
export interface EngineMarket {
  readonly market: ReplayMarket;
  readonly feed: LocalFeed;
  readonly marks: MarkReplay;
}

/** What the engine turns. */
export interface ReplayEngineDeps {
  readonly clock: ReplayClock;
  readonly bot: Bot;
  readonly outbox: SyncOutbox;
  readonly venue: ReplayVenue;
  readonly markets: readonly EngineMarket[];
  readonly observer: RunObserver;
  /** Between two samples of the account, on the exchange's clock. */
  readonly sampleUs: number;
  readonly startUs: number;
}

/**
 * The loop of a replay: two clocks, one order of events. The smallest stamp is next; at one stamp the bot first hears its data, then its
 * answers, then its timers, and then the exchange has its data, and then the requests that arrive (rules of hftbacktest's event loop).
 * So data stamped T is at the exchange before an order that arrives at T, and nothing that the bot does can be earlier than what it knew.
 */
export class ReplayEngine {
  readonly #parts: ReplayEngineDeps;
  readonly #bot: Bot;
  readonly #venue: ReplayVenue;
  readonly #clock: ReplayClock;
  readonly #markets: readonly EngineMarket[];
  readonly #leastEntryUs: number;
  #nextSampleUs: number;
  /** When market data is heard next, when marks are, and when the exchange or a sample has its turn: kept, since they are asked for far more often than they change. */
  #dataUs = Number.NEGATIVE_INFINITY;
  #marksUs = Number.NEGATIVE_INFINITY;
  #ownUs = Number.NEGATIVE_INFINITY;

  constructor(parts: ReplayEngineDeps) {
    this.#parts = parts;
    this.#bot = parts.bot;
    this.#venue = parts.venue;
    this.#clock = parts.clock;
    this.#markets = parts.markets;
    this.#leastEntryUs = parts.venue.minEntryUs;
    this.#nextSampleUs = parts.startUs;
  }

  get nowUs(): number {
    return this.#clock.nowUs;
  }

  /** Plays everything before an instant, and stands at it. `until` ends it sooner: asked before each step. */
  play(untilUs: number, until: () => boolean = never): void {
    const clock = this.#clock;
    const venue = this.#venue;
    // History may have come since.
    this.#noteFeeds();
    this.#noteMarks();
    while (!until()) {
      const heardUs = Math.min(clock.nextTimerUs, venue.nextDeliveryUs, this.#marksUs);
      const arrivalUs = venue.nextArrivalUs;
      const ownUs = this.#ownUs;
      const quietUs = Math.min(untilUs, heardUs, arrivalUs, ownUs);
      if (this.#dataUs < quietUs) {
        const isWoken = this.#drift(quietUs);
        if (isWoken || this.#dataUs < quietUs || venue.nextDeliveryUs < heardUs) continue;
      }
      const goalUs = Math.min(untilUs, Math.max(Math.min(heardUs, this.#dataUs), clock.nowUs));
      const stopUs = Math.min(goalUs, arrivalUs, ownUs);
      // What the exchange does at an instant comes after its history there, and after what the bot does at it.
      const isExchange = stopUs < goalUs;
      if (!this.#historyTo(stopUs, isExchange)) continue;
      if (!isExchange) {
        clock.moveTo(goalUs);
        if (goalUs >= untilUs) return;
        this.#local(goalUs);
      } else if (ownUs <= stopUs) {
        this.#own(stopUs);
      } else {
        venue.processArrival(stopUs);
      }
    }
  }

  /** Brings an input of the bot's own in: a command. */
  command(command: Parameters<Bot["command"]>[0]): void {
    this.#bot.command(command);
    this.#parts.outbox.dispatch();
  }

  /** Lets leave what something outside the loop has put into the outbox. */
  dispatchOutbox(): void {
    this.#parts.outbox.dispatch();
  }

  /** Tells the observer how the account stands. */
  sample(atUs: number): void {
    const { venue, observer } = this.#parts;
    const { account } = venue;
    observer.equity({
      atUs,
      equity: account.netValue,
      profit: account.profit(),
      budgets: venue.budgets(atUs),
      markets: this.#markets.map(({ market }) => {
        const { marketId, terms } = market;
        const mark = account.markOf(marketId);
        const creditPerTick = 10 ** terms.instrument.creditDecimals * terms.instrument.tickQuote;
        return {
          marketId,
          positionLots: account.positionLots(marketId),
          midHalfTicks: market.midHalfTicks,
          markTicks: mark === undefined ? Number.NaN : Number(mark) / creditPerTick,
          ownBidTicks: market.bestOpenTicks("BUY"),
          ownAskTicks: market.bestOpenTicks("SELL"),
          profit: account.profit(marketId),
        };
      }),
    });
  }

  #noteFeeds(): void {
    let nextUs = Number.POSITIVE_INFINITY;
    for (const { feed } of this.#markets) if (feed.nextUs < nextUs) nextUs = feed.nextUs;
    this.#dataUs = nextUs;
  }

  #noteMarks(): void {
    let heardUs = Number.POSITIVE_INFINITY;
    let ownUs = this.#nextSampleUs;
    for (const { marks } of this.#markets) {
      if (marks.nextDeliveryUs < heardUs) heardUs = marks.nextDeliveryUs;
      if (marks.nextUs < ownUs) ownUs = marks.nextUs;
    }
    this.#marksUs = heardUs;
    this.#ownUs = ownUs;
  }

  /**
   * Plays both clocks on through what concerns nobody, which is nearly all of a recording: data that moves no best price, history that touches
   * no order of ours. Stops before the first instant at which anything else may happen, and after data that the bot was woken by: true then.
   */
  #drift(quietUs: number): boolean {
    const venue = this.#venue;
    while (this.#dataUs < quietUs && this.#dataUs < venue.nextDeliveryUs) {
      // Whatever the bot makes of what it hears now arrives no sooner: until then the exchange is played at once.
      const aheadUs = Math.min(quietUs, this.#dataUs + this.#leastEntryUs);
      this.#historyTo(aheadUs, false);
      const beforeUs = Math.min(aheadUs + 1, quietUs, venue.nextDeliveryUs);
      if (this.#dataUs >= beforeUs || !this.#deliverData(beforeUs)) continue;
      this.#bot.accept(WAKE);
      this.#parts.outbox.dispatch();
      return true;
    }
    return false;
  }

  /** Market data before an instant, in whole microseconds, until the bot is to be woken by it: true when it is. */
  #deliverData(beforeUs: number): boolean {
    const markets = this.#markets;
    let isMoved = false;
    if (markets.length === 1) isMoved = (markets[0] as EngineMarket).feed.advance(beforeUs);
    else while (!isMoved && this.#dataUs < beforeUs) isMoved = this.#deliverEarliest(beforeUs);
    this.#noteFeeds();
    return isMoved;
  }

  /** The first of several markets, as long as it is the first; what moves a price of it is heard together with all of its instant. */
  #deliverEarliest(beforeUs: number): boolean {
    let first: LocalFeed | undefined;
    let secondUs = Number.POSITIVE_INFINITY;
    for (const { feed } of this.#markets) {
      if (first === undefined || feed.nextUs < first.nextUs) {
        secondUs = first?.nextUs ?? secondUs;
        first = feed;
      } else if (feed.nextUs < secondUs) secondUs = feed.nextUs;
    }
    const isMoved = first?.advance(Math.min(beforeUs, secondUs + 1)) === true;
    if (isMoved) {
      const heardUs = this.#clock.nowUs + 1;
      for (const { feed } of this.#markets) if (feed.nextUs < heardUs) feed.advance(heardUs);
    }
    this.#noteFeeds();
    return isMoved;
  }

  /** One instant of the bot. */
  #local(atUs: number): void {
    const { outbox } = this.#parts;
    const bot = this.#bot;
    let isMoved = false;
    while (this.#dataUs <= atUs) isMoved = this.#deliverData(atUs + 1) || isMoved;
    if (this.#marksUs <= atUs) {
      for (const { marks } of this.#markets) {
        while (marks.nextDeliveryUs <= atUs) {
          bot.accept({ kind: "event", event: marks.takeDelivery() });
          isMoved = false;
        }
      }
      this.#noteMarks();
    }
    if (isMoved) bot.accept(WAKE);
    outbox.dispatch();
    while (this.#venue.nextDeliveryUs <= atUs) {
      for (const event of this.#venue.takeDelivery()) bot.accept({ kind: "event", event });
      outbox.dispatch();
    }
    if (this.#clock.nextTimerUs <= atUs) {
      this.#clock.fireDue();
      outbox.dispatch();
    }
  }

  #own(atUs: number): void {
    if (this.#isTurn(atUs)) {
      // The account is judged by all marks of an instant, and by all of its funding: by one after the other a hedge would stand or fall by its markets' order.
      for (const { marks } of this.#markets) marks.applyDueMarks(atUs);
      this.#venue.liquidateIfUnsafe(atUs);
      for (const { marks } of this.#markets) marks.payDueFunding(atUs);
      this.#venue.liquidateIfUnsafe(atUs);
    }
    if (this.#nextSampleUs <= atUs) {
      this.sample(atUs);
      this.#nextSampleUs = (Math.floor(atUs / this.#parts.sampleUs) + 1) * this.#parts.sampleUs;
    }
    this.#noteMarks();
  }

  /** Whether any market's mark or funding is due. */
  #isTurn(atUs: number): boolean {
    for (const { marks } of this.#markets) if (marks.nextUs <= atUs) return true;
    return false;
  }

  /**
   * Plays the markets' history, the earliest first, to an instant. False when it stopped sooner, since what became of an order of ours is heard
   * sooner.
   */
  #historyTo(untilUs: number, isInclusive: boolean): boolean {
    const markets = this.#markets;
    const venue = this.#venue;
    if (markets.length === 1) {
      const { matcher } = (markets[0] as EngineMarket).market;
      while (!isBeyond(matcher.nextUs, untilUs, isInclusive)) {
        matcher.advance(untilUs, isInclusive);
        if (!isBeyond(venue.nextDeliveryUs, untilUs, isInclusive)) return false;
      }
      return true;
    }
    for (;;) {
      let first: Matcher | undefined;
      let firstUs = Number.POSITIVE_INFINITY;
      let secondUs = Number.POSITIVE_INFINITY;
      for (const { market } of markets) {
        const { nextUs } = market.matcher;
        if (nextUs < firstUs) {
          secondUs = firstUs;
          firstUs = nextUs;
          first = market.matcher;
        } else if (nextUs < secondUs) {
          secondUs = nextUs;
        }
      }
      if (first === undefined || isBeyond(firstUs, untilUs, isInclusive)) return true;
      // What several have at one instant is played in the markets' order, wherever the engine stops: so only the first of all plays that instant.
      if (firstUs === secondUs) first.advance(firstUs, true);
      else if (secondUs <= untilUs) first.advance(secondUs, false);
      else first.advance(untilUs, isInclusive);
      if (!isBeyond(venue.nextDeliveryUs, untilUs, isInclusive)) return false;
    }
  }
}

/** Whether what comes next lies after an instant, or at it where the instant itself is left out. */
function isBeyond(nextUs: number, untilUs: number, isInclusive: boolean): boolean {
  return nextUs > untilUs || (nextUs === untilUs && !isInclusive);
}

const WAKE = { kind: "wake" } as const;
const never = (): boolean => false;
