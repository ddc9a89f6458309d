import type { Bot } from "#bot/bot.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { RunBotOptions } from "#bot/running-bot.js";
import { seededRandom } from "#core/seeded-random.js";
import { initCrypto } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import { WaitingClock } from "#simulation/waiting-clock.js";
import { openConfiguredExchange } from "#simulator/configured-exchange.js";
import type { OpenChain } from "#simulator/open-chain.js";
import type { PlanRun, PlanRunOptions } from "../plan-run.js";
import { START_MS } from "../seed-plan.js";
import { type WholePlan, wholePlanOf } from "./whole-plan.js";
import { WholeWorld } from "./whole-world.js";

/** A rule of the product that is switched off, to prove that the simulation notices. */
export interface WholeBreak {
  readonly name: string;
  readonly what: string;
  /** The rules of the witness that are the first to notice. */
  readonly rules: readonly string[];
  /** Changes the seed's plan before anything is built. */
  readonly plan?: (plan: WholePlan) => WholePlan;
  /** Changes what a process is started with. */
  readonly rework?: (options: RunBotOptions) => RunBotOptions;
  /** Changes the bot before its first turn. */
  readonly bot?: (bot: Bot) => void;
}

/** The result of one seed. */
export interface WholeResult extends PlanRun {
  readonly seed: number;
  readonly actions: number;
  readonly fills: number;
  /** Takeovers that the chain has. */
  readonly takeovers: number;
  readonly faults: ReadonlyMap<string, number>;
}

/** Receives the log of the bot and its surroundings, at its instant of virtual time. */
export type Trace = (
  atMs: Ms,
  notice: BotEvent | { readonly kind: string; readonly [field: string]: unknown },
) => void;

/**
 * Runs the whole system of a seed. The same seed and length give the same run. A run with a broken
 * rule ends as soon as a violation is found.
 */
export async function runWhole(
  seed: number,
  marketMs: Ms,
  broken?: WholeBreak,
  trace?: Trace,
): Promise<WholeResult> {
  const drawn = wholePlanOf(seed, marketMs);
  const options = broken === undefined ? {} : { stopsAtViolation: true };
  return runWholePlan(broken?.plan?.(drawn) ?? drawn, broken, options, trace);
}

/** The same for a plan, which a break does not change any more. */
export async function runWholePlan(
  plan: WholePlan,
  broken: WholeBreak | undefined,
  options: Omit<PlanRunOptions, "trace"> = {},
  trace?: Trace,
): Promise<WholeResult> {
  await initCrypto();
  const clock = new WaitingClock(START_MS);
  const open = await openConfiguredExchange(
    plan.exchange,
    { clock, random: seededRandom(`exchange ${plan.seed}`) },
    {
      onChainFault: (error) => {
        throw error;
      },
    },
  );
  try {
    return await new WholeWorld({
      plan,
      broken,
      options,
      trace,
      clock,
      open,
      chain: open.chain as OpenChain,
    }).run();
  } finally {
    await open.close();
  }
}
