import { ConfigError, MarketwrightError, RunError } from "../../../core/errors.js";
import type { Instrument } from "../../../core/instrument.js";
import { createQueueModel } from "../../../core/queue/queue-model-names.js";
import { riskAverseQueue } from "../../../core/queue/queue-models.js";
import type { Runtime, Timer } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { FlowMarket, OrderFlow } from "../flow-market.js";
import { readCapture } from "./capture.js";
import type { CapturedMark, CaptureEvent } from "./capture-events.js";
import type { CaptureFiles } from "./capture-files.js";
import { CapturedDepth } from "./captured-depth.js";
import { ReplaySource } from "./replay-source.js";

/** The capture to replay, its part, and the speed. */
export interface ReplayFlowOptions {
  readonly files: CaptureFiles;
  /**
   * Gaps between recorded events are divided by this; everything else of the exchange stays in wall
   * time.
   */
  readonly speed: number;
  /**
   * Capture time (epoch milliseconds) to begin at; earlier events only build the book. Default: the
   * instant of its first snapshot.
   */
  readonly fromMs?: Ms;
  /** The duration to play, in capture time; default: to its end. */
  readonly forMs?: Ms;
  /**
   * The model of participants' positions in the recorded queues: a name of
   * {@link createQueueModel}. Default: risk-averse.
   */
  readonly queue?: string;
  /** Events read ahead; the default holds some seconds of a busy market. */
  readonly readAhead?: number;
}

/** The reason why a replay ended. The exchange keeps running with the book as it is then. */
export interface ReplayEnd {
  /**
   * `capture-end`: all was played; `limit`: `forMs` has passed; `failed`: the capture could not be
   * read further.
   */
  readonly reason: "capture-end" | "limit" | "failed";
  /** Capture time of the last event played, or undefined if there was none. */
  readonly captureMs: Ms | undefined;
  readonly messages: number;
  readonly prints: number;
  /** With `failed`: a FormatError naming file and line, a ConfigError or a RunError. */
  readonly error?: MarketwrightError;
}

const DEFAULT_READ_AHEAD = 20_000;
/**
 * A recorder requests its snapshot right after connecting. A capture without one within this time
 * has none.
 */
const SNAPSHOT_WITHIN_MS: Ms = 5_000;

/**
 * The flow `replay`: a recorded book, its trades and its marks drive one market. It opens with the
 * book built from all messages up to the first snapshot (or up to `fromMs`), so that the published
 * book is never one of diffs alone. From then on each recorded message is one atomic change at its
 * time, and recorded trades fill participants' orders by the exchange's queue rule. Without
 * recorded marks the exchange uses its own one-second mid.
 */
export class ReplayFlow implements OrderFlow {
  readonly #options: ReplayFlowOptions;
  readonly #onEnd: (end: ReplayEnd) => void;
  readonly #depth = new CapturedDepth();
  #source: ReplaySource | undefined;
  #run:
    | {
        readonly market: FlowMarket;
        readonly runtime: Runtime;
        readonly startedAt: number;
        readonly captureStartMs: Ms;
      }
    | undefined;
  #timer: Timer | undefined;
  #stopped = false;
  #captureMs: Ms | undefined;
  #messages = 0;
  #prints = 0;

  /**
   * @param onEnd called once when the replay is over (not after {@link stop}).
   * @throws ConfigError when speed, `fromMs`, `forMs` or `readAhead` is out of range.
   */
  constructor(options: ReplayFlowOptions, onEnd: (end: ReplayEnd) => void) {
    requirePositive("speed", options.speed);
    if (options.forMs !== undefined) requirePositive("forMs", options.forMs);
    if (options.fromMs !== undefined) requirePositive("fromMs", options.fromMs);
    if (options.readAhead !== undefined) requirePositive("readAhead", options.readAhead);
    this.#options = options;
    this.#onEnd = onEnd;
  }

  /** Capture time of the last event played; undefined before the first. */
  get captureMs(): Ms | undefined {
    return this.#captureMs;
  }

  /** Capture time at the market's opening: `fromMs`, or the snapshot's own; undefined before. */
  get captureStartMs(): Ms | undefined {
    return this.#run?.captureStartMs;
  }

  /** The number of levels of the recorded book on both sides. */
  get recordedLevels(): number {
    return this.#depth.levels;
  }

  /**
   * Reads the whole capture in advance. A run in virtual time needs this, since virtual time does
   * not wait for a disk. Without it, `start` reads ahead while it plays. A read error is reported
   * when its event is due.
   */
  async preload(instrument: Instrument): Promise<void> {
    this.#source ??= new ReplaySource(
      readCapture(this.#options.files, instrument),
      Number.POSITIVE_INFINITY,
    );
    await this.#source.fill();
  }

  /**
   * Begins at once when preloaded, else as soon as enough is read.
   * @throws RunError when started twice or after stop.
   */
  start(market: FlowMarket, runtime: Runtime): void {
    if (this.#run !== undefined || this.#stopped)
      throw new RunError("a replay can be started only once", { field: market.marketId });
    this.#source ??= new ReplaySource(
      readCapture(this.#options.files, market.instrument),
      this.#options.readAhead ?? DEFAULT_READ_AHEAD,
    );
    this.#prime(market, runtime, {
      seenSnapshot: false,
      firstMs: undefined,
      lastMs: 0,
      mark: undefined,
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#closeSource();
  }

  /**
   * Builds the opening book; reads more and is called again while the events so far do not suffice.
   */
  #prime(market: FlowMarket, runtime: Runtime, primed: Primed): void {
    for (let event = this.#peek(); event !== undefined; event = this.#peek()) {
      primed.firstMs ??= event.timeMs;
      const complete = primed.seenSnapshot || event.timeMs >= primed.firstMs + SNAPSHOT_WITHIN_MS;
      if (complete && event.timeMs >= (this.#options.fromMs ?? 0)) {
        this.#open(
          market,
          runtime,
          Math.max(primed.lastMs, this.#options.fromMs ?? 0),
          primed.mark,
        );
        return;
      }
      this.#source?.drop();
      primed.lastMs = event.timeMs;
      if (event.kind === "mark") primed.mark = event;
      if (event.kind === "snapshot") primed.seenSnapshot = true;
      if (event.kind === "snapshot" || event.kind === "update") this.#depth.apply(event);
    }
    this.#afterReading(() => this.#prime(market, runtime, primed), this.#nothingToPlay(primed));
  }

  #open(
    market: FlowMarket,
    runtime: Runtime,
    captureStartMs: Ms,
    mark: CapturedMark | undefined,
  ): void {
    this.#run = { market, runtime, startedAt: runtime.clock.monotonicMs(), captureStartMs };
    market.attachRecorded(
      this.#depth,
      createQueueModel(this.#options.queue ?? riskAverseQueue.name, market.instrument.lotBase),
    );
    // Participants may have orders already: one empty message tests the opening book against them.
    market.applyRecorded({ kind: "update", bids: [], asks: [] });
    if (mark !== undefined) applyMark(market, mark);
    this.#playDue();
  }

  /** Plays all due events, in order, and sets the timer for the next one. */
  #playDue(): void {
    const run = this.#run;
    if (run === undefined || this.#stopped) return;
    const endMs = run.captureStartMs + (this.#options.forMs ?? Number.POSITIVE_INFINITY);
    for (let event = this.#peek(); event !== undefined; event = this.#peek()) {
      const overLimit = event.timeMs >= endMs;
      const dueAt =
        run.startedAt + (Math.min(event.timeMs, endMs) - run.captureStartMs) / this.#options.speed;
      const waitMs = Math.ceil(dueAt - run.runtime.clock.monotonicMs());
      if (waitMs > 0) {
        this.#timer = run.runtime.clock.setTimer(waitMs, () => this.#playDue());
        void this.#source?.fill();
        return;
      }
      if (overLimit) {
        this.#finish("limit");
        return;
      }
      this.#source?.drop();
      this.#play(run.market, event);
      // A participant's reaction to this event may have stopped the exchange.
      if (this.#stopped) return;
    }
    this.#afterReading(() => this.#playDue(), undefined);
  }

  #play(market: FlowMarket, event: CaptureEvent): void {
    this.#captureMs = event.timeMs;
    switch (event.kind) {
      case "snapshot":
      case "update":
        this.#messages += 1;
        market.applyRecorded(event);
        return;
      case "trade":
        this.#prints += 1;
        market.recordedPrint({
          aggressor: event.aggressor,
          ticks: event.ticks,
          lots: event.lots,
          timeMs: market.nowMs(),
        });
        return;
      case "mark":
        applyMark(market, event);
    }
  }

  #peek(): CaptureEvent | undefined {
    if (this.#stopped) return undefined;
    try {
      return this.#source?.peek();
    } catch (error) {
      if (!(error instanceof MarketwrightError)) throw error;
      this.#finish("failed", error);
      return undefined;
    }
  }

  /**
   * Continues with `then` once more has been read. At the capture's end it finishes, with the error
   * `orElse` if given.
   */
  #afterReading(then: () => void, orElse: MarketwrightError | undefined): void {
    const source = this.#source;
    if (source === undefined || this.#stopped) return;
    if (source.isOver) {
      if (orElse === undefined) this.#finish("capture-end");
      else this.#finish("failed", orElse);
      return;
    }
    void source.pull().then(then);
  }

  #nothingToPlay(primed: Primed): MarketwrightError {
    return this.#options.fromMs === undefined || primed.firstMs === undefined
      ? new RunError("the capture has no events after its first snapshot", {
          field: this.#options.files.books,
          expected: "a capture with events after its first snapshot",
        })
      : new ConfigError("is after the end of the capture", {
          field: "fromMs",
          value: this.#options.fromMs,
          expected: "a time inside the capture",
        });
  }

  #finish(reason: ReplayEnd["reason"], error?: MarketwrightError): void {
    this.stop();
    const end = {
      reason,
      captureMs: this.#captureMs,
      messages: this.#messages,
      prints: this.#prints,
    };
    this.#onEnd(error === undefined ? end : { ...end, error });
  }

  #closeSource(): void {
    // Closing only ends the readers. An error from them no longer matters.
    void this.#source?.close();
  }
}

interface Primed {
  seenSnapshot: boolean;
  firstMs: Ms | undefined;
  lastMs: Ms;
  mark: CapturedMark | undefined;
}

function applyMark(market: FlowMarket, mark: CapturedMark): void {
  const { tickQuote } = market.instrument;
  market.setReference(Number(mark.indexPrice) / tickQuote, Number(mark.markPrice) / tickQuote);
}

function requirePositive(field: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0))
    throw new ConfigError("is out of range", { field, value, expected: "a positive number" });
}
