import { z } from "zod";
import {
  baseField,
  chargeField,
  countField,
  durationField,
  quoteField,
  rateField,
} from "../../bot/config/config-fields.js";
import { exactlyOneOf } from "../../core/config/key-rules.js";
import {
  isQueueModelName,
  QUEUE_MODEL_NAMES,
  QUEUE_MODEL_PATTERN,
} from "../../core/queue/queue-model-names.js";
import { DEFAULT_TOKEN_LIMITS } from "../../core/token-limits.js";
import { AMBIGUOUS_FILL_RULES } from "../venue/ambiguous-fill-rule.js";

const marketId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const positiveDecimal = (description: string) => quoteField(description);

/** The default span of a backtest: all of the store. */
export const EVER = { from: "1970-01-01", to: "2100-01-01" } as const;

const history = z
  .strictObject({
    store: z
      .string()
      .min(1)
      .describe("Folder of the history, relative to this file: what `marketwright data` fills.")
      .default("history"),
    market: marketId
      .describe("The one market that is replayed, where the store and the bot call it alike.")
      .optional(),
    markets: z
      .record(marketId, marketId)
      .describe("The markets that are replayed: the bot's id, and the store's name of it.")
      .optional(),
    from: z
      .union([z.string(), z.number()])
      .describe("A UTC day or time, inclusive. Default: the first thing that the store has.")
      .default(EVER.from),
    to: z
      .union([z.string(), z.number()])
      .describe("A UTC day or time, exclusive. Default: after the last thing that the store has.")
      .default(EVER.to),
    grade: z
      .enum(["books", "trades", "klines"])
      .describe(
        "What is replayed. books: books and trades. Default: the best that the store has of every market.",
      )
      .optional(),
    interval: z
      .string()
      .regex(/^[1-9]\d{0,3}(M|H|D|W)$/)
      .meta({
        description: "Of klines: which candles. Default: the shortest that the store has.",
        expected: "an interval such as 1M, 15M or 1H",
      })
      .optional(),
    baseLatencyMs: z
      .number()
      .min(0)
      .max(10_000)
      .describe(
        "What market data takes at least, where no recorder stamped it or its clock was corrected.",
      )
      .default(1),
    memoryMb: z
      .number()
      .min(0.1)
      .max(1_000_000)
      .describe(
        "Megabytes that the history may take while it is replayed, over all markets: books and trades are read a few blocks at a time, and candles that do not fit are refused. A sweep shares its whole history instead.",
      )
      .default(128),
  })
  .superRefine((held, context) => {
    const isOne = held.market !== undefined;
    const isMany = held.markets !== undefined && Object.keys(held.markets).length > 0;
    if (isOne === isMany) {
      const message = isOne ? "names its markets twice" : "names no market";
      context.addIssue({
        code: "custom",
        input: held,
        message,
        params: { expected: "either market: btcusdc, or markets: { btcusdc: btcusdt }" },
      });
    }
  })
  .meta({ description: "What is replayed.", allOf: [exactlyOneOf("market", "markets")] });

const marketRules = z
  .strictObject({
    tickSizeQuote: positiveDecimal("Smallest step of a price"),
    stepSizeBase: baseField("Smallest step of an amount"),
    makerFeeRate: rateField("What a maker pays; negative: a rebate"),
    takerFeeRate: rateField("What a taker pays"),
    maxLeverage: countField("Largest exposure as a multiple of the margin.", { max: 1000 }).default(
      20,
    ),
    maxExposureQuote: positiveDecimal(
      "Largest notional of the account in it, its open orders at their worst. Default: none",
    ).optional(),
    liquidationThreshold: z
      .number()
      .gt(0)
      .lt(1)
      .describe(
        "Share of a position's value that its holder's net value must cover, or it is liquidated.",
      )
      .default(0.03),
    minAmountBase: baseField("Smallest order. Default: one step").optional(),
    maxAmountBase: baseField("Largest order. Default: a million steps").optional(),
    maxOpenOrders: countField("Most orders of an account that may be open.", {
      max: 100_000,
    }).default(200),
  })
  .describe("What the exchange's rules are of one market.");

const rules = z
  .strictObject({
    exchangeInfo: z
      .string()
      .min(1)
      .describe(
        "File with the exchange's own answer: `marketwright call exchangeInfo > exchangeInfo.json`. This or markets.",
      )
      .optional(),
    markets: z
      .record(marketId, marketRules)
      .describe("The rules of each market, by the bot's id. This or exchangeInfo.")
      .optional(),
    quoteAsset: z
      .string()
      .regex(/^\S{1,32}$/)
      .meta({ expected: "the name of an asset, such as USDC" })
      .describe(
        "Name of the asset that everything is settled in, for the report. Default: exchangeInfo's, else USDC.",
      )
      .optional(),
    orderTokensPerMinute: countField(
      `The exchange's ORDER limit. Default: exchangeInfo's, else ${DEFAULT_TOKEN_LIMITS.ORDER.limit}.`,
    ).optional(),
    commonTokensPerMinute: countField(
      `The exchange's COMMON limit. Default: exchangeInfo's, else ${DEFAULT_TOKEN_LIMITS.COMMON.limit}.`,
    ).optional(),
    gas: z
      .strictObject({
        waivedFrom: positiveDecimal(
          "An order below it pays gas: its value, or its amount where the bot's exchange.waiverUnit is base",
        ),
        orderQuote: positiveDecimal(
          "The gas of an order, which is added to its fee; of a part of the order, that part of it",
        ),
      })
      .describe(
        "What small orders pay on top of their fees. Default: exchangeInfo's, else nothing.",
      )
      .optional(),
    liquidationPriceOff: z
      .number()
      .min(0)
      .lt(1)
      .describe("How much worse than the mark an own liquidation is, as a fraction.")
      .default(0.01),
    insuranceFeeRate: chargeField("What an own liquidation costs on top").default(0.01),
  })
  .superRefine((held, context) => {
    if ((held.exchangeInfo === undefined) === (held.markets === undefined)) {
      const message =
        held.markets === undefined ? "has no rules of any market" : "has its rules twice";
      context.addIssue({
        code: "custom",
        input: held,
        message,
        params: { expected: "either exchangeInfo: FILE, or markets with their steps and fees" },
      });
    }
  })
  .meta({
    description: "The exchange's rules: what orders it takes, and what they cost.",
    allOf: [exactlyOneOf("exchangeInfo", "markets")],
  });

const linear = (what: string) =>
  z
    .strictObject({
      factor: z
        .number()
        .min(0)
        .max(1000)
        .describe("How many times the latency of the market data."),
      addMs: z.number().min(0).max(60_000).describe("Milliseconds on top of that.").default(0),
    })
    .describe(what);

const fills = z
  .strictObject({
    queue: z
      .string()
      .refine(isQueueModelName, {
        message: "is not a known queue model",
        params: { expected: QUEUE_MODEL_NAMES },
      })
      .meta({
        description: `Of books: where our orders stand in the recorded queues: ${QUEUE_MODEL_NAMES}.`,
        pattern: QUEUE_MODEL_PATTERN,
      })
      .default("risk-averse"),
    orderLatencyMs: z
      .number()
      .min(0)
      .max(60_000)
      .describe("From sending a request to its arrival at the exchange.")
      .default(40),
    responseLatencyMs: z
      .number()
      .min(0)
      .max(60_000)
      .describe("From what happens at the exchange to our hearing of it.")
      .default(40),
    latencyFile: z
      .string()
      .min(1)
      .describe(
        "Recorded round trips in place of the two: a CSV with the columns requestUs, exchangeUs and responseUs.",
      )
      .optional(),
    feedLatency: z
      .strictObject({
        order: linear("How long requests are on their way."),
        response: linear("How long what the exchange says is on its way back."),
      })
      .describe("Delays that follow the market data's own, in place of the two.")
      .optional(),
    partialFills: z
      .boolean()
      .describe("false: any fill is a whole one. Only to compare with engines that count so.")
      .default(true),
    doubtful: z
      .enum(AMBIGUOUS_FILL_RULES)
      .describe(
        "What a fill is charged, where history does not tell whether its order had come to rest, had taken or been refused. conservative: a taker's fee or a maker's, whichever is more, and a POST_ONLY order's fill no rebate. by-book: a maker's, which flatters; only to compare with engines that count so.",
      )
      .default(AMBIGUOUS_FILL_RULES[0]),
    queueAheadBase: baseField(
      "Of trades alone: what stands ahead of us at our price. Default: only a trade beyond it fills us",
    ).optional(),
    slippageTicks: countField(
      "Of trades and candles: how much worse than the last price a taker is filled.",
      {
        min: 0,
        max: 100_000,
      },
    ).default(1),
    path: z
      .enum(["worse", "ohlc", "olhc", "adaptive"])
      .describe(
        "Of candles: which of a bar's extremes comes first. worse: both are run, and the worse is reported, the other beside it.",
      )
      .default("worse"),
    volumeShare: z
      .number()
      .gt(0)
      .max(1)
      .describe("Of candles: the most of a bar's volume that is ours.")
      .default(0.1),
  })
  .superRefine((held, context) => {
    if (held.latencyFile === undefined || held.feedLatency === undefined) return;
    context.addIssue({
      code: "custom",
      path: ["latencyFile"],
      input: held.latencyFile,
      message: "stands beside feedLatency",
      params: { expected: "one of the two" },
    });
  })
  .describe("How orders travel and are filled.");

/** The zod schema of the backtest file. */
export const backtestSchema = z
  .strictObject({
    history,
    bot: z
      .string()
      .min(1)
      .describe("The bot's file, relative to this one. No key is read of it, no port opened."),
    rules,
    account: z
      .strictObject({ creditQuote: quoteField("What the account begins with").default("100000") })
      .prefault({})
      .describe("Whose orders they are."),
    fills: fills.prefault({}),
    warmupMs: durationField("How long the strategies watch before they may quote.", {
      min: 0,
      max: 30 * 86_400_000,
    }).default(0),
    seed: z
      .union([z.string().min(1), z.int()])
      .describe("Of everything that is drawn: the same seed gives the same bytes.")
      .default(1),
    sampleMs: z
      .int()
      .min(100)
      .max(86_400_000)
      .refine((ms) => 86_400_000 % ms === 0, {
        message: "does not divide a day",
        params: { expected: "100, 1000, 60000, ..." },
      })
      .describe(
        "Between two samples of the account. Default: a second; of candles a third of one, so that open, high and low are looked at.",
      )
      .optional(),
    adverseSelectionMs: durationField(
      "How long after a fill a move of the mid is its adverse selection.",
      { max: 300_000 },
    ).default(10_000),
    name: z
      .string()
      .min(1)
      .max(200)
      .describe("Title of the report. Default: the file's own name.")
      .optional(),
  })
  .meta({ title: "Marketwright backtest", description: "A bot on recorded history." });

/** The output of {@link backtestSchema}. */
export type BacktestFile = z.output<typeof backtestSchema>;
