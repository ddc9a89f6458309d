import { Decimal } from "decimal.js";
import { z } from "zod";
import {
  countField,
  durationField,
  etherField,
  fractionField,
  gweiField,
  quoteField,
} from "./config-fields.js";
import { unwindShape } from "./unwind-fields.js";

/**
 * The liquidator: `liquidator` of a bot's file. Only `minProfitQuote` is required: it decides every
 * takeover.
 */
export const liquidatorShape = z
  .strictObject({
    dryRun: z.boolean().describe("Sends nothing, and logs what it would have sent.").default(false),
    minProfitQuote: quoteField(
      "Least profit of a takeover, at the worst price that it accepts and the most gas that it may burn",
    ),
    maxNotionalQuote: quoteField(
      "Largest value of takeovers in flight and the unsold rest of earlier ones together",
    ).optional(),
    takeUpTo: z
      .enum(["position", "cure"])
      .describe(
        "position: as much of a position as is profitable. cure: no more than makes its account safe again, if a part of it can.",
      )
      .default("position"),
    marginBufferFraction: z
      .number()
      .min(0)
      .max(100)
      .describe(
        "How far the own net value stays above maintenance margin after a takeover, as a share of that margin.",
      )
      .default(0.5),
    pollMs: durationField("How often the exchange's list of risky accounts is polled.", {
      min: 50,
      max: 600_000,
    }).default(1000),
    watchFromBlock: countField("The first block whose events show which accounts hold positions.", {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }).optional(),
    maxCandidates: countField(
      "Most accounts that are watched at a time: those nearest to liquidation.",
      { max: 100_000 },
    ).default(5000),
    maxInFlight: countField("Most takeovers in flight at a time.", { max: 64 }).default(4),
    deadlineMs: durationField("A takeover that is in no block after this long is cancelled.", {
      min: 500,
      max: 600_000,
    }).default(20_000),
    cooldownMs: durationField(
      "A position whose takeover was refused or reverted is not tried again for this long.",
      {
        min: 0,
        max: 600_000,
      },
    ).default(2000),
    unwindReserveBps: z
      .number()
      .min(0)
      .max(5000)
      .describe(
        "Assumed loss of the sale against the displayed book, in basis points of its price.",
      )
      .default(5),
    gasShareFraction: fractionField(
      "Largest share of the profit above minProfitQuote that may be spent on gas.",
    ).default(0.5),
    makerShareFraction: z
      .number()
      .min(0)
      .max(1)
      .describe(
        "Expected share of the sale that fills as maker. It affects only the displayed profit, never a decision.",
      )
      .default(0.5),
    maxGasQuote: quoteField(
      "Most that the gas of one takeover may cost, replacements included",
    ).optional(),
    l1FeeEth: etherField(
      "Highest fee that a rollup charges for one takeover beside its gas: that of its parent chain. 0 for a chain without one",
    ).default("0"),
    tipGwei: gweiField(
      "First tip of a takeover; a higher one that would have won lost races replaces it",
    ).default("0.01"),
    bumpPercent: z
      .int()
      .min(10)
      .max(1000)
      .describe(
        "By how much the fees of a stuck transaction grow with each replacement. Nodes refuse less than 10.",
      )
      .default(15),
    stuckBlocks: countField(
      "A transaction that is still pending after this many blocks is replaced at higher fees.",
      { max: 1000 },
    ).default(2),
    stuckMs: durationField(
      "A pending transaction is also replaced after this long without any block.",
      {
        min: 100,
        max: 600_000,
      },
    ).default(6000),
    unwind: unwindShape,
  })
  .superRefine((held, context) => {
    const fail = (path: string, input: unknown, message: string, expected: string): void => {
      context.addIssue({ code: "custom", path: [path], input, message, params: { expected } });
    };
    if (
      held.maxNotionalQuote !== undefined &&
      new Decimal(held.minProfitQuote).gte(held.maxNotionalQuote)
    )
      fail(
        "minProfitQuote",
        held.minProfitQuote,
        "is more than a takeover of the allowed size can earn",
        `far below maxNotionalQuote, ${held.maxNotionalQuote}`,
      );
    if (held.deadlineMs <= held.stuckMs)
      fail(
        "deadlineMs",
        held.deadlineMs,
        "passes before a stuck takeover is replaced",
        `more than stuckMs, ${held.stuckMs}`,
      );
  })
  .describe(
    "Takes over positions of unsafe accounts at the discount, and sells them. Left out: none.",
  );
