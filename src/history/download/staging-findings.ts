import { rmSync } from "node:fs";
import { z } from "zod";
import { AppendOnlyFile } from "../../core/files/durable-log.js";
import { HistoryError } from "../history-errors.js";
import type { Span } from "../spans.js";
import { readStagedRecords } from "../staging/staged-records.js";

const doubt = z.union([
  z.strictObject({ finding: z.string() }),
  z.strictObject({ unlisted: z.tuple([z.number(), z.number()]).readonly() }),
]);

/**
 * The inconsistencies found while a day was fetched, by this process and earlier ones.
 *
 * They are written to disk before any later record is staged. The process that resumes from that
 * record sees nothing before it, and would take the whole day for known.
 */
export class StagingFindings {
  readonly #path: string;
  readonly #findings: string[] = [];
  readonly #unlisted: Span[] = [];

  /**
   * Opens the findings of a day.
   * @param path of the findings; the file is absent if there are none.
   * @throws HistoryError for an invalid entry
   */
  constructor(path: string) {
    this.#path = path;
    for (const record of readStagedRecords(path)) {
      const parsed = doubt.safeParse(record);
      if (!parsed.success)
        throw new HistoryError(path, "contains an invalid entry", {
          value: JSON.stringify(record),
          expected: "a file that this program wrote; delete it and the day's records beside it",
        });
      if ("finding" in parsed.data) this.#findings.push(parsed.data.finding);
      else this.#unlisted.push(parsed.data.unlisted);
    }
  }

  /** The findings of the day, without repeats. */
  get findings(): readonly string[] {
    return this.#findings;
  }

  /** The spans that the exchange's list no longer contains. */
  get unlisted(): readonly Span[] {
    return this.#unlisted;
  }

  addFinding(finding: string): void {
    if (this.#findings.includes(finding)) return;
    this.#findings.push(finding);
    this.#keep({ finding });
  }

  addUnlisted(span: Span): void {
    if (this.#unlisted.some(([from, to]) => from === span[0] && to === span[1])) return;
    this.#unlisted.push(span);
    this.#keep({ unlisted: span });
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #keep(finding: z.input<typeof doubt>): void {
    const file = AppendOnlyFile.open(this.#path, "each");
    try {
      file.append(`${JSON.stringify(finding)}\n`);
    } finally {
      file.close();
    }
  }
}
