import { ConfigError } from "../../../core/errors.js";
import type { MarketId } from "../../../core/units.js";
import type { Day } from "../../day.js";
import type { DuckLimits } from "../../store/duck.js";
import type { HistoryStore } from "../../store/history-store.js";
import { type DayTapeOptions, openDayTape } from "../day-tape.js";
import { findDaysBefore } from "../find-days-before.js";
import type { SourceDay } from "../source-day.js";
import { msSpan, type TapeSeries, tapeDays } from "../tape-days.js";
import { sortByKeys } from "./ascending-order.js";
import type { LotsColumn } from "./lots-column.js";
import type { Tape } from "./tape.js";
import { resolveSteps, type Steps } from "./tape-grid.js";
import { TapeSource } from "./tape-source.js";

/** What to open, and how. */
export interface OpenTapesOptions extends Partial<Steps> {
  /** Whole microseconds of the exchange's clock, the second exclusive. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Both, where nothing is said. */
  readonly kinds?: readonly TapeSeries[];
  /** From exchange stamp to local stamp where nobody stamped, and for the fastest message of a day whose clock has to be corrected; whole, 0 where absent. */
  readonly baseLatencyUs?: number;
  /** Rows, and messages, of one tape of a source: see {@link rowsWithin}; a million where nothing is said. */
  readonly blockRows?: number;
  /** Of the database that makes columns. */
  readonly limits?: DuckLimits;
  /** Told as the columns of a day are made, which takes seconds. */
  readonly onMake?: (day: Day) => void;
}

/** A million rows: 35 MB a tape. */
const BLOCK_ROWS = 1 << 20;
/** Fewer would make more tapes than they save memory. */
const LEAST_ROWS = 1 << 10;
/** Of a tape with a message a row, which trades are, and wide amounts: no other takes more. */
const BYTES_A_ROW = 37;
/** One that is replayed, one that what is still under way lies in, one that is read. */
const TAPES_AT_ONCE = 3;
/** What `rowEnd` and `byLocal` count to. */
const MOST = 2 ** 32 - 1;

/**
 * Opens a span of a market's books and trades, to be replayed tape after tape. The columns of every day are made first where they are not there.
 * @throws ConfigError where the store has nothing of it, or no grid is known; HistoryError naming the file, the row and the value that columns
 * cannot hold, or a file that is broken
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

/** All tapes of a source as one in shared memory, for workers that replay it at once: it is handed on as it is, and not copied. @throws ConfigError where it is more than one tape counts */
export async function joinTapes(source: TapeSource): Promise<Tape> {
  let all: TapeJoiner | undefined;
  for await (const tape of source) {
    all ??= new TapeJoiner(tape, source.bound);
    all.add(tape);
    source.release(tape);
  }
  if (all !== undefined) return all.tape();
  throw new ConfigError("has no books and no trades of that time", {
    field: source.market,
    expected: "a span in which something was recorded",
  });
}

/** Tapes on their way into one. */
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
    // The first may be the book that stood at the beginning.
    const [messages, rows] = [bound.messages + first.messages, bound.rows + first.rows];
    if (rows > MOST || messages > MOST) {
      throw new ConfigError("is more than one tape counts", {
        field: "toUs",
        value: rows,
        expected: `at most ${MOST} rows: replay it tape by tape`,
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
    // Nearly in order already: what one tape sent last is heard after the next began.
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

/** Rows of a tape that keep the tapes of a source within so much memory, where no message is larger than they: a power of two, so that few sizes of columns are made. */
export function rowsWithin(bytes: number): number {
  const most = bytes / (TAPES_AT_ONCE * BYTES_A_ROW);
  return Math.min(BLOCK_ROWS, Math.max(LEAST_ROWS, 2 ** Math.floor(Math.log2(most))));
}

function requireWhole(field: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ConfigError("is no whole number in reach", {
    field,
    value,
    expected: `a whole number of ${least} or more`,
  });
}
