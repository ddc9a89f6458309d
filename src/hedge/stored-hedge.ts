import { z } from "zod";

const bigintText = z
  .string()
  .regex(/^-?\d+$/)
  .transform((text) => BigInt(text));

const amounts = z.record(z.string(), bigintText);

const storedOrder = z.strictObject({
  key: z.string(),
  side: z.enum(["BUY", "SELL"]),
  lots: z.int().positive(),
  /** Filled, by the fills that the position has. */
  countedLots: z.int().min(0),
});

const countedFill = z.strictObject({
  id: z.string(),
  timeMs: z.number(),
  isReversed: z.boolean(),
});

/** The state of a hedge that survives a restart, as it is stored. */
export const storedHedgeSchema = z.strictObject({
  version: z.literal(1),
  venue: z.string(),
  symbol: z.string(),
  /** Signed, of all fills and adjustments. */
  positionLots: z.int(),
  cash: bigintText,
  fees: amounts,
  funding: amounts,
  /** Equity of the account when the first position was read, less the hedge's profit then. */
  equityBase: bigintText.optional(),
  /** The mid at which the position was last valued. */
  midTicks: z.number().optional(),
  /** The newest fills, by which repeated ones are known. */
  fills: z.array(countedFill),
  /** All fills up to here were read, venue's time; when the hedge began, before the first. */
  fillsToMs: z.number(),
  fundingToMs: z.number(),
  fundingIds: z.array(z.string()),
  /** Orders whose end is not known. */
  orders: z.array(storedOrder),
});

/** The state of a hedge that survives a restart. */
export type StoredHedge = z.output<typeof storedHedgeSchema>;

/** The state as JSON: large integers are texts. */
export function serialiseHedge(stored: StoredHedge): string {
  return JSON.stringify(stored, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}
