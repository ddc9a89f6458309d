import { z } from "zod";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import { FAULT_KINDS } from "#simulation/faults.js";
import { type ExchangeConfig, parseExchangeConfig } from "#simulator/config.js";
import type { AcquiredPositionsPlan } from "../acquired-positions.js";
import type { SeedPlan } from "../seed-plan.js";
import type { WholePlan } from "../whole/whole-plan.js";

/** A time in milliseconds. */
export const time = z.number().finite();

/** A stretch of time with a fault. */
export const faultWindow = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  fromMs: time,
  untilMs: time,
  probability: z.number().min(0).max(1),
  stepMs: z.number().optional(),
});

/** A fault of one request or frame. */
export const strike = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  subject: z.string().min(1),
  nth: z.int().positive(),
  atMs: time,
  lateMs: z.number().nonnegative().optional(),
  coin: z.boolean().optional(),
});

/** An exchange's file, as the exchange reads it. */
const exchangeConfig = z
  .record(z.string(), z.unknown())
  .transform((file): ExchangeConfig => parseExchangeConfig(file));

/** A bot's file, as the bot reads it, with its path. */
const planBotConfig = z
  .looseObject({ path: z.string() })
  .transform(({ path, ...file }): BotConfig => ({ ...botSchema.parse(file), path }));

const seedPlanShape = {
  seed: z.int().nonnegative(),
  exchange: exchangeConfig,
  bot: planBotConfig,
  faults: z.array(faultWindow),
  strikes: z.array(strike).optional(),
  realSignatures: z.boolean(),
  manualEveryMs: time,
  transfersEveryMs: time,
  marketMs: time.positive(),
};

/** The plan of a market maker's run. */
export const makerPlan = z.strictObject(seedPlanShape) as unknown as z.ZodType<SeedPlan>;

/** The plan of a market maker's run with acquired positions. */
export const acquiredPositionsPlan = z.strictObject({
  ...seedPlanShape,
  sales: z.enum(["tight", "wide"]),
  takeovers: z.array(
    z.strictObject({
      atMs: time,
      marketShare: z.number().min(0).max(1),
      isLong: z.boolean(),
      limitShare: z.number().nonnegative(),
      revertedAfterMs: time.nullable(),
    }),
  ),
}) as unknown as z.ZodType<AcquiredPositionsPlan>;

/** The plan of a run of the whole system. */
export const wholePlan = z.strictObject({
  ...seedPlanShape,
  rpcs: z.int().positive(),
  outages: z.array(
    z.strictObject({
      kind: z.enum(["silent", "slow", "refusing", "behind"]),
      fromMs: time,
      untilMs: time,
    }),
  ),
  triggers: z.array(
    z.strictObject({
      on: z.enum(["sent", "mined"]),
      nth: z.int().positive(),
      fault: z.enum(["rpc-silent", "rest-slow", "bot-killed", "stream-lost"]),
      forMs: time,
    }),
  ),
  faultsEndMs: time,
  endsDisturbed: z.boolean(),
}) as unknown as z.ZodType<WholePlan>;
