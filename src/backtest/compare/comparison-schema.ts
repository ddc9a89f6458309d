import { z } from "zod";
import { AMBIGUOUS_FILL_RULES } from "../venue/ambiguous-fill-rule.js";

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const count = z.int().nonnegative();
const share = z
  .number()
  .min(0)
  .max(1)
  .describe("Size that both filled over the size that either filled; 1 if neither filled anything");
const instant = z.string().describe("ISO 8601, UTC");
const profit = z.record(z.string(), decimal).describe("Parts of the profit, in the quote asset");

const difference = z.strictObject({
  only: z.enum(["live", "replay"]),
  at: instant,
  side: z.enum(["BUY", "SELL"]),
  price: decimal,
  amount: decimal,
  kind: z.enum([
    "queue",
    "through",
    "cross",
    "absent",
    "latency",
    "time",
    "price",
    "untold",
    "earlier-difference",
    "unknown-order",
  ]),
  why: z.string(),
});

const model = z.strictObject({
  isShared: z
    .boolean()
    .describe(
      "true: filled from a market recording that contains the orders; false: filled by the rules of a backtest, whose history does not contain them",
    ),
  queue: z.string(),
  bookLagMs: z
    .number()
    .describe("How long the exchange's book changed before the exchange reported the change"),
  shiftMs: z.number().describe("Added to the recorded times at which the exchange accepted orders"),
});

const strategyError = z.strictObject({ marketId: z.string(), at: instant, why: z.string() });

const sameInputs = z
  .strictObject({
    turns: count,
    intents: count,
    equal: count.describe("Intents that the replay repeated in the same turn, byte for byte"),
    firstDifference: z
      .strictObject({
        turn: count.describe("Counted from 1, like the session's turns"),
        at: instant,
        why: z.string(),
        live: z.string().nullable().describe("The recorded intent"),
        replay: z.string().nullable().describe("The replay's intent instead"),
      })
      .nullable()
      .describe("The replay stops after it"),
    strategyErrors: z
      .array(strategyError)
      .describe("The first error of each market's strategy, which halted the market"),
  })
  .describe(
    "The session's bot, replayed with every recorded input through the books of a backtest",
  );

const fills = {
  live: count,
  replay: count,
  matchedBase: decimal,
  unionBase: decimal,
  share,
  differences: z.array(difference),
};

const market = z.strictObject({
  marketId: z.string(),
  orders: z
    .strictObject({ sent: count, model, firstHalfShare: share, secondHalfShare: share, ...fills })
    .describe("The recorded orders, sent to the replayed market at their recorded times"),
  asHistory: z
    .strictObject({
      model,
      fills: count,
      unionBase: decimal,
      firstHalfShare: share,
      secondHalfShare: share,
      share,
      differences: z.array(difference),
    })
    .nullable()
    .describe(
      "For a live session: the same by the rules of a backtest, as if no recorded order had been ours",
    ),
  fit: z
    .strictObject({
      objective: z.string(),
      tried: count,
      plain: z
        .strictObject({ firstHalfShare: share, secondHalfShare: share })
        .describe("Without a fit"),
    })
    .nullable(),
  again: z
    .strictObject({
      model: z
        .strictObject({
          queue: z.string(),
          doubtful: z.enum(AMBIGUOUS_FILL_RULES),
          orderLatencyMs: z.number(),
          responseLatencyMs: z.number(),
        })
        .describe("The latencies and fill rules of its orders; after a fit, those of this market"),
      intents: z.strictObject({
        live: count,
        replay: count,
        equalFirst: count.describe("Intents that are equal before the first difference"),
        firstDifference: z
          .strictObject({
            liveAt: instant,
            replayAt: instant,
            live: z.string(),
            replay: z.string(),
          })
          .nullable(),
        share: z
          .number()
          .min(0)
          .max(1)
          .describe("Share of the live intents that the replay repeated within the window"),
      }),
      orders: z.strictObject({ live: count, replay: count, matched: count }),
      fills: z.strictObject(fills),
      meanPrice: z.strictObject({
        live: z.record(z.string(), z.number().nullable()),
        replay: z.record(z.string(), z.number().nullable()),
      }),
      fees: z
        .strictObject({ live: decimal, replay: decimal })
        .describe("Above zero paid, below zero a rebate"),
    })
    .describe("The rerun: the bot over the same interval with the same config"),
});

/** The schema of the output of `marketwright compare --json`. */
export const comparisonSchema = z
  .strictObject({
    format: z.literal(6),
    mode: z.enum(["live", "paper", "no-fills"]),
    from: instant,
    to: instant,
    windowSeconds: z
      .number()
      .positive()
      .describe("Events at most this far apart count as the same"),
    worthless: z
      .array(z.string())
      .describe("Reasons why the comparison is useless; read them before any figure"),
    strategyErrors: z
      .array(strategyError)
      .describe("The first error of each market's strategy in the rerun, which halted the market"),
    sameInputs,
    markets: z.array(market),
    profit: z.strictObject({ live: profit, replay: profit, difference: profit }),
    notes: z.array(z.string()),
  })
  .meta({
    title: "Marketwright comparison",
    description:
      "A recorded session compared with its replay. Money, prices and amounts are exact decimals as strings.",
  });

/** A recorded session compared with its replay. */
export type Comparison = z.infer<typeof comparisonSchema>;
/** A fill that only one of the two has. */
export type ComparedDifference = z.infer<typeof difference>;

/** The JSON Schema as text: the content of `config/comparison.schema.json`. */
export function comparisonJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(comparisonSchema), null, 2)}\n`;
}
