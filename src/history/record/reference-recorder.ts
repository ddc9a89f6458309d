import { Decimal } from "decimal.js";
import type { Runtime, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { ReferenceUpdate } from "../../reference/reference-update.js";
import type { DuckLimits } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import { StoreLock } from "../store/store-lock.js";
import { toDiskError } from "../store/to-disk-error.js";
import { DayParts } from "./day-parts.js";
import { LocalStamps } from "./local-stamps.js";
import { MonotonicWallClock } from "./monotonic-wall-clock.js";
import type { OwnRecord } from "./own-records.js";
import { partsIn, referenceRecordingFolder } from "./recording-part.js";
import { type SealedKind, sealPart } from "./seal-part.js";

/** Options of a recorder of one source. */
export interface ReferenceRecorderOptions {
  readonly store: HistoryStore;
  /** The source's name in `references`, which is its name in the store too. */
  readonly source: string;
  readonly runtime: Runtime;
  /** As in `RecorderOptions`: a trading bot passes false. */
  readonly sealsDays?: boolean;
  readonly limits?: DuckLimits;
  /** Called when a finished day could not be sealed; it stays staged. */
  readonly onSealFailed?: (error: unknown) => void;
  /** Called once when records cannot be written. Nothing is recorded afterwards. */
  readonly onFailed?: (error: unknown) => void;
}

/** The longest time until received records are flushed, so that they outlive the process. */
const FLUSH_MS: Ms = 1000;
/** A recorder whose one-second timer does not run for this long has stalled. */
const STILL_MS: Ms = 5000;
/** Digits of a price that are kept. Binary fractions have more, which mean nothing. */
const DIGITS = 15;
/** Decimal places of a price that are kept, since a day counts all its prices in one place. */
const PLACES = 12;
/** Times beyond are no times of a price. */
const MOST_TIME_MS = 4_000_000_000_000;

/**
 * Records the messages of one source of reference prices as they enter a bot: when each was
 * received, its prices, the source's own time, and when the source was gone. The time without the
 * recorder is a gap of the store.
 */
export class ReferenceRecorder {
  readonly #options: ReferenceRecorderOptions;
  readonly #lock: StoreLock;
  readonly #folder: string;
  readonly #clock: MonotonicWallClock;
  readonly #stamps: LocalStamps;
  readonly #parts: DayParts;
  readonly #sealed: SealedKind[];
  #lastUs = Number.NEGATIVE_INFINITY;
  /** When the recorder last ran. */
  #ranUs: number;
  #timer: Timer | undefined;
  #failed: { readonly error: unknown } | undefined;
  #sealing: Promise<void> = Promise.resolve();

  private constructor(
    options: ReferenceRecorderOptions,
    lock: StoreLock,
    folder: string,
    sealed: SealedKind[],
  ) {
    const { source, runtime } = options;
    this.#options = options;
    this.#lock = lock;
    this.#folder = folder;
    this.#sealed = sealed;
    this.#clock = new MonotonicWallClock(runtime.clock);
    this.#stamps = new LocalStamps(this.#clock);
    this.#parts = new DayParts({
      folder,
      market: source,
      grid: undefined,
      source: `reference ${source}`,
      stamps: this.#stamps,
      behindUs: undefined,
    });
    const us = this.#stamps.nowUs();
    this.#ranUs = us;
    this.#begin(us);
    this.#parts.markStreamUp("reference", us);
  }

  /**
   * Opens a recorder, and seals what an earlier one left.
   * @throws RunError while another process records the source; ConfigError for a name that cannot
   * be a folder of the store; HistoryError as {@link sealPart} does
   */
  static async open(options: ReferenceRecorderOptions): Promise<ReferenceRecorder> {
    const { store, source, limits } = options;
    store.folder({ market: source, kind: "reference" });
    const folder = referenceRecordingFolder(store.root, source);
    const lock = StoreLock.take(folder);
    try {
      const sealed: SealedKind[] = [];
      for (const part of partsIn(folder)) sealed.push(...(await sealPart(store, part, limits)));
      return new ReferenceRecorder(options, lock, folder, sealed);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Records a message now. Messages of other sources are ignored. */
  record(update: ReferenceUpdate): void {
    if (update.source !== this.#options.source) return;
    this.#guarded(() => {
      this.#follow();
      const nowUs = this.#stamps.nowUs();
      const heldUs = update.type === "price" ? Math.round(update.heldMs * 1000) : 0;
      // The messages of a source never overtake each other.
      const us = Math.max(nowUs - heldUs, this.#lastUs + 1);
      this.#lastUs = us;
      this.#parts.add("reference", recordOf(update), us);
    });
  }

  /**
   * Ends the recording and seals it into the store.
   * @returns the days that were sealed during this recorder's lifetime.
   * @throws as {@link sealPart} does, and any earlier failure; the recording then stays staged
   */
  async close(): Promise<readonly SealedKind[]> {
    this.#timer?.cancel();
    this.#timer = undefined;
    const { store, limits } = this.#options;
    try {
      this.#guarded(() => {
        this.#follow();
        this.#parts.end(Math.max(this.#stamps.nowUs(), this.#lastUs));
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

  /** Notes a stall and a step of the clock, and begins the part of a new day. */
  #follow(): void {
    const us = this.#stamps.nowUs();
    const steps = this.#clock.takeSteps();
    const steppedUs = steps.reduce((sum, ms) => sum + Math.max(0, ms), 0) * 1000;
    if (us - steppedUs - this.#ranUs >= STILL_MS * 1000) {
      this.#parts.noteSilence(this.#ranUs, us);
      this.#parts.addFinding(
        `the recorder stalled for ${((us - steppedUs - this.#ranUs) / 1e6).toFixed(1)} s: prices of that time are missing or late`,
        us,
      );
    }
    for (const ms of steps) {
      // The time that the clock skipped was not recorded.
      if (ms > 0) this.#nextPart(us - ms * 1000, us);
      this.#parts.addFinding(
        ms < 0
          ? `this machine's clock was set back by ${-ms / 1000} s: the recording continues by the clock before`
          : `this machine's clock went forward by ${ms / 1000} s: either it was set, or the machine was suspended`,
        us,
      );
    }
    this.#ranUs = us;
    if (this.#parts.isOver(us)) this.#nextPart(us, us);
  }

  #nextPart(endUs: number, beginUs: number): void {
    const folder = this.#parts.end(Math.max(endUs, this.#lastUs));
    this.#begin(beginUs);
    const { store, limits, sealsDays = true, onSealFailed } = this.#options;
    if (folder === undefined || !sealsDays) return;
    this.#sealing = this.#sealing
      .then(async () => {
        this.#sealed.push(...(await sealPart(store, folder, limits)));
      })
      .catch((error: unknown) => onSealFailed?.(error));
  }

  #begin(us: number): void {
    this.#parts.begin(us);
    // A price that waited in the conflation over midnight belongs to the new day.
    this.#lastUs = Math.max(this.#lastUs, us - 1);
    this.#keepFlushing();
  }

  #keepFlushing(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.runtime.clock.setTimer(FLUSH_MS, () => {
      this.#guarded(() => {
        this.#follow();
        this.#parts.flush();
        this.#keepFlushing();
      });
    });
  }

  /** A recording with a hole would look complete, so nothing is written after a failure. */
  #guarded(write: () => void): void {
    if (this.#failed !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#failed = { error };
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#parts.abandon();
      this.#options.onFailed?.(error);
    }
  }
}

function recordOf(update: ReferenceUpdate): OwnRecord {
  if (update.type === "down") return { down: update.reason };
  const { bid, ask, timeMs } = update;
  return { bid: priceText(bid), ask: priceText(ask), sourceNs: sourceNsOf(timeMs) };
}

/** The price as exact text; undefined for a value that is not a price, such as a missing side. */
function priceText(price: number): string | undefined {
  if (!(price > 0) || !Number.isFinite(price)) return undefined;
  const text = new Decimal(price).toSignificantDigits(DIGITS).toDecimalPlaces(PLACES);
  return text.gt(0) ? text.toFixed() : undefined;
}

/** As text, since it has more digits than a float; exact to the microsecond. */
function sourceNsOf(timeMs: Ms | undefined): string | undefined {
  if (timeMs === undefined || !(Math.abs(timeMs) < MOST_TIME_MS)) return undefined;
  return `${Math.round(timeMs * 1000)}000`;
}
