import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId } from "../../core/units.js";
import { LADDER_MEASURES, type Latch } from "../../risk/risk-ladder.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/** The file of the rungs that last until an operator resumes. */
export const LATCH_FILE = "risk-ladder.json";

const latch = z.strictObject({
  measure: z.enum(LADDER_MEASURES),
  marketId: z.string().min(1).optional(),
  action: z.enum(["reduce", "halt", "flatten"]),
  why: z.string(),
  atMs: z.int().min(0),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  account: z.string(),
  rungs: z.array(latch),
  accepted: z.array(latch).optional(),
});

/** The stored state of the ladder. */
export interface StoredLatches {
  readonly rungs: readonly Latch[];
  /**
   * Rungs that an operator resumed and that are still accepted: losses, while no bot ran, which the
   * next one counts from its start; and a position that has been as large ever since.
   */
  readonly accepted: readonly Latch[];
}

/**
 * The rungs of the risk ladder that survive their process: the next run continues selling a
 * position, and halts stay even if their measure is forgotten.
 */
export class LatchStore {
  readonly #store: Pick<StateStore, "read" | "write">;
  readonly #account: Hex;
  #kept: StoredLatches = { rungs: [], accepted: [] };
  #writeError: string | undefined;

  constructor(store: Pick<StateStore, "read" | "write">, account: Hex) {
    this.#store = store;
    this.#account = account;
  }

  /**
   * @throws CorruptStateError if the file is corrupt, or another account's: an unreadable file must
   * not count as "nothing happened".
   */
  read(): StoredLatches {
    this.#kept = readJsonState(this.#store, LATCH_FILE, (value) =>
      parseStoredLatches(value, this.#account),
    ) ?? { rungs: [], accepted: [] };
    return this.#kept;
  }

  /** Why the newest change could not be written; undefined if it is. */
  get writeError(): string | undefined {
    return this.#writeError;
  }

  /** Replaces all of them. */
  keep(rungs: readonly Latch[], accepted: readonly Latch[] = []): void {
    this.#kept = { rungs, accepted };
    this.retry();
  }

  /** An operator resumes while no bot runs: the account and all markets, or one market alone. */
  resume(marketId: MarketId | undefined): void {
    const { rungs, accepted } = this.read();
    const isOver = (latch: Latch): boolean => marketId === undefined || latch.marketId === marketId;
    const ended = rungs.filter(isOver);
    if (ended.length === 0) return;
    const isAgain = (one: Latch): boolean =>
      ended.some(({ measure, marketId }) => measure === one.measure && marketId === one.marketId);
    // Each run measures markouts from zero, so there is none to accept.
    const lasting = ended.filter(({ measure }) => measure !== "markout");
    this.#kept = {
      rungs: rungs.filter((latch) => !isOver(latch)),
      accepted: [...accepted.filter((one) => !isAgain(one)), ...lasting],
    };
    this.retry();
  }

  /**
   * Retries a write that failed: the process continues with its decision, and reports the disk
   * error.
   */
  retry(): void {
    const [rungs, accepted] = [inWholeMs(this.#kept.rungs), inWholeMs(this.#kept.accepted)];
    try {
      const text = JSON.stringify({
        version: 1,
        account: this.#account,
        rungs,
        ...(accepted.length === 0 ? {} : { accepted }),
      });
      this.#store.write(LATCH_FILE, text);
      this.#writeError = undefined;
    } catch (cause) {
      this.#writeError = cause instanceof Error ? cause.message : String(cause);
    }
  }
}

function inWholeMs(latches: readonly Latch[]): readonly Latch[] {
  return latches.map((latch) => ({ ...latch, atMs: Math.round(latch.atMs) }));
}

function parseStoredLatches(value: unknown, account: Hex): StoredLatches {
  const { account: owner, rungs, accepted = [] } = fileSchema.parse(value);
  if (owner.toLowerCase() === account.toLowerCase()) return { rungs, accepted };
  throw new FormatError("rungs of another account", {
    field: `${LATCH_FILE} account`,
    value: owner,
    expected: account,
  });
}
