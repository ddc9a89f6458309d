import type { Int64Id } from "../../core/units.js";
import { compareIds } from "../markets/bounded-history.js";
import { idKey } from "./record-keys.js";
import type { RecordChange } from "./record-store.js";

/** Collects the changes of one commit. */
export class ChangeBuilder {
  #puts = new Map<string, string>();
  #removed = new Set<string>();
  #removedRanges: { from: string; to: string }[] = [];
  /** The first key of each bounded list that may still be in the store. */
  readonly #oldest = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#puts.size + this.#removed.size + this.#removedRanges.length === 0;
  }

  put(key: string, record: unknown): void {
    this.#puts.set(key, JSON.stringify(record));
  }

  putText(key: string, text: string): void {
    this.#puts.set(key, text);
  }

  remove(key: string): void {
    this.#removed.add(key);
  }

  /**
   * Writes an item of a bounded list, unless the list has dropped it, and removes the dropped ones.
   */
  putKept(prefix: string, firstId: Int64Id | undefined, id: Int64Id, write: () => unknown): void {
    if (firstId === undefined) {
      return;
    }
    this.forget(prefix, idKey(firstId));
    if (compareIds(id, firstId) >= 0) {
      this.put(prefix + idKey(id), write());
    }
  }

  /** Removes a bounded list's stored items before its oldest one. */
  forget(prefix: string, oldest: string): void {
    const before = this.#oldest.get(prefix);
    if (before === undefined || before < oldest) {
      this.#oldest.set(prefix, oldest);
      this.#removedRanges.push({ from: prefix, to: prefix + oldest });
    }
  }

  /** Returns the collected changes and clears them. */
  take(): RecordChange {
    const change = { puts: this.#puts, removed: this.#removed, removedRanges: this.#removedRanges };
    this.#puts = new Map();
    this.#removed = new Set();
    this.#removedRanges = [];
    return change;
  }
}
