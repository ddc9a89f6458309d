import { FormatError, RunError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import {
  type Hex,
  type Int64Id,
  type Lots,
  type MarketId,
  type Ms,
  oppositeSide,
  type Side,
} from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { PlaceAction } from "../../exchange/venue.js";
import type { OwnBookOrder, OwnRestingOrder } from "../../market/book/own-order-overlay.js";
import type { AccountChange } from "../account-change.js";
import type { FillMatcher } from "../positions/fill-matcher.js";
import { ActiveOrders } from "./active-orders.js";
import { ForeignOrders } from "./foreign-orders.js";
import type { OrderEvent, OwnOrder, ReportSource } from "./order.js";
import { FINAL_STATUSES } from "./order-amounts.js";
import {
  advance,
  createAdoptedOrder,
  createIntendedOrder,
  isKnownReport,
} from "./order-machine.js";

/** A new order: its action and its slot. */
export interface OrderToSend {
  readonly action: PlaceAction;
  /** Slot level, 0 innermost. */
  readonly level: number;
  /** True for a server-built order, whose hash must be stored on disk before the order is sent. */
  readonly built?: boolean;
}

/** Values that distinguish the bot's own orders from others. */
export interface OwnOrdersDeps {
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** The top 16 bits of every nonce that this bot creates. */
  readonly nonceTag: number;
  /** Hashes of server-built orders of earlier runs. */
  readonly builtHashes?: readonly Hex[];
  /** How long final orders are remembered. */
  readonly rememberMs: Ms;
  readonly fillMatcher: FillMatcher;
}

/**
 * Every known order of the account: the bot's own by hash, info and id, and foreign orders apart.
 * Read it through `TradingAccount.orders`; the account alone writes it.
 */
export class OwnOrders {
  readonly #orders = new Map<Hex, OwnOrder>();
  readonly #byInfo = new Map<Hex, Hex>();
  readonly #byId = new Map<Int64Id, Hex>();
  readonly #active = new Map<MarketId, ActiveOrders>();
  /** Final orders with unsettled matches: few, in a table that holds minutes of orders. */
  readonly #unsettled = new Map<Hex, OwnOrder>();
  readonly #foreign = new ForeignOrders();
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  readonly #tag: string;
  readonly #builtBefore: ReadonlySet<Hex>;
  readonly #rememberMs: Ms;
  readonly #fillMatcher: FillMatcher;
  /** Orders that were final when first seen and are older than this belong to an earlier run. */
  #sinceMs: Ms = Number.NEGATIVE_INFINITY;
  /** Time of the last full check for orders to forget. */
  #lastFullPruneMs: Ms = Number.NEGATIVE_INFINITY;

  /** @throws FormatError when the tag is not a 16-bit number */
  constructor(options: OwnOrdersDeps) {
    if (!Number.isInteger(options.nonceTag) || options.nonceTag < 0 || options.nonceTag > 0xffff) {
      throw new FormatError("not a nonce tag", {
        field: "nonceTag",
        value: options.nonceTag,
        expected: "an integer from 0 to 65535",
      });
    }
    this.#instruments = options.instruments;
    this.#tag = options.nonceTag.toString(16).padStart(4, "0");
    this.#builtBefore = new Set(options.builtHashes);
    this.#rememberMs = options.rememberMs;
    this.#fillMatcher = options.fillMatcher;
  }

  /**
   * Sets the start of this run. Orders that were final before it, and never seen open, are not
   * counted.
   */
  begin(nowMs: Ms): void {
    this.#sinceMs = nowMs;
  }

  /** By hash. */
  get(hash: Hex): OwnOrder | undefined {
    return this.#orders.get(hash);
  }

  byId(orderId: Int64Id): OwnOrder | undefined {
    const hash = this.#byId.get(orderId);
    return hash === undefined ? undefined : this.#orders.get(hash);
  }

  /**
   * Own orders of a market that may still fill, oldest first. Includes intended, sent and unknown
   * ones, and those whose cancel is confirmed only by a response.
   */
  mayStillFill(marketId: MarketId): readonly OwnOrder[] {
    return this.#active.get(marketId)?.mayStillFill() ?? NO_ORDERS;
  }

  /** Own orders that rest, or may rest, on the exchange's book of a market, oldest first. */
  resting(marketId: MarketId): readonly OwnRestingOrder[] {
    return this.#active.get(marketId)?.resting() ?? NO_RESTING;
  }

  /** Own orders that the exchange's book may show, from the time they are sent. */
  inBook(marketId: MarketId): readonly OwnBookOrder[] {
    return this.#active.get(marketId)?.inBook() ?? NO_IN_BOOK;
  }

  /** Own orders of all markets that are not final, including those whose cancel was answered. */
  unresolved(): readonly OwnOrder[] {
    let unresolved = NO_ORDERS;
    for (const active of this.#active.values()) {
      const orders = active.all();
      if (orders.length > 0)
        unresolved = unresolved.length === 0 ? orders : [...unresolved, ...orders];
    }
    return unresolved;
  }

  /**
   * Final orders with matches that have been unsettled since before `beforeMs`. The exchange may
   * have reported the settlement while the bot was not listening.
   */
  unsettled(beforeMs: Ms): readonly OwnOrder[] {
    return [...this.#unsettled.values()].filter(
      ({ finalAtMs }) => finalAtMs !== undefined && finalAtMs < beforeMs,
    );
  }

  /** Open foreign orders of the account, in one market or in all. */
  foreign(marketId?: MarketId): readonly VenueOrder[] {
    return this.#foreign.open(marketId);
  }

  /**
   * Lots by which the position may still change towards one side, because orders and trades
   * disagree. Either an order of this side has matched them and no trade is reported yet. Or a
   * trade of the other side is reported, and its order already shows the settlement as failed.
   * Fractions of lots, from trades off the market's step, are rounded up.
   */
  unmatchedLots(marketId: MarketId, side: Side): Lots {
    return Math.ceil(
      this.#fillMatcher.unmatchedLots(marketId, side) +
        this.#fillMatcher.orphanLots(marketId, oppositeSide(side)),
    );
  }

  /**
   * Returns true if the slot holds an order that may still fill, other than `exceptHash`. Adopted
   * orders have no slot until one is assigned.
   */
  slotOccupied(marketId: MarketId, side: Side, level: number, exceptHash?: Hex): boolean {
    for (const order of this.mayStillFill(marketId)) {
      if (order.side === side && order.level === level && order.hash !== exceptHash) return true;
    }
    return false;
  }

  /**
   * Assigns an adopted order to a slot, so that it is kept like one of this run.
   * @throws RunError when there is no such order
   */
  assignLevel(hash: Hex, level: number): void {
    const order = this.#orders.get(hash);
    if (order === undefined)
      throw new RunError("no such order", {
        field: "hash",
        value: hash,
        expected: "the hash of an order in the table",
      });
    this.#put({ ...order, level }, order);
  }

  /**
   * Hashes of server-built orders to keep in the state directory. They are not final, or became
   * final so recently that an update may still arrive. Orders of an earlier run that rest in
   * markets outside this run are included.
   */
  builtHashes(): readonly Hex[] {
    const leftOver = this.#foreign.open().filter(({ hash }) => this.#builtBefore.has(hash));
    return [...[...this.#orders.values()].filter((order) => order.built), ...leftOver].map(
      ({ hash }) => hash,
    );
  }

  /**
   * Number of orders in the table, final ones included. It is bounded by the orders within the time
   * that they are remembered.
   */
  get size(): number {
    return this.#orders.size;
  }

  /**
   * Adds an order before it may be sent.
   * @throws RunError when its hash or its info already exists: a nonce was used twice
   */
  intend(order: OrderToSend): OwnOrder {
    const { hash, order: struct } = order.action;
    if (this.#orders.has(hash) || this.#byInfo.has(struct.info)) {
      throw new RunError("an order with this hash or info exists", {
        field: "hash",
        value: hash,
        expected: "a fresh nonce for every order",
      });
    }
    const intended = createIntendedOrder(order.action, order.level, order.built ?? false);
    this.#put(intended, undefined);
    return intended;
  }

  /** Applies an event to an own order. An unknown hash changes nothing. */
  apply(hash: Hex, event: OrderEvent): readonly AccountChange[] {
    const before = this.#orders.get(hash);
    return before === undefined ? NO_CHANGES : this.#advance(before, event);
  }

  #advance(before: OwnOrder, event: OrderEvent): readonly AccountChange[] {
    const { order, changes } = advance(before, event);
    if (order !== before) {
      this.#put(order, before);
      this.#fillMatcher.addMatched(
        order.marketId,
        order.side,
        order.matchedLots - before.matchedLots,
      );
    }
    return changes.length === 0
      ? NO_CHANGES
      : changes.map((change) => ({ kind: "order", order, change }));
  }

  /**
   * Applies the exchange's report of an order: own, of an earlier run, or foreign.
   * @param own the own order that the report is about, if it was already found
   */
  report(
    report: VenueOrder,
    source: ReportSource,
    nowMs: Ms,
    queriedAtMs?: Ms,
    own = this.recognise(report),
  ): readonly AccountChange[] {
    if (own !== undefined) {
      if (isKnownReport(own, report, source)) return NO_CHANGES;
      return this.#advance(own, {
        kind: "report",
        atMs: nowMs,
        source,
        order: report,
        queriedAtMs,
      });
    }
    // Orders that ended before this run began, or were forgotten since, are already in the opening
    // position. Counting one now would count it twice.
    const beforeOurTime =
      report.createdAtMs < Math.max(this.#sinceMs, nowMs - this.#rememberMs / 2);
    if (FINAL_STATUSES.has(report.status) && beforeOurTime && !this.#foreign.has(report.id))
      return [];
    if (!this.#isFromEarlierRun(report)) return this.#foreignReport(report, nowMs);
    const order = createAdoptedOrder(report, nowMs, this.#builtBefore.has(report.hash));
    if (order === undefined) return this.#foreignReport(report, nowMs);
    this.#put(order, undefined);
    this.#fillMatcher.addMatched(order.marketId, order.side, order.matchedLots);
    return [{ kind: "adopted", order }];
  }

  /**
   * Finds the own order of a report: by hash, then by info, then by id
   * (docs/ideas/design.md#order-identity).
   */
  recognise(report: VenueOrder): OwnOrder | undefined {
    return this.get(report.hash) ?? this.#byInfoOf(report) ?? this.byId(report.id);
  }

  #byInfoOf({ info }: VenueOrder): OwnOrder | undefined {
    const hash = this.#byInfo.get(info);
    return hash === undefined ? undefined : this.#orders.get(hash);
  }

  /** Removes a foreign order that the exchange no longer reports anywhere. */
  foreignVanished(orderId: Int64Id, nowMs: Ms): void {
    this.#foreign.vanish(orderId, nowMs);
  }

  /** Finds a foreign order by its id. */
  foreignById(orderId: Int64Id): VenueOrder | undefined {
    return this.#foreign.get(orderId);
  }

  /** Forgets orders that have long been final and settled. */
  prune(nowMs: Ms): void {
    const beforeMs = nowMs - this.#rememberMs;
    this.#foreign.forget(beforeMs, nowMs - UNSETTLED_FACTOR * this.#rememberMs);
    // A time stamp in the future, from the exchange or from a clock that stepped back, must not
    // keep all later orders. All orders are checked at intervals.
    const isWhole = beforeMs >= this.#lastFullPruneMs || nowMs < this.#lastFullPruneMs;
    if (isWhole) this.#lastFullPruneMs = nowMs;
    for (const order of this.#orders.values()) {
      // In order of arrival: orders requested later have not been final for that long.
      if (order.requestTimestampMs >= beforeMs && !isWhole) break;
      if (order.finalAtMs === undefined || order.finalAtMs >= beforeMs) continue;
      // An order that awaits settlement is kept longer, but not forever: the ledger is responsible
      // for its trades.
      if (order.pendingLots > 0 && order.finalAtMs >= nowMs - UNSETTLED_FACTOR * this.#rememberMs)
        continue;
      this.#orders.delete(order.hash);
      this.#unsettled.delete(order.hash);
      this.#byInfo.delete(order.info);
      if (order.orderId !== undefined) this.#byId.delete(order.orderId);
    }
  }

  #foreignReport(report: VenueOrder, nowMs: Ms): readonly AccountChange[] {
    const news = this.#foreign.report(report, nowMs);
    if (news === undefined) return [];
    this.#fillMatcher.addMatched(report.marketId, report.side, news.matchedLots);
    const isLeftOver = !this.#instruments.has(report.marketId) && this.#isMarkedOurs(report);
    return [{ kind: "foreign", order: news.order, first: news.first, isLeftOver }];
  }

  #isFromEarlierRun(report: VenueOrder): boolean {
    return this.#instruments.has(report.marketId) && this.#isMarkedOurs(report);
  }

  #isMarkedOurs({ hash, info }: VenueOrder): boolean {
    return this.#builtBefore.has(hash) || tagDigits(info) === this.#tag;
  }

  /** @param before the order of this hash in the table; undefined without one */
  #put(order: OwnOrder, before: OwnOrder | undefined): void {
    this.#orders.set(order.hash, order);
    if (before === undefined) this.#byInfo.set(order.info, order.hash);
    if (order.orderId !== undefined && order.orderId !== before?.orderId)
      this.#byId.set(order.orderId, order.hash);
    if (order.pendingLots > 0 && order.finalAtMs !== undefined)
      this.#unsettled.set(order.hash, order);
    else if (this.#unsettled.size > 0) this.#unsettled.delete(order.hash);
    let active = this.#active.get(order.marketId);
    if (active === undefined) {
      active = new ActiveOrders();
      this.#active.set(order.marketId, active);
    }
    active.put(order, before);
  }
}

const NO_CHANGES: readonly AccountChange[] = [];
const NO_ORDERS: readonly OwnOrder[] = [];
const NO_RESTING: readonly OwnRestingOrder[] = [];
const NO_IN_BOOK: readonly OwnBookOrder[] = [];
const UNSETTLED_FACTOR = 6;

/** The top 16 bits of the nonce, the last of the four words of `info`, as four hex digits. */
function tagDigits(info: Hex): string {
  return info.slice(50, 54).toLowerCase();
}
