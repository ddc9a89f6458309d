import { microtasksDrained } from "../../core/drained.js";
import type { MarketId } from "../../core/units.js";
import type { Tape } from "../../history/columns/tape.js";
import type { MarketHistory } from "../engine/market-history.js";
import type { ReplayRun } from "../engine/replay-run.js";
import { historyOf, type PlayedHistory, type PlayedMarket, type TapeStream } from "./open-history.js";

/** One market's tapes as they are read. */
class Stream {
  readonly market: PlayedMarket;
  readonly #tapes: AsyncIterator<Tape>;
  /** The last instant whose history is known; Infinity when there is no more. */
  knownUs = Number.NEGATIVE_INFINITY;

  constructor(market: PlayedMarket) {
    this.market = market;
    this.#tapes = (market.tapes as TapeStream)[Symbol.asyncIterator]();
  }

  /** The next tape; undefined after the last. */
  async next(): Promise<Tape | undefined> {
    const { value, done } = await this.#tapes.next();
    if (done === true) {
      this.knownUs = Number.POSITIVE_INFINITY;
      return undefined;
    }
    this.knownUs = value.messages === 0 ? this.knownUs : value.exchangeUs[value.messages - 1];
    return value;
  }

  async close(): Promise<void> {
    await this.#tapes.return?.();
  }
}

/** How a history is played. */
export interface Playing {
  /** Makes the run when the first tape of every market is there. */
  readonly begin: (markets: ReadonlyMap<MarketId, MarketHistory>) => ReplayRun;
  readonly toUs: number;
  /** Whether a strategy may await promises, which time then waits for: any that is not built in. */
  readonly awaits: boolean;
  /** Told now and then how far it is. False ends the run here. */
  readonly onProgress?: (atUs: number) => boolean;
}

/** A long tape is played in pieces of so much time, so that whoever waits hears of it. */
const PIECE_US = 600_000_000;

/**
 * Plays a history from its first instant to its last, tape after tape: no more of it is in memory than a few tapes of each market. The run is
 * left at its end, its bot still there.
 */
export async function playHistory(history: PlayedHistory, { begin, toUs, awaits, onProgress = always }: Playing): Promise<ReplayRun> {
  const streams = history.markets.filter(({ tapes }) => tapes !== undefined).map((market) => new Stream(market));
  try {
    const first = new Map<MarketId, MarketHistory>();
    for (const market of history.markets) {
      const tape = await streams.find((stream) => stream.market === market)?.next();
      first.set(market.marketId, historyOf(market, history.grade, tape));
    }
    const run = begin(first);
    for (;;) {
      const earliest = streams.reduce<Stream | undefined>((a, b) => (a === undefined || b.knownUs < a.knownUs ? b : a), undefined);
      const knownUs = Math.min(toUs, earliest?.knownUs ?? Number.POSITIVE_INFINITY);
      for (let atUs = run.nowUs; atUs < knownUs; ) {
        atUs = Math.min(knownUs, atUs + PIECE_US);
        if (awaits) await run.playAwaiting(atUs);
        else run.play(atUs);
        // Whoever interrupts the process is heard between two pieces.
        await microtasksDrained();
        if (!onProgress(atUs)) return run;
      }
      if (earliest === undefined || knownUs >= toUs) return run;
      const tape = await earliest.next();
      if (tape !== undefined) run.extend(earliest.market.marketId, { ...tape, marketId: earliest.market.marketId });
    }
  } finally {
    for (const stream of streams) await stream.close();
  }
}

const always = (): boolean => true;
