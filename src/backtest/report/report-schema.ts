import { z } from "zod";
import { LADDER_ACTIONS } from "../../risk/risk-ladder.js";

/** The format identifier of a report. Any change that a reader could notice changes it. */
export const REPORT_FORMAT = "marketwright-report/3";

const money = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe("Exact decimal of the quote asset");
const price = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .describe("Exact decimal of the quote asset a base unit");
const amount = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe("Exact decimal of the base asset; a position's is signed, long positive");
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
    spread: money.describe("Every fill against the mid at its instant"),
    adverseSelection: money.describe(
      "What fills of orders that rested lost or won by moves of the mid up to one horizon after them",
    ),
    inventory: money.describe(
      "The position times the moves of the mid, without what is adverse selection",
    ),
    fees: money.describe("Below zero paid, above zero a rebate"),
    funding: money,
    basis: money.describe("The position at the exchange's mark against the position at the mid"),
    liquidation: money,
    failed: money.describe("Reversals of trades whose settlement failed"),
    other: money,
    total: money.describe(
      "The sum of the parts to the unit; with transfers the change of the equity",
    ),
  })
  .describe("Profit by its parts");

const fillSum = z.strictObject({
  fills: count,
  turnover: money.describe("Quote that changed hands"),
  fees: money.describe("Above zero paid, below zero a rebate"),
});

const marketFillSum = fillSum.extend({ amount });

const doubtfulSum = marketFillSum.extend({
  feesOtherwise: money.describe(
    "What they would have paid otherwise: as makers where charged as takers, and as takers where as makers; of POST_ONLY orders, by the other rule of fills.doubtful",
  ),
  spread: money.describe("Against the mid at each fill that had one"),
});

const doubtful = z
  .strictObject({
    asTakers: doubtfulSum.describe("Of orders that may take, charged as takers"),
    asMakers: doubtfulSum.describe(
      "Of orders that may take, charged as makers: with fills.doubtful: by-book, or where makers pay more than takers",
    ),
    postOnly: doubtfulSum.describe(
      "Of POST_ONLY orders, some of which would have been refused: without rebate where fills.doubtful is conservative",
    ),
  })
  .describe(
    "Fills through or by a cross, so soon after their orders arrived that history does not tell whether these had come to rest",
  );

const orders = z.strictObject({
  placed: count,
  filled: count.describe("Orders with at least one fill"),
  fillRatio: ratio.describe("Orders with a fill over orders placed"),
  cancels: count,
  cancelAlls: count,
  throttled: count.describe("Actions that the token budget held back"),
});

const band = z.strictObject({
  fills: count.describe("Fills whose horizon was over before the run was"),
  meanTicks: z
    .number()
    .describe(
      "Mean weighted by amount, in ticks: the mid then against the price of the fill, above zero is gain",
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
    .describe("0 the innermost quote, 15 that and all beyond; -1 orders that worked a position"),
  fills: count,
  horizons: z
    .array(band.nullable())
    .describe("One a horizon of `markoutSeconds`; null where none was over"),
});

const sideTimes = z.strictObject({
  resting: share.describe("Share of the time with an order"),
  atTouch: share.describe("Share of the time with an order at the others' best price or better"),
  meanDistanceTicks: ratio.describe("Behind the others' best price, by time"),
});

const series = <Values extends z.ZodType>(values: Values) =>
  z
    .strictObject({
      min: z.array(values.nullable()),
      max: z.array(values.nullable()),
      last: z.array(values.nullable()),
    })
    .describe(
      "Least, greatest and last of each bucket; null where nothing changed: the last before still stands",
    );

const shares = z
  .array(share.nullable())
  .describe("Share of the time with an order of ours; rounded to 0.0001");
const distances = z
  .array(z.number().nullable())
  .describe("Mean distance behind the others' best price in ticks; null where either was missing");

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
    doubtful,
  }),
  orders,
  position: z.strictObject({
    min: amount,
    max: amount,
    last: amount,
    meanAbs: z.number().describe("Mean size by time, base"),
  }),
  quotes: z.strictObject({ both: share, bid: sideTimes, ask: sideTimes }),
  funding: z.strictObject({ payments: count, paid: money, received: money }),
  markouts: z.array(markouts),
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
      .describe("Bucket by bucket, of the stretch between two samples that it lies in"),
  }),
});

const day = z.strictObject({
  day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  isWhole: z.boolean().describe("In the run from midnight to midnight, UTC"),
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
        "What makes the run worth nothing, to be read before any figure; nothing in reports of before this was told",
      ),
    strategyErrors: z
      .array(z.strictObject({ marketId: z.string(), at: instant, why: z.string() }))
      .default([])
      .describe(
        "The first error of each market's strategy, which halted the market; nothing in reports of before this was told",
      ),
    asset: z.string().describe("What everything is settled in"),
    equity: z.strictObject({
      start: money,
      end: money,
      transfers: money.describe("Deposits less withdrawals"),
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
        .describe("The equity is looked at so often; a fall between two looks is not seen"),
    }),
    fills: z.strictObject({
      all: fillSum,
      maker: fillSum,
      taker: fillSum,
      byCause: z.strictObject({ queue: fillSum, through: fillSum, cross: fillSum, taker: fillSum }),
      shown: z
        .strictObject({ count, oneOf: z.int().positive() })
        .describe("What report.html shows; fills.csv has all"),
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
              "bot: a strategy's intent; limit: an order that one of the bot's limits or token budgets held back; exchange: its own no",
            ),
          reason: z.string(),
          count: count.positive(),
          firstAt: instant,
          why: z.string().describe("Of the first"),
        }),
      )
      .describe("What was asked for and not done, the most frequent first"),
    rungs: z
      .strictObject({
        count,
        first: z.array(
          z.strictObject({
            at: instant,
            marketId: z.string().nullable().describe("null for a measure of the account"),
            measure: z.string(),
            action: z.enum(["none", ...LADDER_ACTIONS]).describe("none where it was over"),
            why: z.string(),
          }),
        ),
      })
      .default({ count: 0, first: [] })
      .describe("How the bot's risk ladder acted; nothing in reports of before this was told"),
    doubts: z
      .array(z.string())
      .default([])
      .describe(
        "What makes the run less believable than it looks; none in reports of before this was told",
      ),
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
        "The files of the run with every default in them: with the same history they run again to the same report",
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
            .describe(
              "Numbers that were rounded in the files that it was imported from (--round); absent for none",
            ),
          dropped: count
            .optional()
            .describe("Rows of those files that were left out (--drop-bad-rows); absent for none"),
        }),
      )
      .describe("The history that was replayed"),
    gaps: z.array(z.string()).describe("What the store lacks of the span that was asked for"),
    inputs: z
      .array(z.strictObject({ name: z.string(), sha256 }))
      .describe("Other files that were read: strategies, recorded latencies"),
  })
  .meta({
    title: "Marketwright report",
    description:
      "What a replayed run came to. Money, prices and amounts are exact decimals as texts.",
  });

/** The result of a run, the content of `report.json`. */
export type Report = z.infer<typeof reportSchema>;

/** The JSON Schema of `report.json` as text: the content of `config/report.schema.json`. */
export function reportJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(reportSchema), null, 2)}\n`;
}
