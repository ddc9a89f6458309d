import type { JournalSink } from "#bot/journal.js";
import type { Ms } from "#core/units.js";

/** The journal of the last process of a run's bot, with the time of each of its turns. */
export class ProcessJournal {
  #lines: string[] = [];
  #passedMs: Ms[] = [];

  /**
   * The sink of a new process, whose journal takes the place of the one before.
   * @param passedMs time since the start of the run
   */
  open(passedMs: () => Ms): JournalSink {
    const [lines, times]: [string[], Ms[]] = [[], []];
    this.#lines = lines;
    this.#passedMs = times;
    return {
      write: (line) => {
        lines.push(line);
        times.push(passedMs());
      },
    };
  }

  /** Without line feeds, the header first; none if the process has not begun. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Lines of the turns that ended until a time since the start of the run. */
  until(passedMs: Ms): readonly string[] {
    return this.#lines.filter((_, at) => (this.#passedMs[at] ?? 0) <= passedMs);
  }
}

/** The option of a bot whose journal is kept, if it is. */
export function journalOption(
  journal: ProcessJournal | undefined,
  passedMs: () => Ms,
): { readonly journal?: JournalSink } {
  return journal === undefined ? {} : { journal: journal.open(passedMs) };
}
