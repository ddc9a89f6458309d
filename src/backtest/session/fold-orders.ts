import type { Instrument } from "../../core/instrument.js";
import type { OrderType, TimeInForce, VenueOrder } from "../../exchange/records.js";
import { HistoryError } from "../../history/history-errors.js";
import { type Row, toBigInt } from "../../history/store/duck.js";
import type {
  OpeningOrder,
  OpenStep,
  RecordedAccount,
  RecordedCancel,
  RecordedOrder,
} from "./recorded-orders.js";
import { parseLots, parseText, parseTicks } from "./recorded-values.js";

type Draft<Order extends RecordedOrder> = { -readonly [Key in keyof Order]: Order[Key] } & {
  steps: OpenStep[];
};
type OrderDraft = Draft<RecordedOrder>;

interface CancelDraft {
  readonly sentUs: number;
  readonly hash: string | undefined;
  answer?: "taken" | "refused" | "unknown";
}

/**
 * Reconstructs a session's own orders and cancels.
 * @param rows of its record, in the order in which they were received.
 * @param open orders of any market that the exchange reported open at the beginning.
 * @throws HistoryError for an order placement without a hash
 */
export function foldOrders(
  rows: readonly Row[],
  instrument: Instrument,
  open: readonly VenueOrder[] | undefined,
): Pick<RecordedAccount, "orders" | "openingOrders" | "cancels"> {
  const sent = sentHashes(rows);
  const opening = (open ?? [])
    .filter(({ marketId }) => marketId === instrument.marketId)
    // An order whose matches are not yet settled is listed too. The first answer may be later than
    // the first order.
    .filter(({ availableLots, hash }) => availableLots >= 1 && !sent.has(hash))
    .map(toOpeningOrder);
  const orders = new Map<string, OrderDraft>(opening.map((order) => [order.hash, order]));
  const cancels = new Map<string, CancelDraft>();
  for (const row of rows) {
    const hash = parseText(row.hash);
    const request = String(row.request);
    const order = hash === undefined ? undefined : orders.get(hash);
    const cancel = cancels.get(request);
    switch (row.what) {
      case "place": {
        const placed = placedOrder(row, instrument);
        orders.set(placed.hash, placed);
        break;
      }
      case "cancel":
      case "cancel-all":
        cancels.set(request, {
          sentUs: Number(row.heardUs),
          hash: row.what === "cancel" ? hash : undefined,
        });
        break;
      case "cancelled":
        if (cancel !== undefined) cancel.answer = "taken";
        break;
      case "accepted":
        if (order !== undefined) accepted(order, row, instrument);
        break;
      case "update":
        if (order !== undefined) updated(order, row, instrument);
        break;
      case "rejected":
      case "throttled":
      case "unknown":
      case "not-sent":
        if (cancel === undefined) refused(order, row);
        else if (row.what === "rejected") cancel.answer = "refused";
        else if (row.what === "unknown") cancel.answer = "unknown";
        // The request was never sent, so it is not an order.
        else cancels.delete(request);
        break;
      default:
    }
  }
  // The answer to a placement may be received after the fill of the same millisecond. The open
  // amount only falls.
  for (const { steps } of orders.values())
    steps.sort((one, other) => one.atUs - other.atUs || other.openLots - one.openLots);
  return {
    orders: [...orders.values()].filter(({ hash }) => sent.has(hash)),
    openingOrders: open === undefined ? undefined : opening,
    cancels: [...cancels.values()].map((cancel) =>
      endedCancel(cancel, cancel.hash === undefined ? undefined : orders.get(cancel.hash)),
    ),
  };
}

function placedOrder(row: Row, instrument: Instrument): OrderDraft {
  const hash = parseText(row.hash);
  if (hash === undefined) {
    throw new HistoryError(`${instrument.marketId} orders`, "a placed order has no hash", {
      expected: "a file that marketwright run --record wrote",
    });
  }
  return {
    hash,
    side: row.isBuy === true ? "BUY" : "SELL",
    type: row.type as OrderType,
    timeInForce: row.timeInForce as TimeInForce,
    ticks: parseTicks(instrument, row.price),
    lots: parseLots(instrument, row.amount),
    expirationMs: Number(toBigInt(row.expirationMs)),
    level: row.level === null ? -1 : Number(toBigInt(row.level)),
    sentUs: Number(row.heardUs),
    acceptedUs: undefined,
    answeredUs: undefined,
    refused: undefined,
    steps: [],
    ended: undefined,
  };
}

function sentHashes(rows: readonly Row[]): ReadonlySet<string | undefined> {
  return new Set(rows.flatMap((row) => (row.what === "place" ? [parseText(row.hash)] : [])));
}

/** An order from another grid is put on the nearest tick, with its whole lots. */
function toOpeningOrder(reported: VenueOrder): Draft<OpeningOrder> {
  const { hash, side, expirationMs, createdAtMs } = reported;
  const createdUs = createdAtMs * 1000;
  return {
    reported,
    hash,
    side,
    type: reported.type as OrderType,
    timeInForce: reported.timeInForce as TimeInForce,
    ticks: Math.round(reported.ticks),
    lots: Math.floor(reported.lots),
    expirationMs,
    level: -1,
    sentUs: createdUs,
    acceptedUs: createdUs,
    answeredUs: undefined,
    refused: undefined,
    steps: [{ atUs: createdUs, openLots: Math.floor(reported.availableLots) }],
    ended: undefined,
  };
}

function accepted(order: OrderDraft, row: Row, instrument: Instrument): void {
  const atUs = Number(row.atUs);
  order.acceptedUs = atUs;
  order.answeredUs = Number(row.heardUs);
  order.steps.push({ atUs, openLots: parseLots(instrument, row.available) });
}

function updated(order: OrderDraft, row: Row, instrument: Instrument): void {
  const atUs = Number(row.atUs);
  const openLots = parseLots(instrument, row.available);
  order.acceptedUs ??= atUs;
  order.refused = undefined;
  order.steps.push({ atUs, openLots });
  const status = String(row.status);
  // The end is reported again when the trades before it settle.
  if (openLots === 0 && /^(CANCEL|EXPIRE)/.test(status)) order.ended ??= { atUs, status };
}

function refused(order: OrderDraft | undefined, { what, code, message }: Row): void {
  if (order === undefined || order.acceptedUs !== undefined || order.steps.length > 0) return;
  order.refused = [what, code, message]
    .filter((part) => part !== null && part !== undefined)
    .join(" ");
}

function endedCancel(
  { sentUs, hash, answer }: CancelDraft,
  order: OrderDraft | undefined,
): RecordedCancel {
  // Without a report of its end, the order was open at its last report.
  const overUs = (order?.steps.find(({ openLots }) => openLots === 0) ?? order?.steps.at(-1))?.atUs;
  return {
    sentUs,
    hash,
    acceptedUs: answer === "taken" ? order?.ended?.atUs : undefined,
    notBeforeUs: answer === "refused" || answer === "unknown" ? overUs : undefined,
  };
}
