import type { BotEvent } from "#bot/bot-event.js";
import type { Ms } from "#core/units.js";
import type { PlanRun, PlanRunOptions } from "../plan-run.js";
import type { Violation } from "../violation.js";
import type { ReferenceBreak } from "./reference-breaks.js";
import type { Verdict } from "./reference-oracle.js";
import {
  type ReferenceFaultKind,
  type ReferenceFaultWindow,
  type ReferencePlan,
  referencePlanOf,
} from "./reference-plan.js";
import { ReferenceWorld } from "./reference-world.js";

/** The result of one seed. */
export interface ReferenceResult extends PlanRun {
  readonly actions: number;
  readonly fills: number;
  readonly faults: ReadonlyMap<string, number>;
  /** Sampled instants by the oracle's verdict. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
}

const BREAK_CHECK_EVERY_MS: Ms = 1_000;

/**
 * Runs the market of a seed whose reference sources have faults. The same seed and length give the
 * same run. A run with a broken rule ends once a violation is found.
 */
export function runReferences(
  seed: number,
  marketMs: Ms,
  broken?: ReferenceBreak,
  trace?: (atMs: Ms, notice: BotEvent) => void,
): Promise<ReferenceResult> {
  return runReferencePlan(referencePlanOf(seed, marketMs), broken, {
    ...(broken === undefined ? {} : { stopsAtViolation: true }),
    ...(trace === undefined ? {} : { trace }),
  });
}

/** The same for a plan. */
export async function runReferencePlan(
  plan: ReferencePlan,
  broken: ReferenceBreak | undefined,
  {
    stopsAtViolation = false,
    untilMs = Number.POSITIVE_INFINITY,
    trace,
    journal,
  }: PlanRunOptions = {},
): Promise<ReferenceResult> {
  const world = new ReferenceWorld(plan, broken, trace, journal);
  const { oracle } = world;
  const faults = new Map<ReferenceFaultKind, number>();
  const crashes: Violation[] = [];
  for (const window of plan.faults) {
    world.clock.setTimer(window.fromMs, () => {
      faults.set(window.kind, (faults.get(window.kind) ?? 0) + 1);
      switchFault(world, window, true);
    });
    world.clock.setTimer(window.untilMs, () => switchFault(world, window, false));
  }
  try {
    world.start();
    for (let passedMs = 0; passedMs < plan.marketMs; passedMs += BREAK_CHECK_EVERY_MS) {
      await world.passes(BREAK_CHECK_EVERY_MS);
      if (stopsAtViolation && oracle.violations.length > 0) break;
      if (world.clock.nowMs() >= untilMs) break;
    }
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    crashes.push({ atMs: world.clock.nowMs(), rule: "crash", text });
  }
  world.stop();
  return {
    events: world.events,
    actions: world.actions,
    fills: world.fills,
    faults,
    violations: [...oracle.violations, ...crashes],
    verdicts: oracle.verdicts,
    scripts: [],
  };
}

/** Begins or ends a fault. Faults of one kind on one source do not add up. */
function switchFault(
  world: ReferenceWorld,
  { kind, source: at, size }: ReferenceFaultWindow,
  isOn: boolean,
): void {
  const source = world.source(at);
  const { faults } = source;
  switch (kind) {
    case "source-silent":
      faults.isSilent = isOn;
      break;
    case "source-late":
      faults.lateMs = isOn ? size : 0;
      break;
    case "source-crossed":
      faults.isCrossed = isOn;
      break;
    case "source-one-sided":
      faults.isOneSided = isOn;
      break;
    case "source-jumps":
      faults.jumpBps = isOn ? size : 0;
      break;
    case "source-reconnects":
      if (isOn) source.breakConnection("connection reset");
      faults.isSilent = isOn;
      break;
    case "source-old-price":
      if (isOn) source.breakConnection("connection reset");
      faults.isOldPrice = isOn;
      break;
    case "source-clock-off":
      faults.clockOffsetMs = isOn ? size : 0;
      break;
    case "sources-part": {
      // One goes up and the next one down: of three, two are wrong.
      const next = world.source((at + 1) % world.sources.length);
      faults.jumpBps = isOn ? size : 0;
      next.faults.jumpBps = isOn ? -size : 0;
      break;
    }
    case "clock-step":
      world.machine.skewMs = isOn ? size : 0;
  }
}
