import { z } from "zod";
import { exactlyOneOf, needs } from "../../../core/config/key-rules.js";
import { addressField, countField, durationField, nameField } from "./config-fields.js";

const sourceName = nameField("a name of letters, digits, - and _, such as binance");

const marketId = nameField("a market's id on the exchange, such as btcusdc");

/** The keys that say where a source's prices come from: each source has exactly one. */
const ORIGINS = ["ccxt", "exchange", "index", "feed", "module"] as const;

const source = z
  .strictObject({
    ccxt: z
      .string()
      .min(1)
      .describe("Name of an exchange in the library ccxt, such as binanceusdm. Public data only.")
      .optional(),
    symbol: z
      .string()
      .min(1)
      .describe("With `ccxt`: the symbol in ccxt's spelling, such as BTC/USDT:USDT.")
      .optional(),
    stream: z
      .enum(["touch", "book", "trades"])
      .describe(
        "With `ccxt`: the best bid and ask, the order book, or the price of the last trade. Default: touch.",
      )
      .optional(),
    exchange: z
      .strictObject({
        rest: addressField("Address of its REST interface", ["http:", "https:"]),
        stream: addressField("Address of its streams", ["ws:", "wss:"]),
      })
      .describe("Another exchange with the interface of this one.")
      .optional(),
    market: marketId.describe("With `exchange`: the market there.").optional(),
    index: marketId
      .describe("The index price that this exchange publishes for one of the bot's markets.")
      .optional(),
    feed: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .meta({
        description:
          "Address of a price feed on the chain with latestRoundData() and decimals(), read through chain.rpc.",
        expected: "0x and 40 hex digits",
      })
      .optional(),
    pollMs: durationField("With `feed`: how often it is read. Default: 1000.", {
      min: 100,
      max: 3_600_000,
    }).optional(),
    module: z
      .string()
      .min(1)
      .describe("File of your own that exports a source, relative to this file.")
      .optional(),
    params: z
      .record(z.string(), z.unknown())
      .describe("With `module`: its own parameters, which it checks.")
      .optional(),
    multiplier: z
      .number()
      .gt(0)
      .describe("Factor from its price to that of one base unit of the market.")
      .default(1),
    minGapMs: durationField("Its newest price enters the bot at most this often.", {
      min: 0,
      max: 60_000,
    }).default(20),
    maxAgeMs: durationField(
      "Oldest price that counts. Default: that of the market's `reference`.",
    ).optional(),
  })
  .superRefine((held, context) => {
    const fail = (path: string[], input: unknown, message: string, expected: string): void => {
      context.issues.push({ code: "custom", path, input, message, params: { expected } });
    };
    const named = ORIGINS.filter((key) => held[key] !== undefined);
    if (named.length !== 1) {
      fail(
        [],
        held,
        named.length === 0 ? "says nothing about where its prices come from" : "has two origins",
        `exactly one of ${ORIGINS.slice(0, -1).join(", ")} and ${ORIGINS.at(-1)}`,
      );
      return;
    }
    for (const { key, origin, needed } of COMPANIONS) {
      if (origin === named[0] && needed !== undefined && held[key] === undefined)
        fail([key], undefined, `is missing beside ${origin}`, needed);
      if (origin !== named[0] && held[key] !== undefined)
        fail([key], held[key], `belongs to a source with ${origin}`, "nothing here");
    }
  })
  .meta({
    description: "One source of reference prices.",
    allOf: [
      exactlyOneOf(...ORIGINS),
      needs("ccxt", "symbol"),
      needs("exchange", "market"),
      needs("symbol", "ccxt"),
      needs("stream", "ccxt"),
      needs("market", "exchange"),
      needs("pollMs", "feed"),
      needs("params", "module"),
    ],
  });

/** Keys that belong to one origin; `needed` is the value that has to be there. */
const COMPANIONS: readonly {
  readonly key: "symbol" | "stream" | "market" | "pollMs" | "params";
  readonly origin: (typeof ORIGINS)[number];
  readonly needed?: string;
}[] = [
  { key: "symbol", origin: "ccxt", needed: "the symbol in ccxt's spelling, such as BTC/USDT:USDT" },
  { key: "stream", origin: "ccxt" },
  { key: "market", origin: "exchange", needed: "the market's id there, such as btcusdc" },
  { key: "pollMs", origin: "feed" },
  { key: "params", origin: "module" },
];

/** `references` of a bot file: the sources by name. */
export const referencesShape = z
  .record(sourceName, source)
  .describe("Sources of prices from outside the exchange, by name. Public data only.");

const weightedSource = z.strictObject({
  source: sourceName.describe("Name of the source in `references`."),
  weight: z.number().gt(0).max(1_000_000).describe("Its weight among the others.").default(1),
});

/** `reference` of one market. */
export const marketReferenceShape = z
  .strictObject({
    from: z
      .array(z.union([sourceName, weightedSource]))
      .min(1)
      .describe("The sources, by name, or with a weight: { source: binance, weight: 2 }."),
    combine: z
      .enum(["median", "mean"])
      .describe("The weighted median of the sources' mids, or their weighted mean.")
      .default("median"),
    maxAgeMs: durationField("Oldest price that counts.").default(2000),
    maxDeviationBps: z
      .number()
      .gt(0)
      .max(10_000)
      .describe(
        "A source further from the median of three or more is left out, and one whose half spread is wider. Two that are further apart halt the market.",
      )
      .default(50),
    maxFromMidBps: z
      .number()
      .gt(0)
      .max(10_000)
      .describe(
        "The market halts while the price, with its basis, is further from the exchange's own mid.",
      )
      .default(500),
    minSources: countField(
      "Fewest sources that have to count. Default: 1 for one source, else 2.",
      {
        max: 100,
      },
    ).optional(),
    onStale: z
      .enum(["halt", "widen", "book"])
      .describe(
        "Too few sources are left: halt; quote around the book's mid, further away; or as if there were no reference.",
      )
      .default("halt"),
    widenFactor: z
      .number()
      .gt(1)
      .max(100)
      .describe("With `onStale: widen`: the factor of each quote's distance from the mid.")
      .default(3),
    basis: z
      .strictObject({
        halfLifeMs: durationField("After this time an observation has half of its weight.", {
          max: 30 * 86_400_000,
        }).default(60_000),
        maxBasisBps: z
          .number()
          .gt(0)
          .max(10_000)
          .describe("Largest basis either way, in basis points of the reference.")
          .default(20),
      })
      .describe(
        "The lasting difference of this exchange's price from the reference is estimated and added. Default: none.",
      )
      .optional(),
  })
  .describe("The market's price from outside.");

type Fail = (
  path: readonly (string | number)[],
  input: unknown,
  message: string,
  expected: string,
) => void;

/** The parts of a bot file that references are checked against. */
interface ReferencedFile {
  readonly references?: z.output<typeof referencesShape> | undefined;
  readonly markets: Readonly<
    Record<string, { readonly reference?: z.output<typeof marketReferenceShape> | undefined }>
  >;
  readonly chain?: unknown;
}

/** Checks references against the rest of the file. */
export function checkReferences(held: ReferencedFile, fail: Fail): void {
  const sources = held.references ?? {};
  const known = Object.keys(sources).join(", ");
  for (const [id, { reference }] of Object.entries(held.markets)) {
    if (reference === undefined) continue;
    const at = ["markets", id, "reference"];
    const names = reference.from.map((one) => (typeof one === "string" ? one : one.source));
    for (const [place, name] of names.entries()) {
      if (!Object.hasOwn(sources, name))
        fail(
          [...at, "from", place],
          name,
          "names a source that references does not have",
          known === "" ? "references with this source" : `one of ${known}`,
        );
      else if (names.indexOf(name) !== place)
        fail([...at, "from", place], name, "is there twice", "each source once, with a weight");
    }
    if (reference.minSources !== undefined && reference.minSources > names.length)
      fail(
        [...at, "minSources"],
        reference.minSources,
        "is more than there are sources",
        `at most ${names.length}`,
      );
  }
  for (const [name, { index, feed }] of Object.entries(sources)) {
    if (index !== undefined && !Object.hasOwn(held.markets, index))
      fail(
        ["references", name, "index"],
        index,
        "is not a market of this bot",
        `one of ${Object.keys(held.markets).join(", ")}`,
      );
    if (feed !== undefined && held.chain === undefined)
      fail(
        ["chain"],
        undefined,
        `is missing beside references.${name}.feed`,
        "the chain with at least one RPC, such as { rpc: [http://127.0.0.1:8545] }",
      );
  }
}
