import { z } from "zod";
import { exactlyOneOf } from "../../../core/config/key-rules.js";
import { HEDGE_VENUES } from "../../../hedge/listed-venues.js";
import {
  addressField,
  baseField,
  durationField,
  nameField,
  variableField,
} from "./config-fields.js";
import type { UnwindConfig } from "./unwind-fields.js";

const venueName = nameField("a name of letters, digits, - and _, such as binance");

const variableName = variableField("HEDGE_SECRET");

const rateSource = nameField("the name of a source in references");

const hedgeVenue = z
  .strictObject({
    ccxt: z
      .enum(HEDGE_VENUES)
      .describe("Name of the exchange in the library ccxt. Only listed ones can be used."),
    urls: z
      .strictObject({
        rest: addressField("Address of its REST interface", ["http:", "https:"], "127.0.0.1:8640"),
        stream: addressField("Address of its streams", ["ws:", "wss:"], "127.0.0.1:8640"),
      })
      .describe("Other addresses, as of `exchange --dialect`. Default: those of the exchange.")
      .optional(),
    keyEnv: variableName.describe("Name of the environment variable that holds the API key."),
    secretEnv: variableName.describe("Name of the one that holds the API key's secret."),
    requestTimeoutMs: durationField("A request without an answer for this long is unknown.", {
      min: 100,
      max: 60_000,
    }).default(2000),
    acceptanceWindowMs: durationField(
      "The exchange refuses a request that reaches it later than this.",
      { min: 500, max: 60_000 },
    ).default(2000),
    takerFeeBps: z
      .number()
      .min(0)
      .max(100)
      .describe(
        "Taker fee of the account there, in basis points (5 is 0.05 %). Needed to compare the costs of laying an acquired position off and of selling it here.",
      )
      .optional(),
    reconcileMs: durationField("How often position, orders and fills are compared.", {
      min: 500,
      max: 600_000,
    }).default(10_000),
    maxRequestWeight: z
      .int()
      .min(100)
      .max(100_000)
      .describe("Most weight of requests a minute, as the exchange counts it.")
      .default(1200),
  })
  .describe("A venue where positions are laid off.");

/** `hedgeVenues` of a bot file: the venues by name. */
export const hedgeVenuesShape = z
  .record(venueName, hedgeVenue)
  .describe("Other exchanges where positions of this one are laid off, by name.");

/** `hedge` of one market. */
export const marketHedgeShape = z
  .strictObject({
    venue: venueName.describe("Name of the venue in `hedgeVenues`."),
    symbol: z.string().min(1).describe("The contract there, such as BTC/USDT:USDT."),
    ratio: z.number().gt(0).max(1).describe("Share of the position that is laid off.").default(1),
    maxUnhedgedBase: baseField(
      "Most that may be unhedged for longer than maxUnhedgedMs; the venue's smallest order if that is larger",
    ),
    maxUnhedgedMs: durationField("How long more than maxUnhedgedBase may be unhedged.", {
      max: 600_000,
    }).default(5000),
    style: z
      .enum(["taker", "maker-then-taker"])
      .describe(
        "Take at once; or rest at the touch first, and take what is above maxUnhedgedBase or older than maxUnhedgedMs.",
      )
      .default("taker"),
    maxSlippageBps: z
      .number()
      .gt(0)
      .max(1000)
      .describe("Worst price of a hedge, from the mid of the venue's book.")
      .default(20),
    minClipBase: baseField("Smallest hedge. Default: the venue's smallest order").optional(),
    whenAway: z
      .enum(["reduce", "halt"])
      .describe(
        "While the venue cannot be reached: quote only what reduces the unhedged position, or halt.",
      )
      .default("reduce"),
    quoteRate: z
      .strictObject({
        fixed: z.number().gt(0).describe("A fixed rate.").optional(),
        reference: rateSource.describe("A source in `references` that has it.").optional(),
      })
      .meta({
        description:
          "Units of this exchange's quote asset for one of the hedge venue's. Needed if they differ.",
        allOf: [exactlyOneOf("fixed", "reference")],
      })
      .optional(),
  })
  .meta({ description: "The market's position is laid off on another exchange." });

type Fail = (
  path: readonly (string | number)[],
  input: unknown,
  message: string,
  expected: string,
) => void;

/** The parts of a bot file that hedges are checked against. */
interface HedgedFile {
  readonly hedgeVenues?: z.output<typeof hedgeVenuesShape> | undefined;
  readonly references?: Readonly<Record<string, unknown>> | undefined;
  readonly markets: Readonly<
    Record<
      string,
      {
        readonly hedge?: z.output<typeof marketHedgeShape> | undefined;
        readonly strategy?: string | undefined;
      }
    >
  >;
  readonly liquidator?: { readonly unwind: UnwindConfig } | undefined;
}

/** Checks hedges against the rest of the file. */
export function checkHedges(held: HedgedFile, fail: Fail): void {
  const venues = held.hedgeVenues ?? {};
  const taken = new Map<string, string>();
  const isHedged = Object.values(held.markets).some(({ hedge }) => hedge !== undefined);
  if (held.liquidator?.unwind.layOff === "hedge" && !isHedged)
    fail(
      ["liquidator", "unwind", "layOff"],
      "hedge",
      "is for a market with a hedge, and no market has one",
      "markets.MARKET.hedge, or no layOff",
    );
  for (const [id, { hedge, strategy }] of Object.entries(held.markets)) {
    if (hedge === undefined) continue;
    const at = ["markets", id, "hedge"];
    if (strategy === undefined)
      fail(at, hedge, "is for a market with a strategy", "a strategy, or nothing here");
    if (!Object.hasOwn(venues, hedge.venue))
      fail(
        [...at, "venue"],
        hedge.venue,
        "names a venue that hedgeVenues does not have",
        Object.keys(venues).length === 0
          ? "hedgeVenues with this venue"
          : `one of ${Object.keys(venues).join(", ")}`,
      );
    if (
      held.liquidator?.unwind.layOff === "hedge" &&
      venues[hedge.venue] !== undefined &&
      venues[hedge.venue]?.takerFeeBps === undefined
    )
      fail(
        ["hedgeVenues", hedge.venue, "takerFeeBps"],
        undefined,
        "is missing, and liquidator.unwind.layOff is hedge",
        "the taker fee of the account there, in basis points",
      );
    const place = `${hedge.venue} ${hedge.symbol}`;
    const other = taken.get(place);
    if (other !== undefined)
      fail(
        [...at, "symbol"],
        hedge.symbol,
        `is the hedge of markets.${other} too`,
        "another symbol or venue: a position there belongs to one market",
      );
    taken.set(place, id);
    const { fixed, reference } = hedge.quoteRate ?? {};
    if (hedge.quoteRate !== undefined && (fixed === undefined) === (reference === undefined))
      fail(
        [...at, "quoteRate"],
        hedge.quoteRate,
        fixed === undefined ? "has no rate" : "has two rates",
        "either fixed or reference",
      );
    if (reference !== undefined && !Object.hasOwn(held.references ?? {}, reference))
      fail(
        [...at, "quoteRate", "reference"],
        reference,
        "names a source that references does not have",
        "a source in references",
      );
  }
}
