import { z } from "zod";
import { when } from "../../core/config/key-rules.js";
import { accountShape } from "./fields/account-fields.js";
import { chainShape } from "./fields/chain-fields.js";
import { cockpitShape } from "./fields/cockpit-fields.js";
import {
  baseField,
  countField,
  durationField,
  nameField,
  quoteField,
} from "./fields/config-fields.js";
import { daysShape } from "./fields/days-fields.js";
import { exchangeShape } from "./fields/exchange-fields.js";
import { checkHedges, hedgeVenuesShape, marketHedgeShape } from "./fields/hedge-fields.js";
import { checkLosses } from "./fields/ladder-fields.js";
import { liquidatorShape } from "./fields/liquidator-fields.js";
import { notifyShape } from "./fields/notify-fields.js";
import { paperShape } from "./fields/paper-fields.js";
import {
  checkReferences,
  marketReferenceShape,
  referencesShape,
} from "./fields/reference-fields.js";
import { riskShape } from "./fields/risk-fields.js";

const quotes = z
  .strictObject({
    timeInForce: z
      .enum(["POST_ONLY", "GTT", "GTC"])
      .describe(
        "POST_ONLY never takes, but outlives the bot unless `guard` runs; GTT dies by itself after quoteLifeMs, but may take; GTC does neither.",
      ),
    quoteLifeMs: durationField(
      "Life of a GTT quote; it is renewed before it ends. The exchange refuses a minute or less.",
      {
        min: 70_000,
      },
    ).default(300_000),
    priceToleranceTicks: countField(
      "A resting order this close to the desired price keeps its place in the queue.",
      {
        min: 0,
        max: 1000,
      },
    ).default(0),
    sizeToleranceFraction: z
      .number()
      .min(0)
      .lt(1)
      .describe(
        "A resting order whose open size is short of the desired one by no more than this fraction keeps its place.",
      )
      .default(0),
  })
  .describe("How quotes rest on the exchange.");

const decideShape = {
  everyMs: durationField("A decision at least this often.", { min: 10, max: 3_600_000 }),
  onTouchChange: z
    .boolean()
    .describe("A decision when the best bid or ask changes, net of own orders."),
  onFill: z.boolean().describe("A decision when an own order trades."),
  onReferenceMove: z
    .boolean()
    .describe("A decision when the market's reference price has moved by a tick."),
  minGapMs: durationField(
    "Decisions of one market are at least this far apart; causes in between are not lost.",
    {
      min: 0,
      max: 60_000,
    },
  ),
};

const decide = z
  .strictObject({
    everyMs: decideShape.everyMs.default(250),
    onTouchChange: decideShape.onTouchChange.default(true),
    onFill: decideShape.onFill.default(true),
    onReferenceMove: decideShape.onReferenceMove.default(true),
    minGapMs: decideShape.minGapMs.default(20),
  })
  .describe("When the strategies are called.");

const limits = z
  .strictObject({
    maxPositionBase: baseField(
      "Largest position either way that orders may lead to in their worst case",
    ).optional(),
    maxOrderBase: baseField("Largest single order").optional(),
    maxNotionalQuote: quoteField(
      "Largest position either way, valued at the mark, that orders may lead to in their worst case",
    ).optional(),
    maxOpenOrders: countField("Most own orders that may rest or be in flight in this market.", {
      max: 500,
    }).optional(),
    maxDistanceFromMarkBps: z
      .number()
      .gt(0)
      .max(10_000)
      .describe("An order further than this from the mark is not sent.")
      .optional(),
  })
  .describe("Limits of this market. An absent one does not apply.");

const market = z
  .strictObject({
    strategy: z
      .string()
      .min(1)
      .describe(
        "Name of a built-in strategy, the path of a strategy file, relative to this file and starting with ./ or ../ or /, or npm:NAME for an installed package. With a liquidator it may be absent: such a market is not quoted, and only acquired positions are sold.",
      )
      .optional(),
    params: z
      .record(z.string(), z.unknown())
      .describe("The strategy's own parameters, checked by the strategy.")
      .default({}),
    decide: z
      .strictObject(decideShape)
      .partial()
      .describe("Decision points of this market, where they differ from those of the bot.")
      .optional(),
    reference: marketReferenceShape.optional(),
    hedge: marketHedgeShape.optional(),
    limits: limits.prefault({}),
  })
  .meta({
    description: "One market: its strategy and limits.",
    allOf: [
      when(
        { required: ["strategy"] },
        {},
        {
          properties: {
            params: { maxProperties: 0 },
            decide: false,
            reference: false,
            hedge: false,
          },
        },
      ),
    ],
  });

const metrics = z
  .strictObject({
    port: countField("Port of /metrics, /healthz and /readyz; 0 takes a free one.", {
      min: 0,
      max: 65_535,
    }),
    host: z.string().min(1).describe("Address to listen on.").default("127.0.0.1"),
    allowedHosts: z
      .array(z.string().min(1))
      .describe(
        "Host names, beside localhost and every IP address, under which the page may be requested.",
      )
      .default([]),
  })
  .describe("The Prometheus endpoint. Default: none.");

const guard = z
  .strictObject({
    orderTokensFraction: z
      .number()
      .gt(0)
      .lt(1)
      .describe("Share of the account's ORDER tokens that the bot leaves to the guard.")
      .default(0.05),
    heartbeatMs: durationField("How often the bot writes its heartbeat.", {
      min: 50,
      max: 60_000,
    }).default(500),
    deadAfterMs: durationField("The guard cancels when the last heartbeat is older than this.", {
      min: 200,
      max: 600_000,
    }).default(3000),
  })
  .superRefine(({ heartbeatMs, deadAfterMs }, context) => {
    if (heartbeatMs * 2 <= deadAfterMs) return;
    const expected = `at least twice heartbeatMs, ${heartbeatMs * 2}`;
    const message = "is too short for its heartbeat";
    context.addIssue({
      code: "custom",
      path: ["deadAfterMs"],
      input: deadAfterMs,
      message,
      params: { expected },
    });
  })
  .describe("The second process that cancels the account's orders when the bot's heartbeat stops.");

/** The markets of a bot file, each checked by `held`. */
export const createMarketsSchema = <Market extends z.ZodType>(held: Market) =>
  z
    .record(nameField("a market's id on the exchange, such as btcusdc"), held)
    .refine((markets) => Object.keys(markets).length > 0, {
      message: "names no market",
      params: { expected: "at least one market with its strategy" },
    })
    .meta({
      description: "The markets by their exchange id, such as btcusdc.",
      minProperties: 1,
    });

/** The keys at the top of a bot file. */
export const botShape = {
  exchange: exchangeShape,
  account: accountShape,
  quotes,
  decide: decide.prefault({}),
  markets: createMarketsSchema(market),
  references: referencesShape.optional(),
  hedgeVenues: hedgeVenuesShape.optional(),
  risk: riskShape,
  chain: chainShape.optional(),
  liquidator: liquidatorShape.optional(),
  paper: paperShape.optional(),
  metrics: metrics.optional(),
  cockpit: cockpitShape.optional(),
  notify: notifyShape.optional(),
  days: daysShape.prefault({}),
  guard: guard.prefault({}),
  stateDir: z
    .string()
    .min(1)
    .describe(
      "Folder of the state that survives a restart, relative to this file. Default: .marketwright/<account> beside this file.",
    )
    .optional(),
  logLevel: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .describe("Least severe line that is logged.")
    .default("info"),
};

/** The schema of the bot file: every key known, every unit in the key, defaults filled in. */
export const botSchema = z
  .strictObject(botShape)
  .superRefine((held, context) => {
    const fail = (
      path: readonly (string | number)[],
      input: unknown,
      message: string,
      expected: string,
    ): void => {
      context.addIssue({ code: "custom", path: [...path], input, message, params: { expected } });
    };
    if (held.risk.maxAccountAgeMs <= held.exchange.reconcileMs) {
      fail(
        ["risk", "maxAccountAgeMs"],
        held.risk.maxAccountAgeMs,
        "would pass between two reconciles",
        `more than exchange.reconcileMs, ${held.exchange.reconcileMs}`,
      );
    }
    const { maxRulesAgeMs } = held.risk;
    if (maxRulesAgeMs !== undefined && maxRulesAgeMs <= held.exchange.rulesRefreshMs) {
      fail(
        ["risk", "maxRulesAgeMs"],
        maxRulesAgeMs,
        "would pass between two reads",
        `more than exchange.rulesRefreshMs, ${held.exchange.rulesRefreshMs}`,
      );
    }
    if (held.exchange.makerFeeRate !== undefined && held.exchange.takerFeeRate === undefined) {
      fail(
        ["exchange", "takerFeeRate"],
        undefined,
        "is missing beside makerFeeRate",
        "both fee rates, or neither",
      );
    }
    if (held.notify?.dailySummaryAt !== undefined && !held.days.record) {
      fail(
        ["notify", "dailySummaryAt"],
        held.notify.dailySummaryAt,
        "needs the day files, which days.record: false leaves out",
        "days.record: true, or no dailySummaryAt",
      );
    }
    if (held.liquidator !== undefined && held.chain === undefined) {
      fail(
        ["chain"],
        undefined,
        "is missing beside liquidator",
        "the chain with at least one RPC, such as { rpc: [http://127.0.0.1:8545] }",
      );
    }
    checkLosses(held.risk, (path, input, message, expected) =>
      fail(["risk", ...path], input, message, expected),
    );
    checkReferences(held, fail);
    checkHedges(held, fail);
    for (const [id, market] of Object.entries(held.markets)) {
      const { strategy, params, decide, limits, reference } = market;
      if (
        held.risk.ladder?.inventory !== undefined &&
        strategy !== undefined &&
        limits.maxPositionBase === undefined
      ) {
        fail(
          ["markets", id, "limits", "maxPositionBase"],
          undefined,
          "is missing beside risk.ladder.inventory",
          "the position that its fractions are of",
        );
      }
      if (strategy !== undefined) continue;
      if (held.liquidator === undefined) {
        fail(
          ["markets", id, "strategy"],
          undefined,
          "is missing",
          "a strategy's name or file; it may be left out only with a liquidator",
        );
        continue;
      }
      const forStrategy = {
        params: Object.keys(params).length > 0 ? params : undefined,
        decide,
        reference,
      };
      for (const [key, value] of Object.entries(forStrategy)) {
        if (value === undefined) continue;
        fail(
          ["markets", id, key],
          value,
          "is for a strategy, and none is named",
          "a strategy, or nothing here",
        );
      }
    }
  })
  .meta({
    title: "Marketwright bot",
    description: "One bot: its exchange, account, markets and limits.",
    allOf: [
      when(
        { required: ["liquidator"] },
        { required: ["chain"] },
        { properties: { markets: { additionalProperties: { required: ["strategy"] } } } },
      ),
    ],
  });

/** The output of {@link botSchema}. */
export type BotFile = z.output<typeof botSchema>;
