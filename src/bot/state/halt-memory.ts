import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/** The file of halts by hand in the state directory. */
export const HALTS_FILE = "manual-halts.json";

const fileSchema = z.strictObject({
  version: z.literal(1),
  account: z.string(),
  halts: z.array(
    z.strictObject({
      marketId: z.string().min(1).optional(),
      why: z.string(),
      atMs: z.int().min(0),
    }),
  ),
});

/** A halt that a person gave and nobody has taken back. */
export interface KeptHalt {
  /** The halted market; absent where everything is halted. */
  readonly marketId?: MarketId | undefined;
  /** In the person's words. */
  readonly why: string;
  /** When it was given, by this machine's clock. */
  readonly atMs: Ms;
}

/**
 * The halts by hand that outlive the process that they were given to: a person's word stands until a person takes it back. What halts by
 * itself is not among them: its condition is found again.
 */
export class HaltMemory {
  readonly #store: Pick<StateStore, "read" | "write">;
  readonly #account: Hex;
  #halts: readonly KeptHalt[];
  #unwritten: string | undefined;

  /** @throws CorruptStateError when the file is broken, or another account's: what cannot be read must not be taken for "not halted". */
  constructor(store: Pick<StateStore, "read" | "write">, account: Hex) {
    this.#store = store;
    this.#account = account;
    this.#halts = readJsonState(store, HALTS_FILE, (value) => haltsOf(value, account)) ?? [];
  }

  /** In the order in which they were given. */
  get halts(): readonly KeptHalt[] {
    return this.#halts;
  }

  /** Why the newest change could not be written down; undefined when the file says what {@link HaltMemory.halts} does. */
  get unwritten(): string | undefined {
    return this.#unwritten;
  }

  /** Keeps a halt; a second one of the same market, or of everything, takes the place of the first. */
  keep(halt: KeptHalt): void {
    this.#change([...this.#halts.filter(({ marketId }) => marketId !== halt.marketId), halt]);
  }

  /** Forgets the halts of which this is so. */
  forget(isOver: (halt: KeptHalt) => boolean): void {
    const left = this.#halts.filter((halt) => !isOver(halt));
    if (left.length < this.#halts.length) this.#change(left);
  }

  /** Writes again what could not be written. */
  retry(): void {
    if (this.#unwritten !== undefined) this.#change(this.#halts);
  }

  /** The process goes on with what it was told, written or not: whoever gave the halt wants it now, and hears what is wrong with the disk. */
  #change(halts: readonly KeptHalt[]): void {
    this.#halts = halts;
    try {
      this.#store.write(HALTS_FILE, JSON.stringify({ version: 1, account: this.#account, halts }));
      this.#unwritten = undefined;
    } catch (cause) {
      this.#unwritten = cause instanceof Error ? cause.message : String(cause);
    }
  }
}

function haltsOf(value: unknown, account: Hex): readonly KeptHalt[] {
  const file = fileSchema.parse(value);
  if (file.account.toLowerCase() === account.toLowerCase()) return file.halts;
  throw new FormatError("halts of another account", { field: `${HALTS_FILE} account`, value: file.account, expected: account });
}
