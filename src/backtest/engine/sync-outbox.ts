import type { OutboxPort } from "../../bot/execution/dispatcher.js";
import type { OutboxItem } from "../../executor/outbox.js";

/**
 * The outbox of a replay. It has the priorities and the width of the live one, without p-queue and
 * its promises (docs/ideas/design.md#executor). Nothing is sent inside `enqueue`; the engine calls
 * {@link dispatch} between two inputs.
 */
export class SyncOutbox implements OutboxPort {
  readonly #concurrency: number;
  readonly #waiting: OutboxItem[] = [];
  #underWay = 0;

  /** @param concurrency how many items may be in flight at once. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  enqueue(item: OutboxItem): void {
    const waiting = this.#waiting;
    let at = waiting.length;
    // Highest priority last, and among equals the earliest last: sending pops from the end.
    while (at > 0 && (waiting[at - 1] as OutboxItem).priority >= item.priority) at--;
    if (at === waiting.length) waiting.push(item);
    else waiting.splice(at, 0, item);
  }

  /** Sends the next items until none waits or no more may be in flight. */
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

  /**
   * Apart from {@link dispatch}, which mostly finds nothing: a closure is allocated at each call of
   * the function around it.
   */
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
