import { z } from "zod";

const whole = z.int();
const units = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt);
const side = z.enum(["BUY", "SELL"]);

/** Time in which a market was not quoted on both sides, by its cause. */
const causeSchema = z.object({ cause: z.string(), us: whole });

const fillSchema = z.object({
  /** The trade's id: with market and side, the identity of a fill. */
  id: z.string(),
  matchedMs: whole,
  heardMs: whole,
  side,
  level: whole,
  ticks: whole,
  lots: whole,
  isMaker: z.boolean(),
  quote: units,
  fee: units,
  /** Absent without two sides. */
  midHalfTicks: whole.optional(),
  positionLots: whole,
});

const markoutSchema = z.object({
  id: z.string(),
  matchedUs: whole,
  side,
  level: whole,
  ticks: whole,
  lots: whole,
  horizonMs: whole,
  midHalfTicks: whole,
  /** The mid at the fill; absent without two sides. */
  fillMidHalfTicks: whole.optional(),
  isMaker: z.boolean(),
});

const eventSchema = z.object({
  atMs: whole,
  kind: z.enum([
    "start",
    "stop",
    "halt",
    "halt-end",
    "settlement-failed",
    "liquidation",
    "position-set",
    "rung",
  ]),
  /** Empty for the whole account. */
  marketId: z.string(),
  name: z.string(),
  why: z.string(),
});

/** The schema of a line of a day file: the row of the account, or of one market. */
const dayRowSchema = z.object({
  session: whole,
  fromMs: whole,
  atMs: whole,
  elapsedUs: whole,
  marketId: z.string(),
  equity: units.optional(),
  underWay: units.optional(),
  transfers: units.optional(),
  hedgeProfit: units.optional(),
  spread: units.optional(),
  inventory: units.optional(),
  fees: units.optional(),
  funding: units.optional(),
  basis: units.optional(),
  failed: units.optional(),
  liquidation: units.optional(),
  other: units.optional(),
  positionLots: whole.optional(),
  midHalfTicks: whole.optional(),
  mark: units.optional(),
  ownBidTicks: whole.optional(),
  ownAskTicks: whole.optional(),
  bothUs: whole.optional(),
  bidUs: whole.optional(),
  askUs: whole.optional(),
  bidTouchUs: whole.optional(),
  askTouchUs: whole.optional(),
  bidMeasuredUs: whole.optional(),
  askMeasuredUs: whole.optional(),
  bidTickUs: whole.optional(),
  askTickUs: whole.optional(),
  causes: z.array(causeSchema).optional(),
  placed: whole.optional(),
  ordersFilled: whole.optional(),
  cancels: whole.optional(),
  cancelAlls: whole.optional(),
  throttled: whole.optional(),
  fundingPayments: whole.optional(),
  fundingPaid: units.optional(),
  fundingReceived: units.optional(),
  fills: z.array(fillSchema).optional(),
  markouts: z.array(markoutSchema).optional(),
  events: z.array(eventSchema).optional(),
  facts: z.string().optional(),
});

/**
 * One row of a day file (docs/reference/live-report.md#columns): the account or one market over
 * one interval. Times are exchange time, money is in integers of the units that `facts` states.
 */
export type DayRow = Readonly<z.output<typeof dayRowSchema>>;
/** A fill in a {@link DayRow}. */
export type DayFill = NonNullable<DayRow["fills"]>[number];
/** A markout in a {@link DayRow}: the mid one horizon after a fill. */
export type DayMarkout = NonNullable<DayRow["markouts"]>[number];
/** An event in a {@link DayRow}. */
export type DayEvent = NonNullable<DayRow["events"]>[number];

const factsSchema = z.object({
  /** Of the rows. Another format has another number. */
  format: z.literal(1),
  version: z.string(),
  account: z.string(),
  quoteAsset: z.string(),
  creditDecimals: z.int().nonnegative(),
  /** Decimals of `profit units`. */
  profitDecimals: z.int().nonnegative(),
  everyMs: z.int().positive(),
  markets: z.record(
    z.string(),
    z.object({
      tickSize: z.string(),
      stepSize: z.string(),
      paperDecimals: z.int().nonnegative(),
      strategy: z.string(),
    }),
  ),
});

/** The units of a run's rows, and what it traded: the JSON of the column `facts`. */
export type RunFacts = z.output<typeof factsSchema>;

/**
 * Parses a line of a day file.
 * @returns undefined for a line that is not a row: cut by a crash, or foreign
 */
export function parseDayRow(line: string): DayRow | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return dayRowSchema.safeParse(value).data;
}

/** Parses the facts of a run; undefined for those of another format. */
export function parseFacts(text: string): RunFacts | undefined {
  try {
    return factsSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A row as a line of a day file, without its line feed. Money is a text. */
export function dayRowLine(row: DayRow): string {
  return JSON.stringify(row, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}
