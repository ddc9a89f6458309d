import { z } from "zod";
import { REPORT_FIELDS, reportSchema } from "../report/report-schema.js";

const { money, count, share, instant, market } = REPORT_FIELDS;

/** The format identifier of a live report. Any change that a reader could notice changes it. */
export const LIVE_REPORT_FORMAT = "marketwright-report/3-live";

const haltSchema = z.strictObject({
  name: z.string(),
  marketId: z.string().nullable().describe("null for the whole account"),
  why: z.string(),
  from: instant,
  to: instant.nullable().describe("null while it lasts"),
  seconds: z.number().nonnegative(),
});

/** Keys of a live bot alone: runs, causes, and what lies between runs. */
const liveSchema = z.strictObject({
  account: z.string(),
  runs: z
    .array(z.strictObject({ start: instant, end: instant, version: z.string() }))
    .describe("The runs of the bot in the span; `end` is their last record"),
  underWay: money.describe("Change of what only a balance or only a record shows yet"),
  unattended: money.describe("Change of the equity while no bot ran: in no part of the profit"),
  hedgeProfit: money.nullable().describe("Profit of hedges at their venues since they began"),
  unseenFills: count.describe("Fills of the state's record that the day files lack"),
  settlementFailures: count,
  liquidations: count,
  uptime: z.array(
    z.strictObject({
      marketId: z.string(),
      seconds: z.number().nonnegative().describe("Length of the span"),
      both: share,
      bid: share,
      ask: share,
      down: z
        .array(z.strictObject({ cause: z.string(), seconds: z.number().nonnegative() }))
        .describe("Time that was not on both sides, by its cause, the longest first"),
    }),
  ),
  halts: z.strictObject({ count, first: z.array(haltSchema) }),
  unreadLines: count.describe("Lines of the day files that could not be read"),
  absent: z.array(z.string()).describe("What the report cannot say, and why"),
});

/**
 * The schema of a live bot's `report.json`: that of a backtest without what no exchange tells, and
 * with `live`.
 */
export const liveReportSchema = reportSchema
  .omit({ seed: true, isIndicative: true })
  .extend({
    format: z.literal(LIVE_REPORT_FORMAT),
    grade: z.literal("live"),
    ended: z.literal("end-of-span"),
    fills: reportSchema.shape.fills.omit({ byCause: true }),
    markets: z.array(
      market.extend({ fills: market.shape.fills.omit({ byCause: true, doubtful: true }) }),
    ),
    live: liveSchema,
  })
  .meta({
    title: "Marketwright live report",
    description:
      "The report of a live bot. Money, prices and amounts are exact decimals as strings.",
  });

/** The report of a live bot, the content of its `report.json`. */
export type LiveReport = z.infer<typeof liveReportSchema>;
