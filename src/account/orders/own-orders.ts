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

/** An order that is about to be made: its action, and the slot that it is for. */
export interface OrderToSend {
  readonly action: PlaceAction;
  /** Slot level, 0 innermost. */
  readonly level: number;
  /** True for a server-built order, whose hash must be on disk before it is sent. */
  readonly built?: boolean;
}

/** What the table needs to tell the bot's own orders from others. */
export interface OwnOrdersDeps {
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** The top 16 bits of every nonce that this bot makes. */
  readonly nonceTag: number;
  /** Hashes of server-built orders of earlier runs. */
  readonly builtHashes?: readonly Hex[];
  /** How long final orders are remembered. */
  readonly rememberMs: Ms;
  readonly fillMatcher: FillMatcher;
}

/**
 * Every order of the account that is known: the bot's own by hash, info and id, and the others apart.
 * Read it through `Account.orders`; the account alone writes it.
 */
export class OwnOrders {
  readonly #orders = new Map<Hex, OwnOrder>();
  readonly #byInfo = new Map<Hex, Hex>();
  readonly #byId = new Map<Int64Id, Hex>();
  readonly #active = new Map<MarketId, ActiveOrders>();
  /** Final orders that have matches that are not settled: few, of a table that holds minutes of orders. */
  readonly #unsettled = new Map<Hex, OwnOrder>();
  readonly #foreign = new ForeignOrders();
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  readonly #tag: string;
  readonly #builtBefore: ReadonlySet<Hex>;
  readonly #rememberMs: Ms;
  readonly #fillMatcher: FillMatcher;
  /** Orders that were final when first seen and are older than this are before our time. */
  #sinceMs: Ms = Number.NEGATIVE_INFINITY;
  /** When every order was last asked whether it is to be forgotten. */
  #lastFullPruneMs: Ms = Number.NEGATIVE_INFINITY;

  /** @throws FormatError when the tag is no 16-bit number. */
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

  /** Orders that are over before this instant and that we never saw open are not ours to count. */
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

  /** Own orders of a market that may still fill (intended, sent, unknown, and those of which only an answer says that they were cancelled), oldest first. */
  mayStillFill(marketId: MarketId): readonly OwnOrder[] {
    return this.#active.get(marketId)?.mayStillFill() ?? NO_ORDERS;
  }

  /** Own orders of a market as they rest, or may rest, on the exchange's book, oldest first. */
  resting(marketId: MarketId): readonly OwnRestingOrder[] {
    return this.#active.get(marketId)?.resting() ?? NO_RESTING;
  }

  /** Own orders that the exchange's book may show, from their sending on. */
  inBook(marketId: MarketId): readonly OwnBookOrder[] {
    return this.#active.get(marketId)?.inBook() ?? NO_IN_BOOK;
  }

  /** Own orders that are not final (those whose cancel was answered included), all markets. */
  unresolved(): readonly OwnOrder[] {
    let unresolved = NO_ORDERS;
    for (const active of this.#active.values()) {
      const orders = active.all();
      if (orders.length > 0)
        unresolved = unresolved.length === 0 ? orders : [...unresolved, ...orders];
    }
    return unresolved;
  }

  /** Final orders whose matches have not been settled since before `beforeMs`: the exchange may have told it to nobody. */
  unsettled(beforeMs: Ms): readonly OwnOrder[] {
    return [...this.#unsettled.values()].filter(
      ({ finalAtMs }) => finalAtMs !== undefined && finalAtMs < beforeMs,
    );
  }

  /** Open orders of the account that are not the bot's: of one market, or of all. */
  foreign(marketId?: MarketId): readonly VenueOrder[] {
    return this.#foreign.open(marketId);
  }

  /**
   * Position that is coming on one side without our having been told its trades: matched by an order and in no trade yet; or traded on
   * the other side, and matched by no order any more, since a settlement that failed is told by the order before the trade is. A part of a lot,
   * which trades between the market's steps come to, is a whole one.
   */
  unmatchedLots(marketId: MarketId, side: Side): Lots {
    return Math.ceil(
      this.#fillMatcher.unmatchedLots(marketId, side) +
        this.#fillMatcher.orphanLots(marketId, oppositeSide(side)),
    );
  }

  /** Whether an order that may still fill (and is not `exceptHash`) lives in the slot. Adopted orders have no slot until they are given one. */
  slotOccupied(marketId: MarketId, side: Side, level: number, exceptHash?: Hex): boolean {
    for (const order of this.mayStillFill(marketId)) {
      if (order.side === side && order.level === level && order.hash !== exceptHash) return true;
    }
    return false;
  }

  /** Gives an adopted order a slot, so that it is kept like one of this run. @throws RunError when there is no such order. */
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
   * Hashes of server-built orders to keep in the state directory: not final, or final so lately that an update may come, and those of an earlier
   * run that rest in markets which are not this run's.
   */
  builtHashes(): readonly Hex[] {
    const leftOver = this.#foreign.open().filter(({ hash }) => this.#builtBefore.has(hash));
    return [...[...this.#orders.values()].filter((order) => order.built), ...leftOver].map(
      ({ hash }) => hash,
    );
  }

  /** Orders in the table, final ones included: bounded by what happens within the time that they are remembered. */
  get size(): number {
    return this.#orders.size;
  }

  /** Takes an order in before it may be sent. @throws RunError when its hash or its info is already there: a nonce was used twice. */
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

  /** One event of one order of ours; of an order that is not in the table, nothing. */
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
   * The exchange shows an order: ours, ours of an earlier run, or somebody else's.
   * @param own the order of ours that it is, where that was found already.
   */
  report(
    report: VenueOrder,
    source: ReportSource,
    nowMs: Ms,
    askedAtMs?: Ms,
    own = this.recognise(report),
  ): readonly AccountChange[] {
    if (own !== undefined) {
      if (isKnownReport(own, report, source)) return NO_CHANGES;
      return this.#advance(own, { kind: "report", atMs: nowMs, source, order: report, askedAtMs });
    }
    // What was over before we began, or was forgotten since, is in the base already; counting it now would count it twice.
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
   * The order of ours that a report is about: by hash, then by info, then by id
   * (docs/ideas/design.md#order-identity).
   */
  recognise(report: VenueOrder): OwnOrder | undefined {
    return this.get(report.hash) ?? this.#byInfoOf(report) ?? this.byId(report.id);
  }

  #byInfoOf({ info }: VenueOrder): OwnOrder | undefined {
    const hash = this.#byInfo.get(info);
    return hash === undefined ? undefined : this.#orders.get(hash);
  }

  /** A foreign order that the exchange shows nowhere any more. */
  foreignVanished(orderId: Int64Id, nowMs: Ms): void {
    this.#foreign.vanish(orderId, nowMs);
  }

  /** A foreign order by its id. */
  foreignById(orderId: Int64Id): VenueOrder | undefined {
    return this.#foreign.get(orderId);
  }

  /** Forgets orders that have long been final and settled. */
  prune(nowMs: Ms): void {
    const beforeMs = nowMs - this.#rememberMs;
    this.#foreign.forget(beforeMs, nowMs - UNSETTLED_FACTOR * this.#rememberMs);
    // A stamp that is ahead, an exchange's or one of a clock that has stepped back, must not keep what came after it: now and then, all are looked at.
    const isWhole = beforeMs >= this.#lastFullPruneMs || nowMs < this.#lastFullPruneMs;
    if (isWhole) this.#lastFullPruneMs = nowMs;
    for (const order of this.#orders.values()) {
      // In the order in which they came: what was asked for since then has not been final for so long.
      if (order.requestTimestampMs >= beforeMs && !isWhole) break;
      if (order.finalAtMs === undefined || order.finalAtMs >= beforeMs) continue;
      // What waits for its settlement is kept longer, but not for ever: its trades are answered for by the ledger.
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

  /** @param before the order of this hash in the table; undefined where there is none. */
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
