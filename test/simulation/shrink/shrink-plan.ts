import { isDeepStrictEqual } from "node:util";
import { minimiseList } from "#bot/minimise-list.js";
import type { Ms } from "#core/units.js";
import type { PlanRun } from "../plan-run.js";
import type { Violation } from "../violation.js";
import { isInstant, isWindow, type PlanBase, type StoryMode } from "./story-mode.js";

/** The size of a failing run. */
export interface RunSize {
  /** Fault windows and other entries of the plan's lists. */
  readonly windows: number;
  /** Single requests and frames that a fault has struck. */
  readonly strikes: number;
  /** From the start to the violation. */
  readonly passedMs: Ms;
  /** Events of the simulated world until then. */
  readonly events: number;
}

/** A failing run that was made smaller. */
export interface ShrunkPlan<Plan> {
  readonly plan: Plan;
  readonly violation: Violation;
  readonly before: RunSize;
  readonly after: RunSize;
  /** Runs of candidates, and why the search ended. */
  readonly runs: number;
  readonly isComplete: boolean;
  /** True if no randomness of faults is left. */
  readonly isScripted: boolean;
}

/** The break of a run, and the limit of the search. */
export interface ShrinkOptions {
  readonly breakName: string | undefined;
  readonly maxRuns: number;
}

/** Time after the known violation within which a candidate must show it. */
const LATER_MS: Ms = 30_000;
/** A window is not made shorter than this. */
const LEAST_WINDOW_MS: Ms = 100;
/** Parts of the time before the first fault that a run may do without. */
const EARLIER_SHARES = [1, 0.9, 0.75, 0.5, 0.25];

/**
 * Makes a failing plan smaller. Each candidate is run again with exchange and bot, and taken if its
 * first violation is of the same rule. The same plan always shrinks to the same one.
 * @returns undefined if the plan has no violation
 */
export async function shrinkPlan<Plan extends PlanBase>(
  mode: StoryMode<Plan>,
  plan: Plan,
  options: ShrinkOptions,
): Promise<ShrunkPlan<Plan> | undefined> {
  const run = await mode.run(plan, options.breakName, { stopsAtViolation: true });
  const violation = run.violations[0];
  if (violation === undefined) return undefined;
  const shrinker = new PlanShrinker(mode, options, { plan, run, violation });
  const before = shrinker.size();
  await shrinker.shrink();
  const { plan: smallest, violation: shown } = shrinker.failing;
  return {
    plan: smallest,
    violation: shown,
    before,
    after: shrinker.size(),
    runs: shrinker.runs,
    isComplete: shrinker.runs < options.maxRuns,
    isScripted: shrinker.isScripted,
  };
}

interface FailingRun<Plan> {
  readonly plan: Plan;
  readonly run: PlanRun;
  readonly violation: Violation;
}

/** An entry of one of the lists of a plan. */
interface ListEntry<Plan> {
  readonly list: keyof Plan;
  readonly entry: unknown;
}

class PlanShrinker<Plan extends PlanBase> {
  runs = 0;
  failing: FailingRun<Plan>;
  readonly #mode: StoryMode<Plan>;
  readonly #options: ShrinkOptions;

  constructor(mode: StoryMode<Plan>, options: ShrinkOptions, failing: FailingRun<Plan>) {
    this.#mode = mode;
    this.#options = options;
    this.failing = failing;
  }

  async shrink(): Promise<void> {
    await this.#cut();
    await this.#fewer(this.#mode.shape.lists);
    await this.#simpler();
    await this.#earlier();
    await this.#shorter();
    await this.#strikes();
    await this.#fewer(this.#mode.shape.lists);
    await this.#simpler();
    await this.#earlier();
    await this.#cut();
    await this.#settle();
  }

  /** True if no fault is left to chance. */
  get isScripted(): boolean {
    const { scripted, isChance } = this.#mode.shape;
    const { plan } = this.failing;
    if (isChance?.(plan) === true) return false;
    return scripted.every(
      ({ windows, strikes }) =>
        plan[strikes] !== undefined || this.#entries(plan, [windows]).length === 0,
    );
  }

  size(): RunSize {
    const { plan, run, violation } = this.failing;
    const { shape } = this.#mode;
    const strikes = run.scripts.flatMap((script) => script.strikes);
    return {
      windows: this.#entries(plan, shape.lists).length,
      strikes: strikes.filter(({ atMs }) => atMs <= violation.atMs).length,
      passedMs: violation.atMs - shape.startMs,
      events: run.events,
    };
  }

  /** Runs a candidate, and keeps it if it shows the same violation. */
  async #try(candidate: Plan): Promise<boolean> {
    if (isDeepStrictEqual(candidate, this.failing.plan)) return true;
    if (this.runs >= this.#options.maxRuns) return false;
    this.runs += 1;
    const { violation: known, plan } = this.failing;
    const isAtEnd = known.atMs >= this.#mode.shape.startMs + plan.marketMs;
    const run = await this.#mode.run(candidate, this.#options.breakName, {
      stopsAtViolation: true,
      ...(isAtEnd ? {} : { untilMs: known.atMs + LATER_MS }),
    });
    const violation = run.violations[0];
    if (violation?.rule !== known.rule) return false;
    this.failing = { plan: candidate, run, violation };
    return true;
  }

  /** Without whatever begins after the violation, and without the time after it. */
  async #cut(): Promise<void> {
    const { plan, violation } = this.failing;
    const { lists, scripted } = this.#mode.shape;
    const isBefore = (entry: unknown): boolean =>
      isWindow(entry)
        ? entry.fromMs < violation.atMs
        : !isInstant(entry) || entry.atMs <= violation.atMs;
    const keys = [...lists, ...scripted.map(({ strikes }) => strikes)];
    const kept = this.#withEntries(
      plan,
      keys,
      this.#entries(plan, keys).filter(({ entry }) => isBefore(entry)),
    );
    await this.#try(this.#fitted(kept));
  }

  async #fewer(keys: readonly (keyof Plan)[]): Promise<void> {
    const { plan } = this.failing;
    await minimiseList(this.#entries(plan, keys), (kept) =>
      this.#try(this.#fitted(this.#withEntries(this.failing.plan, keys, kept))),
    );
  }

  async #simpler(): Promise<void> {
    for (const plan of this.#mode.shape.fewerMarkets(this.failing.plan))
      if (await this.#try(plan)) break;
    for (const { path, value } of this.#mode.shape.simpler)
      await this.#try(withValue(this.failing.plan, path, value) as Plan);
  }

  /** Moves all faults towards the beginning. */
  async #earlier(): Promise<void> {
    const { lists, scripted, startMs, calmBeforeMs } = this.#mode.shape;
    const keys = [...lists, ...scripted.map(({ strikes }) => strikes)];
    const { plan } = this.failing;
    const entries = this.#entries(plan, keys);
    const begin = entries.map(({ entry }) =>
      isWindow(entry) ? entry.fromMs : isInstant(entry) ? entry.atMs : Number.POSITIVE_INFINITY,
    );
    const spareMs = Math.min(...begin) - startMs - calmBeforeMs;
    if (!Number.isFinite(spareMs) || spareMs < 1_000) return;
    for (const share of EARLIER_SHARES) {
      const byMs = Math.floor(spareMs * share);
      const moved = entries.map(({ list, entry }) => ({ list, entry: movedEarlier(entry, byMs) }));
      if (await this.#try(this.#fitted(this.#withEntries(plan, keys, moved)))) return;
    }
  }

  /** Halves each window as long as the violation stays. */
  async #shorter(): Promise<void> {
    const { lists } = this.#mode.shape;
    const count = this.#entries(this.failing.plan, lists).length;
    for (let at = 0; at < count; at += 1)
      for (const fromEnd of [true, false]) while (await this.#halved(lists, at, fromEnd));
  }

  async #halved(lists: readonly (keyof Plan)[], at: number, fromEnd: boolean): Promise<boolean> {
    const entries = this.#entries(this.failing.plan, lists);
    const { entry } = entries[at] as ListEntry<Plan>;
    if (!isWindow(entry) || entry.untilMs - entry.fromMs < 2 * LEAST_WINDOW_MS) return false;
    const middleMs = Math.floor((entry.fromMs + entry.untilMs) / 2);
    const half = fromEnd ? { ...entry, untilMs: middleMs } : { ...entry, fromMs: middleMs };
    const changed = entries.map((one, index) => (index === at ? { ...one, entry: half } : one));
    return this.#try(this.#fitted(this.#withEntries(this.failing.plan, lists, changed)));
  }

  /** Puts the strikes that happened in the place of windows with probabilities, then leaves out. */
  async #strikes(): Promise<void> {
    const { scripted } = this.#mode.shape;
    const { plan, run, violation } = this.failing;
    if (scripted.length === 0) return;
    let script = plan;
    scripted.forEach(({ windows, strikes }, at) => {
      const played = run.scripts[at];
      if (played === undefined) return;
      script = {
        ...script,
        [windows]: played.windows,
        [strikes]: played.strikes.filter(({ atMs }) => atMs <= violation.atMs),
      };
    });
    if (await this.#try(this.#fitted(script)))
      await this.#fewer(scripted.map(({ strikes }) => strikes));
  }

  /** Puts each strike at the instant at which it happened, as its text says. */
  async #settle(): Promise<void> {
    const { plan, run, violation } = this.failing;
    let settled = plan;
    this.#mode.shape.scripted.forEach(({ strikes }, at) => {
      const played = run.scripts[at]?.strikes.filter(({ atMs }) => atMs <= violation.atMs);
      if (plan[strikes] !== undefined) settled = { ...settled, [strikes]: played };
    });
    await this.#try(settled);
  }

  #entries(plan: Plan, keys: readonly (keyof Plan)[]): readonly ListEntry<Plan>[] {
    return keys.flatMap((list) =>
      ((plan[list] ?? []) as readonly unknown[]).map((entry) => ({ list, entry })),
    );
  }

  #withEntries(
    plan: Plan,
    keys: readonly (keyof Plan)[],
    entries: readonly ListEntry<Plan>[],
  ): Plan {
    const lists = keys
      .filter((list) => plan[list] !== undefined)
      .map((list) => [list, entries.filter((one) => one.list === list).map(({ entry }) => entry)]);
    return { ...plan, ...Object.fromEntries(lists) };
  }

  /** As short as a plan may be whose rules are judged at its end. */
  #fitted(plan: Plan): Plan {
    const { lists, scripted, startMs, calmBeforeMs, calmAfterMs, withLength } = this.#mode.shape;
    const keys = [...lists, ...scripted.map(({ strikes }) => strikes)];
    const ends = this.#entries(plan, keys).map(({ entry }) =>
      isWindow(entry) ? entry.untilMs : isInstant(entry) ? entry.atMs : startMs,
    );
    const lastMs = Math.max(startMs + calmBeforeMs, ...ends);
    const { violation } = this.failing;
    const isAtEnd = violation.atMs >= startMs + this.failing.plan.marketMs;
    const neededMs = isAtEnd ? lastMs : Math.max(lastMs, violation.atMs);
    const marketMs = Math.ceil(neededMs - startMs + calmAfterMs);
    return withLength(plan, Math.min(marketMs, plan.marketMs));
  }
}

function movedEarlier(entry: unknown, byMs: Ms): unknown {
  if (isWindow(entry))
    return { ...entry, fromMs: entry.fromMs - byMs, untilMs: entry.untilMs - byMs };
  return isInstant(entry) ? { ...entry, atMs: entry.atMs - byMs } : entry;
}

/** A copy with a value at a path, where the path exists. */
function withValue(held: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof held !== "object" || held === null) return held;
  if (Array.isArray(held)) return held.map((one: unknown) => withValue(one, rest, value));
  const keys = key === "*" ? Object.keys(held) : key in held ? [key] : [];
  const fields = held as Readonly<Record<string, unknown>>;
  return {
    ...fields,
    ...Object.fromEntries(keys.map((one) => [one, withValue(fields[one], rest, value)])),
  };
}
