import type { Hex } from "../../core/units.js";
import type { ChainGenesis } from "./genesis.js";

/** A request that changed the chain, most of all a transaction that it took. */
export interface LoggedRequest {
  readonly kind: "request";
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A block of what waited. Its hash stands for the whole state after it. */
export interface LoggedBlock {
  readonly kind: "block";
  readonly timestampSeconds: number;
  readonly hash: Hex;
}

/** The chain's clock was moved by hand, `seconds` further from the exchange's. */
export interface LoggedShift {
  readonly kind: "shift";
  readonly seconds: number;
}

/** Everything that changes a chain, in the order in which it did. */
export type LogEntry = LoggedRequest | LoggedBlock | LoggedShift;

/** Where a chain keeps what it is rebuilt from. */
export interface TransactionLog {
  /** Where it is, for messages. */
  readonly place: string;
  /** Null where no chain has begun. @throws FormatError when it is none of ours */
  genesis(): ChainGenesis | null;
  /** Begins a chain; once, before the first entry. @throws RunError when it cannot be kept */
  begin(genesis: ChainGenesis): void;
  /** In the order in which they were appended. @throws FormatError for an entry that cannot be read, or one that is missing */
  entries(): Iterable<LogEntry>;
  /** Makes an entry last before it returns. @throws RunError when it cannot */
  append(entry: LogEntry): void;
}

/** A log that lives as long as it is held. */
export class MemoryTransactionLog implements TransactionLog {
  readonly place = "memory";
  #genesis: ChainGenesis | null;
  readonly #entries: LogEntry[];

  /** Empty, or what another one held. */
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
