import type { TransactionRecord, TransactionStore } from "#chain/transaction-store.js";

/** A store that survives a restart of the manager within this process. */
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
