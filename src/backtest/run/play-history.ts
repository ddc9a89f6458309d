import { drainMicrotasks } from "../../core/runtime/drain-microtasks.js";
import type { MarketId } from "../../core/units.js";
import type { ReferenceTape } from "../../history/columns/reference-tape.js";
import type { Tape } from "../../history/columns/tape/tape.js";
import type { MarketHistory } from "../engine/market-history.js";
import type { ReplayRun } from "../engine/replay-run.js";
import { type PlayedHistory, toMarketHistory } from "./played-history.js";

/** A stream of blocks: the tapes or marks of one market, or the prices of a reference source. */
class Stream<Block> {
  readonly #blocks: AsyncIterator<Block>;
  readonly #extend: (run: ReplayRun, block: Block) => void;
  readonly #stampsUs: (block: Block) => Float64Array;
  /** The last instant whose history is known; Infinity when there is no more. */
  knownUs = Number.NEGATIVE_INFINITY;

  /** @param stampsUs ascending times of a block: what is earlier than the last one is known. */
  constructor(
    blocks: AsyncIterable<Block>,
    extend: (run: ReplayRun, block: Block) => void,
    stampsUs: (block: Block) => Float64Array,
  ) {
    this.#blocks = blocks[Symbol.asyncIterator]();
    this.#extend = extend;
    this.#stampsUs = stampsUs;
  }

  /** The next block; undefined after the last. */
  async next(): Promise<Block | undefined> {
    const { value, done } = await this.#blocks.next();
    if (done === true) {
      this.knownUs = Number.POSITIVE_INFINITY;
      return undefined;
    }
    this.knownUs = this.#stampsUs(value).at(-1) ?? this.knownUs;
    return value;
  }

  /** Passes the next block to a run. */
  async feed(run: ReplayRun): Promise<void> {
    const block = await this.next();
    if (block !== undefined) this.#extend(run, block);
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/** Options for playing a history. */
export interface PlayHistoryOptions {
  /** Creates the run once the first tape of every market and source is there. */
  readonly begin: (
    markets: ReadonlyMap<MarketId, MarketHistory>,
    references: ReadonlyMap<string, ReferenceTape>,
  ) => ReplayRun;
  readonly toUs: number;
  /**
   * True if a strategy may await promises, which time then waits for: any strategy that is not
   * built in.
   */
  readonly awaits: boolean;
  /** Called periodically with progress. Return false to stop here. */
  readonly onProgress?: (atUs: number) => boolean;
}

/**
 * A long history is played in pieces of this much time, or of a number of bars, so that progress
 * can be reported.
 */
const PIECE_US = 600_000_000;
const PIECE_BARS = 100;
/**
 * Pieces also end after this many views of strategies from outside this package, which may be slow.
 */
const PIECE_VIEWS = 200;

/**
 * Plays a history from its first instant to its last, tape after tape. Only a few tapes of each
 * market and a few blocks of its marks are in memory. The run stays at its end, with the bot still
 * active.
 */
export async function playHistory(
  history: PlayedHistory,
  { begin, toUs, awaits, onProgress = always }: PlayHistoryOptions,
): Promise<ReplayRun> {
  const streams: Pick<Stream<Tape>, "knownUs" | "feed" | "close">[] = [];
  try {
    const first = new Map<MarketId, MarketHistory>();
    for (const market of history.markets) {
      const { marketId } = market;
      const tapes =
        market.tapes &&
        new Stream(
          market.tapes,
          (run, tape) => run.extend(marketId, { ...tape, marketId }),
          exchangeStampsUs,
        );
      const marks =
        market.marks &&
        new Stream(
          market.marks,
          (run, block) => run.extendMarks(marketId, block),
          exchangeStampsUs,
        );
      for (const stream of [tapes, marks]) if (stream !== undefined) streams.push(stream);
      first.set(
        marketId,
        toMarketHistory(market, history.grade, await tapes?.next(), await marks?.next()),
      );
    }
    const references = new Map<string, ReferenceTape>();
    for (const { source, prices } of history.references ?? []) {
      const stream = new Stream(
        prices,
        (run, block) => run.extendReference(source, block),
        ({ localUs }) => localUs,
      );
      streams.push(stream);
      references.set(source, (await stream.next()) ?? NO_PRICES);
    }
    const run = begin(first, references);
    const pieceUs = Math.max(PIECE_US, PIECE_BARS * shortestBarUs(history));
    for (;;) {
      const earliest = streams.reduce<(typeof streams)[number] | undefined>(
        (a, b) => (a === undefined || b.knownUs < a.knownUs ? b : a),
        undefined,
      );
      const knownUs = Math.min(toUs, earliest?.knownUs ?? Number.POSITIVE_INFINITY);
      for (let atUs = run.nowUs; atUs < knownUs; ) {
        const pieceEndUs = Math.min(knownUs, atUs + pieceUs);
        // An interrupt of the process is handled between two pieces.
        if (awaits) await run.playAwaiting(pieceEndUs, PIECE_VIEWS);
        else {
          run.play(pieceEndUs);
          await drainMicrotasks();
        }
        atUs = run.nowUs;
        if (!onProgress(atUs)) return run;
      }
      if (earliest === undefined || knownUs >= toUs) return run;
      await earliest.feed(run);
    }
  } finally {
    for (const stream of streams) await stream.close();
  }
}

/** The length of a bar, the shortest of all markets; 0 where there are none. */
function shortestBarUs({ markets }: PlayedHistory): number {
  return markets.reduce(
    (shortest, { klines }) => Math.min(shortest, klines?.intervalUs ?? 0),
    Number.POSITIVE_INFINITY,
  );
}

function exchangeStampsUs({ exchangeUs }: { readonly exchangeUs: Float64Array }): Float64Array {
  return exchangeUs;
}

const NO_PRICES: ReferenceTape = {
  localUs: new Float64Array(0),
  sourceMs: new Float64Array(0),
  bid: new Float64Array(0),
  ask: new Float64Array(0),
  downs: [],
};
const always = (): boolean => true;
