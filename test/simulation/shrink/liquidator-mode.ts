import { z } from "zod";
import { BREAKS } from "../../liquidator/simulation/breaks.js";
import { runPlan } from "../../liquidator/simulation/run-seed.js";
import {
  BLOCK_MS,
  LIQUIDATOR_CALM_MS,
  LIQUIDATOR_MS,
  planOf,
  type SeedPlan,
  START_MS,
} from "../../liquidator/simulation/seed-plan.js";
import { time } from "./plan-schemas.js";
import type { StoryMode } from "./story-mode.js";

const chance = z.number().min(0).max(1);
const span = { fromMs: time, untilMs: time };

const liquidatorPlan = z.strictObject({
  seed: z.int().nonnegative(),
  marketMs: time.positive(),
  deposits: z.strictObject({ own: z.bigint(), victims: z.array(z.bigint()) }),
  openings: z.array(
    z.strictObject({
      victim: z.int().nonnegative(),
      market: z.int().nonnegative(),
      paper: z.bigint(),
      price: z.bigint(),
    }),
  ),
  moves: z.array(
    z.strictObject({
      atMs: time,
      market: z.int().nonnegative(),
      price: z.bigint(),
      isFirst: z.boolean(),
    }),
  ),
  rivals: z.array(
    z.strictObject({
      kind: z.enum(["faster", "outbids"]),
      eagerness: chance,
      reactionMs: time,
      tipWei: z.bigint(),
    }),
  ),
  spells: z.array(
    z.strictObject({
      ...span,
      node: z.int().nonnegative(),
      weather: z.strictObject({
        requestLost: chance,
        answerLost: chance,
        refused: chance,
        leastMs: time,
        mostMs: time,
        lagBlocks: z.int().nonnegative(),
      }),
    }),
  ),
  outages: z.array(z.strictObject({ ...span, kind: z.enum(["deaf", "refusing", "standing"]) })),
  kills: z.array(
    z.discriminatedUnion("on", [
      z.strictObject({
        on: z.literal("event"),
        kind: z.string(),
        nth: z.int().positive(),
        downMs: time,
      }),
      z.strictObject({ on: z.literal("instant"), atMs: time, downMs: time }),
    ]),
  ),
  pool: z.strictObject({ drop: chance, hold: chance }),
  reorgs: z.array(z.strictObject({ atMs: time, depth: z.int().positive() })),
  lossInReorg: chance,
  baseFees: z.array(z.strictObject({ atMs: time, wei: z.bigint() })),
  sellAfterMs: time,
  confirmations: z.int().positive(),
  marginBufferBps: z.number(),
  nodes: z.int().positive(),
  quorum: z.int().positive(),
}) as unknown as z.ZodType<SeedPlan>;

/** The liquidator alone. Its rules are judged after a run, so that a candidate runs to its end. */
export const LIQUIDATOR_MODE: StoryMode<SeedPlan> = {
  name: "liquidator",
  marketMs: LIQUIDATOR_MS,
  breaks: BREAKS,
  schema: liquidatorPlan,
  shape: {
    lists: ["kills", "outages", "spells", "reorgs", "baseFees", "rivals", "moves", "openings"],
    scripted: [],
    isChance: ({ spells, pool, lossInReorg, reorgs, rivals }) =>
      spells.some(({ weather }) => weather.lagBlocks === 0 && weather.leastMs < 200) ||
      pool.drop + pool.hold > 0 ||
      (lossInReorg > 0 && reorgs.length > 0) ||
      rivals.some(({ eagerness }) => eagerness < 1),
    simpler: [
      { path: ["pool", "drop"], value: 0 },
      { path: ["pool", "hold"], value: 0 },
      { path: ["lossInReorg"], value: 0 },
      { path: ["rivals", "*", "eagerness"], value: 1 },
      { path: ["quorum"], value: 1 },
      { path: ["nodes"], value: 1 },
    ],
    fewerMarkets: () => [],
    startMs: START_MS,
    calmBeforeMs: 3 * BLOCK_MS,
    calmAfterMs: LIQUIDATOR_CALM_MS,
    withLength: (plan, marketMs) => ({
      ...plan,
      marketMs: Math.ceil(marketMs / BLOCK_MS) * BLOCK_MS,
    }),
  },
  draw: (seed, _, breakName) => {
    const drawn = planOf(seed);
    return breakNamed(breakName)?.plan?.(drawn) ?? drawn;
  },
  run: (plan, breakName) => runPlan(plan, breakNamed(breakName)),
};

function breakNamed(name: string | undefined) {
  return BREAKS.find((broken) => broken.name === name);
}
