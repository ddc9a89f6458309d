import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { CONTRACT_CHANGE_HALTS_FILE } from "./contract-change-halt-store.js";
import { LATCH_FILE } from "./latch-store.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/**
 * The file of earlier versions, with all halts in one text. It is read, never written, and does not
 * apply to a halt that has its own file by now.
 */
const FORMER_FILE = "manual-halts.json";
const OWN_FILE = /^manual-halt(-[A-Za-z0-9_-]+)?\.json$/;

/** The file of a market's manual halt in the state directory, or of the halt of everything. */
export function manualHaltFile(marketId?: MarketId): string {
  return marketId === undefined ? "manual-halt.json" : `manual-halt-${marketId}.json`;
}

/**
 * True if a file of the state directory holds halts that last until an operator resumes: manual
 * ones, rungs of the risk ladder, or contract changes.
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

/** A manual halt that was not resumed. */
export interface ManualHalt {
  /** The halted market; absent if everything is halted. */
  readonly marketId?: MarketId | undefined;
  /** In the operator's words. */
  readonly why: string;
  /** When it was given, by this machine's clock. */
  readonly atMs: Ms;
}

/**
 * The manual halts, which survive the process that they were given to, until an operator resumes.
 * Automatic halts are not among them: their condition is found again. Each halt has a file of its
 * own, which is replaced as a whole, so that several processes can halt at once without overwriting
 * each other's halt.
 */
export class ManualHaltStore {
  readonly #store: Pick<StateStore, "read" | "names" | "write">;
  readonly #account: Hex;
  /** Writes that the disk has refused, the oldest first. */
  readonly #pending: (() => void)[] = [];
  #writeError: string | undefined;

  constructor(store: Pick<StateStore, "read" | "names" | "write">, account: Hex) {
    this.#store = store;
    this.#account = account;
  }

  /**
   * The persisted halts, in the order in which they were given.
   * @throws CorruptStateError if a file is corrupt, or another account's: an unreadable file must
   * not count as "not halted".
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

  /** Why the newest change could not be written; undefined if all is. */
  get writeError(): string | undefined {
    return this.#writeError;
  }

  /** Persists a halt; a second one of the same market, or of everything, replaces the first. */
  save(halt: ManualHalt): void {
    this.#pending.push(() => this.#write(halt.marketId, [halt]));
    this.retry();
  }

  /** Removes the halts that match. */
  remove(isOver: (halt: ManualHalt) => boolean): void {
    this.#pending.push(() => {
      for (const { marketId } of this.read().filter(isOver)) this.#write(marketId, []);
    });
    this.retry();
  }

  /**
   * Retries a write that failed: the process applies the command, and its sender learns of the disk
   * error.
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
