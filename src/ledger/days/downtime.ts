import type { MarketId, Ms } from "../../core/units.js";
import type { DayEvent, DayRow } from "./day-row.js";

/** Rows that are this far apart follow each other. */
const APART_MS: Ms = 1_000;

/** A time without rows. */
export interface RecordGap {
  readonly fromMs: Ms;
  readonly toMs: Ms;
  /** `not running` between two runs, `not recorded` within one. */
  readonly cause: "not running" | "not recorded";
}

/** A halt within a span. */
export interface HaltSpan {
  readonly name: string;
  /** Empty for the whole account. */
  readonly marketId: string;
  readonly why: string;
  readonly fromMs: Ms;
  /** Undefined while it lasts. */
  toMs: Ms | undefined;
}

/** Collects when a bot did not run, did not quote, or was halted, with the causes. */
export class Downtime {
  readonly gaps: RecordGap[] = [];
  readonly halts: HaltSpan[] = [];
  readonly #causes = new Map<MarketId, Map<string, number>>();
  readonly #open = new Map<string, HaltSpan>();
  #lastMs: Ms;
  #lastSession: Ms | undefined;

  /** @param fromMs begin of the span */
  constructor(fromMs: Ms) {
    this.#lastMs = fromMs;
  }

  /** A row of the account. */
  account({ session, fromMs, atMs, events = [] }: DayRow): void {
    if (fromMs - this.#lastMs > APART_MS)
      this.#gap(fromMs, session === this.#lastSession ? "not recorded" : "not running");
    if (session !== this.#lastSession) this.#endHalts(this.#lastMs);
    this.#lastSession = session;
    this.#lastMs = Math.max(this.#lastMs, atMs);
    for (const event of events) this.#event(event);
  }

  /** A row of a market. */
  market({ marketId, causes = [] }: DayRow): void {
    const sums = this.#causes.get(marketId) ?? new Map<string, number>();
    this.#causes.set(marketId, sums);
    for (const { cause, us } of causes) sums.set(cause, (sums.get(cause) ?? 0) + us);
  }

  /** Ends the span. @param isRunning true if the bot runs on */
  end(toMs: Ms, isRunning: boolean): void {
    if (toMs - this.#lastMs > APART_MS) this.#gap(toMs, "not running");
    if (!isRunning) this.#endHalts(this.#lastMs);
  }

  /** Time of a market that was not on both sides, by its cause, the longest first. */
  downOf(marketId: MarketId): { cause: string; seconds: number }[] {
    const sums = new Map(this.#causes.get(marketId) ?? []);
    for (const { fromMs, toMs, cause } of this.gaps)
      sums.set(cause, (sums.get(cause) ?? 0) + 1000 * (toMs - fromMs));
    return [...sums]
      .map(([cause, us]) => ({ cause, seconds: us / 1e6 }))
      .sort((a, b) => b.seconds - a.seconds);
  }

  #gap(toMs: Ms, cause: RecordGap["cause"]): void {
    this.gaps.push({ fromMs: this.#lastMs, toMs, cause });
    this.#lastMs = toMs;
  }

  #event({ kind, atMs, marketId, name, why }: DayEvent): void {
    const key = `${marketId} ${name}`;
    const open = this.#open.get(key);
    if (kind === "halt" && open === undefined) {
      const halt: HaltSpan = { name, marketId, why, fromMs: atMs, toMs: undefined };
      this.#open.set(key, halt);
      this.halts.push(halt);
    }
    if (kind === "halt-end" && open !== undefined) {
      open.toMs = atMs;
      this.#open.delete(key);
    }
    if (kind === "stop") this.#endHalts(atMs);
  }

  /** A run ends, and the halts with it: the next run reports those that it finds. */
  #endHalts(atMs: Ms): void {
    for (const halt of this.#open.values()) halt.toMs = atMs;
    this.#open.clear();
  }
}
