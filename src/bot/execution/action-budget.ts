import { z } from "zod";
import { type BudgetMoment, RateBudget } from "../../core/rate-budget.js";
import type { Clock } from "../../core/runtime/runtime.js";
import { DEFAULT_TOKEN_LIMITS } from "../../core/token-limits.js";
import type { Ms } from "../../core/units.js";
import type { ExchangeTime } from "../../exchange/exchange-time.js";
import type { VenueRules } from "../../exchange/records.js";
import {
  ACTION_COST,
  type ActionCosts,
  type Bucket,
  blockBudgets,
  costFor,
  type DispatchBudgets,
  type DispatchDecision,
  type DispatchKind,
  type DispatchReserves,
  mayDispatch,
  pickBucket,
  refundTokens,
  spendTokens,
} from "../../executor/dispatch-budget.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";
import { guardReserve } from "./guard-reserve.js";

/** The budgets' file in the state directory. */
export const BUDGET_FILE = "budget.json";

/** Tokens that may be spent between two writes, so that not each request waits for the disk. */
const LEAD_TOKENS = 32;
/**
 * Spends this near to each other are written as one. Otherwise the file grows with the exchange's
 * limit, and each write takes as long as all spends of the last window.
 */
const SLOT_MS: Ms = 100;
const BUCKETS: readonly Bucket[] = ["ORDER", "COMMON"];

/** Each budget checks its own part of the file. */
const spentSchema = z
  .object({ ORDER: z.unknown(), COMMON: z.unknown(), lead: z.boolean().optional() })
  .partial();

/** Options of an {@link ActionBudget}. */
export interface ActionBudgetOptions {
  readonly rules: VenueRules;
  /** The share of each bucket that the guard, another process, may spend. */
  readonly guardFraction: number;
  readonly clock: Clock;
  /** Dates the file: this machine's wall clock may be set between two runs. */
  readonly exchangeTime: ExchangeTime;
  readonly store: StateStore;
  /** Cost of each action; {@link ACTION_COST} if absent. */
  readonly costs?: ActionCosts;
}

/**
 * The account's token budgets, which survive restarts: a bot that is killed and started again knows
 * the last window.
 */
export class ActionBudget {
  readonly costs: ActionCosts;
  readonly #clock: Clock;
  readonly #exchangeTime: ExchangeTime;
  readonly #store: StateStore;
  readonly #guardFraction: number;
  #guardReserve: Readonly<Record<Bucket, number>>;
  #budgets: DispatchBudgets;
  #unwritten = 0;

  /** @throws CorruptStateError */
  constructor({
    rules,
    guardFraction,
    clock,
    exchangeTime,
    store,
    costs = ACTION_COST,
  }: ActionBudgetOptions) {
    this.costs = costs;
    this.#clock = clock;
    this.#exchangeTime = exchangeTime;
    this.#store = store;
    this.#budgets = budgetsBefore(store, rules, this.#moment());
    this.#guardFraction = guardFraction;
    this.#guardReserve = this.#share();
    this.#write(true);
  }

  /** The guard's share of each bucket, which the bot never spends. */
  get guardReserve(): Readonly<Record<Bucket, number>> {
    return this.#guardReserve;
  }

  /** Tokens that may be spent now, including the guard's share. */
  available(bucket: Bucket): number {
    return pickBucket(this.#budgets, bucket).available(this.#clock.monotonicMs());
  }

  limit(bucket: Bucket): number {
    return pickBucket(this.#budgets, bucket).limit;
  }

  /** Until when a 429 or 418 forbids any request; -Infinity if nothing does. */
  get blockedUntilMonotonicMs(): Ms {
    return Math.max(this.#budgets.ORDER.blockedUntilMs, this.#budgets.COMMON.blockedUntilMs);
  }

  /** Checks if the budget allows an action of this kind now. */
  check(
    kind: DispatchKind,
    { ordersThatMayFill, markets, queryReserve }: Omit<DispatchReserves, "guard">,
  ): DispatchDecision {
    const reserves = { ordersThatMayFill, markets, queryReserve, guard: this.guardReserve };
    return mayDispatch(this.#budgets, kind, reserves, this.#clock.monotonicMs(), this.costs);
  }

  spend(kind: DispatchKind): void {
    this.#budgets = spendTokens(this.#budgets, kind, this.#clock.monotonicMs(), this.costs);
    this.#noteUnwritten();
  }

  /**
   * Returns the tokens of an action that certainly never left. Without that, a bot that retries its
   * cancels through an outage has no tokens left when the exchange is back.
   * @param spentAtMonotonicMs when the action was dispatched.
   */
  refund(kind: DispatchKind, spentAtMonotonicMs: Ms): void {
    this.#budgets = refundTokens(this.#budgets, kind, spentAtMonotonicMs, this.costs);
  }

  /** Counts a request of another part of this process, also beyond the limit. */
  charge(kind: DispatchKind): void {
    const nowMs = this.#clock.monotonicMs();
    const { ORDER, COMMON } = costFor(this.costs, kind);
    this.#budgets = {
      ORDER: this.#budgets.ORDER.charge(nowMs, ORDER),
      COMMON: this.#budgets.COMMON.charge(nowMs, COMMON),
    };
    this.#noteUnwritten();
  }

  /**
   * Writes the spent tokens ahead of need. Call it a few times a second, so that hardly any request
   * waits for the disk.
   */
  persistAhead(): void {
    if (this.#unwritten >= LEAD_TOKENS / 2) this.#write(true);
  }

  /**
   * Applies rules that were read again: a changed limit is in force at once, less the tokens
   * already spent.
   */
  rulesRead(rules: VenueRules): void {
    const moment = this.#moment();
    const kept = (bucket: Bucket): RateBudget => {
      const { limit, intervalMs } = limitOf(rules, bucket);
      const budget = this.#budgets[bucket];
      if (budget.limit === limit && budget.intervalMs === intervalMs) return budget;
      return RateBudget.restore(budget.serialise(moment), limit, intervalMs, moment);
    };
    this.#budgets = { ORDER: kept("ORDER"), COMMON: kept("COMMON") };
    this.#guardReserve = this.#share();
  }

  /** Blocks after a 429 or 418: another client has spent tokens too. */
  blockFor(forMs: Ms): void {
    this.#budgets = blockBudgets(this.#budgets, this.#clock.monotonicMs() + forMs);
    this.#write(true);
  }

  /** Writes exactly the spent tokens, on a clean shutdown. */
  persistExact(): void {
    this.#write(false);
  }

  #noteUnwritten(): void {
    this.#unwritten++;
    if (this.#unwritten >= LEAD_TOKENS) this.#write(true);
  }

  #share(): Readonly<Record<Bucket, number>> {
    const share = (bucket: Bucket): number =>
      guardReserve(this.#budgets[bucket].limit, this.#guardFraction);
    return { ORDER: share("ORDER"), COMMON: share("COMMON") };
  }

  /** @param lead true if tokens may be spent before the next write. */
  #write(lead: boolean): void {
    this.#unwritten = 0;
    if (this.#store.isDiscarded === true) return;
    const moment = this.#moment();
    const spent = Object.fromEntries(
      BUCKETS.map((bucket) => [bucket, this.#budgets[bucket].serialise(moment, SLOT_MS)]),
    );
    this.#store.writeBehind(BUDGET_FILE, JSON.stringify({ ...spent, lead }));
  }

  #moment(): BudgetMoment {
    return { nowMs: this.#clock.monotonicMs(), wallMs: this.#exchangeTime.nowMs() };
  }
}

/** The budgets as an earlier run left them. @throws CorruptStateError */
function budgetsBefore(
  store: StateStore,
  rules: VenueRules,
  moment: BudgetMoment,
): DispatchBudgets {
  const restore = (saved: z.infer<typeof spentSchema>): DispatchBudgets => {
    const restored = (bucket: Bucket): RateBudget => {
      const { limit, intervalMs } = limitOf(rules, bucket);
      if (saved[bucket] === undefined) return RateBudget.create(limit, intervalMs);
      // Tokens after the last write may have been spent until just now.
      return RateBudget.restore(saved[bucket], limit, intervalMs, moment).charge(
        moment.nowMs,
        saved.lead === true ? LEAD_TOKENS : 0,
      );
    };
    return { ORDER: restored("ORDER"), COMMON: restored("COMMON") };
  };
  // A power loss may leave the file blank, and a machine takes longer to restart than a window
  // lasts.
  if (/^\0*$/.test(store.read(BUDGET_FILE) ?? "")) return restore({});
  return (
    readJsonState(store, BUDGET_FILE, (value) => restore(spentSchema.parse(value))) ?? restore({})
  );
}

function limitOf(rules: VenueRules, bucket: Bucket): { limit: number; intervalMs: Ms } {
  return rules.rateLimits.find(({ name }) => name === bucket) ?? DEFAULT_TOKEN_LIMITS[bucket];
}
