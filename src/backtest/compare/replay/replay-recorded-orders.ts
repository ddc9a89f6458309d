import type { QueueModel, QueuePlace } from "../../../core/queue/queue-models.js";
import { type Lots, sideSign, type Ticks } from "../../../core/units.js";
import { type Tape, TapeKind } from "../../../history/columns/tape/tape.js";
import { BookMatcher } from "../../matching/book-matcher.js";
import type { FillCause, MatchListener, OrderEnd, ReplayOrder } from "../../matching/matcher.js";
import type {
  OpeningOrder,
  RecordedAccount,
  RecordedOrder,
} from "../../session/recorded-orders.js";
import type { SidedFill } from "../match-fills.js";
import { SharedMarketMatcher } from "./shared-market-matcher.js";

/** Latency and fill model of the recorded orders in a replay. */
export interface OrderReplayModel {
  readonly queue: QueueModel<QueuePlace>;
  /** Maps the bot's time at which a request was sent to its arrival on the exchange's clock. */
  readonly arrivalUs: (sentUs: number) => number;
  /**
   * True if the orders were in the market when it was recorded: then every taker at their prices
   * traded with them.
   */
  readonly isShared: boolean;
}

/**
 * The end of a recorded order in the replay. `absent`: a market that contained it shows that it was
 * not there.
 */
export type ReplayedEnd = OrderEnd | "filled" | "absent";

/** The outcome of a recorded order in the replay. */
export interface ReplayedOrder {
  readonly recorded: RecordedOrder;
  readonly arrivedUs: number;
  /** Lots that the market displayed at its price when it arrived. */
  readonly aheadLots: Lots;
  /**
   * Lots that the replayed book displayed on the other side within its limit when it arrived, by
   * price, best first.
   */
  readonly displayedAtArrival: ReadonlyMap<Ticks, Lots>;
  /** Lots that traded at its price, or beyond it, while it was open. */
  tradedLots: Lots;
  readonly fills: ReplayOrderFill[];
  ended: { readonly how: ReplayedEnd; readonly atUs: number } | undefined;
}

/** A fill of a recorded order in the replay. */
export interface ReplayOrderFill extends SidedFill {
  readonly cause: FillCause;
  readonly order: ReplayedOrder;
}

/** The outcome of all recorded orders. */
export interface OrderReplay {
  /** By hash. */
  readonly orders: ReadonlyMap<string, ReplayedOrder>;
  /** In order of time. */
  readonly fills: readonly ReplayOrderFill[];
}

type Request = { readonly atUs: number } & (
  | { readonly kind: "place"; readonly order: RecordedOrder }
  | {
      readonly kind: "cancel";
      readonly hash: string | undefined;
      readonly notBeforeUs: number | undefined;
    }
);

/**
 * Sends the orders and cancels of a recorded session at their recorded times into a market that was
 * recorded without them, and returns their fills. It makes no decisions: what was sent is sent,
 * whatever the replay does with it.
 */
export function replayRecordedOrders(
  tape: Tape,
  account: RecordedAccount,
  model: OrderReplayModel,
): OrderReplay {
  return new OrderReplayer(tape, model).run(account);
}

class OrderReplayer implements MatchListener {
  readonly #tape: Tape;
  readonly #model: OrderReplayModel;
  readonly #matcher: BookMatcher;
  readonly #orders = new Map<string, ReplayedOrder>();
  readonly #open = new Map<number, ReplayedOrder>();
  readonly #ids = new Map<string, number>();
  readonly #fills: ReplayOrderFill[] = [];
  /** When the first cancel of an order arrives, by the order's hash. */
  readonly #cancelUs = new Map<string, number>();

  constructor(tape: Tape, model: OrderReplayModel) {
    this.#tape = tape;
    this.#model = model;
    const options = { tape, listener: this, queue: model.queue };
    this.#matcher = model.isShared
      ? new SharedMarketMatcher(options, {
          cancelUs: ({ id }) =>
            this.#cancelUs.get((this.#open.get(id) as ReplayedOrder).recorded.hash) ??
            Number.POSITIVE_INFINITY,
          onAbsent: (order, atUs) => this.#over(order, "absent", atUs),
        })
      : new BookMatcher(options);
  }

  run(account: RecordedAccount): OrderReplay {
    const requests = this.#requests(account);
    const { openingOrders = [] } = account;
    this.#noteCancels(
      requests,
      openingOrders.map(({ hash }) => hash),
    );
    this.#begin(openingOrders);
    for (const request of requests) {
      this.#advance(request.atUs);
      if (request.kind === "place") this.#place(request.order, request.atUs);
      else this.#cancel(request.hash, request.atUs);
    }
    this.#advance(this.#tape.exchangeUs[this.#tape.messages - 1] ?? 0);
    tradedAt(this.#tape, [...this.#orders.values()]);
    return { orders: this.#orders, fills: this.#fills };
  }

  accepted(): void {}

  filled(order: ReplayOrder, ticks: Ticks, lots: Lots, cause: FillCause, atUs: number): void {
    const replayed = this.#open.get(order.id) as ReplayedOrder;
    const fill = { side: order.side, ticks, lots, atUs, cause, order: replayed };
    replayed.fills.push(fill);
    this.#fills.push(fill);
    if (order.openLots === 0) this.#over(order, "filled", atUs);
  }

  ended(order: ReplayOrder, how: OrderEnd, atUs: number): void {
    if (this.#open.has(order.id)) this.#over(order, how, atUs);
  }

  #requests({ orders, cancels }: RecordedAccount): Request[] {
    const { arrivalUs } = this.#model;
    const sent: (Request & { readonly sentUs: number })[] = [
      // The exchange refused it because of the account or the connection, not because of the
      // market.
      ...orders
        .filter(({ refused }) => refused === undefined)
        .map((order) => ({ kind: "place" as const, order, sentUs: order.sentUs, atUs: 0 })),
      ...cancels.map(({ hash, sentUs, notBeforeUs }) => ({
        kind: "cancel" as const,
        hash,
        sentUs,
        notBeforeUs,
        atUs: 0,
      })),
    ];
    sent.sort((one, other) => one.sentUs - other.sentUs);
    // Requests travel on several connections and may overtake each other. A cancel still arrives
    // after its order.
    const places = new Map<string, number>();
    return sent
      .map((request) => {
        const arrivedUs = arrivalUs(request.sentUs);
        if (request.kind === "place") places.set(request.order.hash, arrivedUs);
        if (request.kind === "place") return { ...request, atUs: arrivedUs };
        return {
          ...request,
          atUs: Math.max(
            arrivedUs,
            places.get(request.hash ?? "") ?? arrivedUs,
            request.notBeforeUs ?? arrivedUs,
          ),
        };
      })
      .sort((one, other) => one.atUs - other.atUs);
  }

  /** @param placed hashes of the orders that were open before the first request. */
  #noteCancels(requests: readonly Request[], placed: string[]): void {
    for (const request of requests) {
      if (request.kind === "place") placed.push(request.order.hash);
      else
        for (const hash of request.hash === undefined ? placed : [request.hash])
          if (!this.#cancelUs.has(hash)) this.#cancelUs.set(hash, request.atUs);
    }
  }

  #advance(toUs: number): void {
    while (this.#matcher.nextUs <= toUs) this.#matcher.advance(toUs, true);
  }

  /** Puts the orders of the beginning into the first book, behind everything it displays. */
  #begin(orders: readonly OpeningOrder[]): void {
    const firstUs = this.#tape.exchangeUs[0];
    if (orders.length === 0 || firstUs === undefined) return;
    this.#advance(firstUs);
    for (const order of orders) {
      const openLots = order.steps[0]?.openLots ?? 0;
      if (openLots > 0)
        this.#matcher.resume(this.#register(order, openLots, order.sentUs), firstUs);
    }
  }

  #place(recorded: RecordedOrder, atUs: number): void {
    this.#matcher.place(this.#register(recorded, recorded.lots, atUs), atUs);
  }

  #register(recorded: RecordedOrder, openLots: Lots, atUs: number): ReplayOrder {
    const { hash, side, type, ticks, lots, timeInForce, expirationMs } = recorded;
    const { book } = this.#matcher;
    const id = this.#ids.size + 1;
    this.#ids.set(hash, id);
    const aheadLots = Number.isNaN(ticks)
      ? 0
      : (side === "BUY" ? book.bids : book.asks).lotsAt(ticks);
    const replayed: ReplayedOrder = {
      recorded,
      arrivedUs: atUs,
      aheadLots,
      displayedAtArrival: this.#found(recorded),
      tradedLots: 0,
      fills: [],
      ended: undefined,
    };
    this.#orders.set(hash, replayed);
    this.#open.set(id, replayed);
    const expirationUs = timeInForce === "GTT" ? expirationMs * 1000 : Number.POSITIVE_INFINITY;
    return { id, side, type, ticks, lots, timeInForce, expirationUs, openLots };
  }

  #found({ side, ticks }: RecordedOrder): ReadonlyMap<Ticks, Lots> {
    const { bids, asks } = this.#matcher.book;
    const sign = -sideSign(side);
    const limitKey = Number.isNaN(ticks) ? Number.NEGATIVE_INFINITY : ticks * sign;
    const found = new Map<Ticks, Lots>();
    (side === "BUY" ? asks : bids).walkKeys((key, lots) => {
      if (key < limitKey) return false;
      found.set(key * sign, lots);
      return true;
    });
    return found;
  }

  #cancel(hash: string | undefined, atUs: number): void {
    const ids = hash === undefined ? [...this.#open.keys()] : [this.#ids.get(hash)];
    for (const id of ids)
      if (id !== undefined && this.#open.has(id)) this.#matcher.cancel(id, atUs);
  }

  #over(order: ReplayOrder, how: ReplayedEnd, atUs: number): void {
    const replayed = this.#open.get(order.id) as ReplayedOrder;
    replayed.ended = { how, atUs };
    this.#open.delete(order.id);
  }
}

/**
 * Adds up the volume that traded at the price of each order, or beyond it, between its arrival and
 * its end.
 */
function tradedAt(tape: Tape, orders: readonly ReplayedOrder[]): void {
  const coming = [...orders].sort((one, other) => one.arrivedUs - other.arrivedUs);
  const open = new Set<ReplayedOrder>();
  let next = 0;
  for (let message = 0; message < tape.messages; message++) {
    if (tape.kind[message] !== TapeKind.trade) continue;
    const atUs = tape.exchangeUs[message] as number;
    for (
      let order = coming[next];
      order !== undefined && order.arrivedUs < atUs;
      order = coming[++next]
    )
      open.add(order);
    const row = (tape.rowEnd[message] as number) - 1;
    const signed = tape.signedTicks[row] as number;
    for (const order of open) {
      if (order.ended !== undefined && order.ended.atUs < atUs) {
        open.delete(order);
        continue;
      }
      const { side, ticks } = order.recorded;
      // Above zero: a taker bought.
      if (side === "SELL" ? signed > 0 && signed >= ticks : signed < 0 && -signed <= ticks)
        order.tradedLots += tape.lots[row] as number;
    }
  }
}
