/** What one commit changes: a removed key or range goes first, then what is put is put. */
export interface RecordChange {
  readonly puts: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
  /** Keys from `from`, inclusive, to `to`, exclusive, in the order of their bytes. */
  readonly removedRanges: readonly { readonly from: string; readonly to: string }[];
}

/** Where an exchange keeps its state: texts by key, changed together or not at all. */
export interface RecordStore {
  /** Where it is, for messages. */
  readonly place: string;
  /** Everything whose key begins so, in the order of the keys' bytes. */
  withPrefix(prefix: string): Iterable<readonly [key: string, text: string]>;
  /** Makes a change last, whole, before it returns. @throws RunError when it cannot */
  commit(change: RecordChange): void;
}
