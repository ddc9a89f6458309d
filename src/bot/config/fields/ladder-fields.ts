import { Decimal } from "decimal.js";
import { z } from "zod";
import { LADDER_ACTIONS, severityFor } from "../../../risk/risk-ladder.js";
import { countField, durationField, fractionField, quoteField } from "./config-fields.js";

const limitAction = z.enum(["halt", "reduce", "flatten"]);

const action = z
  .enum(LADDER_ACTIONS)
  .describe(
    "warn: the log warns. widen: quotes move further from the mid. reduce: only orders that reduce the position rest. halt: no quotes, and the position stays. flatten: the position is sold, then halted.",
  );
const widenFactor = z
  .number()
  .gt(1)
  .max(100)
  .describe("Of widen: the strategy's distance from the mid times this. Default 2.")
  .optional();

/** The rungs of one measure: each is higher and does more than the one before it. */
function rungsField<Key extends string>(
  key: Key,
  threshold: z.ZodType<string | number>,
  description: string,
) {
  return z
    .array(
      z.strictObject({ [key]: threshold, action, widenFactor } as Record<Key, typeof threshold> &
        RungShape),
    )
    .min(1)
    .superRefine((rungs, context) => {
      const held = rungs as unknown as readonly (RungConfig &
        Readonly<Record<string, string | number>>)[];
      held.forEach((rung, index) => {
        const fail = (
          path: readonly string[],
          input: unknown,
          message: string,
          expected: string,
        ): void => {
          context.addIssue({
            code: "custom",
            path: [index, ...path],
            input,
            message,
            params: { expected },
          });
        };
        if (rung.action !== "widen" && rung.widenFactor !== undefined) {
          fail(
            ["widenFactor"],
            rung.widenFactor,
            `is for widen, and the rung does ${rung.action}`,
            "no widenFactor here",
          );
        }
        const before = held[index - 1];
        if (before === undefined) return;
        if (new Decimal(rung[key]).lte(before[key])) {
          fail(
            [key],
            rung[key],
            "is not above the rung before it",
            `above ${before[key]}: rungs are listed from the lowest to the highest`,
          );
        }
        if (!doesMore(rung, before)) {
          const expected = `an action that does more than ${before.action} (${LADDER_ACTIONS.join(", ")}), or widen with a larger widenFactor`;
          fail(["action"], rung.action, "does no more than the rung before it", expected);
        }
      });
    })
    .describe(description)
    .optional();
}

type RungShape = { action: typeof action; widenFactor: typeof widenFactor };

/** A rung as the file has it, without its threshold. */
export interface RungConfig {
  readonly action: z.output<typeof action>;
  readonly widenFactor?: number | undefined;
}

/** Factor by which `widen` widens the quotes if the rung does not set one. */
export const DEFAULT_WIDEN_FACTOR = 2;

function doesMore(rung: RungConfig, before: RungConfig): boolean {
  if (severityFor(rung.action) !== severityFor(before.action))
    return severityFor(rung.action) > severityFor(before.action);
  return (
    rung.action === "widen" &&
    (rung.widenFactor ?? DEFAULT_WIDEN_FACTOR) > (before.widenFactor ?? DEFAULT_WIDEN_FACTOR)
  );
}

const ladder = z
  .strictObject({
    drawdown: rungsField(
      "fromQuote",
      quoteField("Loss from the peak at which it acts"),
      "Rungs below maxDrawdownQuote. They apply to all markets.",
    ),
    dailyLoss: rungsField(
      "fromQuote",
      quoteField("Loss of the day at which it acts"),
      "Rungs below maxDailyLossQuote. They apply to all markets.",
    ),
    inventory: rungsField(
      "fromFraction",
      fractionField("Share of limits.maxPositionBase, either way, at which it acts."),
      "Rungs by the position of each market. widen moves only the side that adds to it.",
    ),
    markout: rungsField(
      "fromBps",
      z
        .number()
        .gt(0)
        .max(10_000)
        .describe(
          "Average loss of the newest fills by their horizon at which it acts, in basis points.",
        ),
      "Rungs by the markout of each market's fills as maker.",
    ),
    liftFraction: z
      .number()
      .gt(0)
      .lt(1)
      .describe("A rung ends when its measure is below this share of its threshold. Default 0.8.")
      .optional(),
    markoutHorizonMs: durationField(
      "How long after a fill the mid is compared with its price. Default 10000.",
      {
        min: 100,
        max: 600_000,
      },
    ).optional(),
    markoutFills: countField("Number of newest fills that count. Default 50.", {
      max: 10_000,
    }).optional(),
    markoutMinFills: countField("Fewest fills for a markout. Default 20.", {
      max: 10_000,
    }).optional(),
  })
  .superRefine(
    (
      {
        markoutFills = DEFAULT_MARKOUT.fills,
        markoutMinFills = Math.min(DEFAULT_MARKOUT.minFills, markoutFills),
      },
      context,
    ) => {
      if (markoutMinFills <= markoutFills) return;
      const message = "is more than the fills that count";
      const params = { expected: `at most markoutFills, ${markoutFills}` };
      context.addIssue({
        code: "custom",
        path: ["markoutMinFills"],
        input: markoutMinFills,
        message,
        params,
      });
    },
  )
  .describe("Rungs before the limits, by measure. An absent measure has none.");

/** Markout settings of a file that does not set them. */
export const DEFAULT_MARKOUT = { horizonMs: 10_000, fills: 50, minFills: 20 } as const;
/** The share of its threshold below which a rung ends, of a file that does not set it. */
export const DEFAULT_LIFT_FRACTION = 0.8;
/** How a position is flattened, of a file that does not set it. */
export const DEFAULT_FLATTEN = { maxSlippageBps: 100, slices: 5, everyMs: 1_000 } as const;

const flatten = z
  .strictObject({
    maxSlippageBps: z
      .number()
      .gt(0)
      .max(5000)
      .describe(
        "Limit price of each order: at most this far beyond the mark at its time, or the mid without a mark. Default 100.",
      )
      .optional(),
    slices: countField(
      "Number of orders that a position is split into, each no larger than limits.maxOrderBase. Default 5.",
      {
        max: 200,
      },
    ).optional(),
    everyMs: durationField("Pause between two orders. Default 1000.", {
      min: 100,
      max: 600_000,
    }).optional(),
  })
  .describe("How a position is sold when a limit or a rung flattens.");

/** The loss settings of the `risk` section. */
export const lossShape = {
  maxDrawdownQuote: quoteField(
    "Loss from the peak of the account's net value at which onDrawdown acts; the peak survives restarts",
  ),
  onDrawdown: limitAction
    .describe(
      "Action at maxDrawdownQuote, until resume. halt: no quotes, and the position stays and can lose more. reduce: only orders that reduce the position rest. flatten: the position is sold, then halted. Default halt.",
    )
    .optional(),
  maxDailyLossQuote: quoteField(
    "Loss since midnight UTC at which onDailyLoss acts, until the day is over or resume; the start of the day survives restarts",
  ).optional(),
  onDailyLoss: limitAction
    .describe("Action at maxDailyLossQuote. Default: that of onDrawdown.")
    .optional(),
  flatten: flatten.optional(),
  ladder: ladder.optional(),
};

interface WrittenRisk {
  readonly maxDrawdownQuote: string;
  readonly maxDailyLossQuote?: string | undefined;
  readonly onDailyLoss?: string | undefined;
  readonly ladder?: z.output<typeof ladder> | undefined;
}

/**
 * Checks the fields of {@link lossShape} against each other. @param fail called with each fault and
 * its path below `risk`.
 */
export function checkLosses(
  { maxDrawdownQuote, maxDailyLossQuote, onDailyLoss, ladder: rungs }: WrittenRisk,
  fail: (
    path: readonly (string | number)[],
    input: unknown,
    message: string,
    expected: string,
  ) => void,
): void {
  if (onDailyLoss !== undefined && maxDailyLossQuote === undefined) {
    fail(
      ["onDailyLoss"],
      onDailyLoss,
      "has no limit to act at",
      "maxDailyLossQuote beside it, or nothing here",
    );
  }
  const below = (
    measure: "drawdown" | "dailyLoss",
    limit: string | undefined,
    name: string,
  ): void => {
    if (limit === undefined) return;
    for (const [index, { fromQuote }] of (rungs?.[measure] ?? []).entries()) {
      if (new Decimal(fromQuote).lt(limit)) continue;
      fail(
        ["ladder", measure, index, "fromQuote"],
        fromQuote,
        `is not below ${name}, which acts first`,
        `below ${limit}`,
      );
    }
  };
  below("drawdown", maxDrawdownQuote, "maxDrawdownQuote");
  below("dailyLoss", maxDailyLossQuote, "maxDailyLossQuote");
}
