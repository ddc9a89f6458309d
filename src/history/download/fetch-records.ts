import { RunError } from "../../core/errors.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { ExchangeClient } from "../../exchange/client/exchange-client.js";
import type { OperationParams } from "../../exchange/client/operation-params.js";
import { readIdPages } from "../../exchange/client/pages.js";
import type { FundingRate, Kline, PublicTrade } from "../../exchange/protocol/market-data.js";
import { familyFor, type HistoryKind, intervalFor } from "../kinds.js";
import type { Span } from "../spans.js";

/** A record as it is staged, with the exchange's own fields. */
export interface FetchedRecord {
  readonly timeMs: Ms;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** The records to fetch of one kind. */
interface FetchRecordsOptions {
  readonly client: ExchangeClient;
  readonly marketId: MarketId;
  readonly kind: HistoryKind;
  readonly span: Span;
  /** The first staged record, if any. */
  readonly first: FetchedRecord | undefined;
  /** The last staged record. The first fetched record must be equal to it. */
  readonly last: FetchedRecord | undefined;
  /** Records per page; the exchange's maximum if absent. */
  readonly pageSize?: number;
  /** Called with a sentence about data that the pages do not preserve. */
  readonly onFinding: (finding: string) => void;
  /**
   * Called with a span that lies before the oldest record of the exchange's list. It may have had
   * records.
   */
  readonly onUnlisted: (span: Span) => void;
}

/**
 * The most that a trade's time may lie before that of a trade with a smaller id. Days are cut by
 * time and lists are ordered by id, so a trade near midnight could otherwise fall into neither day.
 */
const DISORDER_MS: Ms = 1000;

type Interval = OperationParams<"klines">["interval"];

/**
 * Fetches the records of a span, oldest first, after the last staged one. Each page of trades
 * begins with the last record of the previous page, which is compared. So is the first record after
 * a restart.
 * @throws PagingError, VenueError, VenueRequestError as the client does; RunError when a record has
 * changed since it was staged
 */
export async function* fetchRecords(
  options: FetchRecordsOptions,
): AsyncGenerator<FetchedRecord, void> {
  const { last, span, kind, onFinding, onUnlisted } = options;
  const lost = (toMs: Ms): void => {
    if (last === undefined) return;
    onFinding(
      `${kind}: the exchange no longer has the last downloaded record, at ${last.timeMs} ms`,
    );
    onUnlisted([last.timeMs, toMs]);
  };
  const endMs = span[1] + (familyFor(kind) === "trades" ? DISORDER_MS : 0);
  let before = last?.timeMs ?? span[0];
  let isFirst = last !== undefined;
  for await (const record of familyFor(kind) === "trades" ? trades(options) : timed(options)) {
    if (isFirst) {
      isFirst = false;
      if (sameFields(record, last)) continue;
      if (record.timeMs === last?.timeMs && record.fields.id === last.fields.id)
        throw changed(kind, last, record);
      lost(record.timeMs);
    }
    if (record.timeMs >= endMs) return;
    if (record.timeMs < span[0] || record.timeMs >= span[1]) continue;
    if (record.timeMs < before) onFinding(`${kind}: times do not ascend at ${record.timeMs} ms`);
    before = Math.max(before, record.timeMs);
    yield record;
  }
  if (isFirst) lost(span[1]);
}

async function* trades(options: FetchRecordsOptions): AsyncGenerator<FetchedRecord, void> {
  const { client, marketId, span, first: held, last, pageSize, onFinding, onUnlisted } = options;
  const { first: listed, isOldest } = await beginAt(client, marketId, span[0] - DISORDER_MS);
  const isKnownBefore = !isOldest || (listed !== undefined && listed.time < span[0]);
  if (!isKnownBefore) onUnlisted([span[0], held?.timeMs ?? listed?.time ?? span[1]]);
  const fromId = last === undefined ? listed?.id : String(last.fields.id);
  if (fromId === undefined) return;
  let newest = last === undefined ? listed : undefined;
  const pages = readIdPages({
    operation: "historicalTrades",
    idOf: ({ id }: PublicTrade) => id,
    fromId,
    pageSize,
    page: async (from, limit) => {
      const page = await client.historicalTrades({ marketId, fromId: from, limit });
      const [first] = page;
      if (newest !== undefined && (first === undefined || first.id !== newest.id)) {
        onFinding(`trades: the page from ${from} on does not overlap the one before`);
        onUnlisted([newest.time, first?.time ?? span[1]]);
      } else if (
        newest !== undefined &&
        first !== undefined &&
        !sameFields(tradeRecord(first), tradeRecord(newest), ["status"])
      ) {
        onFinding(`trades: record ${first.id} differs between two pages`);
      }
      newest = page.at(-1) ?? newest;
      return page;
    },
  });
  for await (const trade of pages) yield tradeRecord(trade);
}

async function* timed({
  client,
  marketId,
  kind,
  span,
  last,
  pageSize,
}: FetchRecordsOptions): AsyncGenerator<FetchedRecord, void> {
  const wanted = { marketId, startTime: last?.timeMs ?? span[0], endTime: span[1], pageSize };
  if (familyFor(kind) === "funding") {
    for await (const rate of client.all.fundingRate(wanted)) yield fundingRecord(rate);
    return;
  }
  const candles = { ...wanted, interval: intervalFor(kind) as Interval };
  for await (const kline of familyFor(kind) === "klines"
    ? client.all.klines(candles)
    : client.all.markPriceKlines(candles))
    yield klineRecord(kline);
}

/** The position in an exchange's list of trades at which a time begins. */
interface Begin {
  /** Undefined if no trade is as late. */
  readonly first: PublicTrade | undefined;
  /**
   * True if the list has no earlier trade. An exchange keeps a limited number of trades, so earlier
   * ones are unknown.
   */
  readonly isOldest: boolean;
}

/** Finds the first trade at or after an instant, by bisection of the ids. */
async function beginAt(client: ExchangeClient, marketId: MarketId, atMs: Ms): Promise<Begin> {
  const [newest] = (await client.trades({ marketId, limit: 1 })).slice(-1);
  let [first, isOldest]: [PublicTrade | undefined, boolean] = [undefined, true];
  let low = 0n;
  let high = newest === undefined ? 0n : BigInt(newest.id) + 1n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const page = await client.historicalTrades({ marketId, fromId: String(middle), limit: 2 });
    const found = page.find(({ id }) => BigInt(id) >= middle);
    if (found === undefined || found.time >= atMs) [first, high] = [found, middle];
    else [low, isOldest] = [BigInt(found.id) + 1n, false];
  }
  return { first, isOldest };
}

function tradeRecord({
  id,
  price,
  amount,
  time,
  isBuyerMaker,
  status,
}: PublicTrade): FetchedRecord {
  return {
    timeMs: time,
    fields: { id, price: String(price), amount: String(amount), time, isBuyerMaker, status },
  };
}

function klineRecord({ time, open, high, low, close, volume }: Kline): FetchedRecord {
  const prices = { open: String(open), high: String(high), low: String(low), close: String(close) };
  return { timeMs: time, fields: { time, ...prices, volume: String(volume) } };
}

function fundingRecord({ marketId, fundingRate, fundingTime }: FundingRate): FetchedRecord {
  return {
    timeMs: fundingTime,
    fields: { marketId, fundingRate: String(fundingRate), fundingTime },
  };
}

/** True if two records are equal, settlement aside: the settlement of a trade progresses. */
function sameFields(
  one: FetchedRecord,
  other: FetchedRecord | undefined,
  aside: readonly string[] = ["status"],
): boolean {
  return (
    other !== undefined &&
    Object.keys(one.fields).every(
      (name) => aside.includes(name) || one.fields[name] === other.fields[name],
    )
  );
}

function changed(kind: HistoryKind, last: FetchedRecord, record: FetchedRecord): RunError {
  return new RunError("a record has changed since it was downloaded", {
    field: kind,
    value: JSON.stringify(record.fields),
    expected: `${JSON.stringify(last.fields)}, as in an earlier download`,
  });
}
