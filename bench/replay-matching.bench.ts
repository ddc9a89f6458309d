import { BookMatcher } from "#backtest/book-matcher.js";
import type { MatchListener, ReplayOrder } from "#backtest/matcher.js";
import { ReplayBook } from "#backtest/replay-book.js";
import { riskAverseQueue } from "#core/queue-models.js";
import type { Side, Ticks } from "#core/units.js";
import type { Tape } from "#history/tape.js";
import type { Bench } from "./bench.js";
import { scanColumns } from "./column-scan.js";
import { effort } from "./effort.js";
import { bookTape, shiftTape } from "./market-tape.js";
import { interleaved, ratePerSecond } from "./rounds.js";

const ROUNDS = effort(7, 1);
const ROUND_MS = effort(1000, 1);
/** Repetitions of the tape per measurement. */
const REPEATS = effort(10, 1);
const ORDERS_A_SIDE = 10;
/** Ticks between two orders. */
const SPACING = 50;
/** The interval at which the two clocks are brought to the same instant. */
const STEP_US = 100_000;

/**
 * The work of a replay without a bot: the exchange's book with resting orders, and the bot's view
 * of the book.
 */
export const bench: Bench = {
  about:
    "rows of a recorded market through the matcher, ten orders resting a side, and through the book on the local clock",
  floor: 0.05,
  async run() {
    const { tape, source } = bookTape();
    const spanUs = (tape.localUs.at(-1) as number) - (tape.exchangeUs[0] as number) + STEP_US;
    const tapes = Array.from({ length: REPEATS }, (_, at) => shiftTape(tape, at * spanUs));
    const rate = (batch: () => void): number => ratePerSecond(batch, tape.rows * REPEATS, ROUND_MS);
    const measured = await interleaved({
      rounds: ROUNDS,
      ours: () => rate(() => replay(tapes, ORDERS_A_SIDE)),
      reference: () => rate(() => tapes.forEach(scanColumns)),
    });
    return {
      ...measured,
      unit: "rows/s",
      referenceIs: `a scan of the same columns; ${source}`,
      details: {
        "rows/s without an order of ours": rate(() => replay(tapes, 0)),
        "rows/s of the matcher alone": rate(() => playOut(matcherOf(tapes))),
        "rows/s of one book alone": rate(() => playBook(tapes)),
        rows: tape.rows * REPEATS,
        "trades and book messages": tape.messages * REPEATS,
      },
    };
  },
};

const NULL_LISTENER: MatchListener = { accepted: () => {}, filled: () => {}, ended: () => {} };

/**
 * Advances both clocks in steps. Orders rest once the book has two sides, anew in each repetition.
 */
function replay(tapes: readonly Tape[], ordersASide: number): void {
  const matcher = matcherOf(tapes);
  const local = new ReplayBook();
  let id = 0;
  for (const tape of tapes) {
    const { localUs, byLocal, messages } = tape;
    const lastId = id + 2 * ordersASide;
    for (let atUs = tape.exchangeUs[0] as number, heard = 0; heard < messages; atUs += STEP_US) {
      while (matcher.nextUs <= atUs) matcher.advance(atUs, true);
      const from = heard;
      while (
        heard < messages &&
        (localUs[byLocal === undefined ? heard : (byLocal[heard] as number)] as number) <= atUs
      )
        heard++;
      local.applyLocal(tape, from, heard);
      if (id === lastId || !(local.bids.levels > 0 && local.asks.levels > 0)) continue;
      for (let at = 0; id < lastId; id += 2, at++) {
        matcher.cancel(id - 2 * ordersASide, atUs);
        matcher.cancel(id + 1 - 2 * ordersASide, atUs);
        matcher.place(order(id, "BUY", local.bids.bestTicks - SPACING * at), atUs);
        matcher.place(order(id + 1, "SELL", local.asks.bestTicks + SPACING * at), atUs);
      }
    }
  }
}

function matcherOf([first, ...later]: readonly Tape[]): BookMatcher {
  const matcher = new BookMatcher({
    tape: first as Tape,
    listener: NULL_LISTENER,
    queue: riskAverseQueue,
  });
  for (const tape of later) matcher.extend(tape);
  return matcher;
}

function playBook(tapes: readonly Tape[]): void {
  const book = new ReplayBook();
  for (const tape of tapes) book.applyMessages(tape, 0, tape.messages);
}

function playOut(matcher: BookMatcher): void {
  while (matcher.nextUs < Number.POSITIVE_INFINITY) matcher.advance(Number.POSITIVE_INFINITY, true);
}

/** An order so large that it is filled only when the market moves through it. */
function order(id: number, side: Side, ticks: Ticks): ReplayOrder {
  const lots = 1_000_000_000;
  return {
    id,
    side,
    type: "LIMIT",
    ticks,
    lots,
    timeInForce: "GTC",
    expirationUs: Number.POSITIVE_INFINITY,
    openLots: lots,
  };
}
