import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadBotConfig } from "#bot/config.js";
import { botJsonSchema } from "#bot/config-json-schema.js";
import { loadStrategy } from "#bot/load-strategy.js";
import { ConfigError } from "#core/errors.js";
import { builtInStrategies } from "#strategies/built-in.js";
import {
  changedAt,
  filled,
  placesIn,
  type SchemaNode,
  sampleOf,
  wrongValues,
} from "../support/schema-places.js";

/*
 * Values that the program refuses and a JSON Schema cannot express, so that editors do not mark
 * them:
 * - sources of prices that `references` lacks, are named twice, or are fewer than `minSources`
 * - values that depend on each other: `sigma.windowMs` on `sampleMs`, `intensity.windowMs` on
 * `cellMs` and `minCells`, `upperPrice` and `flatPrice` on `lowerPrice`, `limits.maxOrderBase` on
 * `params.sizeBase`, `targetPositionBase` on `limits.maxPositionBase`, ages on periods (`risk`,
 * `guard`, `chain`, `liquidator`), rungs on those before them, `widenFactor` on `action`,
 * `markoutMinFills` on `markoutFills`
 * - decimals written as strings ("0.5"), and the part of an address after its scheme
 * - a name of two in a list, a queue model's power above 100
 * - if files, variables and folders exist
 * - a name of a time zone; `notify.control` without a chat that takes commands, `user` without
 * `passwordEnv`, and mail in the clear to another machine
 * - sizes that a market accepts: steps and ticks come from the exchange
 */
const BEYOND_A_SCHEMA =
  /\.(sigma|intensity)\.windowMs: holds (too few samples|fewer cells|too many cells)|\.upperPrice: is not above|\.flatPrice: is outside/;

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MINIMAL = join(ROOT, "config/minimal.yaml");
const schema = JSON.parse(botJsonSchema()) as SchemaNode & { readonly allOf: unknown };
const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: false });
const validate = ajv.compile(schema);
const minimal = parse(readFileSync(MINIMAL, "utf8"));

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const yamlFilesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => `${folder}/${file}`);

/** An empty file, whose values {@link refusal} replaces: to read a whole one takes longer. */
const EMPTY = join(mkdtempSync(join(tmpdir(), "marketwright-schema-")), "empty.yaml");
writeFileSync(EMPTY, "{}\n");

/** The message with which `marketwright check` refuses a file, or undefined if it accepts it. */
async function refusal(written: unknown): Promise<string | undefined> {
  try {
    const { markets } = loadBotConfig(EMPTY, {}, { key: "unused", change: () => written });
    for (const [id, { strategy, params }] of Object.entries(markets)) {
      if (strategy === undefined) continue;
      const field = `markets.${id}.strategy`;
      const loaded = await loadStrategy(strategy, dirname(EMPTY), field);
      loaded.strategy.bind(params, { at: ["markets", id, "params"] });
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
}

/** The verdicts of schema and program, in this order. */
async function verdicts(written: unknown): Promise<[boolean, boolean]> {
  return [validate(written), (await refusal(written)) === undefined];
}

const withMarket = (market: object) => ({ ...minimal, markets: { btcusdc: market } });

/** The published parameters of a built-in strategy. */
function paramsNode(name: string): SchemaNode {
  const market = schema.properties?.markets?.additionalProperties as {
    readonly allOf: readonly {
      readonly if: { readonly properties?: { readonly strategy: { readonly const: string } } };
      readonly then: { readonly properties: { readonly params: SchemaNode } };
    }[];
  };
  const rule = market.allOf.find((each) => each.if.properties?.strategy.const === name);
  if (rule === undefined) throw new Error(`no rule for ${name}`);
  const { params } = rule.then.properties;
  const { quotingParts } = (schema as unknown as { $defs: Record<string, SchemaNode> }).$defs;
  return { ...params, properties: { ...params.properties, parts: quotingParts as SchemaNode } };
}

/** Parts with a value of every form that is no sample of its type. */
const PARTS = {
  schedule: {
    activeHours: [{ days: ["mon"], from: "08:00", to: "20:00" }],
    blackouts: [{ at: "2026-12-10T19:00:00Z", beforeMs: 1000, afterMs: 1000 }],
    outside: "reduce",
    beforeFunding: { withinMs: 1000, widenFactor: 2 },
  },
  volatilitySpread: { normalBps: 1, maxFactor: 2, stepFraction: 0.1 },
};
/** Those that a strategy with fixed prices takes. */
const FIXED_PARTS = {
  schedule: { activeHours: PARTS.schedule.activeHours, blackouts: PARTS.schedule.blackouts },
};

/** The other one of two keys that are one quantity in two units. */
const inOtherUnit = (key: string) =>
  key.endsWith("Bps") ? key.replace(/Bps$/, "Ticks") : key.replace(/Ticks$/, "Bps");

/** The fewest parameters that a strategy accepts. */
function leastParams(name: string): Record<string, unknown> {
  const { properties = {}, required = [] } = paramsNode(name);
  const isLadder = ["ladder", "imbalance", "funding"].includes(name);
  const keys = isLadder ? [...required, "halfSpreadBps"] : required;
  return {
    ...Object.fromEntries(keys.map((key) => [key, sampleOf(properties[key] as SchemaNode)])),
    ...(name === "grid" ? { upperPrice: 2 } : {}),
  };
}

/** Parameters with one more key, once for each form of its value. */
function paramsWith(name: string, key: string): Record<string, unknown>[] {
  const node = paramsNode(name).properties?.[key] as SchemaNode;
  const { [inOtherUnit(key)]: _, ...others } = leastParams(name);
  if (key === "parts")
    return [{ ...leastParams(name), parts: name === "grid" ? FIXED_PARTS : PARTS }];
  const forms = node.anyOf ?? [node];
  return forms.map((form) => ({
    ...(key.endsWith("s") ? others : leastParams(name)),
    [key]: leastParams(name)[key] ?? sampleOf(form),
  }));
}

describe("config/schema.json", () => {
  it("matches the validator (npm run schema)", () => {
    expect(readFileSync(join(ROOT, "config/schema.json"), "utf8")).toBe(botJsonSchema());
  });

  it("describes every key", () => {
    const whole = filled(schema);
    const places = [
      ...placesIn(schema, whole),
      ...Object.keys(builtInStrategies).flatMap((name) =>
        placesIn(paramsNode(name), filled(paramsNode(name)), ["params", name]),
      ),
    ];
    expect(places.length).toBeGreaterThan(120);
    const silent = places.filter(({ node }) => node.description === undefined);
    expect(silent.map(({ path }) => path.join("."))).toEqual([]);
  });

  it("accepts every bot's file of the project, each of which names the schema for editors", () => {
    const files = yamlFilesIn("config").filter((file) => read(file).includes("\nquotes:"));
    expect(files.sort()).toEqual(
      [
        "bot",
        "hedged",
        "liquidations-competitor",
        "liquidations",
        "liquidator",
        "minimal",
        "replay",
      ].map((name) => `config/${name}.yaml`),
    );
    for (const file of files) {
      const [line = ""] = read(file).split("\n");
      const [, named = ""] = /^# yaml-language-server: \$schema=(\S+)$/.exec(line) ?? [];
      expect(resolve(ROOT, dirname(file), named), file).toBe(join(ROOT, "config/schema.json"));
    }
    const older = yamlFilesIn("test/fixtures").filter((file) => file.endsWith("/bot.yaml"));
    expect(older.length).toBeGreaterThan(0);
    for (const file of [...files, ...older]) {
      validate(parse(read(file)));
      expect(validate.errors, file).toBeNull();
    }
  });

  it.each([
    ["no key", { account: {} }],
    ["two keys", { account: { keyEnv: "A", keystore: { file: "k", passwordEnv: "B" } } }],
    ["a keystore without a password", { account: { keystore: { file: "k" } } }],
    ["a maker's fee alone", { exchange: { ...minimal.exchange, makerFeeRate: 0 } }],
    ["no market", { markets: {} }],
    ["a market without a strategy", { markets: { btcusdc: {} } }],
    ["a source of prices without an origin", { references: { a: { minGapMs: 5 } } }],
    ["a source of prices with two", { references: { a: { ccxt: "x", symbol: "y", feed: "z" } } }],
    ["a source of prices without its symbol", { references: { a: { ccxt: "binanceusdm" } } }],
    ["a key of another source", { references: { a: { index: "btcusdc", pollMs: 500 } } }],
    ["no channel", { notify: { channels: {} } }],
    ["a channel without a service", { notify: { channels: { a: { from: "info" } } } }],
    ["a liquidator without a chain", { liquidator: { minProfitQuote: 1 } }],
    [
      "what a day's loss does, without its limit",
      { risk: { maxDrawdownQuote: 5, onDailyLoss: "halt" } },
    ],
    ["a queue model that is none", { paper: { queue: "fifo" } }],
    ["a strategy that is none", { markets: { btcusdc: { strategy: "laddder" } } }],
    ["a strategy file of another kind", { markets: { btcusdc: { strategy: "./own.py" } } }],
  ])("refuses %s, as the program does", async (_what, change) => {
    expect(await verdicts({ ...minimal, ...change })).toEqual([false, false]);
  });

  it.each([
    ["no strategy", {}, true],
    ["parameters of no strategy", { params: { levels: 1 } }, false],
    ["decisions of no strategy", { decide: { everyMs: 100 } }, false],
    ["a reference of no strategy", { reference: { from: ["index"] } }, false],
    ["a hedge of no strategy", { hedge: { venue: "a", symbol: "b", maxUnhedgedBase: 1 } }, false],
  ])(
    "agrees with the program on a market with %s beside a liquidator",
    async (_what, market, taken) => {
      const written = {
        ...withMarket(market),
        chain: { rpc: ["http://127.0.0.1:8545"] },
        liquidator: { minProfitQuote: 1 },
      };
      expect(await verdicts(written)).toEqual([taken, taken]);
    },
  );

  it("leaves the parameters of a strategy file open", () => {
    for (const strategy of ["./own.ts", "../own.mjs", "/home/me/own.js", "own.mts"])
      expect(validate(withMarket({ strategy, params: { anything: [1, "x"] } })), strategy).toBe(
        true,
      );
  });
});

describe("every key of a bot's file", () => {
  const market = schema.properties?.markets?.additionalProperties as SchemaNode;
  const rung = { action: "widen", widenFactor: 2 };
  const address = `0x${"1".repeat(40)}`;
  const common = { multiplier: 1, minGapMs: 20, maxAgeMs: 1000 };
  const hedge = {
    venue: "far",
    symbol: "BTC/USDT:USDT",
    ratio: 1,
    maxUnhedgedBase: 0.05,
    maxUnhedgedMs: 5000,
    style: "taker",
    maxSlippageBps: 20,
    minClipBase: 0.01,
    whenAway: "reduce",
  };
  const account = { keyEnv: undefined, keystore: { passwordFile: undefined }, address };
  const whole = filled(schema, {
    exchange: minimal.exchange,
    account,
    markets: {
      btcusdc: filled(market, {
        strategy: "ladder",
        params: leastParams("ladder"),
        reference: { from: [{ source: "deep", weight: 2 }, "other"] },
        hedge: { ...hedge, quoteRate: { fixed: 1, reference: undefined } },
      }),
    },
    hedgeVenues: {
      far: {
        ccxt: "binanceusdm",
        urls: { rest: "http://127.0.0.1:8641", stream: "ws://127.0.0.1:8641" },
        keyEnv: "HEDGE_KEY",
        secretEnv: "HEDGE_SECRET",
        requestTimeoutMs: 2000,
        acceptanceWindowMs: 2000,
        reconcileMs: 10_000,
        takerFeeBps: 5,
        maxRequestWeight: 1200,
      },
    },
    references: {
      deep: { ccxt: "binanceusdm", symbol: "BTC/USDT:USDT", stream: "touch", ...common },
      other: { exchange: minimal.exchange, market: "btcusdc" },
      index: { index: "btcusdc" },
      feed: { feed: address, pollMs: 1000 },
      own: { module: "./own.js", params: {} },
    },
    risk: {
      maxDrawdownQuote: 500,
      maxDailyLossQuote: 500,
      maxAccountAgeMs: 90_000,
      maxRulesAgeMs: 900_000,
      ladder: {
        drawdown: [{ fromQuote: 1, ...rung }],
        dailyLoss: [{ fromQuote: 1, ...rung }],
        inventory: [{ fromFraction: 0.5, ...rung }],
        markout: [{ fromBps: 1, ...rung }],
        liftFraction: 0.8,
      },
    },
    chain: { rpc: ["http://127.0.0.1:8545"], rpcEnv: ["RPC_URL"], lens: address },
    liquidator: { maxNotionalQuote: 100 },
    notify: {
      channels: {
        phone: {
          telegram: {
            tokenEnv: "TELEGRAM_TOKEN",
            chatId: -5,
            allowedIds: [7],
            url: "https://api.telegram.org",
          },
          from: "info",
          digestMs: 0,
          fills: true,
          dailySummary: false,
        },
        team: { slack: { urlEnv: "SLACK_WEBHOOK" } },
        room: { discord: { urlEnv: "DISCORD_WEBHOOK" } },
        pager: { webhook: { urlEnv: "PAGER_URL", secretEnv: "PAGER_SECRET" } },
        mail: {
          email: {
            host: "mail.example.com",
            port: 587,
            tls: "starttls",
            user: "bot",
            passwordEnv: "MAIL_PASSWORD",
            from: "bot@example.com",
            to: ["ops@example.com"],
          },
        },
      },
      repeatMs: 600_000,
      maxBacklog: 500,
      maxAgeMs: 86_400_000,
      dailySummaryAt: "07:00",
      timeZone: "Europe/Berlin",
      control: true,
      totpSecretEnv: "TOTP_SECRET",
    },
    stateDir: "state",
  });
  const others = [
    { ...whole, account: { keyEnv: "MARKETWRIGHT_KEY" } },
    { ...whole, account: { keystore: { file: "key.json", passwordFile: "password.txt" } } },
  ];
  const places = [
    ...placesIn(schema, whole).map((place) => ({ ...place, file: whole })),
    ...others.flatMap((file) =>
      placesIn(schema, file)
        .filter(({ path }) => /keyEnv|passwordFile/.test(path.at(-1) ?? ""))
        .map((place) => ({ ...place, file })),
    ),
  ];

  it.each([whole, ...others])("is accepted in a file that has it", async (file) => {
    expect(await refusal(file)).toBeUndefined();
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
  });

  it("appears in one of these files", () => {
    const names = new Set(places.map(({ path }) => path.at(-1)));
    expect(keysOf(schema).filter((key) => !names.has(key))).toEqual([]);
  });

  it.each(places.map(({ path, node, file }) => [path.join("."), path, node, file] as const))(
    "%s is refused by schema and program if it is misspelt or has a wrong value",
    async (_name, path, node, file) => {
      const misspelt = changedAt(file, path, (mapping, key) => {
        mapping[`${key}x`] = mapping[key];
        delete mapping[key];
      });
      expect(await verdicts(misspelt)).toEqual([false, false]);
      for (const [what, value] of wrongValues(node)) {
        const wrong = changedAt(file, path, (mapping, key) => {
          mapping[key] = value;
        });
        expect(await verdicts(wrong), `${what}: ${JSON.stringify(value)}`).toEqual([false, false]);
      }
    },
  );
});

/** The names of all keys below a node. */
function keysOf(node: SchemaNode): string[] {
  const { properties = {}, additionalProperties, items } = node;
  const children = [additionalProperties, items].filter((child) => typeof child === "object");
  return [
    ...Object.entries(properties).flatMap(([key, child]) => [key, ...keysOf(child)]),
    ...children.flatMap(keysOf),
  ];
}

describe.each(Object.keys(builtInStrategies))("the parameters of %s", (strategy) => {
  const keys = Object.keys(paramsNode(strategy).properties ?? {});
  const file = (params: unknown) => withMarket({ strategy, params });

  it("are accepted with only the required ones, and refused without any of them", async () => {
    const least = leastParams(strategy);
    expect(await verdicts(file(least))).toEqual([true, true]);
    expect(await verdicts(withMarket({ strategy }))).toEqual([false, false]);
    for (const key of Object.keys(least)) {
      const { [key]: _, ...others } = least;
      expect(await verdicts(file(others)), key).toEqual([false, false]);
    }
  });

  it.each(keys)("have %s, and refuse a misspelling of it", async (key) => {
    for (const params of paramsWith(strategy, key)) {
      expect(await verdicts(file(params)), JSON.stringify(params)).toEqual([true, true]);
      const places = placesIn(paramsNode(strategy), params).filter(({ path }) => path[0] === key);
      expect(places.length).toBeGreaterThan(0);
      for (const { path, node } of places) {
        const misspelt = changedAt(params, path, (mapping, name) => {
          mapping[`${name}x`] = mapping[name];
          delete mapping[name];
        });
        expect(await verdicts(file(misspelt)), path.join(".")).toEqual([false, false]);
        for (const [what, value] of wrongValues(node)) {
          const wrong = changedAt(params, path, (mapping, name) => {
            mapping[name] = value;
          });
          const verdict = await verdicts(file(wrong));
          expect(verdict, `${path.join(".")} ${what}: ${JSON.stringify(value)}`).toEqual([
            false,
            false,
          ]);
        }
      }
    }
  });

  it("are accepted or refused by schema and program alike, whatever their values", async () => {
    // The values of parts are those of the test above.
    const { parts: _, ...own } = paramsNode(strategy).properties ?? {};
    const node = { ...paramsNode(strategy), properties: own };
    const drawnFrom = (child: SchemaNode): fc.Arbitrary<unknown> => {
      const forms = child.anyOf ?? [child];
      const values = forms.flatMap((form) =>
        form.properties === undefined
          ? [fc.constant(sampleOf(form)), ...inRange(form)]
          : [mappingOf(form)],
      );
      const wrong = fc.constantFrom(...wrongValues(child).map(([, value]) => value));
      return fc.oneof(
        { weight: 30, arbitrary: fc.oneof(...values) },
        { weight: 1, arbitrary: wrong },
      );
    };
    const mappingOf = ({ properties = {}, required = [] }: SchemaNode): fc.Arbitrary<object> =>
      fc
        .record(
          Object.fromEntries(
            Object.entries(properties).map(([key, child]) => [
              key,
              required.includes(key)
                ? drawnFrom(child)
                : fc.option(drawnFrom(child), { nil: undefined, freq: 2 }),
            ]),
          ),
        )
        .map((held) =>
          Object.fromEntries(Object.entries(held).filter(([, value]) => value !== undefined)),
        );
    const inRange = ({ type, minimum, maximum, exclusiveMinimum, enum: choices }: SchemaNode) => {
      if (choices !== undefined) return [fc.constantFrom(...choices)];
      if (type === "boolean") return [fc.boolean()];
      const [low, high] = [minimum ?? exclusiveMinimum ?? -10, Math.min(maximum ?? 1e6, 1e9)];
      return type === "integer"
        ? [fc.integer({ min: low, max: high })]
        : [fc.double({ min: low, max: high, noNaN: true })];
    };
    const counts = { taken: 0, refused: 0 };
    const dropOtherUnits = (params: object) =>
      Object.fromEntries(
        Object.entries(params).filter(
          ([key]) => !key.endsWith("Ticks") || !Object.hasOwn(params, inOtherUnit(key)),
        ),
      );
    await fc.assert(
      fc.asyncProperty(mappingOf(node), fc.nat(5), async (drawn, keep) => {
        const written = file(keep === 0 ? drawn : dropOtherUnits(drawn));
        const message = await refusal(written);
        const isTaken = validate(written);
        counts[message === undefined ? "taken" : "refused"] += 1;
        if (message !== undefined && BEYOND_A_SCHEMA.test(message)) return;
        expect([isTaken, written, message]).toEqual([message === undefined, written, message]);
      }),
      { numRuns: 100 },
    );
    expect(counts.taken).toBeGreaterThan(10);
    expect(counts.refused).toBeGreaterThan(10);
  });
});
