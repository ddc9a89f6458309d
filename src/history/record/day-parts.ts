import type { MarketId } from "../../core/units.js";
import { toDay } from "../day.js";
import type { LocalStamps } from "./local-stamps.js";
import type { OwnRecord } from "./own-records.js";
import { type RecordedKind, type RecordedStream, RecordingPart } from "./recording-part.js";

/**
 * The most findings of a part that are listed individually. If every line of a night is bad, there
 * are as many findings as messages.
 */
const MOST_FINDINGS = 1000;

const MARKET_KINDS = ["book", "trades", "marks"] as const;
const KINDS_OF_STREAM: Readonly<Record<RecordedStream, readonly RecordedKind[]>> = {
  book: MARKET_KINDS,
  market: MARKET_KINDS,
  account: ["orders", "fills"],
  reference: ["reference"],
};

/** The market and the folder of the parts. */
interface DayPartsOptions {
  readonly folder: string;
  /** The market, or the source of reference prices. */
  readonly market: MarketId;
  /** The market's steps; undefined for a source of reference prices. */
  readonly grid: { readonly tickSize: string; readonly stepSize: string } | undefined;
  /** The data source, for the manifests. */
  readonly source: string;
  readonly stamps: LocalStamps;
  /**
   * The least amount by which the clock lags the exchange's, used until the exchange has stamped a
   * record; microseconds below zero.
   */
  readonly behindUs: number | undefined;
}

/**
 * Writes the received records of one market into the parts of its recording, one for each day of
 * the exchange, and tracks the connected streams. If no part is open, that is before {@link begin}
 * and after {@link end} or {@link abandon}, nothing is written.
 */
export class DayParts {
  readonly #options: DayPartsOptions;
  /** The connected streams, each with its connection time. */
  readonly #openStreams = new Map<RecordedStream, number>();
  #part: RecordingPart | undefined;
  #day = "";
  #messages = 0;
  #marks = 0;
  /** The number of findings of the open part. Those beyond the limit are only counted. */
  #findings = 0;
  #notedLeftOut = 0;
  /**
   * The smallest latency of all that the exchange stamped. A day ends by the exchange's clock, not
   * ours: later records belong in the next day's file.
   */
  #smallestUs: number | undefined;

  constructor(options: DayPartsOptions) {
    this.#options = options;
  }

  /** Begins a part; streams that were connected stay connected. @param us its first instant. */
  begin(us: number): void {
    const { folder, market, grid, source, stamps, behindUs } = this.#options;
    this.#day = this.#dayAt(us);
    this.#findings = 0;
    this.#notedLeftOut = 0;
    this.#part = RecordingPart.begin(folder, stamps.placeOf(us), {
      market,
      source,
      grid,
      smallestUs: this.#smallestUs,
      behindUs,
    });
    const openStreams = [...this.#openStreams.keys()];
    this.#openStreams.clear();
    for (const stream of openStreams) this.markStreamUp(stream, us);
  }

  /** True if the day of the open part is over. */
  isOver(us: number): boolean {
    return this.#part !== undefined && this.#dayAt(us) > this.#day;
  }

  /** Ends the open part. Returns its folder; undefined if none is open. */
  end(us: number): string | undefined {
    const part = this.#part;
    this.#countLeftOut(us);
    part?.note({ at: us, ended: true });
    part?.close();
    this.#part = undefined;
    return part?.folder;
  }

  /**
   * Forgets the measured latency, since the clock went forward and the latency has to be measured
   * again. Call it while no part is open.
   */
  forgetLatency(): void {
    this.#smallestUs = undefined;
  }

  /** Closes the open part as it is. */
  abandon(): void {
    this.#part?.abandon();
    this.#part = undefined;
  }

  /** Flushes the written records, so that they outlive the process. */
  flush(): void {
    this.#countLeftOut(this.#options.stamps.nowUs());
    if (this.#openStreams.size > 0)
      this.#part?.note({ at: this.#options.stamps.nowUs(), alive: true });
    this.#part?.flush();
  }

  markStreamUp(stream: RecordedStream, us: number): void {
    if (this.#openStreams.has(stream)) return;
    this.#openStreams.set(stream, us);
    this.#part?.note({ at: us, stream, isHeard: true });
    // A connected stream without events is known to be empty.
    for (const kind of KINDS_OF_STREAM[stream]) this.#part?.touch(kind);
  }

  /** @param us when its last message was received. @returns true if it was connected until now */
  markStreamDown(stream: RecordedStream, us: number): boolean {
    const sinceUs = this.#openStreams.get(stream);
    if (sinceUs === undefined) return false;
    this.#openStreams.delete(stream);
    this.#part?.note({ at: Math.max(sinceUs, us), stream, isHeard: false });
    return true;
  }

  /**
   * Notes that nothing was received between two instants.
   * @returns true if a stream was connected before
   */
  noteSilence(fromUs: number, toUs: number): boolean {
    const openStreams = [...this.#openStreams.keys()];
    for (const stream of openStreams) this.markStreamDown(stream, fromUs);
    for (const stream of openStreams) this.markStreamUp(stream, toUs);
    return openStreams.length > 0;
  }

  /**
   * Notes a finding that may come often: the first thousand of a part, and the number of the rest.
   */
  addFinding(finding: string, us: number): void {
    this.#findings += 1;
    if (this.#findings <= MOST_FINDINGS) this.addUncappedFinding(finding, us);
  }

  /** Notes a finding regardless of the limit. */
  addUncappedFinding(finding: string, us: number): void {
    this.#part?.note({ at: us, finding });
  }

  /**
   * @returns the record's number, from 1: marks have their own count, book messages and trades
   * share one. Undefined for records of the own account
   */
  add(kind: RecordedKind, record: OwnRecord, us: number): number | undefined {
    if (record.time !== undefined)
      this.#smallestUs = Math.min(
        this.#smallestUs ?? Number.POSITIVE_INFINITY,
        us - record.time * 1000,
      );
    const number = this.#numberOf(kind);
    this.#part?.add(kind, {
      ...record,
      line: this.#options.stamps.placeOf(us),
      recvTimeNs: `${us}000`,
    });
    return number;
  }

  #countLeftOut(us: number): void {
    const leftOut = Math.max(0, this.#findings - MOST_FINDINGS);
    if (leftOut === this.#notedLeftOut) return;
    this.#part?.note({ at: us, leftOut });
    this.#notedLeftOut = leftOut;
  }

  #numberOf(kind: RecordedKind): number | undefined {
    if (kind === "marks") {
      this.#marks += 1;
      return this.#marks;
    }
    if (kind !== "book" && kind !== "trades") return undefined;
    this.#messages += 1;
    return this.#messages;
  }

  /** The exchange's day at a local instant. */
  #dayAt(us: number): string {
    return toDay(Math.floor((us - (this.#smallestUs ?? this.#options.behindUs ?? 0)) / 1000));
  }
}
