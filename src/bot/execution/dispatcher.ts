import type { Hex, Int64Id, MarketId, Side } from "../../core/units.js";
import type { Action, ActionId, QueryAction } from "../../exchange/venue.js";
import {
  type OutboxItem,
  type OutboxKind,
  outboxPriority,
  WithdrawHandle,
} from "../../executor/outbox.js";
import type { PlannedPlace } from "../../executor/plan.js";
import type { TurnQueue } from "../engine/turn-queue.js";

/** The priority queue as the dispatcher uses it: `Outbox`, or one that a journal drives. */
export interface OutboxPort {
  enqueue(item: OutboxItem): void;
}

/** A place that waits in the outbox. */
export interface QueuedPlace {
  readonly kind: "place";
  readonly marketId: MarketId;
  readonly place: PlannedPlace;
  /** When the message that led to it was received, on the monotonic clock. */
  readonly causeMonotonicMs: number | undefined;
}

/** A cancel that waits in the outbox. */
export interface QueuedCancel {
  readonly kind: "cancel";
  readonly marketId: MarketId;
  readonly hash: Hex;
  readonly orderId: Int64Id;
  readonly why: string;
}

/** A cancel-all that waits in the outbox. */
export interface QueuedCancelAll {
  readonly kind: "cancel-all";
  readonly marketId: MarketId;
  readonly why: string;
}

/** A query that waits in the outbox. */
export interface QueuedQuery {
  readonly kind: "question";
  readonly action: QueryAction;
}

/**
 * The second half of a server-built order: the answer to its build was checked, and the order is
 * signed and placed.
 */
export interface QueuedBuiltOrder {
  readonly kind: "built";
  readonly marketId: MarketId;
  readonly hash: Hex;
}

export type QueuedItem =
  | QueuedPlace
  | QueuedCancel
  | QueuedCancelAll
  | QueuedQuery
  | QueuedBuiltOrder;

/** An action that was handed to the venue and has not been answered. */
export interface InFlightAction {
  readonly action: Action;
  readonly item: QueuedItem;
  readonly dispatchedMonotonicMs: number;
}

interface DispatchEntry {
  readonly key: string;
  readonly subject: string;
  readonly item: QueuedItem;
  readonly recall: WithdrawHandle;
  done: (() => void) | undefined;
}

const OUTBOX_KIND: Readonly<Record<QueuedItem["kind"], OutboxKind>> = {
  place: "place",
  built: "place",
  cancel: "cancel",
  "cancel-all": "cancel-all",
  question: "question",
};

/**
 * The queue between a plan and the venue. Items wait in the outbox, each under one subject (a slot,
 * an order, a market, a query). The newest item of a subject replaces an older one that was not
 * sent yet.
 */
export class Dispatcher {
  readonly #outbox: OutboxPort;
  readonly #turns: TurnQueue;
  readonly #byKey = new Map<string, DispatchEntry>();
  /** Items that were not sent yet. */
  readonly #bySubject = new Map<string, DispatchEntry>();
  readonly #inFlight = new Map<ActionId, InFlightAction & { readonly held: DispatchEntry }>();
  #nextKey = 1;

  /** @param turns receives an item's turn in the outbox as an input. */
  constructor(outbox: OutboxPort, turns: TurnQueue) {
    this.#outbox = outbox;
    this.#turns = turns;
  }

  get waitingCount(): number {
    return this.#bySubject.size;
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  inFlight(): IterableIterator<InFlightAction> {
    return this.#inFlight.values();
  }

  /** Queues an item, unless the same one waits already. `rank` orders items of a kind, 0 first. */
  enqueue(waiting: QueuedItem, rank = 0): void {
    const subject = subjectOf(waiting);
    const existing = this.#bySubject.get(subject);
    if (existing !== undefined) {
      if (isSameItem(existing.item, waiting)) return;
      this.withdraw(subject);
    }
    const key = `${waiting.kind}#${this.#nextKey++}`;
    const held: DispatchEntry = {
      key,
      subject,
      item: waiting,
      recall: new WithdrawHandle(),
      done: undefined,
    };
    this.#byKey.set(key, held);
    this.#bySubject.set(subject, held);
    this.#outbox.enqueue({
      key,
      priority: outboxPriority(OUTBOX_KIND[waiting.kind], rank),
      withdrawHandle: held.recall,
      onTurn: (done) => {
        held.done = done;
        this.#turns.accept({ kind: "leave", key });
      },
    });
  }

  /** Removes the item that waits under a subject, if any. */
  withdraw(subject: string): void {
    const held = this.#bySubject.get(subject);
    if (held === undefined) return;
    this.#bySubject.delete(subject);
    held.recall.withdraw();
    this.#byKey.delete(held.key);
  }

  /** Removes every waiting place or cancel of a market that is not in `wanted`. */
  keepOnly(marketId: MarketId, wanted: ReadonlySet<string>): void {
    for (const { subject, item } of this.#bySubject.values()) {
      if (item.kind !== "place" && item.kind !== "cancel") continue;
      if (item.marketId === marketId && !wanted.has(subject)) this.withdraw(subject);
    }
  }

  /**
   * The item whose turn has come; undefined if it was removed meanwhile. Call `markSent` or
   * `markDropped` next.
   */
  take(key: string): QueuedItem | undefined {
    const held = this.#byKey.get(key);
    if (held === undefined) return undefined;
    this.#bySubject.delete(held.subject);
    return held.item;
  }

  /**
   * The item was sent to the venue as `action`; its place in the queue is kept until the answer.
   */
  markSent(key: string, action: Action, monotonicMs: number): void {
    const held = this.#byKey.get(key);
    if (held === undefined) return;
    this.#inFlight.set(action.actionId, {
      action,
      item: held.item,
      dispatchedMonotonicMs: monotonicMs,
      held,
    });
  }

  /** The item was not sent after all. */
  markDropped(key: string): void {
    const held = this.#byKey.get(key);
    this.#byKey.delete(key);
    held?.done?.();
  }

  /**
   * The venue has answered: frees the place in the queue. Undefined for an answer without a pending
   * request.
   */
  markAnswered(actionId: ActionId): InFlightAction | undefined {
    const flight = this.#inFlight.get(actionId);
    if (flight === undefined) return undefined;
    this.#inFlight.delete(actionId);
    this.#byKey.delete(flight.held.key);
    flight.held.done?.();
    return flight;
  }
}

/** Subject of the slot that a place is for. */
export function slotSubject(marketId: MarketId, side: Side, level: number): string {
  let market = SLOTS.get(marketId);
  if (market === undefined) {
    market = { BUY: new Map(), SELL: new Map() };
    SLOTS.set(marketId, market);
  }
  let subject = market[side].get(level);
  if (subject === undefined) {
    subject = `slot:${marketId}:${side}:${level}`;
    market[side].set(level, subject);
  }
  return subject;
}

/**
 * Each slot's subject, created once: every place looks it up in several maps, and each of them
 * would hash a new string.
 */
const SLOTS = new Map<MarketId, Readonly<Record<Side, Map<number, string>>>>();

/** Subject of the order that a cancel is for; no other subject begins like a hash. */
export function cancelSubject(hash: Hex): string {
  return hash;
}

function subjectOf(waiting: QueuedItem): string {
  switch (waiting.kind) {
    case "place":
      return slotSubject(waiting.marketId, waiting.place.side, waiting.place.level);
    case "built":
      return `built:${waiting.hash}`;
    case "cancel":
      return cancelSubject(waiting.hash);
    case "cancel-all":
      return `market:${waiting.marketId}`;
    case "question":
      return `question:${waiting.action.actionId}`;
  }
}

function isSameItem(held: QueuedItem, wanted: QueuedItem): boolean {
  if (held.kind !== "place" || wanted.kind !== "place") return held.kind === wanted.kind;
  const { ticks, lots, timeInForce } = held.place;
  return (
    ticks === wanted.place.ticks &&
    lots === wanted.place.lots &&
    timeInForce === wanted.place.timeInForce
  );
}
