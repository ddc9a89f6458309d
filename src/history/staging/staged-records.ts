import { existsSync, rmSync, statSync } from "node:fs";
import { AppendOnlyFile, readLastLine, readWholeLines } from "../../core/files/durable-log.js";
import { HistoryError } from "../history-errors.js";

const LINES_A_WRITE = 256;

/**
 * Records of a day that is being fetched, one JSON object per line. Written lines outlive the
 * process; an incomplete last line is dropped.
 */
export class StagedRecords {
  readonly path: string;
  /** The first and the last record that an earlier process had staged. */
  readonly first: unknown;
  readonly last: unknown;
  readonly #file: AppendOnlyFile;
  #lines: string[] = [];
  #isEmpty: boolean;

  /**
   * Opens a file of records, and continues after its last complete line.
   * @throws HistoryError when that line is not a record
   */
  constructor(path: string) {
    this.path = path;
    const found = statSync(path, { throwIfNoEntry: false });
    const last = found?.isFile() === true ? readLastLine(path).trimEnd() : "";
    if (last !== "") {
      const [first = ""] = readWholeLines(path);
      this.last = recordIn(path, "ends with", last);
      this.first = recordIn(path, "begins with", first);
    }
    // Its records can be fetched again, so no write waits for the disk.
    this.#file = AppendOnlyFile.open(path, "never");
    this.#isEmpty = statSync(path).size === 0;
  }

  add(record: object): void {
    this.#isEmpty = false;
    this.#lines.push(`${JSON.stringify(record)}\n`);
    if (this.#lines.length >= LINES_A_WRITE) this.flush();
  }

  /** True if the file has no record, from this or an earlier process. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const lines = this.#lines.join("");
    this.#lines = [];
    this.#file.append(lines);
  }

  /** Writes the buffered records. The file remains until {@link remove}. */
  close(): void {
    try {
      this.flush();
    } finally {
      this.#file.close();
    }
  }

  /** Closes the file and drops the buffered records. */
  abandon(): void {
    this.#file.abandon();
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/**
 * All complete records of a file; empty if there is no file.
 * @throws HistoryError when a line is not a record
 */
export function readStagedRecords(path: string): unknown[] {
  if (!existsSync(path)) return [];
  const lines = [...readWholeLines(path)].filter((line) => line !== "");
  return lines.map((line) => recordIn(path, "holds", line));
}

function recordIn(
  path: string,
  which: "begins with" | "ends with" | "holds",
  line: string,
): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new HistoryError(path, `${which} a line that is not a record`, {
      value: line.slice(0, 80),
      expected: "a file that this program wrote; delete it",
      cause,
    });
  }
}
