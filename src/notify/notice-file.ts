import { renameSync, statSync } from "node:fs";
import { z } from "zod";
import { maskSecrets } from "../core/crypto/secrets.js";
import { AppendOnlyFile, readLastLine } from "../core/files/durable-log.js";
import type { Clock } from "../core/runtime/runtime.js";
import { type Notice, noticeSchema } from "./notice.js";

/** The bot's events but its fills, in its state directory. */
export const NOTICES_FILE = "notices.jsonl";
/** The bot's fills, apart: many of them must not displace a halt. */
export const FILL_NOTICES_FILE = "fill-notices.jsonl";

/** Size at which the next line begins a new file; the one before it is kept. */
const MOST_BYTES = 1 << 20;
/** Lines of one second. Those beyond are only counted, unless they are critical. */
const MOST_A_SECOND = 200;

/** Most lines that wait for a disk that takes none; the oldest are dropped first. */
const MOST_WAITING = 200;

/** A line of the file. Its numbers have no gap, so that a reader sees what it has missed. */
export const writtenNoticeSchema = noticeSchema.extend({
  /** Marks one sequence of numbers: another one begins if the files are lost. */
  epoch: z.number(),
  number: z.int(),
});

/** The place of the file before the present one. */
export function earlierNotices(path: string): string {
  return `${path}.1`;
}

/** Dependencies of a {@link NoticeFile}. */
interface NoticeFileDeps {
  readonly path: string;
  readonly clock: Clock;
  /** Called when a line cannot be written. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * A bounded file of notices, which another process sends. Its writer never waits and never fails:
 * notices that cannot be written are written with the next one that can, or only counted.
 */
export class NoticeFile {
  readonly #deps: NoticeFileDeps;
  #file: AppendOnlyFile | undefined;
  #bytes = 0;
  #epoch: number | undefined;
  #number = 0;
  #secondAtMs = Number.NEGATIVE_INFINITY;
  #linesInSecond = 0;
  /** Lines that are not in the file yet. */
  readonly #waiting: Buffer[] = [];

  constructor(deps: NoticeFileDeps) {
    this.#deps = deps;
  }

  append(notice: Notice): void {
    try {
      this.#begin();
    } catch (error) {
      this.#deps.onFailure(error);
      return;
    }
    // A number is used up even if its line is not written: the reader counts it.
    this.#number++;
    if (notice.severity !== "critical" && this.#isFlooded()) return;
    const written = { epoch: this.#epoch, number: this.#number, ...notice };
    this.#waiting.push(Buffer.from(`${maskSecrets(JSON.stringify(written))}\n`));
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#writeWaiting();
  }

  close(): void {
    this.#writeWaiting();
    try {
      this.#file?.close();
    } catch (error) {
      this.#deps.onFailure(error);
    }
    this.#file = undefined;
  }

  /** Continues the numbers of an earlier run. */
  #begin(): void {
    if (this.#epoch !== undefined) return;
    const { path, clock } = this.#deps;
    const last = lastNumber(path) ?? lastNumber(earlierNotices(path));
    this.#epoch = last?.epoch ?? clock.nowMs();
    this.#number = last?.number ?? 0;
  }

  #isFlooded(): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#secondAtMs >= 1000) {
      this.#secondAtMs = nowMs;
      this.#linesInSecond = 0;
    }
    return ++this.#linesInSecond > MOST_A_SECOND;
  }

  #writeWaiting(): void {
    try {
      for (let [line] = this.#waiting; line !== undefined; [line] = this.#waiting) {
        this.#write(line);
        this.#waiting.shift();
      }
    } catch (error) {
      this.#abandon();
      this.#deps.onFailure(error);
    }
  }

  #write(line: Buffer): void {
    const { path } = this.#deps;
    if (this.#file !== undefined && this.#bytes >= MOST_BYTES) {
      this.#file.close();
      this.#file = undefined;
    }
    if (this.#file === undefined) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size >= MOST_BYTES) renameSync(path, earlierNotices(path));
      this.#file = AppendOnlyFile.open(path, "behind", "keep-json");
      this.#bytes = size >= MOST_BYTES ? 0 : size;
    }
    this.#file.append(line);
    this.#bytes += line.length;
  }

  /** A disk that failed may have room again: the next notice opens the file anew. */
  #abandon(): void {
    try {
      this.#file?.abandon();
    } finally {
      this.#file = undefined;
    }
  }
}

const lastSchema = writtenNoticeSchema.pick({ epoch: true, number: true });

function lastNumber(path: string): z.output<typeof lastSchema> | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return lastSchema.parse(JSON.parse(readLastLine(path)));
  } catch {
    // Foreign text: a new sequence begins after it.
    return undefined;
  }
}
