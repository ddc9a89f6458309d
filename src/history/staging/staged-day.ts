import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { HistoryError } from "../history-errors.js";

/** What of either end is read first: most records are shorter. */
const END_BYTES = 65_536;
const NEW_LINE = 10;
const LINES_A_WRITE = 256;

/** Records of a day that is being fetched, one JSON object a line: what was written outlives the process, a torn last line is dropped. */
export class StagedDay {
  readonly path: string;
  /** The first and the last record that an earlier process had staged. */
  readonly first: unknown;
  readonly last: unknown;
  readonly #handle: number;
  #lines: string[] = [];
  #end: number;

  /** Opens a file of records, and goes on after its last whole line. @throws HistoryError when that line is no record */
  constructor(path: string) {
    this.path = path;
    this.#handle = openSync(path, existsSync(path) ? "r+" : "wx+", 0o600);
    const { end, line } = lastWhole(this.#handle);
    this.#end = end;
    ftruncateSync(this.#handle, end);
    if (line === "") return;
    this.last = recordIn(path, "ends with", line);
    this.first = recordIn(path, "begins with", firstWhole(this.#handle, end));
  }

  add(record: object): void {
    this.#lines.push(`${JSON.stringify(record)}\n`);
    if (this.#lines.length >= LINES_A_WRITE) this.flush();
  }

  /** Whether no record is in it, of whichever process. */
  get isEmpty(): boolean {
    return this.#end === 0 && this.#lines.length === 0;
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const text = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    for (let done = 0; done < text.length; )
      done += writeSync(this.#handle, text, done, text.length - done, this.#end + done);
    this.#end += text.length;
  }

  /** Writes what is left. The file stays until {@link remove}. */
  close(): void {
    try {
      this.flush();
    } finally {
      closeSync(this.#handle);
    }
  }

  /** Closes it as it is: what was not written yet is lost. */
  abandon(): void {
    closeSync(this.#handle);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** All that was staged in a file; nothing where there is none. @throws HistoryError when a line is no record */
export function stagedRecords(path: string): unknown[] {
  if (!existsSync(path)) return [];
  // Ends it at its last whole line.
  new StagedDay(path).close();
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => recordIn(path, "holds", line));
}

function recordIn(
  path: string,
  which: "begins with" | "ends with" | "holds",
  line: string,
): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new HistoryError(path, `${which} a line that is no record`, {
      value: line.slice(0, 80),
      expected: "a file of this program: delete it",
      cause,
    });
  }
}

/** The first line of so many bytes that end with one. */
function firstWhole(handle: number, end: number): string {
  for (let wanted = END_BYTES; ; wanted *= 2) {
    const head = Buffer.alloc(Math.min(end, wanted));
    readSync(handle, head, 0, head.length, 0);
    const at = head.indexOf(NEW_LINE);
    if (at !== -1) return head.toString("utf8", 0, at);
  }
}

/** The last line that was ended, and where it ends. */
function lastWhole(handle: number): { readonly end: number; readonly line: string } {
  const { size } = fstatSync(handle);
  for (let wanted = END_BYTES; ; wanted *= 2) {
    const tail = Buffer.alloc(Math.min(size, wanted));
    const from = size - tail.length;
    readSync(handle, tail, 0, tail.length, from);
    const last = tail.lastIndexOf(NEW_LINE);
    const before = last <= 0 ? -1 : tail.lastIndexOf(NEW_LINE, last - 1);
    // A line that begins before what was read is not whole here.
    if (from > 0 && before < 0) continue;
    return {
      end: from + last + 1,
      line: tail.toString("utf8", before + 1, Math.max(last, 0)).trimEnd(),
    };
  }
}
