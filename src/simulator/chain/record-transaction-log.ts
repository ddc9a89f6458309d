import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import { idKey } from "../store/record-keys.js";
import type { RecordStore } from "../store/record-store.js";
import type { ChainGenesis } from "./genesis.js";
import type { LogEntry, TransactionLog } from "./transaction-log.js";

const GENESIS = "chain/genesis";
const ENTRIES = "chain/entry/";

const wei = z.string().regex(/^\d+$/);
const genesisShape = z.strictObject({
  chainId: z.int(),
  timestampSeconds: z.int(),
  blockGasLimit: z.int(),
  callGasLimit: z.int(),
  baseFeeWei: wei,
  order: z.enum(["tip", "arrival"]),
  balancesWei: z.record(z.string(), wei),
}) satisfies z.ZodType<ChainGenesis>;

const entryShape = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("request"), method: z.string(), params: z.array(z.unknown()) }),
  z.strictObject({ kind: z.literal("block"), timestampSeconds: z.int(), hash: z.string() }),
  z.strictObject({ kind: z.literal("shift"), seconds: z.int() }),
]) satisfies z.ZodType<LogEntry>;

/** The log as records of an exchange: one record for each entry, numbered from zero. */
export class RecordTransactionLog implements TransactionLog {
  readonly place: string;
  readonly #records: RecordStore;
  #next: number | undefined;

  constructor(records: RecordStore) {
    this.#records = records;
    this.place = records.place;
  }

  genesis(): ChainGenesis | null {
    for (const [key, text] of this.#records.withPrefix(GENESIS))
      return this.#read(genesisShape, key, text);
    return null;
  }

  begin(genesis: ChainGenesis): void {
    this.#put(GENESIS, genesis);
  }

  *entries(): Generator<LogEntry> {
    let next = 0;
    for (const [key, text] of this.#records.withPrefix(ENTRIES)) {
      if (key !== ENTRIES + idKey(next)) {
        throw new FormatError("an entry of the chain's log is missing", {
          field: this.place,
          value: ENTRIES + idKey(next),
        });
      }
      next += 1;
      yield this.#read(entryShape, key, text);
    }
    this.#next = next;
  }

  append(entry: LogEntry): void {
    this.#next ??= this.#count();
    this.#put(ENTRIES + idKey(this.#next), entry);
    this.#next += 1;
  }

  #count(): number {
    let count = 0;
    for (const _ of this.#records.withPrefix(ENTRIES)) count += 1;
    return count;
  }

  #put(key: string, value: LogEntry | ChainGenesis): void {
    this.#records.commit({
      puts: new Map([[key, JSON.stringify(value)]]),
      removed: new Set(),
      removedRanges: [],
    });
  }

  #read<Value>(shape: z.ZodType<Value>, key: string, text: string): Value {
    try {
      return shape.parse(JSON.parse(text));
    } catch (cause) {
      throw new FormatError("a record of the chain's log cannot be read", {
        field: `${this.place}: ${key}`,
        value: text,
        cause,
      });
    }
  }
}
