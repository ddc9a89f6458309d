import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { ConfigError } from "#core/errors.js";
import { captureCli } from "./captured-cli.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-exchange-"));
mkdirSync(join(folder, "data", "books"), { recursive: true });
writeFileSync(join(folder, "data", "books", "btc_today.ndjson.gz"), "plain text\n");
writeFileSync(join(folder, "data", "books", "foreign.ndjson.gz"), gzipSync('{"bids":[]}\n'));

function write(text: string): string {
  const path = join(folder, "exchange.yaml");
  writeFileSync(path, text);
  return path;
}

function messageOf(text: string): string {
  try {
    loadExchangeConfig(write(text));
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("the file was taken");
}

const market = (keys: string): string => `port: 0\nmarkets: { btcusdc: { ${keys} } }\n`;

describe("an exchange's file that is wrong says the path, the value and what would be right", () => {
  it.each([
    [
      "an order flow of no kind",
      market("flow: { kind: real }"),
      ["markets.btcusdc.flow.kind", '"real"', "one of none, synthetic, replay"],
    ],
    [
      "an order flow without a kind",
      market("flow: {}"),
      ["markets.btcusdc.flow.kind", "is missing", "one of none, synthetic, replay"],
    ],
    [
      "a kind in the wrong case",
      market("flow: { kind: Replay, tag: x }"),
      ["markets.btcusdc.flow.kind", "did you mean replay?"],
    ],
    [
      "a kind in the place of a flow",
      market("flow: synthetic"),
      ["markets.btcusdc.flow:", "kind is one of none, synthetic, replay"],
    ],
    [
      "a key of another kind of flow",
      market("flow: { kind: synthetic, startPriceQuote: 1, speed: 2 }"),
      ["markets.btcusdc.flow.speed", "unknown key", "startPriceQuote, preset"],
    ],
    [
      "an upper-case market",
      "markets: { BTCUSDC: {} }",
      ["markets.BTCUSDC:", '"BTCUSDC"', "did you mean btcusdc?", "lower-case"],
    ],
    [
      "a market with a dash",
      "markets: { btc-usdc: {} }",
      ["markets.btc-usdc:", '"btc-usdc"', "3 to 32 lower-case letters and digits"],
    ],
    [
      "an API key of the dialect with a dot",
      "dialects: { binance-usdm: { apiKeys: { my.api.key: { secretEnv: A } } } }\nmarkets: { btcusdc: {} }",
      ["dialects.binance-usdm.apiKeys.my.api.key:", "8 to 128 letters, digits, - and _"],
    ],
    [
      "one contract for two markets: an order signed for one could be sent to the other",
      'markets: { btcusdc: { perp: "0x2222222222222222222222222222222222222222" }, ethusdc: { perp: "0x2222222222222222222222222222222222222222" } }',
      [
        "markets.ethusdc.perp:",
        "is used for two markets",
        "another contract than the one of btcusdc",
      ],
    ],
    ...[
      ["dataDir", "dataDir: 5\nmarkets: { btcusdc: {} }", "5"],
      ["host", "host: 8620\nmarkets: { btcusdc: {} }", "8620"],
      ["domain.name", "domain: { name: 1 }\nmarkets: { btcusdc: {} }", "1"],
      ["markets.btcusdc.baseAsset", market("baseAsset: 7"), "7"],
      ["chain.rpc.host", "chain: { rpc: { host: 127 } }\nmarkets: { btcusdc: {} }", "127"],
    ].map(
      ([field = "", text = "", value]) =>
        [
          `a number for the text of ${field}`,
          text,
          [
            `${field}: is of the wrong type`,
            "write a text in quotes",
            `(got ${value})`,
            "a text that is not empty",
          ],
        ] as const,
    ),
    [
      "one port for the exchange and its chain",
      "port: 8633\nchain: { rpc: { port: 8633 } }\nmarkets: { btcusdc: {} }",
      ["chain.rpc.port:", "line 2", "(got 8633)", "another port, or 0 for any free port"],
    ],
    [
      "the exchange's port, by default, for its chain",
      "chain: { rpc: { port: 8620 } }\nmarkets: { btcusdc: {} }",
      ["chain.rpc.port:", "(got 8620)", "another port, or 0 for any free port"],
    ],
    [
      "the chain's port, by default, for the exchange",
      "port: 8545\nchain: {}\nmarkets: { btcusdc: {} }",
      [
        "port:",
        "the default of chain.rpc.port, 8545,",
        "(got 8545)",
        "a setting of chain.rpc.port: another port, or 0 for any free port",
      ],
    ],
    ["no market", "markets: {}", ["markets:", "names no market", "at least one market"]],
    [
      "a list of markets",
      "markets: [btcusdc]",
      ["markets:", "a mapping whose keys are 3 to 32 lower-case letters"],
    ],
    ...["0", '"0"', "0.0", '"0.00"'].map(
      (tick) =>
        [
          `a tick of ${tick}`,
          market(`tickSize: ${tick}`),
          ["markets.btcusdc.tickSize:", "must not be zero", "above zero", "line 2"],
        ] as const,
    ),
    ...["-1", '"1e-3"', "1e-3", ".5", "0x10", ".inf", "ten"].map(
      (tick) =>
        [
          `a tick of ${tick}`,
          market(`tickSize: ${tick}`),
          ["markets.btcusdc.tickSize:", "plain decimal above zero", "without exponent"],
        ] as const,
    ),
    [
      "a tick against a default",
      market("tickSize: 0.5"),
      [
        "markets.btcusdc.tickSize:",
        "the default of priceQuote.min, 0.1",
        '(got "0.5")',
        "a setting of priceQuote.min: a whole multiple of tickSize, 0.5",
      ],
    ],
    [
      "a step against a default",
      market("stepSize: 0.01"),
      [
        "markets.btcusdc.stepSize:",
        "the default of amountBase.min, 0.001",
        "a setting of amountBase.min",
      ],
    ],
    [
      "a bound off the grid",
      market("priceQuote: { min: 0.05 }"),
      ["markets.btcusdc.priceQuote.min:", '"0.05"', "a whole multiple of tickSize, 0.1"],
    ],
    [
      "a bound of zero",
      market("amountBase: { min: 0 }"),
      ["markets.btcusdc.amountBase.min:", "must not be zero"],
    ],
    [
      "bounds the wrong way round",
      market("amountBase: { min: 5, max: 1 }"),
      ["markets.btcusdc.amountBase.max:", '"1"', "at least amountBase.min, 5"],
    ],
    [
      "a bound against the default of the other",
      market("amountBase: { min: 2000 }"),
      ["markets.btcusdc.amountBase.min:", '"2000"', "the default of max, 1000"],
    ],
    [
      "a leverage against the default of its threshold",
      market("maxLeverage: 50"),
      [
        "markets.btcusdc.maxLeverage:",
        "50",
        "the default of liquidationThreshold, 0.03",
        "at most 1 / maxLeverage, 0.02",
      ],
    ],
    [
      "decimals against the default step",
      "paperDecimals: 1\nmarkets: { btcusdc: {} }",
      ["paperDecimals:", "the default of markets.btcusdc.stepSize, 0.001", "at most 1 decimals"],
    ],
    [
      "credit that is finer than its unit",
      "creditOnRegistration: 1.12345678\nmarkets: { btcusdc: {} }",
      ["creditOnRegistration:", '"1.12345678"', "at most 6 decimals"],
    ],
    [
      "a start price of no tick",
      market("flow: { kind: synthetic, startPriceQuote: 1e-30 }"),
      ["markets.btcusdc.flow.startPriceQuote:", "from priceQuote.min, 0.1"],
    ],
    [
      "a gas price with a fraction",
      "gasFee: { minGasPriceWei: 1.5 }\nmarkets: { btcusdc: {} }",
      ["gasFee.minGasPriceWei:", '"1.5"', "a whole number of wei"],
    ],
    [
      "a least gas price above the default of the largest",
      "gasFee: { minGasPriceWei: 500000000 }\nmarkets: { btcusdc: {} }",
      [
        "gasFee.minGasPriceWei:",
        '"500000000"',
        "the default of maxGasPriceWei, 50000000",
        "a setting of maxGasPriceWei",
      ],
    ],
    [
      "an address that is none",
      market("perp: 0x12"),
      ["markets.btcusdc.perp:", '"0x12"', "0x and 40 hex digits"],
    ],
    ["an empty host", "host: ''\nmarkets: { btcusdc: {} }", ["host: is empty", "not empty"]],
    [
      "a seed with a fraction",
      "seed: 1.5\nmarkets: { btcusdc: {} }",
      ["seed:", "1.5", "a whole number or a text"],
    ],
    [
      "a rate with a fraction",
      "rateLimits: { order: 1.5 }\nmarkets: { btcusdc: {} }",
      ["rateLimits.order: is not a whole number", "1.5"],
    ],
  ] as const)("%s", (_name, text, parts) => {
    const message = messageOf(text);
    for (const part of parts) expect(message).toContain(part);
    expect(message.split("\n")).toHaveLength(1);
    expect(message.match(/; expected/g)).toHaveLength(1);
  });

  it("takes an address without quotes for what it is, where YAML would make a rounded number of it", () => {
    const perp = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    expect(loadExchangeConfig(write(market(`perp: ${perp}`))).markets.btcusdc?.perp).toBe(perp);
  });
});

describe("a recorded market that is not there", () => {
  const replay = (flow: string, keys = "") => market(`${keys} flow: { kind: replay, ${flow} }`);
  it.each([
    [
      "a tag",
      replay("folder: data, tag: btc_tody"),
      ["markets.btcusdc.flow.tag:", '"btc_tody"', "did you mean btc_today?", "btc_tody.ndjson.gz"],
    ],
    [
      "a path for a tag",
      replay("folder: data, tag: ../x"),
      ["markets.btcusdc.flow.tag:", '"../x"', "without folder or extension"],
    ],
    [
      "a folder",
      replay("folder: nowhere, tag: x"),
      ["markets.btcusdc.flow.folder: does not exist", "nowhere", "books/"],
    ],
    [
      "a folder of another kind",
      replay("folder: data/books, tag: x"),
      ["markets.btcusdc.flow.folder: has no books/", "data/books"],
    ],
    [
      "a file for a folder",
      replay("folder: exchange.yaml, tag: x"),
      ["markets.btcusdc.flow.folder: is not a folder", "exchange.yaml"],
    ],
    [
      "a file that is no gzip",
      replay("folder: data, tag: btc_today"),
      ["markets.btcusdc.flow.tag:", "btc_today.ndjson.gz:1", "gzip"],
    ],
    [
      "a file of another format",
      replay("folder: data, tag: foreign"),
      ["markets.btcusdc.flow.tag:", "foreign.ndjson.gz:1", "docs/ideas/order-flow.md"],
    ],
  ])("is named by the setting that names it: %s", async (_name, text, parts) => {
    const { code, out, err } = await captureCli(["exchange", write(text)]);
    for (const part of parts) expect(err).toContain(part);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });
});
