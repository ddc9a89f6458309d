import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { CONTRACT_CHANGE_HALTS_FILE } from "./contract-change-halt-store.js";
import { LATCH_FILE } from "./latch-store.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/**
 * All halts in one text, as earlier versions wrote it: it is read, never written, and says nothing
 * of what has a file of its own by now.
 */
const FORMER_FILE = "manual-halts.json";
const OWN_FILE = /^manual-halt(-[A-Za-z0-9_-]+)?\.json$/;

/** The file of a market's halt by hand in the state directory, or of the one of everything. */
export function manualHaltFile(marketId?: MarketId): string {
  return marketId === undefined ? "manual-halt.json" : `manual-halt-${marketId}.json`;
}

/**
 * Whether a file of the state directory says what is halted until a person resumes: by hand, by a
 * rung of the risk ladder, or since a contract is another.
 */
export function isHaltFile(name: string): boolean {
  return (
    name === FORMER_FILE ||
    name === LATCH_FILE ||
    name === CONTRACT_CHANGE_HALTS_FILE ||
    OWN_FILE.test(name)
  );
}

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
export interface ManualHalt {
  /** The halted market; absent where everything is halted. */
  readonly marketId?: MarketId | undefined;
  /** In the person's words. */
  readonly why: string;
  /** When it was given, by this machine's clock. */
  readonly atMs: Ms;
}

/**
 * The halts by hand that outlive the process that they were given to: a person's word stands until
 * a person takes it back. What halts by itself is not among them: its condition is found again.
 * Each has a file of its own, which is replaced as a whole: any number of processes halt at once,
 * and none writes over another's.
 */
export class ManualHaltStore {
  readonly #store: Pick<StateStore, "read" | "names" | "write">;
  readonly #account: Hex;
  /** What the disk has not taken, the oldest first. */
  readonly #pending: (() => void)[] = [];
  #writeError: string | undefined;

  constructor(store: Pick<StateStore, "read" | "names" | "write">, account: Hex) {
    this.#store = store;
    this.#account = account;
  }

  /**
   * Those that are written down, in the order in which they were given.
   * @throws CorruptStateError when a file is broken, or another account's: what cannot be read must
   * not be taken for "not halted".
   */
  read(): readonly ManualHalt[] {
    const own = this.#store.names().filter((name) => OWN_FILE.test(name));
    const former = this.#in(FORMER_FILE).filter(
      ({ marketId }) => !own.includes(manualHaltFile(marketId)),
    );
    return [...former, ...own.flatMap((name) => this.#in(name))].sort(
      (one, other) => one.atMs - other.atMs,
    );
  }

  /** Why the newest change could not be written down; undefined when all is. */
  get writeError(): string | undefined {
    return this.#writeError;
  }

  /**
   * Keeps a halt; a second one of the same market, or of everything, takes the place of the first.
   */
  save(halt: ManualHalt): void {
    this.#pending.push(() => this.#write(halt.marketId, [halt]));
    this.retry();
  }

  /** Forgets the halts of which this is so. */
  remove(isOver: (halt: ManualHalt) => boolean): void {
    this.#pending.push(() => {
      for (const { marketId } of this.read().filter(isOver)) this.#write(marketId, []);
    });
    this.retry();
  }

  /**
   * Writes what could not be written: the process goes on with what it was told, and whoever told
   * it hears what is wrong with the disk.
   */
  retry(): void {
    try {
      for (let [write] = this.#pending; write !== undefined; [write] = this.#pending) {
        write();
        this.#pending.shift();
      }
      this.#writeError = undefined;
    } catch (cause) {
      this.#writeError = cause instanceof Error ? cause.message : String(cause);
    }
  }

  #write(marketId: MarketId | undefined, halts: readonly ManualHalt[]): void {
    this.#store.write(
      manualHaltFile(marketId),
      JSON.stringify({ version: 1, account: this.#account, halts }),
    );
  }

  #in(name: string): readonly ManualHalt[] {
    return readJsonState(this.#store, name, (value) => haltsOf(value, name, this.#account)) ?? [];
  }
}

function haltsOf(value: unknown, name: string, account: Hex): readonly ManualHalt[] {
  const file = fileSchema.parse(value);
  if (file.account.toLowerCase() !== account.toLowerCase())
    throw new FormatError("halts of another account", {
      field: `${name} account`,
      value: file.account,
      expected: account,
    });
  const other =
    name === FORMER_FILE
      ? undefined
      : file.halts.find(({ marketId }) => manualHaltFile(marketId) !== name);
  if (other === undefined) return file.halts;
  throw new FormatError("another file's halt", {
    field: `${name} marketId`,
    value: other.marketId,
    expected: manualHaltFile(other.marketId),
  });
}
