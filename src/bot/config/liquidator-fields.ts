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
    dryRun: z
      .boolean()
      .describe("Does everything but send, and tells what it would have sent.")
      .default(false),
    minProfitQuote: quoteField(
      "Nothing is sent that may earn less, at the worst price that it accepts and the most gas that it may burn",
    ),
    maxNotionalQuote: quoteField(
      "Most that takeovers in flight and what is still to be sold of earlier ones may be worth together",
    ).optional(),
    takeUpTo: z
      .enum(["position", "cure"])
      .describe(
        "position: as much of a position as pays. cure: no more than makes its account safe again, where a part of it can.",
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
    pollMs: durationField("How often the exchange's list of risky accounts is asked for.", {
      min: 50,
      max: 600_000,
    }).default(1000),
    watchFromBlock: countField("The first block whose events tell which accounts hold positions.", {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }).optional(),
    maxCandidates: countField(
      "Most accounts that are watched at a time: those nearest to the edge.",
      { max: 100_000 },
    ).default(5000),
    maxInFlight: countField("Most takeovers under way at a time.", { max: 64 }).default(4),
    deadlineMs: durationField("A takeover that is in no block after this long is cancelled.", {
      min: 500,
      max: 600_000,
    }).default(20_000),
    cooldownMs: durationField(
      "A position whose takeover was refused or reverted is left alone for this long.",
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
        "The sale is reckoned to bring so much less than the book shows, in basis points of its price.",
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
        "Share of the sale that is hoped to fill as maker: for the expected profit that is shown, never for what is decided.",
      )
      .default(0.5),
    maxGasQuote: quoteField(
      "Most that the gas of one takeover may cost, replacements included",
    ).optional(),
    l1FeeEth: etherField(
      "What a rollup charges for one takeover beside its gas, at its dearest: the fee of its parent chain. 0 where a chain has none",
    ).default("0"),
    tipGwei: gweiField(
      "Tip that a takeover begins with; a higher one that would have won lost races is begun with instead",
    ).default("0.01"),
    bumpPercent: z
      .int()
      .min(10)
      .max(1000)
      .describe(
        "By how much the fees of a stuck transaction grow with each replacement. Nodes take none of less than 10.",
      )
      .default(15),
    stuckBlocks: countField(
      "A transaction that so many blocks have passed by is replaced at higher fees.",
      { max: 1000 },
    ).default(2),
    stuckMs: durationField("The same, after so long without any block.", {
      min: 100,
      max: 600_000,
    }).default(6000),
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
        "cannot be earned on what may be taken over",
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
