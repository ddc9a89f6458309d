import { ConfigError } from "../../core/errors.js";
import { DAY_MS, type Ms } from "../../core/units.js";
import { type Day, instantText, toDay } from "../day.js";
import type { HistoryKind } from "../kinds.js";
import { clipSpans, findGaps, mergeSpans, type Span } from "../spans.js";
import { withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { Duck, type DuckLimits } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import type { ReferenceTape } from "./reference-tape.js";
import { parquetsSql } from "./span-rows.js";
import { msSpan } from "./tape-days.js";

/** The kinds of history that can play a reference, the best first. */
const REFERENCE_KINDS = ["reference", "bbo", "trades"] as const;

/** The history of one source of reference prices. */
export interface ReferenceHistoryOptions {
  /** The source's name in `references`. */
  readonly source: string;
  /** Name in the store. */
  readonly market: string;
  /** Whole microseconds of the replay's clock; `toUs` is exclusive. */
  readonly fromUs: number;
  readonly toUs: number;
  /**
   * Time from the source's stamp to the bot. Without it, prices arrive when they were received.
   */
  readonly latencyMs?: number | undefined;
  /**
   * Markets of the same recording: what was added to their local stamps, because the recorder's
   * clock was behind the exchange's, is added here too.
   */
  readonly besideMarkets?: readonly string[];
  /** Rows per block. Each takes 32 bytes, and two blocks are in memory at a time. */
  readonly blockRows?: number;
  readonly limits?: DuckLimits;
}

const BLOCK_ROWS = 1 << 16;
const GAP = "its history has a gap here";

/**
 * The recorded or imported prices of one source, block by block in the order of their reception.
 * Where the store's coverage ends, the source is down: a backtest must not go on with its last
 * price.
 */
export class ReferenceHistory implements AsyncIterable<ReferenceTape> {
  readonly #store: HistoryStore;
  readonly #options: ReferenceHistoryOptions;
  readonly kind: (typeof REFERENCE_KINDS)[number];
  /** The files that it reads. */
  readonly days: readonly DayManifest[];
  /** The times of the span that the store does not cover, milliseconds. */
  readonly gaps: readonly Span[];
  readonly #folder: string;

  /** @throws ConfigError if the store has no prices of the source in the span */
  constructor(store: HistoryStore, options: ReferenceHistoryOptions) {
    const { source, market, fromUs, toUs } = options;
    const span: Span = msSpan(fromUs, toUs);
    const found = REFERENCE_KINDS.map((kind) => ({
      kind,
      days: daysOf(store, market, kind, span),
    }));
    const best = found.find(({ days }) => days.length > 0);
    if (best === undefined) throw missingError(store, source, market, span);
    this.#store = store;
    this.#options = options;
    this.kind = best.kind;
    this.days = best.days;
    this.#folder = store.folder({ market, kind: best.kind });
    this.gaps = findGaps(
      best.days.flatMap(({ covered }) => covered),
      span,
    );
  }

  /** The first time of the span that the store covers, microseconds. */
  get firstUs(): number {
    const { fromUs, toUs } = this.#options;
    const covered = this.days.flatMap((day) => day.covered);
    return (clipSpans(covered, msSpan(fromUs, toUs))[0]?.[0] ?? 0) * 1000;
  }

  /**
   * Reads the prices block by block.
   * @throws ConfigError if no time of reception is known; HistoryError naming a broken file
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ReferenceTape, void> {
    const { blockRows = BLOCK_ROWS, fromUs, toUs } = this.#options;
    const duck = await Duck.open(this.#store.spillFolder, this.#options.limits);
    try {
      await this.#requireReadable(duck);
      const block = new ReferenceColumns(blockRows);
      const gaps = this.#gapStarts();
      let gap = 0;
      const pages = duck.pages(
        `SELECT * FROM (${this.#groupsSql()}) WHERE localUs >= ${fromUs} AND localUs < ${toUs} ORDER BY localUs, timeNs, seq`,
      );
      try {
        for (;;) {
          const { value, done } = await withReadErrors(this.#folder, () => pages.next());
          if (done === true) break;
          for (const row of value) {
            const localUs = Number(row.localUs);
            for (; gap < gaps.length && gaps[gap].localUs < localUs; gap++)
              block.addDown(gaps[gap].localUs, GAP);
            if (typeof row.down === "string") block.addDown(localUs, row.down);
            else block.add(localUs, numberOf(row.sourceMs), numberOf(row.bid), numberOf(row.ask));
            // A price that was sent before the gap, and received in it, does not end it.
            if (gap > 0 && Number(row.timeNs) / 1e6 < gaps[gap - 1].atMs)
              block.addDown(localUs, GAP);
            if (block.isFull) yield block.take();
          }
        }
      } finally {
        await pages.return();
      }
      for (; gap < gaps.length; gap++) block.addDown(gaps[gap].localUs, GAP);
      if (!block.isEmpty) yield block.take();
    } finally {
      duck.close();
    }
  }

  /** Reads all prices. @throws as the iterator does */
  async whole(): Promise<ReferenceTape> {
    const all = new ReferenceHistory(this.#store, {
      ...this.#options,
      blockRows: Number.POSITIVE_INFINITY,
    });
    for await (const block of all) return block;
    return new ReferenceColumns(0).take();
  }

  /**
   * When the store's coverage ends, by the stamps of the rows and on the local clock. The time
   * before the first price is none of them.
   */
  #gapStarts(): { readonly atMs: Ms; readonly localUs: number }[] {
    const firstMs = Math.min(...this.days.flatMap(({ covered }) => covered.map(([from]) => from)));
    const { fromUs, latencyMs } = this.#options;
    return this.gaps
      .filter(([atMs]) => atMs > firstMs)
      .map(([atMs]) => {
        const laterUs =
          latencyMs === undefined ? Number(this.#addedNs(toDay(atMs)) / 1000n) : latencyMs * 1000;
        return { atMs, localUs: Math.max(fromUs, Math.round(atMs * 1000 + laterUs)) };
      });
  }

  /** SQL of the rows of all files; those that are read alike in one query. */
  #groupsSql(): string {
    const groups = new Map<string, { days: DayManifest[]; addedNs: bigint }>();
    for (const day of this.days) {
      const addedNs = this.#addedNs(day.day);
      const key = `${day.decimals.price} ${addedNs}`;
      const group = groups.get(key) ?? { days: [], addedNs };
      group.days.push(day);
      groups.set(key, group);
    }
    return [...groups.values()]
      .map(({ days, addedNs }) => {
        const files = days.map((day) => this.#store.dataPath(day, day.day));
        return `SELECT ${this.#columnsSql(addedNs)} FROM ${parquetsSql(files)}`;
      })
      .join(" UNION ALL ");
  }

  #columnsSql(addedNs: bigint): string {
    const { latencyMs } = this.#options;
    const isRecorded = this.kind === "reference";
    const sourceNs = isRecorded ? "coalesce(sourceNs, timeNs)" : "timeNs";
    const receivedNs = isRecorded ? `timeNs + ${addedNs}` : "recvNs";
    const localNs =
      latencyMs === undefined ? receivedNs : `${sourceNs} + ${Math.round(latencyMs * 1e6)}`;
    // The text of a decimal becomes the nearest binary fraction, as it did in the bot.
    const double = (column: string): string => `CAST(CAST(${column} AS VARCHAR) AS DOUBLE)`;
    const [bid, ask] = this.kind === "trades" ? ["price", "price"] : ["bid", "ask"];
    return [
      `CAST((${localNs}) // 1000 AS DOUBLE) AS localUs`,
      `CAST(${isRecorded ? "sourceNs" : "timeNs"} // 1000 AS DOUBLE) / 1000 AS sourceMs`,
      `${double(bid)} AS bid`,
      `${double(ask)} AS ask`,
      `${isRecorded ? "down" : "NULL"} AS down`,
      "timeNs",
      "seq",
    ].join(", ");
  }

  /** Nanoseconds that the recording of that day added to its local stamps. */
  #addedNs(day: Day): bigint {
    if (this.kind !== "reference") return 0n;
    let most = 0n;
    for (const market of this.#options.besideMarkets ?? []) {
      for (const kind of ["book", "trades", "marks"]) {
        const manifest = this.#store.day({ market, kind }, day);
        for (const { clock = [] } of manifest?.sources ?? []) {
          for (const { addedNs } of clock) if (BigInt(addedNs) > most) most = BigInt(addedNs);
        }
      }
    }
    return most;
  }

  async #requireReadable(duck: Duck): Promise<void> {
    for (const day of this.days) await this.#store.verify(day);
    const { source, latencyMs } = this.#options;
    if (this.kind === "reference" || latencyMs !== undefined) return;
    for (const day of this.days) {
      const file = this.#store.dataPath(day, day.day);
      const [unstamped] = await withReadErrors(file, () =>
        duck.rows(`SELECT 1 FROM ${parquetsSql([file])} WHERE recvNs IS NULL LIMIT 1`),
      );
      if (unstamped === undefined) continue;
      throw new ConfigError(
        `is missing: the ${this.kind} of ${day.market} do not say when they were received`,
        {
          field: `references.${source}.latencyMs`,
          expected: "milliseconds from the source's stamp to the bot, such as 50",
        },
      );
    }
  }
}

function daysOf(
  store: HistoryStore,
  market: string,
  kind: HistoryKind,
  [fromMs, toMs]: Span,
): readonly DayManifest[] {
  // A price received after midnight may be stamped before it, and the other way round.
  const [first, last] = [toDay(fromMs - DAY_MS), toDay(toMs - 1 + DAY_MS)];
  const days = store.days({ market, kind }).filter(({ day }) => day >= first && day <= last);
  const isThere = days.some(({ covered }) => clipSpans(covered, [fromMs, toMs]).length > 0);
  return isThere ? days : [];
}

function missingError(
  store: HistoryStore,
  source: string,
  market: string,
  [fromMs, toMs]: Span,
): ConfigError {
  const there = REFERENCE_KINDS.flatMap((kind) => {
    const covered = mergeSpans(store.days({ market, kind }).flatMap((day) => day.covered));
    const [first, last] = [covered[0], covered.at(-1)];
    return first === undefined || last === undefined
      ? []
      : [`${kind} of ${instantText(first[0])} to ${instantText(last[1])}`];
  });
  const others = [...new Set(store.series().map((series) => series.market))].join(", ");
  return new ConfigError(`has no prices in ${store.root} for that time`, {
    field: `references.${source}`,
    value: `${market}, ${instantText(fromMs)} to ${instantText(toMs)}`,
    expected:
      there.length > 0
        ? `a time within its history: ${there.join(", ")}`
        : `its prices: record them (marketwright data record --exchange bot.yaml), import its touch prices or trades (marketwright data import --market ${market}), or name its market of the store in references.${source}.market (it has ${others})`,
  });
}

function numberOf(value: unknown): number {
  return value === null || value === undefined ? Number.NaN : Number(value);
}

/** Growing columns. */
class ReferenceColumns {
  readonly #most: number;
  #localUs: number[] = [];
  #sourceMs: number[] = [];
  #bid: number[] = [];
  #ask: number[] = [];
  #downs: { readonly row: number; readonly reason: string }[] = [];
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#localUs.length >= this.#most;
  }

  get isEmpty(): boolean {
    return this.#localUs.length === 0;
  }

  add(localUs: number, sourceMs: number, bid: number, ask: number): void {
    this.#lastUs = Math.max(this.#lastUs, localUs);
    this.#localUs.push(this.#lastUs);
    this.#sourceMs.push(sourceMs);
    this.#bid.push(bid);
    this.#ask.push(ask);
  }

  addDown(localUs: number, reason: string): void {
    this.#downs.push({ row: this.#localUs.length, reason });
    this.add(localUs, Number.NaN, Number.NaN, Number.NaN);
  }

  take(): ReferenceTape {
    const tape = {
      localUs: Float64Array.from(this.#localUs),
      sourceMs: Float64Array.from(this.#sourceMs),
      bid: Float64Array.from(this.#bid),
      ask: Float64Array.from(this.#ask),
      downs: this.#downs,
    };
    this.#localUs = [];
    this.#sourceMs = [];
    this.#bid = [];
    this.#ask = [];
    this.#downs = [];
    return tape;
  }
}
