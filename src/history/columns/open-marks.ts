import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { HistoryError } from "../history-errors.js";
import { withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { Duck } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import {
  parquetsSql,
  type SpanOptions,
  type SpanQuery,
  type SpanRow,
  spanDays,
  spanRows,
  spanSql,
} from "./span-rows.js";
import type { FundingTape, MarkTape } from "./tape/tape.js";

/** The marks to open. */
interface OpenMarksOptions extends SpanOptions {
  /**
   * `creditDecimals` of the exchange's `dealerInfo`: a mark is counted in 10^-creditDecimals of the
   * quote asset per base unit; 6 if absent.
   */
  readonly creditDecimals?: number;
  /** Marks per block of a stream. Each takes 48 bytes, and two blocks are in memory at a time. */
  readonly blockRows?: number;
}

const MOST_INT64 = 2n ** 63n - 1n;
const RATE_UNIT = "0.000000000000000001";
/** Three megabytes. */
const BLOCK_ROWS = 1 << 16;
const ofPrice = ({ price }: DayManifest["decimals"]): number => price;
const ofRate = ({ rate }: DayManifest["decimals"]): number => rate;

/**
 * Opens the marks of a span as columns, by the exchange's clock. A missing index price equals the
 * mark, a missing rate is 0. A mark finer than a credit unit is rounded down to it.
 * @throws ConfigError if the store has none; HistoryError naming a file that is broken, or a value
 * beyond 64 bits
 */
export async function openMarks(
  store: HistoryStore,
  market: MarketId,
  options: OpenMarksOptions,
): Promise<MarkTape> {
  return new MarkSource(store, market, options).whole();
}

/**
 * The marks of the files that the store has at construction. They are read block by block, for a
 * history larger than memory, or all at once.
 */
export class MarkSource implements AsyncIterable<MarkTape> {
  readonly #store: HistoryStore;
  readonly #market: MarketId;
  readonly #options: OpenMarksOptions;
  readonly #days: readonly DayManifest[];
  readonly #folder: string;

  /** @throws ConfigError if the store has none */
  constructor(store: HistoryStore, market: MarketId, options: OpenMarksOptions) {
    this.#store = store;
    this.#market = market;
    this.#options = options;
    this.#days = spanDays(store, market, "marks", options);
    this.#folder = store.folder({ market, kind: "marks" });
  }

  /**
   * Reads the marks block by block; marks of one instant are in one block.
   * @throws as {@link openMarks} does, when the first block is read
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<MarkTape, void> {
    const { blockRows = BLOCK_ROWS } = this.#options;
    const marks = new MarkColumns(this.#folder);
    for await (const rows of this.#rows()) {
      for (const row of rows) {
        if (marks.count >= blockRows && Number(row.exchangeUs) > marks.lastUs) yield marks.take();
        marks.add(row);
      }
    }
    if (marks.count > 0) yield marks.take();
  }

  /** Reads all marks. @throws as {@link openMarks} does */
  async whole(): Promise<MarkTape> {
    const marks = new MarkColumns(this.#folder);
    for await (const rows of this.#rows()) for (const row of rows) marks.add(row);
    return marks.take();
  }

  /**
   * True if any mark carries the time of the next funding payment.
   * @throws as {@link openMarks} does
   */
  async hasFundingSchedule(): Promise<boolean> {
    const store = this.#store;
    const files = this.#days.map((manifest) => store.dataPath(manifest, manifest.day));
    const duck = await Duck.open(store.spillFolder, this.#options.limits);
    try {
      const query = `SELECT 1 FROM ${parquetsSql(files)} WHERE nextFundingMs > 0 AND ${spanSql(this.#options)} LIMIT 1`;
      return (await withReadErrors(this.#folder, () => duck.rows(query))).length > 0;
    } finally {
      duck.close();
    }
  }

  #rows(): AsyncGenerator<readonly SpanRow[], void> {
    const { creditDecimals = 6 } = this.#options;
    if (!Number.isInteger(creditDecimals) || creditDecimals < 0 || creditDecimals > 18) {
      throw new ConfigError("is out of range", {
        field: "creditDecimals",
        value: creditDecimals,
        expected: "0 to 18 decimals",
      });
    }
    const unit = creditDecimals === 0 ? "1" : `0.${"1".padStart(creditDecimals, "0")}`;
    const question: SpanQuery = {
      kind: "marks",
      counted: [
        { column: "mark", unit, field: "creditDecimals", places: ofPrice, rounds: true },
        { column: '"index"', unit, field: "creditDecimals", places: ofPrice, rounds: true },
        { column: "fundingRate", unit: RATE_UNIT, field: "fundingRate", places: ofRate },
      ],
      more: (localUs) => ({
        exchangeUs: "CAST(timeNs // 1000 AS DOUBLE)",
        localUs,
        nextFundingMs: "CAST(coalesce(nextFundingMs, 0) AS DOUBLE)",
      }),
    };
    return spanRows(this.#store, this.#market, this.#options, question, this.#days);
  }
}

/**
 * Opens the funding payments of a span as columns.
 * @throws ConfigError if the store has none; HistoryError naming a file that is broken
 */
export async function openFunding(
  store: HistoryStore,
  market: MarketId,
  options: SpanOptions,
): Promise<FundingTape> {
  const question: SpanQuery = {
    kind: "funding",
    counted: [{ column: "rate", unit: RATE_UNIT, field: "rate", places: ofRate }],
    more: () => ({ timeUs: "CAST(timeNs // 1000 AS DOUBLE)" }),
  };
  const file = store.folder({ market, kind: "funding" });
  const timeUs: number[] = [];
  const rates: bigint[] = [];
  for await (const rows of spanRows(
    store,
    market,
    options,
    question,
    spanDays(store, market, "funding", options),
  )) {
    for (const row of rows) {
      timeUs.push(Number(row.timeUs));
      rates.push(int64(row.rate, file));
    }
  }
  return { timeUs: Float64Array.from(timeUs), rateE18: BigInt64Array.from(rates) };
}

/** Growing columns of marks. */
class MarkColumns {
  readonly #file: string;
  count = 0;
  #exchangeUs = new Float64Array(1024);
  #localUs = new Float64Array(1024);
  #markCredit = new BigInt64Array(1024);
  #indexCredit = new BigInt64Array(1024);
  #fundingRateE18 = new BigInt64Array(1024);
  #nextFundingMs = new Float64Array(1024);

  /** @param file named in errors. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Stamp of the newest mark. Valid only if there is one. */
  get lastUs(): number {
    return this.#exchangeUs[this.count - 1] as number;
  }

  add({ exchangeUs, localUs, mark, index, fundingRate, nextFundingMs }: SpanRow): void {
    if (this.count === this.#exchangeUs.length) this.#grow();
    const at = this.count;
    this.count = at + 1;
    this.#exchangeUs[at] = Number(exchangeUs);
    this.#localUs[at] = Number(localUs);
    this.#markCredit[at] = int64(mark, this.#file);
    this.#indexCredit[at] = int64(index ?? mark, this.#file);
    this.#fundingRateE18[at] = int64(fundingRate ?? "0", this.#file);
    this.#nextFundingMs[at] = Number(nextFundingMs);
  }

  /** Returns the added marks in separate memory and empties the columns. */
  take(): MarkTape {
    const count = this.count;
    this.count = 0;
    return {
      exchangeUs: this.#exchangeUs.slice(0, count),
      localUs: this.#localUs.slice(0, count),
      markCredit: this.#markCredit.slice(0, count),
      indexCredit: this.#indexCredit.slice(0, count),
      fundingRateE18: this.#fundingRateE18.slice(0, count),
      nextFundingMs: this.#nextFundingMs.slice(0, count),
    };
  }

  #grow(): void {
    this.#exchangeUs = twice(this.#exchangeUs);
    this.#localUs = twice(this.#localUs);
    this.#markCredit = twice(this.#markCredit);
    this.#indexCredit = twice(this.#indexCredit);
    this.#fundingRateE18 = twice(this.#fundingRateE18);
    this.#nextFundingMs = twice(this.#nextFundingMs);
  }
}

function twice<Column extends Float64Array | BigInt64Array>(column: Column): Column {
  const larger = new (column.constructor as new (length: number) => Column)(2 * column.length);
  new Uint8Array(larger.buffer).set(new Uint8Array(column.buffer));
  return larger;
}

function int64(value: unknown, file: string): bigint {
  const whole = BigInt(String(value));
  if (whole <= MOST_INT64 && whole >= -MOST_INT64) return whole;
  throw new HistoryError(file, "has a value of more than 64 bits", {
    value: String(whole),
    expected: "mark prices with fewer digits, or fewer creditDecimals",
  });
}
