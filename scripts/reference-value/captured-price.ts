import { join } from "node:path";
import type { Ms } from "#core/units.js";
import { readGzipLines } from "#simulator/gzip-lines.js";

/** The recorded best bid and ask of a real market at one instant, in quote units. */
export interface CapturedTouch {
  readonly bid: number;
  readonly ask: number;
}

const COLUMNS = { timeMs: 2, bid: 4, ask: 6 } as const;

/** The best prices of a recorded market by the time since the beginning of its recording. */
export class CapturedPrice {
  readonly #timesMs: readonly Ms[];
  readonly #touches: readonly CapturedTouch[];
  readonly #firstMs: Ms;

  private constructor(
    timesMs: readonly Ms[],
    touches: readonly CapturedTouch[],
    firstMs = timesMs[0] ?? 0,
  ) {
    this.#timesMs = timesMs;
    this.#touches = touches;
    this.#firstMs = firstMs;
  }

  /**
   * Reads `bbo/TAG.csv.gz`.
   * @throws RunError or FormatError if the file cannot be read
   */
  static async read(folder: string, tag: string): Promise<CapturedPrice> {
    const timesMs: Ms[] = [];
    const touches: CapturedTouch[] = [];
    let isHeader = true;
    for await (const lines of readGzipLines(join(folder, "bbo", `${tag}.csv.gz`)))
      for (const line of lines) {
        const cells = line.split(",");
        const [timeMs, bid, ask] = [COLUMNS.timeMs, COLUMNS.bid, COLUMNS.ask].map((column) =>
          Number(cells[column]),
        );
        if (!isHeader && timeMs !== undefined && bid !== undefined && ask !== undefined) {
          if (bid > 0 && ask >= bid && timeMs >= (timesMs.at(-1) ?? 0)) {
            timesMs.push(timeMs);
            touches.push({ bid, ask });
          }
        }
        isHeader = false;
      }
    return new CapturedPrice(timesMs, touches);
  }

  get durationMs(): Ms {
    return (this.#timesMs.at(-1) ?? 0) - this.#firstMs;
  }

  /** The same prices with a later beginning. */
  from(sinceStartMs: Ms): CapturedPrice {
    return new CapturedPrice(this.#timesMs, this.#touches, this.#firstMs + sinceStartMs);
  }

  /** The touch at a time since the beginning; outside the recording its first or last one. */
  touchAt(sinceStartMs: Ms): CapturedTouch {
    const wantedMs = this.#firstMs + sinceStartMs;
    let [low, high] = [0, this.#timesMs.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#timesMs[middle] as Ms) <= wantedMs) low = middle;
      else high = middle - 1;
    }
    return this.#touches[low] as CapturedTouch;
  }

  midAt(sinceStartMs: Ms): number {
    const { bid, ask } = this.touchAt(sinceStartMs);
    return (bid + ask) / 2;
  }
}
