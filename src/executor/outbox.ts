import PQueue from "p-queue";
import { RunError } from "../core/errors.js";

/**
 * Takes back one item that waits: an AbortController that makes its signal only for an item that has to wait, since a signal
 * costs more than all else on the way through an idle outbox.
 */
export class WithdrawHandle {
  #isWithdrawn = false;
  #controller: AbortController | undefined;

  /** Whether the item was taken back. */
  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  /** Aborts when the item is taken back while it waits. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isWithdrawn) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Takes the item back. Twice is once. */
  withdraw(): void {
    this.#isWithdrawn = true;
    this.#controller?.abort();
  }

  /** The item waits no more: from here on no signal aborts. */
  disarm(): void {
    this.#controller = undefined;
  }
}

/** Something that waits to be sent. */
export interface OutboxItem {
  /** Unique among what waits or is under way: an order hash, `cancel-all:btcusdc`, the number of a question. */
  readonly key: string;
  /** The higher, the sooner; first come first served among equals. See {@link outboxPriority}. */
  readonly priority: number;
  /** How the item is taken back when it is superseded: while it waits it leaves silently, afterwards it changes nothing. */
  readonly withdrawHandle?: WithdrawHandle;
  /**
   * It is this item's turn. Called once, in a microtask of its own, never inside `enqueue`: an input of the bot's serialised place,
   * where the item is validated again. The place in the queue is held until `done` is called (twice does nothing).
   */
  readonly onTurn: (done: () => void) => void;
  /** It was taken back before its turn. Called once, in a microtask of its own. */
  readonly withdrawn?: () => void;
}

/** What kinds of items the outbox orders by. */
export type OutboxKind = "cancel-all" | "cancel" | "place" | "question";

const CLASS_PRIORITY: Readonly<Record<OutboxKind, number>> = {
  "cancel-all": 3_000_000,
  cancel: 2_000_000,
  place: 1_000_000,
  question: 0,
};

const RANKS = 1_000_000;

/**
 * The priority of an item: cancel-all before cancel before place before question, and within a kind the lower rank first (a plan's
 * cancels by their index, most dangerous first; its places by theirs, innermost first).
 */
export function outboxPriority(kind: OutboxKind, rank = 0): number {
  return CLASS_PRIORITY[kind] + RANKS - 1 - Math.min(Math.max(Math.trunc(rank), 0), RANKS - 1);
}

/**
 * The priority queue between executor and transport (docs/ideas/design.md#executor): p-queue with
 * its concurrency and priority alone, never its interval or timeout, which own real timers. Works
 * in virtual time: nothing but microtasks.
 */
export class Outbox {
  readonly #queue: PQueue;
  readonly #keys = new Set<string>();

  /** `concurrency`: how many items may be on their way at once; a whole number from 1. */
  constructor({ concurrency }: { readonly concurrency: number }) {
    this.#queue = new PQueue({ concurrency });
  }

  /** @throws RunError when an item of the same key waits or is under way: an action would be sent twice. */
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
      // p-queue frees the slot of a running task when its signal aborts, though its request is still on the wire.
      item.withdrawHandle?.disarm();
      await Promise.resolve();
      if (item.withdrawHandle?.isWithdrawn) return;
      left = true;
      await new Promise<void>((resolve) => item.onTurn(resolve));
    };
    const signal = this.#mustWait ? item.withdrawHandle?.signal : undefined;
    // Without a name p-queue would count a bigint up and print it for each item.
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

  /** Otherwise p-queue starts an item at once. */
  get #mustWait(): boolean {
    return this.#queue.size > 0 || this.#queue.pending >= this.#queue.concurrency;
  }

  #ended(item: OutboxItem, left: boolean): void {
    this.#keys.delete(item.key);
    if (!left) item.withdrawn?.();
  }

  /** Items whose turn has not come. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Items whose turn has come and whose `done` has not been called. */
  get inFlight(): number {
    return this.#queue.pending;
  }
}
