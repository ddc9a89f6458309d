import type { Hex } from "../../core/units.js";
import type { ChainGenesis } from "./genesis.js";

/** A request that changed the chain, usually a transaction. */
export interface LoggedRequest {
  readonly kind: "request";
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A mined block. Its hash stands for the whole state after it. */
export interface LoggedBlock {
  readonly kind: "block";
  readonly timestampSeconds: number;
  readonly hash: Hex;
}

/** A manual change of the chain's clock by `seconds` against the exchange's. */
export interface LoggedShift {
  readonly kind: "shift";
  readonly seconds: number;
}

/** Every change of a chain, in order. */
export type LogEntry = LoggedRequest | LoggedBlock | LoggedShift;

/** The store that a chain is rebuilt from. */
export interface TransactionLog {
  /** The location, for messages. */
  readonly place: string;
  /**
   * Null before a chain has begun.
   * @throws FormatError when the log was not written by this program
   */
  genesis(): ChainGenesis | null;
  /**
   * Begins a chain; called once, before the first entry.
   * @throws RunError when it cannot be stored
   */
  begin(genesis: ChainGenesis): void;
  /**
   * In the order in which they were appended.
   * @throws FormatError for an unreadable or missing entry
   */
  entries(): Iterable<LogEntry>;
  /**
   * Commits an entry to disk before it returns.
   * @throws RunError when it cannot
   */
  append(entry: LogEntry): void;
}

/** A log in memory. */
export class MemoryTransactionLog implements TransactionLog {
  readonly place = "memory";
  #genesis: ChainGenesis | null;
  readonly #entries: LogEntry[];

  /** Empty, or with the content of another log. */
  constructor(genesis: ChainGenesis | null = null, entries: Iterable<LogEntry> = []) {
    this.#genesis = genesis;
    this.#entries = [...entries];
  }

  genesis(): ChainGenesis | null {
    return this.#genesis;
  }

  begin(genesis: ChainGenesis): void {
    this.#genesis = genesis;
  }

  entries(): readonly LogEntry[] {
    return this.#entries;
  }

  append(entry: LogEntry): void {
    this.#entries.push(entry);
  }
}
