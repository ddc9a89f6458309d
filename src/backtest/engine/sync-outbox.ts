import type { OutboxPort } from "../../bot/execution/dispatcher.js";
import type { OutboxItem } from "../../executor/outbox.js";

/**
 * The outbox of a replay: the same order of priority and the same width as the live one, without
 * p-queue and its promises (docs/ideas/design.md#executor). Nothing leaves inside `enqueue`; the
 * engine calls {@link dispatch} between two inputs.
 */
export class SyncOutbox implements OutboxPort {
  readonly #concurrency: number;
  readonly #waiting: OutboxItem[] = [];
  #underWay = 0;

  /** @param concurrency how many items may be on their way at once. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  enqueue(item: OutboxItem): void {
    const waiting = this.#waiting;
    let at = waiting.length;
    // Highest priority last, and among equals the one that came first: what leaves is popped.
    while (at > 0 && (waiting[at - 1] as OutboxItem).priority >= item.priority) at--;
    if (at === waiting.length) waiting.push(item);
    else waiting.splice(at, 0, item);
  }

  /** Lets leave whose turn it is, until none waits or none may leave. */
  dispatch(): void {
    while (this.#underWay < this.#concurrency) {
      const item = this.#waiting.pop();
      if (item === undefined) return;
      if (item.withdrawHandle?.isWithdrawn === true) {
        item.withdrawn?.();
        continue;
      }
      this.#begin(item);
    }
  }

  /** Apart from {@link dispatch}, which mostly finds nothing: what a closure holds is made with each call of the function around it. */
  #begin(item: OutboxItem): void {
    this.#underWay += 1;
    let isDone = false;
    item.onTurn(() => {
      if (isDone) return;
      isDone = true;
      this.#underWay -= 1;
    });
  }
}
