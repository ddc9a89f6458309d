import { MarketwrightError } from "../../core/errors.js";
import { type HaltReason, haltMarketId } from "../../risk/halt.js";
import type { BotContext } from "../engine/context.js";
import { IN_THE_LAST_RUN } from "../market/traded-contracts.js";
import {
  type ContractChangeHalt,
  readContractChangeHalts,
  writeContractChangeHalts,
} from "../state/contract-change-halt-store.js";

/**
 * The markets that are halted because their contract differs from the last run, persisted as they
 * change: a resume of a bot that does not run has to know which contract it accepts.
 */
export class ContractChangeHalts {
  readonly #context: BotContext;
  #halts: readonly ContractChangeHalt[];
  #writeError: string | undefined;
  #isBegun = false;

  /** @throws CorruptStateError if the file is corrupt, or another account's. */
  constructor(context: BotContext) {
    this.#context = context;
    this.#halts = readContractChangeHalts(context.store, context.accountAddress);
  }

  /** Why the newest change is not in the state directory; undefined if it is. */
  get writeError(): string | undefined {
    return this.#writeError;
  }

  /** The run begins. */
  begin(): void {
    this.#isBegun = true;
  }

  /** Persists the contract-change halts among all halts in force, if they have changed. */
  update(reasons: readonly HaltReason[]): void {
    // Before the run begins, the halts of earlier runs are in force without being among the
    // reasons.
    if (!this.#isBegun) return;
    const halts = reasons.flatMap((reason) => this.#foundOf(reason) ?? []);
    if (halts.length === this.#halts.length && halts.every((halt, at) => halt === this.#halts[at]))
      return;
    this.#halts = halts;
    this.#write();
  }

  /** Retries a write that failed. */
  retry(): void {
    if (this.#writeError !== undefined) this.#write();
  }

  #foundOf({ name, why, ...scope }: HaltReason): ContractChangeHalt | undefined {
    const { traders, clock } = this.#context;
    const marketId = haltMarketId(scope);
    const trader = marketId === undefined ? undefined : traders.get(marketId);
    if (name !== "exchange-info-changed" || trader === undefined) return undefined;
    const perp = trader.rules.perp.toLowerCase();
    // A halt of an earlier run may be for a contract that has been replaced by now: a resume
    // accepts the present one.
    const known = this.#halts.find(
      (halt) => halt.name === name && halt.marketId === marketId && halt.perp === perp,
    );
    if (known !== undefined) return known;
    return why.includes(IN_THE_LAST_RUN)
      ? { name, marketId: trader.marketId, why, atMs: Math.round(clock.nowMs()), perp }
      : undefined;
  }

  /**
   * A halt is in force in this process even if it cannot be persisted. A write error is reported
   * once, and its end too.
   */
  #write(): void {
    const { store, accountAddress, notify } = this.#context;
    const before = this.#writeError;
    try {
      writeContractChangeHalts(store, accountAddress, this.#halts);
      this.#writeError = undefined;
    } catch (cause) {
      if (!(cause instanceof MarketwrightError)) throw cause;
      this.#writeError = cause.message;
    }
    const error = this.#writeError;
    if ((error === undefined) === (before === undefined)) return;
    const [level, message] =
      error === undefined
        ? (["info", "the halts that wait for an operator are persisted now"] as const)
        : ([
            "error",
            "the halts that wait for an operator cannot be persisted: a restarted bot may not know them",
          ] as const);
    notify({ kind: "log", level, message, fields: { error } });
  }
}
