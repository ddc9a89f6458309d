import PQueue from "p-queue";
import { RunError } from "../core/errors.js";

/**
 * Withdraws one waiting item. Its AbortController creates a signal only for an item that has to
 * wait, because a signal costs more than all else in an idle outbox.
 */
export class WithdrawHandle {
  #isWithdrawn = false;
  #controller: AbortController | undefined;

  /** True if the item was withdrawn. */
  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  /** Aborts if the item is withdrawn while it waits. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isWithdrawn) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Withdraws the item. A second call does nothing. */
  withdraw(): void {
    this.#isWithdrawn = true;
    this.#controller?.abort();
  }

  /** Called when the item no longer waits: no signal aborts from here on. */
  disarm(): void {
    this.#controller = undefined;
  }
}

/** An item that waits to be sent. */
export interface OutboxItem {
  /**
   * Unique among items that wait or are in flight: an order hash, `cancel-all:btcusdc`, the id of a
   * query.
   */
  readonly key: string;
  /**
   * Higher is sooner; equal priorities are first come, first served. See {@link outboxPriority}.
   */
  readonly priority: number;
  /**
   * Withdraws the item when it is superseded. A waiting item is removed silently; later the call
   * changes nothing.
   */
  readonly withdrawHandle?: WithdrawHandle;
  /**
   * Called once at the item's turn, in a separate microtask, never inside `enqueue`. The bot
   * handles it as one of its serialised inputs and validates the item again. The queue's place is
   * held until `done` is called (a second call does nothing).
   */
  readonly onTurn: (done: () => void) => void;
  /** Called once if the item was withdrawn before its turn, in a separate microtask. */
  readonly withdrawn?: () => void;
}

/** The kinds by which the outbox orders items. */
export type OutboxKind = "cancel-all" | "cancel" | "place" | "question";

const CLASS_PRIORITY: Readonly<Record<OutboxKind, number>> = {
  "cancel-all": 3_000_000,
  cancel: 2_000_000,
  place: 1_000_000,
  question: 0,
};

const RANKS = 1_000_000;

/**
 * The priority of an item: cancel-all before cancel before place before query. Within a kind, the
 * lower rank is first: a plan's cancels by their index, most dangerous first; its places by theirs,
 * innermost first.
 */
export function outboxPriority(kind: OutboxKind, rank = 0): number {
  return CLASS_PRIORITY[kind] + RANKS - 1 - Math.min(Math.max(Math.trunc(rank), 0), RANKS - 1);
}

/**
 * The priority queue between executor and transport (docs/ideas/design.md#executor). It uses
 * p-queue with its concurrency and priority alone, never its interval or timeout, which create real
 * timers. It works in virtual time, with microtasks only.
 */
export class Outbox {
  readonly #queue: PQueue;
  readonly #keys = new Set<string>();

  /** @param concurrency maximum number of items in flight, an integer from 1 */
  constructor({ concurrency }: { readonly concurrency: number }) {
    this.#queue = new PQueue({ concurrency });
  }

  /**
   * @throws RunError when an item of the same key waits or is in flight: an action would be sent
   * twice
   */
  enqueue(item: OutboxItem): void {
    if (this.#keys.has(item.key)) {
      throw new RunError("already in the outbox", {
        field: "key",
        value: item.key,
        expected: "a key that is neither waiting nor under way",
      });
    }
    this.#keys.add(item.key);
    let left = false;
    const task = async (): Promise<void> => {
      // p-queue frees the slot of a running task when its signal aborts, although its request is
      // still in flight.
      item.withdrawHandle?.disarm();
      await Promise.resolve();
      if (item.withdrawHandle?.isWithdrawn) return;
      left = true;
      await new Promise<void>((resolve) => item.onTurn(resolve));
    };
    const signal = this.#mustWait ? item.withdrawHandle?.signal : undefined;
    // Without a name p-queue would count up a bigint and print it for each item.
    this.#queue
      .add(task, {
        id: item.key,
        priority: item.priority,
        ...(signal === undefined ? {} : { signal }),
      })
      .then(
        () => this.#ended(item, left),
        (error: unknown) => {
          if (!item.withdrawHandle?.isWithdrawn || left) throw error;
          this.#ended(item, left);
        },
      );
  }

  /** True if an item would have to wait; otherwise p-queue starts it at once. */
  get #mustWait(): boolean {
    return this.#queue.size > 0 || this.#queue.pending >= this.#queue.concurrency;
  }

  #ended(item: OutboxItem, left: boolean): void {
    this.#keys.delete(item.key);
    if (!left) item.withdrawn?.();
  }

  /** Number of items whose turn has not come. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Number of items whose turn has come and whose `done` has not been called. */
  get inFlight(): number {
    return this.#queue.pending;
  }
}
