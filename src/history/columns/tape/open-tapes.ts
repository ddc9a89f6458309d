import { ConfigError } from "../../../core/errors.js";
import type { MarketId } from "../../../core/units.js";
import type { Day } from "../../day.js";
import { daySpan } from "../../spans.js";
import type { DuckLimits } from "../../store/duck.js";
import type { HistoryStore } from "../../store/history-store.js";
import { type DayTapeOptions, openDayTape } from "../day-tape.js";
import { isBookLost } from "../lost-book.js";
import type { SourceDay } from "../source-day.js";
import { msSpan, type TapeSeries, tapeDays } from "../tape-days.js";
import { sortByKeys } from "./ascending-order.js";
import type { LotsColumn } from "./lots-column.js";
import type { Tape } from "./tape.js";
import { resolveSteps, type Steps } from "./tape-grid.js";
import { TapeSource } from "./tape-source.js";

/** The span and kinds to open. */
export interface OpenTapesOptions extends Partial<Steps> {
  /** Whole microseconds of the exchange's clock; `toUs` is exclusive. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Both kinds if absent. */
  readonly kinds?: readonly TapeSeries[];
  /**
   * Whole microseconds from exchange stamp to local stamp, for rows without a local stamp and for
   * the fastest message of a day whose clock is corrected; 0 if absent.
   */
  readonly baseLatencyUs?: number;
  /** Rows, and messages, per tape of a source: see {@link rowsWithin}; 2^20 if absent. */
  readonly blockRows?: number;
  /** Limits of the database that builds the columns. */
  readonly limits?: DuckLimits;
  /** Called when the columns of a day are built, which takes seconds. */
  readonly onMake?: (day: Day) => void;
}

/** About a million rows, 35 MB per tape. */
const BLOCK_ROWS = 1 << 20;
/** Smaller tapes add more overhead than they save memory. */
const LEAST_ROWS = 1 << 10;
/**
 * Bytes per row of a tape with one row per message, as trades have, and wide amounts. No other tape
 * takes more.
 */
const BYTES_A_ROW = 37;
/** The tape being replayed, the tape with the messages still in flight, and the tape being read. */
const TAPES_AT_ONCE = 3;
/** The largest value of `rowEnd` and `byLocal`. */
const MOST = 2 ** 32 - 1;

/**
 * Opens a span of a market's books and trades, to be replayed tape by tape. Missing columns of a
 * day are built first.
 * @throws ConfigError if the store has no data of it, or no grid is known; HistoryError naming the
 * file, the row and the value that columns cannot hold, or a file that is broken
 */
export async function openTapes(
  store: HistoryStore,
  market: MarketId,
  wish: OpenTapesOptions,
): Promise<TapeSource> {
  const {
    fromUs,
    toUs,
    kinds = ["book", "trades"],
    baseLatencyUs = 0,
    blockRows = BLOCK_ROWS,
    limits,
    onMake,
  } = wish;
  requireWhole("baseLatencyUs", baseLatencyUs, 0);
  requireWhole("blockRows", blockRows, 1);
  const { inputs, gaps } = tapeDays(store, market, msSpan(fromUs, toUs), kinds);
  const manifests = inputs
    .flatMap(({ book, trades }) => [book, trades])
    .filter((manifest) => manifest !== undefined);
  const options: DayTapeOptions = {
    steps: resolveSteps(market, manifests, wish),
    baseLatencyNs: BigInt(baseLatencyUs) * 1000n,
    blockRows,
    limits,
    onMake,
  };
  const days: SourceDay[] = [];
  for (const input of inputs) days.push({ input, tape: await openDayTape(store, input, options) });
  const before = await findDaysBefore(store, days, fromUs, options);
  return new TapeSource({ store, market, days: [...before, ...days], gaps, fromUs, toUs, options });
}

/**
 * Finds the days before a span whose book continues into it, ascending. A capture over midnight
 * contains the whole book only once, on its first day. Playing the capture from there gives the
 * book at the beginning of the span.
 *
 * Returns no days if the span's first day has a whole book by then, or if the earlier book was
 * lost.
 * @param days of the span, ascending.
 * @param fromUs the span's beginning.
 * @throws HistoryError naming a file that is broken, or holds a value that columns cannot hold
 */
async function findDaysBefore(
  store: HistoryStore,
  days: readonly SourceDay[],
  fromUs: number,
  options: DayTapeOptions,
): Promise<readonly SourceDay[]> {
  const found: SourceDay[] = [];
  let first = days.find(({ input }) => input.book !== undefined);
  let byUs = fromUs;
  while (first !== undefined && !tellsWhole(first, byUs)) {
    const { market, day } = first.input;
    const before = store.days({ market, kind: "book" }).findLast((manifest) => manifest.day < day);
    if (before === undefined || isBookLost(first, before)) break;
    const [input] = tapeDays(store, market, daySpan(before.day), ["book", "trades"]).inputs;
    first = { input, tape: await openDayTape(store, input, options) };
    found.unshift(first);
    byUs = Number.POSITIVE_INFINITY;
  }
  return found;
}

/** True if a day has a whole book, or a loss of it, by an instant. */
function tellsWhole({ tape: { footer } }: SourceDay, byUs: number): boolean {
  return footer.beginsWhole || footer.turns.some(({ atUs }) => atUs <= byUs);
}

/**
 * Joins all tapes of a source into one in shared memory, so that several workers can replay it
 * without a copy.
 * @throws ConfigError if one tape cannot count that many rows
 */
export async function joinTapes(source: TapeSource): Promise<Tape> {
  let all: TapeJoiner | undefined;
  for await (const tape of source) {
    all ??= new TapeJoiner(tape, source.bound);
    all.add(tape);
    source.release(tape);
  }
  if (all !== undefined) return all.tape();
  throw new ConfigError("has no books and no trades at that time", {
    field: source.market,
    expected: "a time for which the store has books or trades",
  });
}

/** Appends tapes to one tape. */
class TapeJoiner {
  readonly #first: Tape;
  readonly #exchangeUs: Float64Array;
  readonly #localUs: Float64Array;
  readonly #kind: Uint8Array;
  readonly #rowEnd: Uint32Array;
  readonly #signedTicks: Int32Array;
  readonly #lots: LotsColumn;
  readonly #byLocal: Uint32Array;
  #messages = 0;
  #rows = 0;
  #isOneOrder = true;

  constructor(first: Tape, bound: TapeSource["bound"]) {
    // The first tape may be the book at the beginning of the span.
    const [messages, rows] = [bound.messages + first.messages, bound.rows + first.rows];
    if (rows > MOST || messages > MOST) {
      throw new ConfigError("is too many rows for one tape", {
        field: "toUs",
        value: rows,
        expected: `at most ${MOST} rows; replay the history tape by tape`,
      });
    }
    this.#first = first;
    this.#exchangeUs = new Float64Array(new SharedArrayBuffer(8 * messages));
    this.#localUs = new Float64Array(new SharedArrayBuffer(8 * messages));
    this.#kind = new Uint8Array(new SharedArrayBuffer(messages));
    this.#rowEnd = new Uint32Array(new SharedArrayBuffer(4 * messages));
    this.#signedTicks = new Int32Array(new SharedArrayBuffer(4 * rows));
    this.#lots = bound.isWide
      ? new Float64Array(new SharedArrayBuffer(8 * rows))
      : new Uint32Array(new SharedArrayBuffer(4 * rows));
    this.#byLocal = new Uint32Array(new SharedArrayBuffer(4 * messages));
  }

  add(tape: Tape): void {
    const [atMessage, atRow] = [this.#messages, this.#rows];
    this.#exchangeUs.set(tape.exchangeUs, atMessage);
    this.#localUs.set(tape.localUs, atMessage);
    this.#kind.set(tape.kind, atMessage);
    this.#signedTicks.set(tape.signedTicks, atRow);
    this.#lots.set(tape.lots, atRow);
    for (let at = 0; at < tape.messages; at++) {
      this.#rowEnd[atMessage + at] = atRow + (tape.rowEnd[at] as number);
      this.#byLocal[atMessage + at] = atMessage + (tape.byLocal?.[at] ?? at);
    }
    const follows =
      atMessage === 0 ||
      (this.#localUs[atMessage] as number) >= (this.#localUs[atMessage - 1] as number);
    this.#isOneOrder &&= tape.byLocal === undefined && follows;
    this.#messages += tape.messages;
    this.#rows += tape.rows;
  }

  tape(): Tape {
    const { marketId, tickSize, stepSize } = this.#first;
    const [messages, rows] = [this.#messages, this.#rows];
    const byLocal = this.#byLocal.subarray(0, messages);
    // Nearly sorted: only the last messages of a tape may arrive after the next tape begins.
    if (!this.#isOneOrder) sortByKeys(this.#localUs, byLocal);
    return {
      marketId,
      tickSize,
      stepSize,
      messages,
      rows,
      exchangeUs: this.#exchangeUs.subarray(0, messages),
      localUs: this.#localUs.subarray(0, messages),
      kind: this.#kind.subarray(0, messages),
      rowEnd: this.#rowEnd.subarray(0, messages),
      signedTicks: this.#signedTicks.subarray(0, rows),
      lots: this.#lots.subarray(0, rows),
      byLocal: this.#isOneOrder ? undefined : byLocal,
    };
  }
}

/**
 * Rows per tape that keep the tapes of a source within a memory limit, if no message is larger. A
 * power of two, so that only few sizes of columns are allocated.
 */
export function rowsWithin(bytes: number): number {
  const most = bytes / (TAPES_AT_ONCE * BYTES_A_ROW);
  return Math.min(BLOCK_ROWS, Math.max(LEAST_ROWS, 2 ** Math.floor(Math.log2(most))));
}

function requireWhole(field: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ConfigError("is out of range", {
    field,
    value,
    expected: `a whole number of ${least} or more`,
  });
}
