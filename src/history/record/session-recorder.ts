import type { Instrument } from "../../core/instrument.js";
import type { Seam, Timer } from "../../core/seam.js";
import type { Ms } from "../../core/units.js";
import type { Action, ActionId, VenueEvent } from "../../exchange/venue.js";
import { dayOf } from "../day.js";
import { diskTrouble } from "../disk-trouble.js";
import type { DuckLimits } from "../duck.js";
import type { HistoryStore } from "../store.js";
import { StoreLock } from "../store-lock.js";
import { clockBehindUs } from "./clock-behind.js";
import { LocalStamps } from "./local-stamps.js";
import { bookRecord, markRecord, snapshotRecord, tradeRecord } from "./market-records.js";
import { answerRecord, fillRecord, type OwnRecord, type RecordedAction, requestRecord, updateRecord } from "./own-records.js";
import { RecordedBook } from "./recorded-book.js";
import { type HeardStream, partsIn, type RecordedKind, RecordingPart, recordingFolder } from "./recording-part.js";
import { type SealedKind, sealPart } from "./seal-part.js";

/** What a recorder is made of. */
export interface SessionRecorderOptions {
  readonly store: HistoryStore;
  /** Of the market that is recorded; whatever is told of others is passed over. */
  readonly instrument: Instrument;
  /** Who tells: the exchange's address, and the account where it is recorded too. It stands in the manifests. */
  readonly source: string;
  readonly seam: Seam;
  /**
   * Puts a day into the store when it is over, which takes a processor for a while (default). A bot that trades says false: its days wait until it
   * ends, or until the market is recorded again.
   */
  readonly sealsDays?: boolean;
  readonly limits?: DuckLimits;
  /** Told when the book's sequence broke: whoever owns the stream has it sent anew. */
  readonly onBookLost?: () => void;
  /** Told when a day that is over could not be put into the store: it stays where it is, and the next recording tries again. */
  readonly onSealFailed?: (error: unknown) => void;
  /** Told once when what is heard cannot be written, as on a full disk: nothing is recorded from then on, and {@link SessionRecorder.close} throws it. */
  readonly onFailed?: (error: unknown) => void;
}

/** After so long at most, what was heard outlives the process. */
const FLUSH_MS: Ms = 1000;

/**
 * Records what a venue tells of one market, with local stamps: its book, trades and marks, and of the own account what was asked, answered and
 * filled. It decides nothing and asks for nothing. Nothing is in the store before it is sealed: at midnight, at {@link close}, or by the next
 * recorder where this process ends otherwise.
 */
export class SessionRecorder {
  readonly #options: SessionRecorderOptions;
  readonly #lock: StoreLock;
  readonly #folder: string;
  readonly #stamps: LocalStamps;
  readonly #book = new RecordedBook();
  readonly #heard = new Set<HeardStream>();
  readonly #asked = new Map<ActionId, RecordedAction>();
  readonly #sealed: SealedKind[] = [];
  #part: RecordingPart | undefined;
  #day = "";
  #messages = 0;
  #marks = 0;
  #number: number | undefined;
  /** Of all that the exchange stamped. A day is over by its clock, not by ours: what follows belongs into the next day's file. */
  #smallestUs: number | undefined;
  /** Until the exchange has stamped anything. */
  #behindUs: number | undefined;
  #timer: Timer | undefined;
  #failed: { readonly error: unknown } | undefined;
  #sealing: Promise<void> = Promise.resolve();

  private constructor(options: SessionRecorderOptions, lock: StoreLock, folder: string) {
    this.#options = options;
    this.#lock = lock;
    this.#folder = folder;
    this.#stamps = new LocalStamps(options.seam.clock);
  }

  /**
   * Opens a recorder, and puts into the store what one before it left.
   * @throws RunError while another process records the market; HistoryError as {@link sealPart} does
   */
  static async open(options: SessionRecorderOptions): Promise<SessionRecorder> {
    const { store, instrument, limits } = options;
    store.folder({ market: instrument.marketId, kind: "book" });
    const folder = recordingFolder(store.root, instrument.marketId);
    const lock = StoreLock.take(folder);
    try {
      const recorder = new SessionRecorder(options, lock, folder);
      for (const part of partsIn(folder)) recorder.#sealed.push(...(await sealPart(store, part, limits)));
      recorder.#behindUs = clockBehindUs(store, instrument.marketId, recorder.#stamps.nowUs());
      recorder.#begin();
      return recorder;
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
  event(event: VenueEvent): number | undefined {
    this.#number = undefined;
    this.#guarded(() => this.#event(event));
    return this.#number;
  }

  #event(event: VenueEvent): void {
    const us = this.#stamps.distinctUs();
    this.#turn(us);
    // The day's snapshot is none of the event's.
    this.#number = undefined;
    switch (event.type) {
      case "stream":
        this.#stream(event.stream, event.state === "up", event.reason, us);
        break;
      case "malformed":
        this.#find(`${event.where}: ${event.reason}`, us);
        break;
      case "answer": {
        const action = this.#asked.get(event.actionId);
        if (action === undefined) break;
        this.#asked.delete(event.actionId);
        this.#add("orders", answerRecord(action, event.outcome, this.#options.instrument), us);
        break;
      }
      case "order-update":
        if (event.order.marketId !== this.#market) break;
        this.#hear("account", us);
        this.#add("orders", updateRecord(event.order, event.timestampMs, this.#options.instrument), us);
        break;
      case "trade-update":
        if (event.trade.marketId !== this.#market) break;
        this.#hear("account", us);
        this.#add("fills", fillRecord(event.trade, this.#options.instrument), us);
        break;
      default:
        if ("marketId" in event && event.marketId === this.#market) this.#ofMarket(event, us);
    }
  }

  /** Takes an action as it leaves; only places and cancels are recorded. @param level of the quote that an order is, 0 the best. */
  action(action: Action, level?: number): void {
    if (action.kind !== "place" && action.kind !== "cancel" && action.kind !== "cancel-all") return;
    if (action.marketId !== this.#market) return;
    this.#guarded(() => {
      const us = this.#stamps.distinctUs();
      this.#turn(us);
      this.#asked.set(action.actionId, action);
      this.#add("orders", requestRecord(action, this.#options.instrument, level), us);
    });
  }

  /**
   * Ends the recording and puts it into the store.
   * @returns what went there in this recorder's time. @throws HistoryError, RunError as {@link sealPart} does, and what it failed with before; the recording then stays where it is
   */
  async close(): Promise<readonly SealedKind[]> {
    this.#timer?.cancel();
    this.#timer = undefined;
    const part = this.#part;
    this.#part = undefined;
    const { store, limits } = this.#options;
    try {
      this.#guarded(() => {
        part?.note({ at: this.#stamps.nowUs(), ended: true });
        part?.close();
      });
      await this.#sealing;
      if (this.#failed !== undefined) throw diskTrouble(this.#failed.error, store.root) ?? this.#failed.error;
      for (const folder of partsIn(this.#folder)) this.#sealed.push(...(await sealPart(store, folder, limits)));
      return this.#sealed;
    } finally {
      this.#lock.release();
    }
  }

  get #market(): string {
    return this.#options.instrument.marketId;
  }

  #ofMarket(event: Extract<VenueEvent, { readonly marketId: string }>, us: number): void {
    const { instrument } = this.#options;
    switch (event.type) {
      case "book-snapshot":
        this.#hear("market", us);
        this.#book.snapshot(event.sequence, event.bids, event.asks);
        this.#hear("book", us);
        this.#add("book", snapshotRecord(this.#book, instrument), us);
        break;
      case "book-update": {
        this.#hear("market", us);
        const { beginSequence, endSequence, bids, asks } = event;
        const before = this.#book.sequence;
        // What comes between a loss and the next snapshot tells nothing.
        if (before === undefined) break;
        if (!this.#book.update(beginSequence, endSequence, bids, asks)) {
          this.#unhear("book", us);
          this.#find(`book: after ${before} came ${beginSequence} to ${endSequence}`, us);
          this.#options.onBookLost?.();
          break;
        }
        this.#add("book", bookRecord(event, instrument), us);
        break;
      }
      case "public-trade":
        this.#hear("market", us);
        this.#add("trades", tradeRecord(event, instrument), us);
        break;
      case "market-state":
        this.#hear("market", us);
        this.#add("marks", markRecord(event, instrument), us);
        break;
      default:
    }
  }

  #stream(stream: "market" | "account", isUp: boolean, reason: string, us: number): void {
    if (isUp) {
      this.#hear(stream, us);
      return;
    }
    const wasHeard = this.#heard.has(stream);
    this.#unhear(stream, us);
    if (stream === "market") {
      this.#book.lose();
      this.#unhear("book", us);
    }
    if (wasHeard) this.#find(`the ${stream} stream was lost: ${reason}`, us);
  }

  #hear(stream: HeardStream, us: number): void {
    if (this.#heard.has(stream)) return;
    this.#heard.add(stream);
    this.#part?.note({ at: us, stream, isHeard: true });
    // A stream on which nothing happened is known to be empty.
    for (const kind of stream === "account" ? (["orders", "fills"] as const) : (["book", "trades", "marks"] as const))
      this.#part?.touch(kind);
  }

  #unhear(stream: HeardStream, us: number): void {
    if (this.#heard.delete(stream)) this.#part?.note({ at: us, stream, isHeard: false });
  }

  #find(finding: string, us: number): void {
    this.#part?.note({ at: us, finding });
  }

  #add(kind: RecordedKind, record: OwnRecord, us: number): void {
    if (record.time !== undefined) this.#smallestUs = Math.min(this.#smallestUs ?? Number.POSITIVE_INFINITY, us - record.time * 1000);
    if (kind === "marks") this.#number = this.#marks += 1;
    else if (kind === "book" || kind === "trades") this.#number = this.#messages += 1;
    this.#part?.add(kind, { ...record, line: this.#stamps.placeOf(us), recvTimeNs: `${us}000` });
  }

  /** Begins the day's part where this is the first that is heard of a day. */
  #turn(us: number): void {
    if (this.#part === undefined || this.#dayAt(us) <= this.#day) return;
    this.#part.note({ at: us, ended: true });
    this.#part.close();
    const { folder } = this.#part;
    this.#timer?.cancel();
    this.#begin();
    const { store, limits, sealsDays = true, onSealFailed } = this.#options;
    if (!sealsDays) return;
    this.#sealing = this.#sealing
      .then(async () => {
        this.#sealed.push(...(await sealPart(store, folder, limits)));
      })
      .catch((error: unknown) => onSealFailed?.(error));
  }

  #begin(): void {
    const { instrument, source } = this.#options;
    const us = this.#stamps.nowUs();
    const { marketId: market, tickSize, stepSize } = instrument;
    this.#day = this.#dayAt(us);
    this.#part = RecordingPart.begin(this.#folder, this.#stamps.placeOf(us), {
      market,
      source,
      grid: { tickSize, stepSize },
      ...(this.#smallestUs === undefined ? {} : { smallestUs: this.#smallestUs }),
      ...(this.#behindUs === undefined ? {} : { behindUs: this.#behindUs }),
    });
    const heard = [...this.#heard];
    this.#heard.clear();
    for (const stream of heard) this.#hear(stream, us);
    if (this.#book.sequence !== undefined) this.#add("book", snapshotRecord(this.#book, instrument), us);
    this.#keepFlushing();
  }

  /** The exchange's day at a local instant. */
  #dayAt(us: number): string {
    return dayOf(Math.floor((us - (this.#smallestUs ?? this.#behindUs ?? 0)) / 1000));
  }

  #keepFlushing(): void {
    this.#timer = this.#options.seam.clock.setTimer(FLUSH_MS, () => {
      this.#guarded(() => {
        if (this.#heard.size > 0) this.#part?.note({ at: this.#stamps.nowUs(), alive: true });
        this.#part?.flush();
        this.#keepFlushing();
      });
    });
  }

  /** A recording with a hole in it would look whole: after what could not be written nothing is. */
  #guarded(write: () => void): void {
    if (this.#failed !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#failed = { error };
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#part?.abandon();
      this.#part = undefined;
      this.#options.onFailed?.(error);
    }
  }
}
