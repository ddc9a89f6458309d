import type { Timer } from "../../core/runtime/seam.js";
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

/** After so long at most, what was heard outlives the process. */
const FLUSH_MS: Ms = 1000;
/** A recorder that does not come to run for so long, though its timer is due each second, stands still: what it is told meanwhile is held back, or lost. */
const STILL_MS: Ms = 5000;

/**
 * Records what a venue tells of one market, with local stamps: its book, trades and marks, and of the own account what was asked, answered and
 * filled. It decides nothing and asks for nothing. Nothing is in the store before it is sealed: at midnight, at {@link close}, or by the next
 * recorder where this process ends otherwise.
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
  /** Whether this day's part says that amounts of its book are rounded. */
  #hasNotedRounding = false;
  /** When the recorder last came to run. */
  #ranUs: number;
  /** When it last heard of the market. */
  #marketHeardUs: number;
  /** When it last heard of the book what follows on what it has. */
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
    const { store, instrument, source, runtime: seam } = options;
    this.#options = options;
    this.#lock = lock;
    this.#folder = folder;
    this.#sealed = sealed;
    this.#clock = new MonotonicWallClock(seam.clock);
    this.#stamps = new LocalStamps(this.#clock);
    const us = this.#stamps.nowUs();
    this.#ranUs = us;
    this.#marketHeardUs = us;
    this.#bookUs = us;
    const behindUs = clockBehindUs(store, instrument.marketId, us);
    this.#parts = new DayParts({ folder, instrument, source, stamps: this.#stamps, behindUs });
    this.#begin(us);
  }

  /**
   * Opens a recorder, and puts into the store what one before it left.
   * @throws RunError while another process records the market; HistoryError as {@link sealPart} does
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
   * Takes what the venue told.
   * @returns the number by which the market's data have it: of a mark among the marks, of a message of the book or a trade among both, counted from 1 as
   * they were heard. A day's first snapshot, which no event is, has one too. Undefined for what is not of the market's data
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

  /** Takes an action as it leaves; only places and cancels are recorded. @param level of the quote that an order is, 0 the best. */
  recordAction(action: Action, level?: number): void {
    if (action.kind !== "place" && action.kind !== "cancel" && action.kind !== "cancel-all") return;
    if (action.marketId !== this.#market) return;
    this.#guarded(() => {
      const us = this.#turn();
      this.#openRequests.set(action.actionId, action);
      this.#parts.add("orders", requestRecord(action, this.#options.instrument, level), us);
    });
  }

  /** Says what whoever reads the recording must know of it: it stands under its day's findings. */
  addFinding(finding: string): void {
    this.#guarded(() => this.#parts.addUncappedFinding(finding, this.#turn()));
  }

  /**
   * Ends the recording and puts it into the store.
   * @returns what went there in this recorder's time. @throws HistoryError, RunError as {@link sealPart} does, and what it failed with before; the recording then stays where it is
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
    this.#marketHeardUs = us;
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
        // What comes between a loss and the next snapshot tells nothing.
        if (before === undefined) return undefined;
        this.#noteRounded(event, us);
        const taken = this.#book.update(event);
        if (taken === "taken") {
          this.#bookUs = us;
          return this.#parts.add("book", bookRecord(event, instrument), us);
        }
        if (taken === "again") {
          this.#parts.addFinding(`book: ${beginSequence} to ${endSequence} came again`, us);
          return undefined;
        }
        // What is missing may have been told right after it.
        this.#parts.markStreamDown("book", this.#bookUs);
        this.#parts.addFinding(`book: after ${before} came ${beginSequence} to ${endSequence}`, us);
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

  /** Who asks for the book anew since its stream stood still is told what is now, and not what was told meanwhile. */
  #noteJump(sequence: number, us: number): void {
    const before = this.#book.sequence;
    if (before === undefined || before === sequence) return;
    this.#parts.markStreamDown("book", this.#bookUs);
    this.#parts.addFinding(`book: after ${before} came the whole one of ${sequence}`, us);
  }

  /** Said once a day: of orders that were placed on a finer grid, their market's book has some for as long as they rest. */
  #noteRounded({ isRounded }: { readonly isRounded?: boolean }, us: number): void {
    if (isRounded !== true || this.#hasNotedRounding) return;
    this.#hasNotedRounding = true;
    this.#parts.addUncappedFinding(
      "book: prices between the market's ticks, and amounts between its steps, are recorded as the next whole ones",
      us,
    );
  }

  /** An exchange that has no mark yet tells one of zero. The store refuses a price of zero, and with it all the marks that the recording has. */
  #mark(
    event: Extract<VenueEvent, { readonly type: "market-state" }>,
    us: number,
  ): number | undefined {
    const isThere = event.mark > 0n;
    if (!isThere && this.#tellsMark)
      this.#parts.addFinding("marks: the exchange tells a mark of zero", us);
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
    // A dead line is silent long before it is given up. An account may have nothing to tell for hours.
    const lastUs = stream === "market" ? this.#marketHeardUs : us;
    const wasHeard = this.#parts.markStreamDown(stream, lastUs);
    if (stream === "market") {
      this.#book.lose();
      this.#parts.markStreamDown("book", lastUs);
    }
    if (wasHeard) this.#parts.addFinding(`the ${stream} stream was lost: ${reason}`, us);
  }

  /** Begins the day's part where what is heard now is the first of a day. @returns when it is heard: after the whole book that its part begins with */
  #turn(): number {
    const us = this.#stamps.distinctUs();
    const isSet = this.#followClock(us);
    const isOver = this.#parts.isOver(us);
    if (isOver) this.#nextPart(us, us);
    return isSet || isOver ? this.#stamps.distinctUs() : us;
  }

  /**
   * Says where the recorder stood still, or the machine's clock was set. What the exchange does not stamp is dated by how late the rest of its part is heard: one part has one clock.
   * @returns whether anything of it was
   */
  #followClock(us: number): boolean {
    const steps = this.#clock.takeSteps();
    const stood = this.#noteStandstill(
      us - steps.reduce((sum, steppedMs) => sum + Math.max(0, steppedMs), 0) * 1000,
    );
    this.#ranUs = us;
    for (const steppedMs of steps) {
      const seconds = Math.abs(steppedMs) / 1000;
      if (steppedMs < 0) {
        this.#parts.addUncappedFinding(
          `this machine's clock was set back by ${seconds} s: the recording keeps to the time before`,
          us,
        );
        continue;
      }
      this.#nextPart(us - steppedMs * 1000, us, () => this.#parts.forgetLatency());
      this.#parts.addUncappedFinding(
        `this machine's clock went forward by ${seconds} s: it was set, and all from here on is heard that much later, or the machine stood still`,
        us,
      );
    }
    return stood || steps.length > 0;
  }

  /** The book stands there again after it: a replay takes one that goes on without a snapshot, after a minute that nobody heard, for lost. */
  #noteStandstill(us: number): boolean {
    const stoodUs = us - this.#ranUs;
    if (stoodUs < STILL_MS * 1000 || !this.#parts.noteSilence(this.#ranUs, us)) return false;
    this.#addBook(us);
    this.#parts.addFinding(
      `the recorder stood still for ${(stoodUs / 1e6).toFixed(1)} s: what was told meanwhile is missing, or late`,
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

  /** Each part begins with the whole book: it is replayed by itself. */
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

  /** A recording with a hole in it would look whole: after what could not be written nothing is. */
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
