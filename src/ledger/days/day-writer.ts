import { describeThrown } from "../../core/describe-thrown.js";
import { AppendOnlyFile } from "../../core/files/durable-log.js";
import { makeFolder } from "../../core/files/make-folder.js";
import type { Day } from "../../history/day.js";
import { dayOfRow, linesPath } from "./day-folder.js";
import { type DayRow, dayRowLine, type RunFacts } from "./day-row.js";

/** Lines that wait for room on the disk: some hours of a bot. Older ones are lost. */
const MOST_WAITING = 1_000;

/** Options of a {@link DayWriter}. */
export interface DayWriterOptions {
  readonly folder: string;
  /** Called when lines cannot be written for the first time, with the reason, and when they can. */
  readonly onTrouble: (why: string | undefined) => void;
  /** Called when the first row of a day is written, so that the days before it are over. */
  readonly onDay: (day: Day) => void;
}

/** Lines of one day that are not in its file yet. */
interface Waiting {
  readonly day: Day;
  readonly lines: string;
}

/**
 * Appends rows to the file of their day, one line each. A line that `append` returned from survives
 * any end of the process. Lines that a full disk refuses are kept and follow later: no record that
 * trading needs is among them, so the bot goes on.
 */
export class DayWriter {
  readonly #options: DayWriterOptions;
  #file: { readonly day: Day; readonly log: AppendOnlyFile } | undefined;
  /** The day whose facts are written. */
  #factsDay: Day | undefined;
  #waiting: Waiting[] = [];
  #isTroubled = false;

  constructor(options: DayWriterOptions) {
    this.#options = options;
  }

  /** Writes the rows of one interval, that of the account first. Never throws. */
  write(rows: readonly DayRow[], facts: RunFacts): void {
    const [account, ...markets] = rows;
    if (account === undefined) return;
    const day = dayOfRow(account);
    const first = this.#factsDay === day ? account : { ...account, facts: JSON.stringify(facts) };
    this.#factsDay = day;
    const lines = [first, ...markets].map((row) => `${dayRowLine(row)}\n`).join("");
    this.#waiting = [...this.#waiting.slice(1 - MOST_WAITING), { day, lines }];
    this.#flush();
  }

  /** Tries the waiting lines once more, and closes the file. Never throws. */
  close(): void {
    this.#flush();
    this.#closeFile();
  }

  #flush(): void {
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        this.#open(next.day).append(next.lines);
        this.#waiting.shift();
      }
    } catch (error) {
      // A log that has failed takes no more lines: the next attempt opens the file again.
      this.#closeFile();
      if (!this.#isTroubled) this.#options.onTrouble(describeThrown(error));
      this.#isTroubled = true;
      return;
    }
    if (this.#isTroubled) this.#options.onTrouble(undefined);
    this.#isTroubled = false;
  }

  #open(day: Day): AppendOnlyFile {
    if (this.#file?.day === day) return this.#file.log;
    const { folder, onDay } = this.#options;
    this.#closeFile();
    makeFolder(folder);
    const log = AppendOnlyFile.open(linesPath(folder, day), "behind", "drop");
    this.#file = { day, log };
    onDay(day);
    return log;
  }

  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
    try {
      file?.log.close();
    } catch (error) {
      if (!this.#isTroubled) this.#options.onTrouble(describeThrown(error));
      this.#isTroubled = true;
    }
  }
}
