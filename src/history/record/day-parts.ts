import type { Instrument } from "../../core/instrument.js";
import { toDay } from "../day.js";
import type { LocalStamps } from "./local-stamps.js";
import type { OwnRecord } from "./own-records.js";
import { type RecordedKind, type RecordedStream, RecordingPart } from "./recording-part.js";

/** So many findings of a part are told one by one: a line that is bad for a whole night has as many as messages. */
const MOST_FINDINGS = 1000;

/** What the parts are of, and where they lie. */
interface DayPartsOptions {
  readonly folder: string;
  readonly instrument: Instrument;
  /** Who tells, for the manifests. */
  readonly source: string;
  readonly stamps: LocalStamps;
  /** How far the clock is behind the exchange's at least, until the exchange has stamped anything; microseconds below zero. */
  readonly behindUs: number | undefined;
}

/**
 * Writes what is heard of one market into the parts of its recording, one for each of the exchange's days, and knows which streams are heard. Where no
 * part is open, before {@link begin} and after {@link end} or {@link abandon}, nothing is written.
 */
export class DayParts {
  readonly #options: DayPartsOptions;
  /** What is heard, and since when. */
  readonly #openStreams = new Map<RecordedStream, number>();
  #part: RecordingPart | undefined;
  #day = "";
  #messages = 0;
  #marks = 0;
  /** Of the open part; how many of them it has by now, and the rest in a count. */
  #findings = 0;
  #notedLeftOut = 0;
  /** Of all that the exchange stamped. A day is over by its clock, not by ours: what follows belongs into the next day's file. */
  #smallestUs: number | undefined;

  constructor(options: DayPartsOptions) {
    this.#options = options;
  }

  /** Begins a part, in which all is heard that was heard before. @param us its first instant. */
  begin(us: number): void {
    const { folder, instrument, source, stamps, behindUs } = this.#options;
    const { marketId: market, tickSize, stepSize } = instrument;
    this.#day = this.#dayAt(us);
    this.#findings = 0;
    this.#notedLeftOut = 0;
    this.#part = RecordingPart.begin(folder, stamps.placeOf(us), {
      market,
      source,
      grid: { tickSize, stepSize },
      smallestUs: this.#smallestUs,
      behindUs,
    });
    const heard = [...this.#openStreams.keys()];
    this.#openStreams.clear();
    for (const stream of heard) this.markStreamUp(stream, us);
  }

  /** Whether the day of the open part is over. */
  isOver(us: number): boolean {
    return this.#part !== undefined && this.#dayAt(us) > this.#day;
  }

  /** Ends the open part. Returns its folder; undefined where none is open. */
  end(us: number): string | undefined {
    const part = this.#part;
    this.#countLeftOut(us);
    part?.note({ at: us, ended: true });
    part?.close();
    this.#part = undefined;
    return part?.folder;
  }

  /** The clock went forward: how late it seems to be heard is to be seen anew. Call it where no part is open. */
  forgetLatency(): void {
    this.#smallestUs = undefined;
  }

  /** Leaves the open part as it is. */
  abandon(): void {
    this.#part?.abandon();
    this.#part = undefined;
  }

  /** Has what was written outlive the process. */
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
    // A stream on which nothing happened is known to be empty.
    for (const kind of stream === "account"
      ? (["orders", "fills"] as const)
      : (["book", "trades", "marks"] as const))
      this.#part?.touch(kind);
  }

  /** @param us when it was heard last. @returns whether it was heard until now */
  markStreamDown(stream: RecordedStream, us: number): boolean {
    const sinceUs = this.#openStreams.get(stream);
    if (sinceUs === undefined) return false;
    this.#openStreams.delete(stream);
    this.#part?.note({ at: Math.max(sinceUs, us), stream, isHeard: false });
    return true;
  }

  /** Nobody heard anything between two instants. @returns whether anything was heard before */
  noteSilence(fromUs: number, toUs: number): boolean {
    const heard = [...this.#openStreams.keys()];
    for (const stream of heard) this.markStreamDown(stream, fromUs);
    for (const stream of heard) this.markStreamUp(stream, toUs);
    return heard.length > 0;
  }

  /** Notes what may come often: the first thousand of a part, and of the rest how many they are. */
  addFinding(finding: string, us: number): void {
    this.#findings += 1;
    if (this.#findings <= MOST_FINDINGS) this.addUncappedFinding(finding, us);
  }

  /** Notes a finding whatever there is beside it. */
  addUncappedFinding(finding: string, us: number): void {
    this.#part?.note({ at: us, finding });
  }

  /** @returns the record's number: of a mark among the marks, of a book's message or a trade among both, from 1. Undefined for the account's own */
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
