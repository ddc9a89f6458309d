import type { Clock } from "../../../core/runtime/runtime.js";
import type { Log } from "../../../monitoring/log.js";
import { LogThrottle } from "../../../monitoring/log-throttle.js";
import type { ScreenNote } from "../../../monitoring/screen/screen-model.js";

/** Newest notes that the screen keeps. */
const MOST_NOTES = 50;

/** Messages of a run: each is a line of the log and a note of the screen. */
export class RunLog {
  readonly #notes: ScreenNote[] = [];
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #rarely: LogThrottle;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#rarely = new LogThrottle(clock);
  }

  /** The newest notes, oldest first. */
  get notes(): readonly ScreenNote[] {
    return this.#notes;
  }

  /** The note has only fields of strings and numbers, the log has all. */
  write(level: ScreenNote["level"], text: string, fields: Readonly<Record<string, unknown>>): void {
    this.#log[level](fields, text);
    const detail = Object.entries(fields).filter(
      ([, value]) => typeof value === "string" || typeof value === "number",
    );
    this.#notes.push({
      atMs: this.#clock.nowMs(),
      level,
      text: [text, ...detail.map(([key, value]) => `${key}=${value}`)].join(" "),
    });
    if (this.#notes.length > MOST_NOTES) this.#notes.shift();
  }

  /**
   * Writes only some of the repeated messages and counts the others: `moreBefore` is their number
   * since the last one that was written.
   */
  writeThrottled(
    level: ScreenNote["level"],
    text: string,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    const moreBefore = this.#rarely.pass(text);
    if (moreBefore !== undefined)
      this.write(level, text, moreBefore === 0 ? fields : { ...fields, moreBefore });
  }
}
