import type { Timer } from "../../core/runtime/runtime.js";
import type { CreditUnits } from "../../core/units.js";
import { isSafe } from "../../perpetual/margin.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { ExchangeAccount } from "./account.js";
import type { Clearing } from "./clearing.js";
import { computeMargin } from "./margin.js";

/**
 * Withdraws credit from accounts, at once or after the configured delay
 * (docs/reference/protocol.md#withdrawals). The remaining credit must cover the initial margin of
 * all positions, settled and matched, and the credit that open orders freeze. An account has at
 * most one pending withdrawal; a new one replaces it.
 */
export class Withdrawals {
  readonly #state: ExchangeState;
  readonly #clearing: Clearing;
  readonly #turn: (run: () => void) => void;
  readonly #timers = new Map<ExchangeAccount, Timer>();

  constructor(state: ExchangeState, clearing: Clearing, turn: (run: () => void) => void) {
    this.#state = state;
    this.#clearing = clearing;
    this.#turn = turn;
  }

  /** Resumes the pending withdrawals of an earlier run. */
  start(): void {
    for (const account of this.#state.accounts.values()) {
      this.#await(account);
    }
  }

  /** Stops executing until the next start. */
  stop(): void {
    for (const timer of this.#timers.values()) {
      timer.cancel();
    }
    this.#timers.clear();
  }

  /** Returns true if the account may withdraw this amount now. */
  isAllowed(account: ExchangeAccount, amount: CreditUnits): boolean {
    const { markets } = this.#state;
    const matched = computeMargin(account, markets);
    const settled = computeMargin(account, markets, "settled");
    return (
      isSafe(matched) &&
      matched.netValueCredit - amount >= matched.initialMarginCredit + matched.frozenMarginCredit &&
      settled.netValueCredit - account.leavingCredit - amount >= settled.initialMarginCredit
    );
  }

  /** Executes an allowed withdrawal, or schedules it. */
  request(account: ExchangeAccount, amount: CreditUnits): void {
    const { delayMs } = this.#state.config.withdrawals;
    if (delayMs === 0) {
      this.#clearing.credit.withdraw(account, amount);
      return;
    }
    account.pendingWithdrawal = { amount, dueMs: this.#state.nowMs() + delayMs };
    this.#state.listener.onAccount(account);
    this.#await(account);
  }

  #await(account: ExchangeAccount): void {
    this.#timers.get(account)?.cancel();
    this.#timers.delete(account);
    if (account.pendingWithdrawal !== null) {
      const waitMs = Math.max(0, account.pendingWithdrawal.dueMs - this.#state.nowMs());
      this.#timers.set(
        account,
        this.#state.runtime.clock.setTimer(waitMs, () => this.#turn(() => this.#execute(account))),
      );
    }
  }

  /** Executes a due withdrawal. If it is no longer allowed it is dropped and the credit stays. */
  #execute(account: ExchangeAccount): void {
    this.#timers.delete(account);
    const pending = account.pendingWithdrawal;
    if (pending === null) {
      return;
    }
    account.pendingWithdrawal = null;
    if (this.isAllowed(account, pending.amount)) {
      this.#clearing.credit.withdraw(account, pending.amount);
    } else {
      this.#state.listener.onAccount(account);
    }
  }
}
