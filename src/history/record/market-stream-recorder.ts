import type { Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { Action, ActionId, VenueEvent } from "../../exchange/venue.js";
import { StoreLock } from "../store/store-lock.js";
import { toDiskError } from "../store/to-disk-error.js";
import { clockBehindUs } from "./clock-behind.js";
import { DayParts } from "./day-parts.js";
import { LocalStamps } from "./local-stamps.js";
import { bookRecord, markRecord, snapshotRecord, tradeRecord } from "./market-records.js";
import { MonotonicWallClock } from "./monotonic-wall-clock.js";
import {
  answerRecord,
  fillRecord,
  type RecordedAction,
  requestRecord,
  updateRecord,
} from "./own-records.js";
import { RecordedBook } from "./recorded-book.js";
import type { RecorderOptions } from "./recorder-options.js";
import { partsIn, recordingFolder } from "./recording-part.js";
import { type SealedKind, sealPart } from "./seal-part.js";

/** The longest time until received records are flushed, so that they outlive the process. */
const FLUSH_MS: Ms = 1000;
/**
 * A recorder whose one-second timer does not run for this long has stalled: messages received
 * meanwhile are delayed or lost.
 */
const STILL_MS: Ms = 5000;

/**
 * Records a venue's streams of one market, with local stamps: its book, trades and marks, and the
 * requests, responses and fills of the own account. It decides nothing and sends no request.
 *
 * Records reach the store when a part is sealed: at midnight, at {@link close}, or by the next
 * recorder if this process ends otherwise.
 */
export class MarketStreamRecorder {
  readonly #options: RecorderOptions;
  readonly #lock: StoreLock;
  readonly #folder: string;
  readonly #clock: MonotonicWallClock;
  readonly #stamps: LocalStamps;
  readonly #parts: DayParts;
  readonly #book = new RecordedBook();
  readonly #openRequests = new Map<ActionId, RecordedAction>();
  readonly #sealed: SealedKind[];
  #tellsMark = true;
  /** True if this day's part already notes that amounts of its book are rounded. */
  #hasNotedRounding = false;
  /** When the recorder last ran. */
  #ranUs: number;
  /** When it last received a message of the market. */
  #marketReceivedUs: number;
  /** When it last received a book message that follows the book it has. */
  #bookUs: number;
  #timer: Timer | undefined;
  #failed: { readonly error: unknown } | undefined;
  #sealing: Promise<void> = Promise.resolve();

  private constructor(
    options: RecorderOptions,
    lock: StoreLock,
    folder: string,
    sealed: SealedKind[],
  ) {
    const { store, instrument, source, runtime } = options;
    this.#options = options;
    this.#lock = lock;
    this.#folder = folder;
    this.#sealed = sealed;
    this.#clock = new MonotonicWallClock(runtime.clock);
    this.#stamps = new LocalStamps(this.#clock);
    const us = this.#stamps.nowUs();
    this.#ranUs = us;
    this.#marketReceivedUs = us;
    this.#bookUs = us;
    const behindUs = clockBehindUs(store, instrument.marketId, us);
    const { marketId: market, tickSize, stepSize } = instrument;
    const grid = { tickSize, stepSize };
    this.#parts = new DayParts({ folder, market, grid, source, stamps: this.#stamps, behindUs });
    this.#begin(us);
  }

  /**
   * Opens a recorder, and seals the parts that an earlier one left.
   * @throws RunError while another process records the market; HistoryError as {@link sealPart}
   * does
   */
  static async open(options: RecorderOptions): Promise<MarketStreamRecorder> {
    const { store, instrument, limits } = options;
    store.folder({ market: instrument.marketId, kind: "book" });
    const folder = recordingFolder(store.root, instrument.marketId);
    const lock = StoreLock.take(folder);
    try {
      const sealed: SealedKind[] = [];
      for (const part of partsIn(folder)) sealed.push(...(await sealPart(store, part, limits)));
      return new MarketStreamRecorder(options, lock, folder, sealed);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Records an event of the venue.
   * @returns its number among the market's data, from 1 in the order of reception: marks have their
   * own count, book messages and trades share one. A day's first snapshot, which is not an event,
   * has a number too. Undefined for an event that is not market data
   */
  recordEvent(event: VenueEvent): number | undefined {
    return this.#guarded(() => this.#event(event, this.#turn()));
  }

  #event(event: VenueEvent, us: number): number | undefined {
    const { instrument } = this.#options;
    switch (event.type) {
      case "stream":
        this.#stream(event.stream, event.state === "up", event.reason, us);
        return undefined;
      case "malformed":
        this.#parts.addFinding(`${event.where}: ${event.reason}`, us);
        return undefined;
      case "answer": {
        const action = this.#openRequests.get(event.actionId);
        if (action === undefined) return undefined;
        this.#openRequests.delete(event.actionId);
        return this.#parts.add("orders", answerRecord(action, event.outcome, instrument), us);
      }
      case "order-update":
        if (event.order.marketId !== this.#market) return undefined;
        this.#parts.markStreamUp("account", us);
        return this.#parts.add(
          "orders",
          updateRecord(event.order, event.timestampMs, instrument),
          us,
        );
      case "trade-update":
        if (event.trade.marketId !== this.#market) return undefined;
        this.#parts.markStreamUp("account", us);
        return this.#parts.add("fills", fillRecord(event.trade, instrument), us);
      default:
        return "marketId" in event && event.marketId === this.#market
          ? this.#ofMarket(event, us)
          : undefined;
    }
  }

  /**
   * Records an action when it is sent; only places and cancels are recorded.
   * @param level of the quote that an order belongs to, 0 the best.
   */
  recordAction(action: Action, level?: number): void {
    if (action.kind !== "place" && action.kind !== "cancel" && action.kind !== "cancel-all") return;
    if (action.marketId !== this.#market) return;
    this.#guarded(() => {
      const us = this.#turn();
      this.#openRequests.set(action.actionId, action);
      this.#parts.add("orders", requestRecord(action, this.#options.instrument, level), us);
    });
  }

  /**
   * Adds a finding that readers of the recording must know; it is listed among its day's findings.
   */
  addFinding(finding: string): void {
    this.#guarded(() => this.#parts.addUncappedFinding(finding, this.#turn()));
  }

  /**
   * Ends the recording and seals it into the store.
   * @returns the days that were sealed during this recorder's lifetime.
   * @throws HistoryError, RunError as {@link sealPart} does, and any earlier failure; the recording
   * then stays staged
   */
  async close(): Promise<readonly SealedKind[]> {
    this.#timer?.cancel();
    this.#timer = undefined;
    const { store, limits } = this.#options;
    try {
      this.#guarded(() => {
        const us = this.#stamps.nowUs();
        this.#followClock(us);
        this.#parts.end(us);
      });
      await this.#sealing;
      if (this.#failed !== undefined)
        throw toDiskError(this.#failed.error, store.root) ?? this.#failed.error;
      for (const folder of partsIn(this.#folder))
        this.#sealed.push(...(await sealPart(store, folder, limits)));
      return this.#sealed;
    } finally {
      this.#lock.release();
    }
  }

  get #market(): string {
    return this.#options.instrument.marketId;
  }

  #ofMarket(
    event: Extract<VenueEvent, { readonly marketId: string }>,
    us: number,
  ): number | undefined {
    const { instrument } = this.#options;
    this.#marketReceivedUs = us;
    switch (event.type) {
      case "book-snapshot":
        this.#parts.markStreamUp("market", us);
        this.#noteJump(event.sequence, us);
        this.#bookUs = us;
        this.#book.snapshot(event.sequence, event.bids, event.asks);
        this.#noteRounded(event, us);
        this.#parts.markStreamUp("book", us);
        return this.#parts.add("book", snapshotRecord(this.#book, instrument), us);
      case "book-update": {
        this.#parts.markStreamUp("market", us);
        const { beginSequence, endSequence } = event;
        const before = this.#book.sequence;
        // Updates between a loss and the next snapshot are useless.
        if (before === undefined) return undefined;
        this.#noteRounded(event, us);
        const taken = this.#book.update(event);
        if (taken === "taken") {
          this.#bookUs = us;
          return this.#parts.add("book", bookRecord(event, instrument), us);
        }
        if (taken === "again") {
          this.#parts.addFinding(
            `book: the update ${beginSequence} to ${endSequence} was received twice`,
            us,
          );
          return undefined;
        }
        // Messages may have been lost right after the last one received.
        this.#parts.markStreamDown("book", this.#bookUs);
        this.#parts.addFinding(
          `book: updates are missing: ${beginSequence} to ${endSequence} followed ${before}`,
          us,
        );
        this.#options.onBookLost?.();
        return undefined;
      }
      case "public-trade":
        this.#parts.markStreamUp("market", us);
        return this.#parts.add("trades", tradeRecord(event, instrument), us);
      case "market-state":
        this.#parts.markStreamUp("market", us);
        return this.#mark(event, us);
      default:
        return undefined;
    }
  }

  /**
   * Notes a jump of the sequence. After a resynchronisation of a stalled stream the recorder has
   * the current book, but not the changes in between.
   */
  #noteJump(sequence: number, us: number): void {
    const before = this.#book.sequence;
    if (before === undefined || before === sequence) return;
    this.#parts.markStreamDown("book", this.#bookUs);
    this.#parts.addFinding(
      `book: updates are missing: a snapshot of ${sequence} followed ${before}`,
      us,
    );
  }

  /**
   * Notes rounded amounts once a day: orders placed on a finer grid stay in their market's book for
   * as long as they rest.
   */
  #noteRounded({ isRounded }: { readonly isRounded?: boolean }, us: number): void {
    if (isRounded !== true || this.#hasNotedRounding) return;
    this.#hasNotedRounding = true;
    this.#parts.addUncappedFinding(
      "book: prices and amounts off the market's grid are recorded rounded to it",
      us,
    );
  }

  /**
   * Skips a mark of zero, which an exchange without a mark sends. The store refuses a price of
   * zero, and would refuse all marks of the recording with it.
   */
  #mark(
    event: Extract<VenueEvent, { readonly type: "market-state" }>,
    us: number,
  ): number | undefined {
    const isThere = event.mark > 0n;
    if (!isThere && this.#tellsMark)
      this.#parts.addFinding("marks: the exchange sends a mark price of zero", us);
    this.#tellsMark = isThere;
    return isThere
      ? this.#parts.add("marks", markRecord(event, this.#options.instrument), us)
      : undefined;
  }

  #stream(stream: "market" | "account", isUp: boolean, reason: string, us: number): void {
    if (isUp) {
      this.#parts.markStreamUp(stream, us);
      return;
    }
    // A dead connection is silent long before it is closed. An account may have no events for
    // hours.
    const lastUs = stream === "market" ? this.#marketReceivedUs : us;
    const wasHeard = this.#parts.markStreamDown(stream, lastUs);
    if (stream === "market") {
      this.#book.lose();
      this.#parts.markStreamDown("book", lastUs);
    }
    if (wasHeard) this.#parts.addFinding(`the ${stream} stream was lost: ${reason}`, us);
  }

  /**
   * Begins the day's part if the message received now is the first of a day.
   * @returns its reception time, after the snapshot with which its part begins
   */
  #turn(): number {
    const us = this.#stamps.distinctUs();
    const isSet = this.#followClock(us);
    const isOver = this.#parts.isOver(us);
    if (isOver) this.#nextPart(us, us);
    return isSet || isOver ? this.#stamps.distinctUs() : us;
  }

  /**
   * Notes a stall of the recorder or a step of the machine's clock. Records without an exchange
   * stamp are dated by the latency of the rest of their part, so one part must have one clock.
   * @returns true if either happened
   */
  #followClock(us: number): boolean {
    const steps = this.#clock.takeSteps();
    const hasStalled = this.#noteStandstill(
      us - steps.reduce((sum, steppedMs) => sum + Math.max(0, steppedMs), 0) * 1000,
    );
    this.#ranUs = us;
    for (const steppedMs of steps) {
      const seconds = Math.abs(steppedMs) / 1000;
      if (steppedMs < 0) {
        this.#parts.addUncappedFinding(
          `this machine's clock was set back by ${seconds} s: the recording continues by the clock before`,
          us,
        );
        continue;
      }
      this.#nextPart(us - steppedMs * 1000, us, () => this.#parts.forgetLatency());
      this.#parts.addUncappedFinding(
        `this machine's clock went forward by ${seconds} s: either it was set, and later local times are off by as much, or the machine was suspended`,
        us,
      );
    }
    return hasStalled || steps.length > 0;
  }

  /**
   * The part repeats the book after the stall: after a minute without data, a replay treats a book
   * that continues without a snapshot as lost.
   */
  #noteStandstill(us: number): boolean {
    const stoodUs = us - this.#ranUs;
    if (stoodUs < STILL_MS * 1000 || !this.#parts.noteSilence(this.#ranUs, us)) return false;
    this.#addBook(us);
    this.#parts.addFinding(
      `the recorder stalled for ${(stoodUs / 1e6).toFixed(1)} s: data of that time is missing or late`,
      us,
    );
    return true;
  }

  #nextPart(endUs: number, beginUs: number, between?: () => void): void {
    const folder = this.#parts.end(endUs);
    this.#hasNotedRounding = false;
    between?.();
    this.#begin(beginUs);
    const { store, limits, sealsDays = true, onSealFailed } = this.#options;
    if (folder === undefined || !sealsDays) return;
    this.#sealing = this.#sealing
      .then(async () => {
        this.#sealed.push(...(await sealPart(store, folder, limits)));
      })
      .catch((error: unknown) => onSealFailed?.(error));
  }

  /** Each part begins with the whole book, so that it can be replayed alone. */
  #begin(us: number): void {
    this.#parts.begin(us);
    this.#addBook(us);
    this.#keepFlushing();
  }

  #addBook(us: number): void {
    if (this.#book.sequence !== undefined)
      this.#parts.add("book", snapshotRecord(this.#book, this.#options.instrument), us);
  }

  #keepFlushing(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.runtime.clock.setTimer(FLUSH_MS, () => {
      this.#guarded(() => {
        this.#followClock(this.#stamps.nowUs());
        this.#parts.flush();
        this.#keepFlushing();
      });
    });
  }

  /**
   * A recording with a hole would look complete, so after a failed write nothing more is written.
   */
  #guarded<Written>(write: () => Written): Written | undefined {
    if (this.#failed !== undefined) return undefined;
    try {
      return write();
    } catch (error) {
      this.#failed = { error };
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#parts.abandon();
      this.#options.onFailed?.(error);
      return undefined;
    }
  }
}
