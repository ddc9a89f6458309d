import { join } from "node:path";
import { Instrument } from "../../core/instrument.js";
import { DAY_MS, type Lots, type MarketId } from "../../core/units.js";
import { openMarks } from "../../history/columns/open-marks.js";
import { ReferenceHistory } from "../../history/columns/reference-history.js";
import type { ReferenceTape } from "../../history/columns/reference-tape.js";
import { joinTapes, openTapes } from "../../history/columns/tape/open-tapes.js";
import { type MarkTape, type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import { RECORDED_KINDS } from "../../history/record/recording-part.js";
import type { Span } from "../../history/spans.js";
import { HistoryStore } from "../../history/store/history-store.js";
import { playedReferences } from "../config/played-references.js";
import type { MarketHistory } from "../engine/market-history.js";
import { readAccount } from "../session/read-account.js";
import { readOpenOrdersAtStart } from "../session/read-turns.js";
import {
  listOpenedOrders,
  type RecordedAccount,
  type RecordedOrder,
} from "../session/recorded-orders.js";
import { SESSION_FILES, type Session } from "../session/session-file.js";
import type { ParityInputs } from "./fit-model.js";
import { measureBookLagMs } from "./measure-book-lag.js";
import type { SessionMarketData } from "./replay/session-replay-market.js";
import { ownBookChangesUs } from "./replay/shift-book-earlier.js";

/** One market of a recorded session, opened. */
export interface OpenedSessionMarket {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  readonly account: RecordedAccount;
  /** Its tape is without our orders. */
  readonly history: MarketHistory & {
    readonly grade: "books";
    readonly marks: MarkTape | undefined;
  };
  /** As it was received, with our orders in it where the exchange had them. */
  readonly recordedTape: Tape;
  /** Times without any data, milliseconds of the exchange's clock, ascending. */
  readonly unrecordedSpans: readonly Span[];
  /** True if the recorded book contains our orders. */
  readonly isInBook: boolean;
  /** Findings of its recorder. */
  readonly findings: readonly string[];
}

/**
 * Opens the recording of each market of a session.
 * @throws HistoryError naming a file that is broken; ConfigError where a market was never recorded
 */
export async function openSession(
  folder: string,
  session: Session,
): Promise<readonly OpenedSessionMarket[]> {
  const store = new HistoryStore(join(folder, SESSION_FILES.history));
  const { rules, config } = session;
  const { creditDecimals, paperDecimals } = rules;
  // The exchange's clock may be far from ours. All of this store belongs to the session.
  const span = { fromUs: session.startedUs - DAY_MS * 1000, toUs: session.endedUs + DAY_MS * 1000 };
  // Only these orders are in the market that is replayed: a session with no-fills cancels none.
  const open = session.mode === "no-fills" ? [] : await readOpenOrdersAtStart(folder, session);
  const opened: OpenedSessionMarket[] = [];
  for (const marketId of Object.keys(config.markets)) {
    const { tickSize, stepSize } = rules.markets[marketId];
    const instrument = new Instrument({
      marketId,
      tickSize,
      stepSize,
      creditDecimals,
      paperDecimals,
    });
    const recorded = await readAccount(store, instrument, open);
    const source = await openTapes(store, marketId, { ...span, tickSize, stepSize });
    const received = await joinTapes(source);
    // A trade of an earlier run is reported again when it settles.
    const firstUs = received.exchangeUs[0] ?? Number.NEGATIVE_INFINITY;
    const account = { ...recorded, fills: recorded.fills.filter(({ atUs }) => atUs >= firstUs) };
    // A paper order was never in the book.
    const isInBook = session.mode === "live";
    const tape = isInBook ? removeOwnOrders(received, listOpenedOrders(account)) : received;
    const hasMarks = store.days({ market: marketId, kind: "marks" }).length > 0;
    const marks = hasMarks
      ? await openMarks(store, marketId, { ...span, creditDecimals })
      : undefined;
    opened.push({
      marketId,
      instrument,
      account,
      history: { grade: "books", tape, marks, gaps: source.gaps.map(({ span: gap }) => gap) },
      recordedTape: received,
      // Trades arrive while the market's stream is received. A book is also lost by a break of its
      // sequence.
      unrecordedSpans: source.gaps.flatMap(({ kind, span: gap }) =>
        kind === "trades" ? [gap] : [],
      ),
      isInBook,
      findings: findingsOf(store, marketId),
    });
  }
  return opened;
}

/**
 * Opens the reference prices that entered a session's bot, by the names of their sources.
 * @throws as {@link openSession} does
 */
export async function openSessionReferences(
  folder: string,
  session: Session,
): Promise<ReadonlyMap<string, ReferenceTape>> {
  const { config, startedUs, endedUs } = session;
  const store = new HistoryStore(join(folder, SESSION_FILES.history));
  const markets = Object.keys(config.markets);
  const opened = new Map<string, ReferenceTape>();
  for (const { source, market } of playedReferences(config, markets).outside) {
    const prices = new ReferenceHistory(store, {
      source,
      market,
      fromUs: startedUs - DAY_MS * 1000,
      toUs: endedUs + DAY_MS * 1000,
      besideMarkets: markets,
    });
    opened.set(source, await prices.whole());
  }
  return opened;
}

/** A change of the size that the exchange reported open for us at a price. */
interface OwnSizeChange {
  readonly atUs: number;
  /** Ticks, positive for a bid and negative for an ask, as in a tape. */
  readonly key: number;
  readonly lots: Lots;
}

/**
 * The tape of a live session as it would have been recorded without our orders. It subtracts from
 * each level the size that the exchange reported open for us at that instant. Otherwise a replay
 * that inserts the same orders would queue behind itself. Trades stay: their takers came to that
 * price anyway.
 */
function removeOwnOrders(tape: Tape, orders: readonly RecordedOrder[]): Tape {
  const changes = ownSizeChanges(orders);
  if (changes.length === 0) return tape;
  const lots = tape.lots.slice();
  const own = new Map<number, Lots>();
  let next = 0;
  let row = 0;
  for (let message = 0; message < tape.messages; message++) {
    const atUs = tape.exchangeUs[message] as number;
    for (
      let change = changes[next];
      change !== undefined && change.atUs <= atUs;
      change = changes[++next]
    ) {
      own.set(change.key, (own.get(change.key) ?? 0) + change.lots);
    }
    const end = tape.rowEnd[message] as number;
    if (tape.kind[message] !== TapeKind.trade) {
      for (let at = row; at < end; at++) {
        const ours = own.get(tape.signedTicks[at] as number) ?? 0;
        if (ours > 0) lots[at] = Math.max(0, (lots[at] as number) - ours);
      }
    }
    row = end;
  }
  return { ...tape, lots };
}

function ownSizeChanges(orders: readonly RecordedOrder[]): OwnSizeChange[] {
  const changes: OwnSizeChange[] = [];
  for (const { side, ticks, steps } of orders) {
    let before = 0;
    for (const { atUs, openLots } of steps) {
      if (openLots !== before)
        changes.push({ atUs, key: side === "BUY" ? ticks : -ticks, lots: openLots - before });
      before = openLots;
    }
  }
  return changes.sort((one, other) => one.atUs - other.atUs);
}

/** Each finding once: a finding on a stream is repeated in the days of all its kinds. */
function findingsOf(store: HistoryStore, market: MarketId): string[] {
  return [
    ...new Set(
      RECORDED_KINDS.flatMap((kind) =>
        store.days({ market, kind }).flatMap(({ findings }) => findings),
      ),
    ),
  ];
}

/** The data of a market by which the inputs of its session are repeated. */
export function toMarketData({
  marketId,
  recordedTape,
  history,
  isInBook,
}: OpenedSessionMarket): SessionMarketData {
  return { marketId, tape: recordedTape, marks: history.marks, isInBook };
}

/** The data of a market by which its recorded orders are judged. */
export function toParityInputs(market: OpenedSessionMarket, { paper }: Session): ParityInputs {
  const { instrument, account, history, recordedTape, isInBook } = market;
  return {
    instrument,
    account,
    tape: history.tape,
    isShared: isInBook,
    ownChangesUs: isInBook ? ownBookChangesUs(sentIn(account)) : [],
    bookLagMs: isInBook ? measureBookLagMs(recordedTape, account.orders) : 0,
    queue: paper?.queue,
  };
}

/** The orders of a session, of which those that it began with were accepted before it. */
function sentIn({ orders, openingOrders = [] }: RecordedAccount): readonly RecordedOrder[] {
  return [...orders, ...openingOrders.map((order) => ({ ...order, acceptedUs: undefined }))];
}
