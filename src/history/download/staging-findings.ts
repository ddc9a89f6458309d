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
 * What did not agree while a day was fetched, by this process and by those before it. It is on the
 * disk before a record that came after it is staged: the process that goes on from that record sees
 * nothing of what was before it, and would call the whole day known.
 */
export class StagingFindings {
  readonly #path: string;
  readonly #findings: string[] = [];
  readonly #unlisted: Span[] = [];

  /**
   * Opens what was noted beside a day.
   * @param path of the notes; none are there where nothing was.
   * @throws HistoryError when one is no note
   */
  constructor(path: string) {
    this.#path = path;
    for (const record of readStagedRecords(path)) {
      const said = doubt.safeParse(record);
      if (!said.success)
        throw new HistoryError(path, "holds what is no note", {
          value: JSON.stringify(record),
          expected: "a file of this program: delete it, and the day's records beside it",
        });
      if ("finding" in said.data) this.#findings.push(said.data.finding);
      else this.#unlisted.push(said.data.unlisted);
    }
  }

  /** What is to be said of the day, each once. */
  get findings(): readonly string[] {
    return this.#findings;
  }

  /** The times of which the exchange did not list what was in them. */
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

  #keep(said: z.input<typeof doubt>): void {
    const file = AppendOnlyFile.open(this.#path, "each");
    try {
      file.append(`${JSON.stringify(said)}\n`);
    } finally {
      file.close();
    }
  }
}
