import type {
  LaneRecord,
  LaneStore,
} from "../../../src/chain/transactions/store/transaction-store.js";

/** What is found after a restart of the lanes, while this process goes on. */
export class MemoryLaneStore implements LaneStore {
  readonly #records: LaneRecord[] = [];

  load(): readonly LaneRecord[] {
    return [...this.#records];
  }

  append(record: LaneRecord): void {
    this.#records.push(record);
  }

  close(): void {}
}
