/** The changes of one commit: keys and ranges are removed first, then records are written. */
export interface RecordChange {
  readonly puts: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
  /** Keys from `from`, inclusive, to `to`, exclusive, in byte order. */
  readonly removedRanges: readonly { readonly from: string; readonly to: string }[];
}

/** The store of an exchange's state: texts by key, changed atomically. */
export interface RecordStore {
  /** The location, for messages. */
  readonly place: string;
  /** Every record whose key has the prefix, in byte order of the keys. */
  withPrefix(prefix: string): Iterable<readonly [key: string, text: string]>;
  /**
   * Commits a change as a whole before it returns.
   * @throws RunError when it cannot
   */
  commit(change: RecordChange): void;
}
