import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { referenceFor } from "#bot/used-reference.js";
import { ConfigError } from "#core/errors.js";

const env = { MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}` };
const folder = mkdtempSync(join(tmpdir(), "marketwright-reference-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BINANCE = "binance: { ccxt: binanceusdm, symbol: BTC/USDT:USDT }";

function load(sources: string, reference: string, more = "") {
  const path = join(folder, "bot.yaml");
  writeFileSync(
    path,
    `exchange: { rest: "http://127.0.0.1:8620/v1", stream: "ws://127.0.0.1:8620/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
references: { ${sources} }
markets:
  btcusdc:
    strategy: ladder
    params: { halfSpreadBps: 4, sizeBase: 0.02 }
    reference: { ${reference} }
risk: { maxDrawdownQuote: 500 }
${more}`,
  );
  return loadBotConfig(path, env);
}

function refusalOf(sources: string, reference: string): string {
  try {
    load(sources, reference);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("the file was accepted");
}

describe("the reference prices of a bot's file", () => {
  it("halt a market without a good price, and come at most every 20 ms, unless the file says more", () => {
    const { references, markets } = load(BINANCE, "from: [binance]");
    expect(references).toEqual({
      binance: {
        ccxt: "binanceusdm",
        symbol: "BTC/USDT:USDT",
        multiplier: 1,
        minGapMs: 20,
      },
    });
    expect(markets.btcusdc.reference).toEqual({
      from: ["binance"],
      combine: "median",
      maxAgeMs: 2000,
      maxDeviationBps: 50,
      maxFromMidBps: 500,
      onStale: "halt",
      widenFactor: 3,
    });
  });

  it("need two sources that agree where there are two or more, and one where there is one", () => {
    const minSources = (from: string) => {
      const config = load(`${BINANCE}, b: { index: btcusdc }, c: { index: btcusdc }`, from);
      const used = referenceFor(config, { marketId: "btcusdc", tickQuote: 0.1 });
      const now = { monotonicMs: 0, exchangeMs: 0 };
      used?.price.note({ type: "price", source: "b", bid: 1, ask: 1, heldMs: 0 }, 0);
      return used?.price.state(now);
    };
    expect(minSources("from: [b]")).toBe("good");
    expect(minSources("from: [b, c]")).toBe("starting");
    expect(minSources("from: [b, c], minSources: 1")).toBe("good");
  });

  it.each([
    ["a: {}", "from: [a]", "references.a", "says nothing about where its prices come from"],
    ["a: { ccxt: x, index: btcusdc }", "from: [a]", "references.a", "has two origins"],
    ["a: { ccxt: x }", "from: [a]", "references.a.symbol", "is missing beside ccxt"],
    [
      "a: { index: btcusdc, symbol: B }",
      "from: [a]",
      "references.a.symbol",
      "belongs to a source with ccxt",
    ],
    ["a: { index: ethusdc }", "from: [a]", "references.a.index", "is not a market of this bot"],
    [
      `a: { feed: "0x${"1".repeat(40)}" }`,
      "from: [a]",
      "chain",
      "is missing beside references.a.feed",
    ],
    [
      BINANCE,
      "from: [other]",
      "markets.btcusdc.reference.from.0",
      "names a source that references does not have",
    ],
    [BINANCE, "from: [binance, binance]", "markets.btcusdc.reference.from.1", "is there twice"],
    [
      BINANCE,
      "from: [binance], minSources: 2",
      "markets.btcusdc.reference.minSources",
      "is more than there are sources",
    ],
    [BINANCE, "from: []", "markets.btcusdc.reference.from", ""],
    [BINANCE, "from: [binance], onStale: last", "markets.btcusdc.reference.onStale", ""],
    [BINANCE, "from: [binance], widenFactor: 1", "markets.btcusdc.reference.widenFactor", ""],
  ])("are refused by name: %s with %s", (sources, reference, field, message) => {
    const refusal = refusalOf(sources, reference);
    expect(refusal).toContain(field);
    expect(refusal).toContain(message);
  });
});
