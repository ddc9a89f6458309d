import { RateBudget } from "../core/rate-budget.js";
import type { Clock } from "../core/seam.js";
import type { Ms } from "../core/units.js";
import type { VenueRules } from "../exchange/records.js";
import {
  type Bucket,
  type DispatchBudgets,
  type DispatchKind,
  type DispatchReserves,
  type DispatchVerdict,
  mayDispatch,
  spendOn,
  throttleAll,
} from "../executor/dispatch-budget.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/** The budgets' file in the state directory. */
export const BUDGET_FILE = "budget.json";

/** Tokens written down ahead of being spent, so that not each dispatch waits for the disk. */
const LEAD_TOKENS = 8;
const BUCKETS: readonly Bucket[] = ["ORDER", "COMMON"];

/** What the exchange allows where `rateLimits` names no such bucket (protocol, section 3). */
const DEFAULT_LIMITS: Readonly<Record<Bucket, { readonly limit: number; readonly intervalMs: Ms }>> = {
  ORDER: { limit: 1200, intervalMs: 60_000 },
  COMMON: { limit: 2400, intervalMs: 60_000 },
};

/** The account's token budgets, kept through restarts: a bot that is killed and started again remembers the last window. */
export class ActionBudget {
  readonly #clock: Clock;
  readonly #store: StateStore;
  readonly #fraction: number;
  #budgets: DispatchBudgets;
  #unwritten = 0;

  /** @param guardFraction the share of each bucket that the guard, another process, may spend. @throws CorruptStateError */
  constructor(rules: VenueRules, guardFraction: number, clock: Clock, store: StateStore) {
    this.#clock = clock;
    this.#store = store;
    this.#fraction = guardFraction;
    const saved = readJsonState(store, BUDGET_FILE, (value) => value as Partial<Record<Bucket, unknown>>) ?? {};
    const moment = this.#moment();
    const restored = (bucket: Bucket): RateBudget => {
      const { limit, intervalMs } = limitOf(rules, bucket);
      return saved[bucket] === undefined
        ? RateBudget.create(limit, intervalMs)
        : RateBudget.restore(saved[bucket], limit, intervalMs, moment);
    };
    this.#budgets = { ORDER: restored("ORDER"), COMMON: restored("COMMON") };
    this.#write(LEAD_TOKENS);
  }

  /** The guard's share of each bucket, which the bot never touches. */
  get guardShare(): Readonly<Record<Bucket, number>> {
    const share = (bucket: Bucket): number => Math.max(1, Math.ceil(this.#budgets[bucket].limit * this.#fraction));
    return { ORDER: share("ORDER"), COMMON: share("COMMON") };
  }

  /** Tokens that may be spent now, the guard's share included. */
  available(bucket: Bucket): number {
    return this.#budgets[bucket].available(this.#clock.monotonicMs());
  }

  limit(bucket: Bucket): number {
    return this.#budgets[bucket].limit;
  }

  /** When nothing more may be sent until, by a 429 or 418; -Infinity when nothing blocks. */
  get blockedUntilMonotonicMs(): Ms {
    return Math.max(this.#budgets.ORDER.blockedUntilMs, this.#budgets.COMMON.blockedUntilMs);
  }

  /** Whether an action of this kind may leave now. */
  ask(kind: DispatchKind, reserves: Omit<DispatchReserves, "guard">): DispatchVerdict {
    return mayDispatch(this.#budgets, kind, { ...reserves, guard: this.guardShare }, this.#clock.monotonicMs());
  }

  spend(kind: DispatchKind): void {
    this.#budgets = spendOn(this.#budgets, kind, this.#clock.monotonicMs());
    this.#unwritten++;
    if (this.#unwritten >= LEAD_TOKENS) this.#write(LEAD_TOKENS);
  }

  /** A 429 or 418 says that somebody else has spent too. */
  throttled(forMs: Ms): void {
    this.#budgets = throttleAll(this.#budgets, this.#clock.monotonicMs() + forMs);
    this.#write(LEAD_TOKENS);
  }

  /** Writes exactly what was spent: at a clean end. */
  settle(): void {
    this.#write(0);
  }

  #write(lead: number): void {
    this.#unwritten = 0;
    const moment = this.#moment();
    const record = Object.fromEntries(
      BUCKETS.map((bucket) => [bucket, this.#budgets[bucket].charge(moment.nowMs, lead).serialise(moment)]),
    );
    this.#store.write(BUDGET_FILE, JSON.stringify(record));
  }

  #moment(): { nowMs: Ms; wallMs: Ms } {
    return { nowMs: this.#clock.monotonicMs(), wallMs: this.#clock.nowMs() };
  }
}

function limitOf(rules: VenueRules, bucket: Bucket): { limit: number; intervalMs: Ms } {
  return rules.rateLimits.find(({ name }) => name === bucket) ?? DEFAULT_LIMITS[bucket];
}
