import { z } from "zod";
import { exactlyOneOf, notTogether } from "../core/config/key-rules.js";

/** Parameters that the built-in strategies share, with their units in words. */

/** Size of an innermost quote. */
export const sizeBaseField = z
  .number()
  .gt(0)
  .describe(
    "Size of the innermost quote of each side, in base units: a multiple of the market's step.",
  );

/** Number of quotes a side. */
export const levelsField = z.int().min(1).max(50).describe("Quotes on each side.").default(1);

/** Growth of a ladder's sizes. */
export const sizeGrowthField = z
  .number()
  .gt(0)
  .max(10)
  .describe("Size of each level as a multiple of the one before it.")
  .default(1);

/** Inventory skew of a ladder's prices. */
export const priceSkewBpsField = z
  .number()
  .min(0)
  .max(5000)
  .describe(
    "How far the reservation price leans against a full inventory, in basis points of the fair price.",
  )
  .default(0);

/** Inventory skew of a ladder's sizes. */
export const sizeSkewField = z
  .boolean()
  .describe(
    "Whether the side that fills the inventory shrinks to nothing, and the other doubles, as it fills.",
  )
  .default(true);

/** Fair price of a model: the mid that it is made for, or a price from outside. */
export const modelFairField = z
  .enum(["mid", "reference"])
  .describe("The fair price: the mid, or the market's reference price.")
  .default("mid");

/** The position that the strategy tends towards. */
export const targetPositionField = z
  .number()
  .describe("Signed position that inventory is counted from, in base units.")
  .default(0);

/** The position that counts as a full inventory. */
export const inventoryRangeField = z
  .number()
  .gt(0)
  .describe(
    "Distance from the target that counts as a full inventory, in base units. Default: the market's maxPositionBase, else 10 sizeBase.",
  )
  .optional();

/** The decay of fills with distance. */
export const kPerBpsField = z
  .number()
  .gt(0)
  .max(1000)
  .describe("k of the fill intensity A exp(-k distance), per basis point of price.")
  .default(0.5);

/** The lower bound of a model's half spread. */
export const minHalfSpreadBpsField = z
  .number()
  .min(0)
  .max(5000)
  .describe("The half spread is never less than this, in basis points of the mid.")
  .default(0);

/** A positive number of basis points of the fair price. */
export function bpsField(description: string) {
  return z.number().gt(0).max(5000).describe(`${description}, in basis points of the fair price.`);
}

/** A positive number of ticks. */
export function ticksField(description: string) {
  return z.number().gt(0).max(1_000_000).describe(`${description}, in ticks.`);
}

/** Maximum distance of a resting quote from the desired price. */
export const refreshToleranceBpsField = z
  .number()
  .min(0)
  .max(5000)
  .describe(
    "Quotes stay where they are while every wanted price is within this, in basis points of the fair price.",
  )
  .optional();

/** Maximum distance of a resting quote from the desired price, in ticks. */
export const refreshToleranceTicksField = z
  .number()
  .min(0)
  .max(1_000_000)
  .describe(
    "Quotes stay where they are while every wanted price is within this, in ticks. Default: 0.",
  )
  .optional();

/** Two parameter names for one quantity in two units. */
export interface EitherUnit {
  readonly first: string;
  readonly second: string;
  readonly required: boolean;
}

/**
 * A schema with pairs of parameters that mean the same in two units. One of each pair is given; or
 * none, unless it is required. The JSON Schema states this too.
 */
export function withEitherUnits<Params extends z.ZodObject>(
  params: Params,
  pairs: readonly EitherUnit[],
): Params {
  const checked = pairs.reduce((schema, pair) => schema.superRefine(eitherUnit(pair)), params);
  return checked.meta({
    allOf: pairs.map(({ first, second, required }) =>
      required ? exactlyOneOf(first, second) : notTogether(first, second),
    ),
  });
}

function eitherUnit({ first, second, required }: EitherUnit) {
  return (params: object, context: z.RefinementCtx): void => {
    const held = params as Record<string, unknown>;
    const given = [first, second].filter((key) => held[key] !== undefined);
    if (given.length === 1 || (given.length === 0 && !required)) return;
    context.addIssue({
      code: "custom",
      path: [given.length === 0 ? first : second],
      input: held[second],
      message: given.length === 0 ? "is missing" : `is given beside ${first}`,
      params: {
        expected:
          given.length === 0 ? `${first} or ${second}` : `only one of ${first} and ${second}`,
      },
    });
  };
}

/** Converts a length in basis points of a price, or in ticks, to ticks. */
export function toTicks(
  bps: number | undefined,
  ticks: number | undefined,
  priceTicks: number,
): number | undefined {
  return bps === undefined ? ticks : (priceTicks * bps) / 10_000;
}
