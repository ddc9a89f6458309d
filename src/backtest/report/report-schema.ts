import { z } from "zod";
import { LADDER_ACTIONS } from "../../risk/risk-ladder.js";
import { signalSchema } from "./signal-schema.js";

/** The format identifier of a report. Any change that a reader could notice changes it. */
export const REPORT_FORMAT = "marketwright-report/3";

const money = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe("Exact decimal of the quote asset");
const price = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .describe("Exact decimal of the quote asset per base unit");
const amount = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe("Exact decimal of the base asset; positions are signed, long positive");
const count = z.int().nonnegative();
const share = z.number().min(0).max(1);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .describe("UTC, to the microsecond");
const ended = z.enum(["end-of-history", "halted", "liquidated", "stopped"]);
const ratio = z.number().nullable().describe("null where it is not defined");

const profit = z
  .strictObject({
    spread: money.describe("Each fill against the mid at its time"),
    adverseSelection: money.describe(
      "Gain or loss by moves of the mid up to one horizon after fills of orders that rested",
    ),
    inventory: money.describe("The position times the moves of the mid, without adverse selection"),
    fees: money.describe("Below zero paid, above zero a rebate"),
    funding: money,
    basis: money.describe("The position at the exchange's mark against the position at the mid"),
    liquidation: money,
    failed: money.describe("Reversals of trades whose settlement failed"),
    other: money,
    total: money.describe("The exact sum of the parts; plus transfers, the change of the equity"),
  })
  .describe("Profit by its parts");

const fillSum = z.strictObject({
  fills: count,
  turnover: money.describe("Quote that changed hands"),
  fees: money.describe("Above zero paid, below zero a rebate"),
});

const marketFillSum = fillSum.extend({ amount });

const ambiguousSum = marketFillSum.extend({
  feesOtherwise: money.describe(
    "Fees under the other rule: as makers if charged as takers, as takers if charged as makers; for POST_ONLY orders, by the other rule of fills.doubtful",
  ),
  spread: money.describe("Against the mid at each fill that had one"),
});

const ambiguous = z
  .strictObject({
    asTakers: ambiguousSum.describe("Of orders that may have taken liquidity, charged as takers"),
    asMakers: ambiguousSum.describe(
      "Of orders that may have taken liquidity, charged as makers: with fills.doubtful: by-book, or if makers pay more than takers",
    ),
    postOnly: ambiguousSum.describe(
      "Of POST_ONLY orders, some of which may have been rejected: without rebate if fills.doubtful is conservative",
    ),
  })
  .describe(
    "Ambiguous fills: through or by a cross, so soon after the arrival of their orders that history does not show whether the orders rested",
  );

const orders = z.strictObject({
  placed: count,
  filled: count.describe("Orders with at least one fill"),
  fillRatio: ratio.describe("Orders with a fill divided by orders placed"),
  cancels: count,
  cancelAlls: count,
  throttled: count.describe("Actions that the token budget held back"),
});

const band = z.strictObject({
  fills: count.describe("Fills whose horizon ended before the run"),
  meanTicks: z
    .number()
    .describe(
      "Mean weighted by amount, in ticks: the mid at the horizon against the price of the fill; above zero is a gain",
    ),
  halfBandTicks: ratio.describe(
    "Half the 95 % band over blocks of time; null with fewer than five",
  ),
  blocks: count,
});

const markouts = z.strictObject({
  side: z.enum(["BOTH", "BUY", "SELL"]),
  level: z
    .union([z.literal("ALL"), z.int()])
    .describe(
      "0: the innermost quote; 15: that quote and all beyond; -1: orders towards a target position",
    ),
  fills: count,
  horizons: z
    .array(band.nullable())
    .describe(
      "One for each horizon of `markoutSeconds`; null if no fill reached it before the end",
    ),
});

const sideTimes = z.strictObject({
  resting: share.describe("Share of the time with an order"),
  atTouch: share.describe(
    "Share of the time with an order at the best price of other orders or better",
  ),
  meanDistanceTicks: ratio.describe("Behind the best price of other orders, averaged over time"),
});

const series = <Values extends z.ZodType>(values: Values) =>
  z
    .strictObject({
      min: z.array(values.nullable()),
      max: z.array(values.nullable()),
      last: z.array(values.nullable()),
    })
    .describe(
      "Least, greatest and last value of each bucket; null if nothing changed: the last value before it still holds",
    );

const shares = z
  .array(share.nullable())
  .describe("Share of the time with an order of ours; rounded to 0.0001");
const distances = z
  .array(z.number().nullable())
  .describe(
    "Mean distance behind the best price of other orders, in ticks; null if either was missing",
  );

const market = z.strictObject({
  marketId: z.string(),
  strategy: z.string(),
  tickSize: price,
  stepSize: amount,
  profit,
  profitPerTurnoverBps: ratio,
  fills: z.strictObject({
    all: marketFillSum,
    maker: marketFillSum,
    taker: marketFillSum,
    buys: marketFillSum,
    sells: marketFillSum,
    byCause: z.strictObject({
      queue: marketFillSum,
      through: marketFillSum,
      cross: marketFillSum,
      taker: marketFillSum,
    }),
    doubtful: ambiguous,
  }),
  orders,
  position: z.strictObject({
    min: amount,
    max: amount,
    last: amount,
    meanAbs: z.number().describe("Mean size over time, in base units"),
  }),
  quotes: z.strictObject({ both: share, bid: sideTimes, ask: sideTimes }),
  funding: z.strictObject({ payments: count, paid: money, received: money }),
  markouts: z.array(markouts),
  signal: signalSchema.optional(),
  series: z.strictObject({
    mid: series(price),
    position: series(amount),
    ownBid: series(price).describe("Our best bid at the exchange; 0 while there was none"),
    ownAsk: series(price).describe("Our best ask at the exchange; 0 while there was none"),
    quoting: z
      .strictObject({
        both: shares,
        bid: shares,
        ask: shares,
        bidTicks: distances,
        askTicks: distances,
      })
      .describe("For each bucket, the interval between two samples that contains it"),
  }),
});

const day = z.strictObject({
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  isWhole: z.boolean().describe("True if the run includes the whole day, UTC"),
  profit,
  maxDrawdown: money.describe("Within the day"),
  turnover: money,
  fills: count,
  markets: z.array(z.strictObject({ marketId: z.string(), profit: money })),
});

/** The schema of `report.json`. */
export const reportSchema = z
  .strictObject({
    format: z.literal(REPORT_FORMAT),
    name: z.string(),
    version: z.string(),
    seed: z.string(),
    grade: z.enum(["books", "trades", "klines"]),
    isIndicative: z.boolean().describe("Replayed on candles: fills are a guess"),
    span: z.strictObject({ from: instant, to: instant, seconds: z.number().nonnegative() }),
    ended,
    reason: z.string().nullable(),
    worthless: z
      .array(z.string())
      .default([])
      .describe(
        "Reasons why the run is worthless; read them before any figure. Empty in reports of older versions",
      ),
    strategyErrors: z
      .array(z.strictObject({ marketId: z.string(), at: instant, why: z.string() }))
      .default([])
      .describe(
        "The first error of each market's strategy, which halted the market. Empty in reports of older versions",
      ),
    asset: z.string().describe("The settlement asset"),
    equity: z.strictObject({
      start: money,
      end: money,
      transfers: money.describe("Deposits minus withdrawals"),
    }),
    profit,
    drawdown: z.strictObject({
      max: money,
      share: ratio.describe("Of the peak"),
      peakAt: instant,
      troughAt: instant,
      sampleMs: z
        .int()
        .positive()
        .describe(
          "Milliseconds between two samples of the equity; a drawdown between two samples is not seen",
        ),
    }),
    fills: z.strictObject({
      all: fillSum,
      maker: fillSum,
      taker: fillSum,
      byCause: z.strictObject({ queue: fillSum, through: fillSum, cross: fillSum, taker: fillSum }),
      shown: z
        .strictObject({ count, oneOf: z.int().positive() })
        .describe("The fills that report.html shows; fills.csv has all"),
    }),
    orders,
    ratios: z.strictObject({
      profitPerTurnoverBps: ratio,
      profitOverDrawdown: ratio,
      sharpe: z
        .strictObject({
          value: z.number(),
          standardError: z.number(),
          days: count,
          convention: z.string(),
        })
        .nullable()
        .describe("null with fewer than ten whole days"),
    }),
    adverseSelectionSeconds: z.number().positive(),
    markoutSeconds: z.array(z.number().positive()),
    markets: z.array(market),
    daily: z.array(day),
    budgets: z.array(
      z.strictObject({
        name: z.string(),
        limitTokens: count,
        mostUsedTokens: count,
        used: series(z.number()),
      }),
    ),
    series: z.strictObject({
      from: instant,
      bucketUs: z.int().positive(),
      buckets: count,
      equity: series(money).describe("Without transfers"),
      drawdown: series(money),
      parts: z
        .record(z.string(), z.array(money.nullable()))
        .describe("Each part of the profit so far, at the end of the bucket"),
    }),
    alternatives: z.array(
      z.strictObject({
        name: z.string(),
        ended,
        reason: z.string().nullable(),
        profit: money,
        maxDrawdown: money,
        fills: count,
      }),
    ),
    models: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    refused: z
      .array(
        z.strictObject({
          marketId: z.string(),
          by: z
            .enum(["bot", "limit", "exchange"])
            .describe(
              "bot: the bot refused a strategy's intent; limit: a limit or token budget of the bot held an order back; exchange: the exchange rejected a request",
            ),
          reason: z.string(),
          count: count.positive(),
          firstAt: instant,
          why: z.string().describe("Of the first"),
        }),
      )
      .describe("Refused intents and orders, the most frequent first"),
    rungs: z
      .strictObject({
        count,
        first: z.array(
          z.strictObject({
            at: instant,
            marketId: z.string().nullable().describe("null for a measure of the account"),
            measure: z.string(),
            action: z
              .enum(["none", ...LADDER_ACTIONS])
              .describe("none: the measure is back in its bounds"),
            why: z.string(),
          }),
        ),
      })
      .default({ count: 0, first: [] })
      .describe("Actions of the bot's risk ladder. Empty in reports of older versions"),
    doubts: z
      .array(z.string())
      .default([])
      .describe("Reasons why the run may be too optimistic. Empty in reports of older versions"),
    notes: z.strictObject({
      counts: z.strictObject({ info: count, warn: count, error: count }),
      first: z.array(
        z.strictObject({ at: instant, level: z.enum(["info", "warn", "error"]), text: z.string() }),
      ),
    }),
    configuration: z
      .array(
        z.strictObject({
          name: z.string(),
          yaml: z.string().describe("YAML or JSON"),
          sha256: sha256.describe("Of that text"),
        }),
      )
      .describe(
        "The files of the run with every default in them. With the same history they give the same report",
      ),
    data: z
      .array(
        z.strictObject({
          marketId: z.string(),
          kind: z.string(),
          file: z.string().describe("Below the store's folder"),
          rows: count,
          sha256,
          rounded: count
            .optional()
            .describe("How many numbers the import rounded (--round); absent if none"),
          dropped: count
            .optional()
            .describe("How many rows the import left out (--drop-bad-rows); absent if none"),
        }),
      )
      .describe("The history that was replayed"),
    gaps: z.array(z.string()).describe("Gaps of the store's history in the requested span"),
    inputs: z
      .array(z.strictObject({ name: z.string(), sha256 }))
      .describe("Other files that were read: strategies, recorded latencies"),
  })
  .meta({
    title: "Marketwright report",
    description:
      "The result of a replayed run. Money, prices and amounts are exact decimals as strings.",
  });

/** The fields that a report is made of, for other reports. */
export const REPORT_FIELDS = { money, count, share, instant, market } as const;

/** The result of a run, the content of `report.json`. */
export type Report = z.infer<typeof reportSchema>;

/** The JSON Schema of `report.json` as text: the content of `config/report.schema.json`. */
export function reportJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(reportSchema), null, 2)}\n`;
}
