import type { Instrument } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import { parquetSql, withReadErrors } from "../../history/staging/decimal-places.js";
import { Duck, type Row } from "../../history/store/duck.js";
import type { HistoryStore } from "../../history/store/history-store.js";
import { foldOrders } from "./fold-orders.js";
import type { RecordedAccount, RecordedFill, RecordedRequest } from "./recorded-orders.js";
import { parseLots, parseText, parseTicks } from "./recorded-values.js";

const ORDER_COLUMNS =
  "CAST(timeNs // 1000 AS DOUBLE) AS atUs, CAST(recvNs // 1000 AS DOUBLE) AS heardUs, what, request, hash, isBuy, type, timeInForce, CAST(price AS VARCHAR) AS price, CAST(amount AS VARCHAR) AS amount, CAST(available AS VARCHAR) AS available, status, expirationMs, level, code, message";
const FILL_COLUMNS =
  "CAST(timeNs // 1000 AS DOUBLE) AS atUs, tradeId, isBuy, isMaker, CAST(price AS VARCHAR) AS price, CAST(amount AS VARCHAR) AS amount, CAST(fee AS VARCHAR) AS fee";

/**
 * Reads the own orders and fills of a market.
 * @param open orders that the exchange reported open at the beginning of the session; undefined
 * where the recording does not tell
 * @throws HistoryError naming a file that is broken
 */
export async function readAccount(
  store: HistoryStore,
  instrument: Instrument,
  open: readonly VenueOrder[] | undefined,
): Promise<RecordedAccount> {
  const { marketId } = instrument;
  const duck = await Duck.open(store.spillFolder);
  try {
    const orders = await rowsOf(duck, store, marketId, "orders", ORDER_COLUMNS, "recvNs, seq");
    // At midnight, a row without an exchange stamp may be in the day before that of its request.
    orders.sort((one, other) => Number(one.heardUs) - Number(other.heardUs));
    const fills = await rowsOf(duck, store, marketId, "fills", FILL_COLUMNS, "timeNs, seq");
    return {
      ...foldOrders(orders, instrument, open),
      requests: requestsOf(orders),
      fills: fillsOf(fills, instrument),
    };
  } finally {
    duck.close();
  }
}

async function rowsOf(
  duck: Duck,
  store: HistoryStore,
  market: MarketId,
  kind: "orders" | "fills",
  columns: string,
  order: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const manifest of store.days({ market, kind })) {
    await store.verify(manifest);
    const file = store.dataPath(manifest, manifest.day);
    rows.push(
      ...(await withReadErrors(file, () =>
        duck.rows(`SELECT ${columns} FROM ${parquetSql(file)} ORDER BY ${order}`),
      )),
    );
  }
  return rows;
}

const REQUESTS: ReadonlySet<unknown> = new Set(["place", "cancel", "cancel-all"]);
const ANSWERS: ReadonlySet<unknown> = new Set(["accepted", "cancelled", "rejected", "throttled"]);

function requestsOf(rows: readonly Row[]): RecordedRequest[] {
  const requests = new Map<
    string,
    { readonly leftUs: number; readonly aheadUs: number; answeredUs: number | undefined }
  >();
  for (const { what, request: id, atUs, heardUs: receivedUs } of rows) {
    if (REQUESTS.has(what)) {
      // If the bot's clock is behind the exchange's, the tape corrects it; the stamp of a request
      // is corrected alike.
      requests.set(String(id), {
        leftUs: Number(atUs),
        aheadUs: Number(atUs) - Number(receivedUs),
        answeredUs: undefined,
      });
    } else if (ANSWERS.has(what)) {
      const request = requests.get(String(id));
      if (request !== undefined) request.answeredUs ??= Number(receivedUs) + request.aheadUs;
    }
  }
  return [...requests.values()].map(({ leftUs, answeredUs }) => ({ leftUs, answeredUs }));
}

function fillsOf(rows: readonly Row[], instrument: Instrument): RecordedFill[] {
  const seen = new Set<string>();
  const fills: RecordedFill[] = [];
  for (const row of rows) {
    // A trade is reported again when it settles. A trade with oneself is two fills of one id.
    const key = `${String(row.tradeId)} ${String(row.isBuy)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    fills.push({
      side: row.isBuy === true ? "BUY" : "SELL",
      ticks: parseTicks(instrument, row.price),
      lots: parseLots(instrument, row.amount),
      atUs: Number(row.atUs),
      isMaker: row.isMaker === true,
      fee: parseText(row.fee) ?? "0",
    });
  }
  return fills;
}
