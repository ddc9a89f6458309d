import type { Instrument } from "../../core/instrument.js";
import type { Lots, MarketId, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce } from "../../exchange/records.js";
import { gridCount } from "../../exchange/wire-parse.js";
import { Duck, type Row, wholeOf } from "../../history/duck.js";
import { HistoryError } from "../../history/history-errors.js";
import { parquetSql, reading } from "../../history/measure.js";
import type { HistoryStore } from "../../history/store.js";

/** A step of an order's open amount, on the exchange's clock. */
export interface OpenStep {
  readonly atUs: number;
  readonly openLots: Lots;
}

/** One order of a recorded session, from its request to its end. Instants are whole microseconds since 1970. */
export interface RecordedOrder {
  readonly hash: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** NaN of a MARKET order that told none. */
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly expirationMs: number;
  /** Distance rank of its quote; -1 where it worked a position. */
  readonly level: number;
  /** When it left. */
  readonly sentUs: number;
  /** When the exchange took it, on its clock; undefined where it never said so. */
  readonly acceptedUs: number | undefined;
  /** When its acceptance was heard. */
  readonly answeredUs: number | undefined;
  /** Whether the exchange refused it, it never left, or nobody ever heard of it. */
  readonly refused: string | undefined;
  /** Its open amount as the exchange told it, ascending. */
  readonly steps: readonly OpenStep[];
  /** How it ended without being wholly filled, and when, on the exchange's clock. */
  readonly ended: { readonly atUs: number; readonly status: string } | undefined;
}

/** A cancel, or a cancel of everything where it names no order. */
export interface RecordedCancel {
  readonly sentUs: number;
  readonly hash: string | undefined;
  /** When the exchange took it, on its clock: the instant at which it ended the order that it names; undefined where it never said so. */
  readonly takenUs: number | undefined;
  /** Of one that the exchange refused, or did not answer: when it first told that nothing of its order was open, or last that some was. Until then it took nothing down. */
  readonly notBeforeUs: number | undefined;
}

/** An order or a cancel as it left, on the bot's clock as the market's tape has it: whole microseconds since 1970. */
export interface RecordedRequest {
  readonly leftUs: number;
  /** When the exchange's answer was heard; undefined where it gave none. */
  readonly answeredUs: number | undefined;
}

/** A fill of a recorded session. */
export interface RecordedFill {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** At the exchange. */
  readonly atUs: number;
  readonly isMaker: boolean;
  /** In the quote asset, as recorded. */
  readonly fee: string;
}

/** What a session recorded of its own account in one market. */
export interface RecordedAccount {
  readonly orders: readonly RecordedOrder[];
  readonly cancels: readonly RecordedCancel[];
  readonly requests: readonly RecordedRequest[];
  readonly fills: readonly RecordedFill[];
}

const ORDER_COLUMNS =
  "CAST(timeNs // 1000 AS DOUBLE) AS atUs, CAST(recvNs // 1000 AS DOUBLE) AS heardUs, what, request, hash, isBuy, type, timeInForce, CAST(price AS VARCHAR) AS price, CAST(amount AS VARCHAR) AS amount, CAST(available AS VARCHAR) AS available, status, expirationMs, level, code, message";
const FILL_COLUMNS =
  "CAST(timeNs // 1000 AS DOUBLE) AS atUs, tradeId, isBuy, isMaker, CAST(price AS VARCHAR) AS price, CAST(amount AS VARCHAR) AS amount, CAST(fee AS VARCHAR) AS fee";

/** Reads the own orders and fills of a market. @throws HistoryError naming a file that is broken */
export async function readAccount(store: HistoryStore, instrument: Instrument): Promise<RecordedAccount> {
  const { marketId } = instrument;
  const duck = await Duck.open(store.spillFolder);
  try {
    const orders = await rowsOf(duck, store, marketId, "orders", ORDER_COLUMNS, "recvNs, seq");
    // What bears no stamp of the exchange may be in the day before that of its request, at midnight.
    orders.sort((one, other) => Number(one.heardUs) - Number(other.heardUs));
    const fills = await rowsOf(duck, store, marketId, "fills", FILL_COLUMNS, "timeNs, seq");
    return { ...ordersOf(orders, instrument), requests: requestsOf(orders), fills: fillsOf(fills, instrument) };
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
    rows.push(...(await reading(file, () => duck.rows(`SELECT ${columns} FROM ${parquetSql(file)} ORDER BY ${order}`))));
  }
  return rows;
}

type Draft = { -readonly [Key in keyof RecordedOrder]: RecordedOrder[Key] } & { steps: OpenStep[] };

function ordersOf(rows: readonly Row[], instrument: Instrument): Pick<RecordedAccount, "orders" | "cancels"> {
  const orders = new Map<string, Draft>();
  const cancels = new Map<
    string,
    { readonly sentUs: number; readonly hash: string | undefined; answer?: "taken" | "refused" | "unknown" }
  >();
  for (const row of rows) {
    const hash = textOf(row.hash);
    const [atUs, heardUs] = [Number(row.atUs), Number(row.heardUs)];
    const order = hash === undefined ? undefined : orders.get(hash);
    switch (row.what) {
      case "place":
        if (hash === undefined) throw broken(instrument, "a place without the hash of its order");
        orders.set(hash, {
          hash,
          side: row.isBuy === true ? "BUY" : "SELL",
          type: row.type as OrderType,
          timeInForce: row.timeInForce as TimeInForce,
          ticks: ticksOf(instrument, row.price),
          lots: lotsOf(instrument, row.amount),
          expirationMs: Number(wholeOf(row.expirationMs)),
          level: row.level === null ? -1 : Number(wholeOf(row.level)),
          sentUs: heardUs,
          acceptedUs: undefined,
          answeredUs: undefined,
          refused: undefined,
          steps: [],
          ended: undefined,
        });
        break;
      case "cancel":
      case "cancel-all":
        cancels.set(String(row.request), { sentUs: heardUs, hash: row.what === "cancel" ? hash : undefined });
        break;
      case "cancelled": {
        const cancel = cancels.get(String(row.request));
        if (cancel !== undefined) cancel.answer = "taken";
        break;
      }
      case "accepted":
        if (order === undefined) break;
        order.acceptedUs = atUs;
        order.answeredUs = heardUs;
        order.steps.push({ atUs, openLots: lotsOf(instrument, row.available) });
        break;
      case "update":
        if (order !== undefined) told(order, row, atUs, instrument);
        break;
      case "rejected":
      case "throttled":
      case "unknown":
      case "not-sent": {
        const request = String(row.request);
        const cancel = cancels.get(request);
        if (cancel === undefined) {
          if (order !== undefined && order.acceptedUs === undefined && order.steps.length === 0) order.refused = refusalOf(row);
        } else if (row.what === "rejected") cancel.answer = "refused";
        else if (row.what === "unknown") cancel.answer = "unknown";
        // It never came to the orders.
        else cancels.delete(request);
        break;
      }
      default:
    }
  }
  // The answer to a place may be heard after what filled the order in the same millisecond: what is open only falls.
  for (const { steps } of orders.values()) steps.sort((one, other) => one.atUs - other.atUs || other.openLots - one.openLots);
  return {
    orders: [...orders.values()],
    cancels: [...cancels.values()].map(({ sentUs, hash, answer }) => {
      const order = hash === undefined ? undefined : orders.get(hash);
      // Where it never told of its end, it was open when it told of it last.
      const overUs = (order?.steps.find(({ openLots }) => openLots === 0) ?? order?.steps.at(-1))?.atUs;
      return {
        sentUs,
        hash,
        takenUs: answer === "taken" ? order?.ended?.atUs : undefined,
        notBeforeUs: answer === "refused" || answer === "unknown" ? overUs : undefined,
      };
    }),
  };
}

const REQUESTS: ReadonlySet<unknown> = new Set(["place", "cancel", "cancel-all"]);
const ANSWERS: ReadonlySet<unknown> = new Set(["accepted", "cancelled", "rejected", "throttled"]);

function requestsOf(rows: readonly Row[]): RecordedRequest[] {
  const requests = new Map<string, { readonly leftUs: number; readonly aheadUs: number; answeredUs: number | undefined }>();
  for (const { what, request: id, atUs, heardUs } of rows) {
    if (REQUESTS.has(what)) {
      // A clock that is behind the exchange's is put forward in the tape, and so is the stamp of a request.
      requests.set(String(id), { leftUs: Number(atUs), aheadUs: Number(atUs) - Number(heardUs), answeredUs: undefined });
    } else if (ANSWERS.has(what)) {
      const request = requests.get(String(id));
      if (request !== undefined) request.answeredUs ??= Number(heardUs) + request.aheadUs;
    }
  }
  return [...requests.values()].map(({ leftUs, answeredUs }) => ({ leftUs, answeredUs }));
}

function told(order: Draft, row: Row, atUs: number, instrument: Instrument): void {
  const openLots = lotsOf(instrument, row.available);
  order.acceptedUs ??= atUs;
  order.refused = undefined;
  order.steps.push({ atUs, openLots });
  const status = String(row.status);
  // It is told again when what it traded before is settled.
  if (openLots === 0 && /^(CANCEL|EXPIRE)/.test(status)) order.ended ??= { atUs, status };
}

function refusalOf({ what, code, message }: Row): string {
  return [what, code, message].filter((part) => part !== null && part !== undefined).join(" ");
}

function fillsOf(rows: readonly Row[], instrument: Instrument): RecordedFill[] {
  const seen = new Set<string>();
  const fills: RecordedFill[] = [];
  for (const row of rows) {
    // A trade is told again when it settles; a trade with oneself is two fills of one id.
    const key = `${String(row.tradeId)} ${String(row.isBuy)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    fills.push({
      side: row.isBuy === true ? "BUY" : "SELL",
      ticks: ticksOf(instrument, row.price),
      lots: lotsOf(instrument, row.amount),
      atUs: Number(row.atUs),
      isMaker: row.isMaker === true,
      fee: textOf(row.fee) ?? "0",
    });
  }
  return fills;
}

function ticksOf(instrument: Instrument, price: unknown): Ticks {
  return price === null || price === undefined ? Number.NaN : gridCount(String(price), instrument.tickSize, "price");
}

/** An order that was placed in finer steps, and what it trades, may lie between whole lots, as between ticks. */
function lotsOf({ stepSize }: Instrument, amount: unknown): number {
  return gridCount(String(amount), stepSize, "amount");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function broken({ marketId }: Instrument, what: string): HistoryError {
  return new HistoryError(`${marketId} orders`, what, { expected: "what a recorder wrote" });
}
