import type { BotEvent } from "#bot/bot-event.js";
import type { Ms } from "#core/units.js";
import type { FaultKind } from "#simulation/faults.js";
import type { PlanRun, PlanRunOptions } from "../plan-run.js";
import type { Violation } from "../violation.js";
import type { HedgeBreak } from "./hedge-breaks.js";
import { type HedgePlan, hedgePlanOf } from "./hedge-plan.js";
import { HedgeWorld, MARKET } from "./hedge-world.js";

/** The result of one seed. */
export interface HedgeResult extends PlanRun {
  readonly actions: number;
  readonly fills: number;
  readonly faults: ReadonlyMap<string, number>;
  /** How often each rule was put to the test. */
  readonly judged: Readonly<Record<string, number>>;
}

const BREAK_CHECK_EVERY_MS: Ms = 1_000;
/** Time in which the bot stops. */
const STOP_WITHIN_MS: Ms = 40_000;
/** Some event is always on its way: one of these instants must find bot and exchange agreeing. */
const AGREE_CHECKS = 60;
const AGREE_EVERY_MS: Ms = 97;
/** Units of a hedge for a credit unit of the exchange. */
const HEDGE_UNITS_A_CREDIT = 100n;
/** Value of a lot of a thousandth of the base at half a tick, in units of a hedge. */
const UNITS_A_MILLI_HALF_TICK = 5_000n;

/**
 * Runs the bot of a seed between its two exchanges. The same seed and length give the same run. A
 * run with a broken rule ends once a violation is found.
 */
export async function runHedge(
  seed: number,
  marketMs: Ms,
  broken?: HedgeBreak,
  trace?: (atMs: Ms, notice: BotEvent) => void,
): Promise<HedgeResult> {
  const drawn = hedgePlanOf(seed, marketMs);
  return runHedgePlan(broken?.plan?.(drawn) ?? drawn, broken, {
    ...(broken === undefined ? {} : { stopsAtViolation: true }),
    ...(trace === undefined ? {} : { trace }),
  });
}

/** The same for a plan, which a break does not change any more. */
export async function runHedgePlan(
  plan: HedgePlan,
  broken: HedgeBreak | undefined,
  {
    stopsAtViolation = false,
    untilMs = Number.POSITIVE_INFINITY,
    trace,
    journal,
  }: PlanRunOptions = {},
): Promise<HedgeResult> {
  const { marketMs } = plan;
  const world = new HedgeWorld(plan, broken, trace, journal);
  const { oracle } = world;
  const crashes: Violation[] = [];
  const isNoticed = () => stopsAtViolation && oracle.violations.length > 0;
  const isCut = () => isNoticed() || world.clock.nowMs() >= untilMs;
  try {
    await world.start();
    for (let passedMs = 0; passedMs < marketMs && !isCut(); passedMs += BREAK_CHECK_EVERY_MS)
      await world.passes(BREAK_CHECK_EVERY_MS);
    if (!isCut()) await judgeProfit(world, plan.stepMilli);
    if (!isCut()) await judgeEnd(world);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    crashes.push({ atMs: world.clock.nowMs(), rule: "crash", text });
  }
  world.stop();
  const faults = new Map<string, number>();
  for (const [leg, { struck }] of Object.entries(world.faults))
    for (const [kind, count] of struck) faults.set(named(leg, kind), count);
  return {
    events: world.events,
    actions: world.actions,
    fills: world.fills,
    faults,
    violations: [...oracle.violations, ...crashes],
    judged: { ...oracle.judged },
    scripts: [world.faults.primary.script(), world.faults.hedge.script()],
  };
}

function named(leg: string, kind: FaultKind): string {
  return `${leg} ${kind}`;
}

/** The hedge's profit is what the exchange itself has in its books. */
async function judgeProfit(world: HedgeWorld, stepMilli: number): Promise<void> {
  let found = "the bot does not run";
  for (let checks = 0; checks < AGREE_CHECKS; checks += 1) {
    const hedger = world.rig?.bot.context.hedges.get(MARKET)?.hedger;
    const midTicks = hedger?.midTicks;
    const total = hedger?.profit?.total;
    if (midTicks !== undefined && total !== undefined) {
      const { cashCredit, lots } = world.truths.hedge;
      const halfTicks = BigInt(Math.round(midTicks * 2));
      const value = BigInt(lots * stepMilli) * halfTicks * UNITS_A_MILLI_HALF_TICK;
      const own = cashCredit * HEDGE_UNITS_A_CREDIT + value;
      if (own === total) return;
      found = `the bot has ${total}, the exchange ${own}`;
    } else if (hedger !== undefined) {
      found = `no profit: ${hedger.state}`;
    }
    await world.passes(AGREE_EVERY_MS);
  }
  world.oracle.ended("profit", found);
}

/** After the stop no order is left on either venue, and nothing is unhedged. */
async function judgeEnd(world: HedgeWorld): Promise<void> {
  const { oracle, truths } = world;
  if (world.rig === undefined) return oracle.ended("end", "the bot does not run at the end");
  world.stopBot();
  await world.passes(STOP_WITHIN_MS);
  const { stopped } = world;
  if (stopped === undefined) return oracle.ended("end", "the bot has not stopped");
  const { ordersLeft, hedgesLeft, unsettledHedges } = stopped.result;
  if (ordersLeft.length > 0 || hedgesLeft !== undefined || unsettledHedges !== undefined)
    oracle.ended(
      "end",
      `left behind: ${JSON.stringify({ ordersLeft, hedgesLeft, unsettledHedges })}`,
    );
  oracle.stopped();
  for (const [leg, truth] of Object.entries(truths))
    for (const side of ["BUY", "SELL"] as const)
      if (truth.openLots(side) > 0)
        oracle.ended("end", `${truth.openLots(side)} lots to ${side} rest on the ${leg} venue`);
}
