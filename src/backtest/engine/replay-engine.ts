import type { Bot } from "../../bot/engine/bot.js";
import type { LocalFeed } from "../feed/local-feed.js";
import type { Matcher } from "../matching/matcher.js";
import type { RunObserver } from "../record/run-observer.js";
import type { ReplayMarket } from "../venue/replay-market.js";
import type { ReplayVenue } from "../venue/replay-venue.js";
import type { MarkReplay } from "./mark-replay.js";
import type { ReplayedReference } from "./reference-replay.js";
import type { ReplayClock } from "./replay-clock.js";
import type { SyncOutbox } from "./sync-outbox.js";

/** One market of a replay: the data at the exchange and the data that the bot receives. */
export interface EngineMarket {
  readonly market: ReplayMarket;
  readonly feed: LocalFeed;
  readonly marks: MarkReplay;
}

/** The parts that the engine drives. */
export interface ReplayEngineDeps {
  readonly clock: ReplayClock;
  readonly bot: Bot;
  readonly outbox: SyncOutbox;
  readonly venue: ReplayVenue;
  readonly markets: readonly EngineMarket[];
  /** Sources of reference prices. */
  readonly references: readonly ReplayedReference[];
  readonly observer: RunObserver;
  /** Interval between samples of the account, on the exchange's clock. */
  readonly sampleUs: number;
  readonly startUs: number;
}

/**
 * The loop of a replay: two clocks, one order of events. The smallest stamp is next. At one stamp
 * the bot first receives its data, then its answers, then its timers fire. Then the exchange has
 * its data, and then the requests that arrive (rules of hftbacktest's event loop). So data stamped
 * T is at the exchange before an order that arrives at T, and no action of the bot can precede what
 * it knew.
 */
export class ReplayEngine {
  readonly #parts: ReplayEngineDeps;
  readonly #bot: Bot;
  readonly #venue: ReplayVenue;
  readonly #clock: ReplayClock;
  readonly #markets: readonly EngineMarket[];
  readonly #leastEntryUs: number;
  #nextSampleUs: number;
  /**
   * Times of the next market data, the next marks or reference prices that the bot receives, and
   * the next event of the exchange or sampling. Cached: they are read far more often than they
   * change.
   */
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

  /**
   * Plays everything before an instant, and stops there. `until` is checked before each step and
   * ends the run sooner.
   */
  play(untilUs: number, until: () => boolean = never): void {
    const clock = this.#clock;
    const venue = this.#venue;
    // History may have been added since.
    this.#noteFeeds();
    this.#noteMarks();
    while (!until()) {
      const receivedUs = Math.min(clock.nextTimerUs, venue.nextDeliveryUs, this.#marksUs);
      const arrivalUs = venue.nextArrivalUs;
      const ownUs = this.#ownUs;
      const quietUs = Math.min(untilUs, receivedUs, arrivalUs, ownUs);
      if (this.#dataUs < quietUs) {
        const isWoken = this.#drift(quietUs);
        if (isWoken || this.#dataUs < quietUs || venue.nextDeliveryUs < receivedUs) continue;
      }
      const goalUs = Math.min(untilUs, Math.max(Math.min(receivedUs, this.#dataUs), clock.nowUs));
      const stopUs = Math.min(goalUs, arrivalUs, ownUs);
      // Events of the exchange at an instant come after its history there, and after the bot's own
      // events.
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

  /** Passes a command to the bot. */
  command(command: Parameters<Bot["command"]>[0]): void {
    this.#bot.command(command);
    this.#parts.outbox.dispatch();
  }

  /** Sends what code outside the loop has put into the outbox. */
  dispatchOutbox(): void {
    this.#parts.outbox.dispatch();
  }

  /** Reports the state of the account to the observer. */
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
    let receivedUs = Number.POSITIVE_INFINITY;
    let ownUs = this.#nextSampleUs;
    for (const { marks } of this.#markets) {
      if (marks.nextDeliveryUs < receivedUs) receivedUs = marks.nextDeliveryUs;
      if (marks.nextUs < ownUs) ownUs = marks.nextUs;
    }
    for (const { nextUs } of this.#parts.references) if (nextUs < receivedUs) receivedUs = nextUs;
    this.#marksUs = receivedUs;
    this.#ownUs = ownUs;
  }

  /**
   * Advances both clocks through data that affects nothing, which is nearly all of a recording:
   * data that moves no best price, history that touches no order of ours. Stops before the first
   * instant at which anything else may happen. Also stops after data that wakes the bot, and then
   * returns true.
   */
  #drift(quietUs: number): boolean {
    const venue = this.#venue;
    while (this.#dataUs < quietUs && this.#dataUs < venue.nextDeliveryUs) {
      // Any reaction of the bot to its next data arrives no sooner than this: until then the
      // exchange is played in one go.
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

  /**
   * Delivers market data before an instant, in whole microseconds, until some of it wakes the bot.
   * Returns true then.
   */
  #deliverData(beforeUs: number): boolean {
    const markets = this.#markets;
    let isMoved = false;
    if (markets.length === 1) isMoved = (markets[0] as EngineMarket).feed.advance(beforeUs);
    else while (!isMoved && this.#dataUs < beforeUs) isMoved = this.#deliverEarliest(beforeUs);
    this.#noteFeeds();
    return isMoved;
  }

  /**
   * Delivers the earliest of several markets, as long as it is the earliest. Data that moves a best
   * price is delivered together with all of its instant.
   */
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
      const receivedUs = this.#clock.nowUs + 1;
      for (const { feed } of this.#markets) if (feed.nextUs < receivedUs) feed.advance(receivedUs);
    }
    this.#noteFeeds();
    return isMoved;
  }

  /** Plays one instant of the bot. */
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
      for (const reference of this.#parts.references) {
        while (reference.nextUs <= atUs) {
          bot.accept({ kind: "reference", update: reference.take() });
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
      // All marks and all funding of an instant apply before the account is judged. One after the
      // other, the survival of a hedge would depend on the order of its markets.
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

  /** True if a mark or funding of any market is due. */
  #isTurn(atUs: number): boolean {
    for (const { marks } of this.#markets) if (marks.nextUs <= atUs) return true;
    return false;
  }

  /**
   * Plays the markets' history, the earliest first, to an instant. Returns false when it stopped
   * sooner because the bot receives the outcome of one of our orders earlier.
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
      // Events of several markets at one instant are played in the markets' order, wherever the
      // engine stops. So only the earliest of all plays that instant.
      if (firstUs === secondUs) first.advance(firstUs, true);
      else if (secondUs <= untilUs) first.advance(secondUs, false);
      else first.advance(untilUs, isInclusive);
      if (!isBeyond(venue.nextDeliveryUs, untilUs, isInclusive)) return false;
    }
  }
}

/** True if the next event lies after an instant, or at it where the instant itself is excluded. */
function isBeyond(nextUs: number, untilUs: number, isInclusive: boolean): boolean {
  return nextUs > untilUs || (nextUs === untilUs && !isInclusive);
}

const WAKE = { kind: "wake" } as const;
const never = (): boolean => false;
