import { z } from "zod";
import {
  baseField,
  chargeField,
  countField,
  durationField,
  quoteField,
  rateField,
} from "../../bot/config/fields/config-fields.js";
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
      .describe("Folder of the history store, relative to this file. `marketwright data` fills it.")
      .default("history"),
    market: marketId
      .describe("The market to replay, if the store and the bot use the same name for it.")
      .optional(),
    markets: z
      .record(marketId, marketId)
      .describe("The markets to replay: the bot's id of each, and the store's name for it.")
      .optional(),
    from: z
      .union([z.string(), z.number()])
      .describe("A UTC day or time, inclusive. Default: the beginning of the store's data.")
      .default(EVER.from),
    to: z
      .union([z.string(), z.number()])
      .describe("A UTC day or time, exclusive. Default: the end of the store's data.")
      .default(EVER.to),
    grade: z
      .enum(["books", "trades", "klines"])
      .describe(
        "The data to replay. books: books and trades. Default: the best that the store has for every market.",
      )
      .optional(),
    interval: z
      .string()
      .regex(/^[1-9]\d{0,3}(M|H|D|W)$/)
      .meta({
        description:
          "For klines: the interval of the candles. Default: the shortest that the store has.",
        expected: "an interval such as 1M, 15M or 1H",
      })
      .optional(),
    baseLatencyMs: z
      .number()
      .min(0)
      .max(10_000)
      .describe(
        "Least latency of market data that has no local time stamp, or whose local clock was corrected, in ms.",
      )
      .default(1),
    memoryMb: z
      .number()
      .min(0.1)
      .max(1_000_000)
      .describe(
        "Memory for the history during a replay, in megabytes, over all markets. Books and trades are read a few blocks at a time; candles that do not fit are refused. A sweep loads its whole history and ignores this.",
      )
      .default(128),
  })
  .superRefine((held, context) => {
    const isOne = held.market !== undefined;
    const isMany = held.markets !== undefined && Object.keys(held.markets).length > 0;
    if (isOne === isMany) {
      const message = isOne ? "has both market and markets" : "names no market";
      context.addIssue({
        code: "custom",
        input: held,
        message,
        params: { expected: "either market: btcusdc, or markets: { btcusdc: btcusdt }" },
      });
    }
  })
  .meta({ description: "The history to replay.", allOf: [exactlyOneOf("market", "markets")] });

const marketRules = z
  .strictObject({
    tickSizeQuote: positiveDecimal("Tick size: prices are multiples of it"),
    stepSizeBase: baseField("Step size: amounts are multiples of it"),
    makerFeeRate: rateField("Maker fee; negative: a rebate"),
    takerFeeRate: rateField("Taker fee"),
    maxLeverage: countField("Largest exposure as a multiple of the margin.", { max: 1000 }).default(
      20,
    ),
    maxExposureQuote: positiveDecimal(
      "Largest notional of the account in this market, including its open orders in the worst case. Default: no limit",
    ).optional(),
    liquidationThreshold: z
      .number()
      .gt(0)
      .lt(1)
      .describe(
        "Least equity as a share of the position's value; the exchange liquidates the position below it.",
      )
      .default(0.03),
    minAmountBase: baseField("Smallest order. Default: one step").optional(),
    maxAmountBase: baseField("Largest order. Default: a million steps").optional(),
    maxOpenOrders: countField("Largest number of open orders of an account.", {
      max: 100_000,
    }).default(200),
  })
  .describe("The exchange's rules of one market.");

const rules = z
  .strictObject({
    exchangeInfo: z
      .string()
      .min(1)
      .describe(
        "File with the exchange's answer: `marketwright call exchangeInfo > exchangeInfo.json`. Either this or markets.",
      )
      .optional(),
    markets: z
      .record(marketId, marketRules)
      .describe("The rules of each market, by the bot's id. Either this or exchangeInfo.")
      .optional(),
    quoteAsset: z
      .string()
      .regex(/^\S{1,32}$/)
      .meta({ expected: "the name of an asset, such as USDC" })
      .describe("Name of the settlement asset, for the report. Default: exchangeInfo's, else USDC.")
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
          "Orders below this value pay gas. An amount in base units if the bot's exchange.waiverUnit is base",
        ),
        orderQuote: positiveDecimal(
          "Gas of an order, added to its fee; a partial fill pays its share of it",
        ),
      })
      .describe(
        "Gas that small orders pay on top of their fees. Default: exchangeInfo's, else none.",
      )
      .optional(),
    liquidationPriceOff: z
      .number()
      .min(0)
      .lt(1)
      .describe(
        "How much worse than the mark price the bot's own liquidation is executed, as a fraction.",
      )
      .default(0.01),
    insuranceFeeRate: chargeField("Additional cost of the bot's own liquidation").default(0.01),
  })
  .superRefine((held, context) => {
    if ((held.exchangeInfo === undefined) === (held.markets === undefined)) {
      const message =
        held.markets === undefined
          ? "has neither exchangeInfo nor markets"
          : "has both exchangeInfo and markets";
      context.addIssue({
        code: "custom",
        input: held,
        message,
        params: { expected: "either exchangeInfo: FILE, or markets with their steps and fees" },
      });
    }
  })
  .meta({
    description: "The exchange's rules: the orders that it accepts, and their costs.",
    allOf: [exactlyOneOf("exchangeInfo", "markets")],
  });

const linear = (what: string) =>
  z
    .strictObject({
      factor: z.number().min(0).max(1000).describe("Multiple of the market data's latency."),
      addMs: z.number().min(0).max(60_000).describe("Milliseconds added to that.").default(0),
    })
    .describe(what);

const queue = z
  .string()
  .refine(isQueueModelName, {
    message: "is an unknown queue model",
    params: { expected: QUEUE_MODEL_NAMES },
  })
  .meta({
    description: `For books: the model of our orders' place in the recorded queues: ${QUEUE_MODEL_NAMES}.`,
    pattern: QUEUE_MODEL_PATTERN,
  });
const orderLatencyMs = z
  .number()
  .min(0)
  .max(60_000)
  .describe("Milliseconds from the sending of a request to its arrival at the exchange.");
const responseLatencyMs = z
  .number()
  .min(0)
  .max(60_000)
  .describe("Milliseconds from an event at the exchange to its arrival at the bot.");

const marketFills = z
  .strictObject({ queue, orderLatencyMs, responseLatencyMs })
  .describe("The queue model and the latencies of one market.");

const fills = z
  .strictObject({
    queue: queue.default("risk-averse"),
    orderLatencyMs: orderLatencyMs.default(40),
    responseLatencyMs: responseLatencyMs.default(40),
    latencyFile: z
      .string()
      .min(1)
      .describe(
        "Recorded round trips instead of the two: a CSV file with the columns requestUs, exchangeUs and responseUs.",
      )
      .optional(),
    feedLatency: z
      .strictObject({
        order: linear("Latency of requests."),
        response: linear("Latency of responses and account events."),
      })
      .describe("Latencies that follow the market data's latency, instead of the two.")
      .optional(),
    fit: z
      .string()
      .min(1)
      .describe(
        "File of a fill model fitted to a session, relative to this file: `marketwright whatif SESSION --set ... --fit-out FILE`. Instead of queue and all latencies.",
      )
      .optional(),
    markets: z
      .record(marketId, marketFills)
      .describe("Markets with a queue model and latencies of their own, by the bot's id.")
      .optional(),
    partialFills: z
      .boolean()
      .describe("false: every fill fills the whole order. Only to compare with engines that do so.")
      .default(true),
    doubtful: z
      .enum(AMBIGUOUS_FILL_RULES)
      .describe(
        "Fee of an ambiguous fill: history does not show whether its order rested, took liquidity or would have been rejected. conservative: the higher of taker and maker fee, and no rebate for a POST_ONLY order. by-book: the maker fee, which is too optimistic; only to compare with engines that do so.",
      )
      .default(AMBIGUOUS_FILL_RULES[0]),
    queueAheadBase: baseField(
      "For trades alone: the amount ahead of us at our price. Default: only a trade beyond our price fills us",
    ).optional(),
    slippageTicks: countField(
      "For trades and candles: how many ticks worse than the last price a taker is filled.",
      {
        min: 0,
        max: 100_000,
      },
    ).default(1),
    path: z
      .enum(["worse", "ohlc", "olhc", "adaptive"])
      .describe(
        "For candles: which extreme of a bar comes first. worse: both orders are run; the report is of the worse and shows the other beside it.",
      )
      .default("worse"),
    volumeShare: z
      .number()
      .gt(0)
      .max(1)
      .describe("For candles: the largest share of a bar's volume that our orders can fill.")
      .default(0.1),
  })
  .superRefine((held, context) => {
    if (held.latencyFile === undefined || held.feedLatency === undefined) return;
    context.addIssue({
      code: "custom",
      path: ["latencyFile"],
      input: held.latencyFile,
      message: "cannot be used together with feedLatency",
      params: { expected: "either latencyFile or feedLatency" },
    });
  })
  .describe("The latency of orders and the rules of their fills.");

const reference = z
  .strictObject({
    market: marketId
      .describe("The store's name for it. Default: the source's own name, as it is recorded.")
      .optional(),
    latencyMs: z
      .number()
      .min(0)
      .max(60_000)
      .describe(
        "Milliseconds from the source's own stamp to the bot. Default: as it was received, where the history says when.",
      )
      .optional(),
  })
  .describe("The history of one source of reference prices.");

/** The zod schema of the backtest file. */
export const backtestSchema = z
  .strictObject({
    history,
    bot: z
      .string()
      .min(1)
      .describe(
        "The bot's file, relative to this one. A backtest reads no key from it and opens no port.",
      ),
    rules,
    references: z
      .record(z.string(), reference)
      .describe(
        "The history of the bot's reference sources, by their names there, where it differs from the recorded one.",
      )
      .optional(),
    account: z
      .strictObject({ creditQuote: quoteField("Credit at the start").default("100000") })
      .prefault({})
      .describe("The account that trades."),
    fills: fills.prefault({}),
    warmupMs: durationField(
      "Milliseconds for which the strategies only watch before they may quote.",
      {
        min: 0,
        max: 30 * 86_400_000,
      },
    ).default(0),
    seed: z
      .union([z.string().min(1), z.int()])
      .describe("Seed of all random numbers. The same seed gives the same bytes.")
      .default(1),
    sampleMs: z
      .int()
      .min(100)
      .max(86_400_000)
      .refine((ms) => 86_400_000 % ms === 0, {
        message: "does not divide a day",
        params: { expected: "a divisor of 86400000 ms, such as 100, 1000 or 60000" },
      })
      .describe(
        "Milliseconds between two samples of the account. Default: 1000; with candles a third of the interval, so that open, high and low are sampled.",
      )
      .optional(),
    adverseSelectionMs: durationField(
      "Milliseconds after a fill in which a move of the mid counts as its adverse selection.",
      { max: 300_000 },
    ).default(10_000),
    name: z
      .string()
      .min(1)
      .max(200)
      .describe("Title of the report. Default: the name of the file.")
      .optional(),
  })
  .meta({ title: "Marketwright backtest", description: "A backtest: a bot on recorded history." });

/** The output of {@link backtestSchema}. */
export type BacktestFile = z.output<typeof backtestSchema>;
