import type { TransactionRecord, TransactionStore } from "#chain/transaction-store.js";

/** What is found after a restart of the lanes, while this process goes on. */
export class MemoryLaneStore implements TransactionStore {
  readonly #records: TransactionRecord[] = [];

  load(): readonly TransactionRecord[] {
    return [...this.#records];
  }

  append(record: TransactionRecord): void {
    this.#records.push(record);
  }

  close(): void {}
}
