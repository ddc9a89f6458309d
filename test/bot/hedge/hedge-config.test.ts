import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { ConfigError } from "#core/errors.js";

const env = { MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}` };
const folder = mkdtempSync(join(tmpdir(), "marketwright-hedge-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DEEP = "deep: { ccxt: binanceusdm, keyEnv: HEDGE_KEY, secretEnv: HEDGE_SECRET }";
const HEDGE = "venue: deep, symbol: BTC/USDT:USDT, maxUnhedgedBase: 0.01";

function load(venues: string, hedge: string | undefined, more = "") {
  const path = join(folder, "bot.yaml");
  writeFileSync(
    path,
    `exchange: { rest: "http://127.0.0.1:8620/v1", stream: "ws://127.0.0.1:8620/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
hedgeVenues: { ${venues} }
markets:
  btcusdc:
    strategy: ladder
    params: { halfSpreadBps: 4, sizeBase: 0.02 }
${hedge === undefined ? "" : `    hedge: { ${hedge} }`}
${more}
risk: { maxDrawdownQuote: 500 }
`,
  );
  return loadBotConfig(path, env);
}

function refusalOf(...file: Parameters<typeof load>): string {
  try {
    load(...file);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("the file was accepted");
}

const deepWith = (more: string) => `${DEEP.slice(0, -2)}, ${more} }`;

describe("the hedge of a bot's file", () => {
  it("takes at once, within 20 basis points, and has all of the position, unless the file says more", () => {
    const { hedgeVenues, markets } = load(DEEP, HEDGE);
    expect(hedgeVenues?.deep).toEqual({
      ccxt: "binanceusdm",
      keyEnv: "HEDGE_KEY",
      secretEnv: "HEDGE_SECRET",
      requestTimeoutMs: 2000,
      acceptanceWindowMs: 2000,
      reconcileMs: 10_000,
      maxRequestWeight: 1200,
    });
    expect(markets.btcusdc.hedge).toEqual({
      venue: "deep",
      symbol: "BTC/USDT:USDT",
      ratio: 1,
      maxUnhedgedBase: "0.01",
      maxUnhedgedMs: 5000,
      style: "taker",
      maxSlippageBps: 20,
      whenAway: "reduce",
    });
  });

  const OTHER = "markets.btcusdc.hedge";
  it.each([
    ["ccxt: kraken", "hedgeVenues.deep.ccxt", "binanceusdm"],
    ["keyEnv: 'a key'", "hedgeVenues.deep.keyEnv", "the name of an environment variable"],
    ["secretEnv: ''", "hedgeVenues.deep.secretEnv", "the name of an environment variable"],
    ["requestTimeoutMs: 50", "hedgeVenues.deep.requestTimeoutMs", "100"],
    ["acceptanceWindowMs: 90000", "hedgeVenues.deep.acceptanceWindowMs", "60000"],
    ["reconcileMs: 100", "hedgeVenues.deep.reconcileMs", "500"],
    ["takerFeeBps: -1", "hedgeVenues.deep.takerFeeBps", "0"],
    ["takerFeeBps: 500", "hedgeVenues.deep.takerFeeBps", "100"],
    ["maxRequestWeight: 1.5", "hedgeVenues.deep.maxRequestWeight", "whole"],
    ["secret: abc", "hedgeVenues.deep.secret", ""],
    ["urls: { rest: 'ftp://a' }", "hedgeVenues.deep.urls", ""],
    [
      "urls: { rest: 'http://u:p@a', stream: 'ws://a' }",
      "hedgeVenues.deep.urls.rest",
      "must not hold a name or password",
    ],
    [
      "urls: { rest: 'http://a', stream: 'http://a' }",
      "hedgeVenues.deep.urls.stream",
      "has the wrong scheme",
    ],
  ])("is refused for its venue by name: %s", (key, field, expected) => {
    const name = `${key.split(":")[0]}:`;
    const without = DEEP.replace(new RegExp(`${name} [^,}]+,? ?`), "");
    const kept = without.replace(/, }$/, " }").replace(/ +}$/, " }");
    const refusal = refusalOf(`${kept.slice(0, -2)}, ${key} }`, HEDGE);
    expect(refusal).toContain(field);
    expect(refusal).toContain(expected);
  });

  it.each([
    ["venue: other, symbol: A, maxUnhedgedBase: 1", `${OTHER}.venue`, "one of deep"],
    ["venue: deep, maxUnhedgedBase: 1", `${OTHER}.symbol`, "is missing"],
    ["venue: deep, symbol: '', maxUnhedgedBase: 1", `${OTHER}.symbol`, ""],
    ["venue: deep, symbol: A", `${OTHER}.maxUnhedgedBase`, "is missing"],
    [`venue: deep, symbol: A, maxUnhedgedBase: 0`, `${OTHER}.maxUnhedgedBase`, "above 0"],
    [`${HEDGE}, ratio: 0`, `${OTHER}.ratio`, "above 0"],
    [`${HEDGE}, ratio: 1.5`, `${OTHER}.ratio`, "1"],
    [`${HEDGE}, maxUnhedgedMs: 0`, `${OTHER}.maxUnhedgedMs`, ""],
    [`${HEDGE}, style: maker`, `${OTHER}.style`, "maker-then-taker"],
    [`${HEDGE}, maxSlippageBps: 0`, `${OTHER}.maxSlippageBps`, "above 0"],
    [`${HEDGE}, maxSlippageBps: 2000`, `${OTHER}.maxSlippageBps`, "1000"],
    [`${HEDGE}, minClipBase: -1`, `${OTHER}.minClipBase`, "above 0"],
    [`${HEDGE}, whenAway: ignore`, `${OTHER}.whenAway`, "reduce"],
    [`${HEDGE}, quoteRate: {}`, `${OTHER}.quoteRate`, "has no rate"],
    [
      `${HEDGE}, quoteRate: { fixed: 1, reference: usdt }`,
      `${OTHER}.quoteRate`,
      "either fixed or reference",
    ],
    [`${HEDGE}, quoteRate: { fixed: 0 }`, `${OTHER}.quoteRate.fixed`, "above 0"],
    [
      `${HEDGE}, quoteRate: { reference: usdt }`,
      `${OTHER}.quoteRate.reference`,
      "names a source that references does not have",
    ],
  ])("is refused by name: %s", (hedge, field, expected) => {
    const refusal = refusalOf(DEEP, hedge);
    expect(refusal).toContain(field);
    expect(refusal).toContain(expected);
  });

  it("is refused without a venue in the file, without a strategy, and for two markets at once", () => {
    expect(refusalOf("", HEDGE)).toContain("hedgeVenues with this venue");
    const beside = (market: string) => refusalOf(DEEP, HEDGE, `  ethusdc: { ${market} }`);
    expect(beside(`hedge: { ${HEDGE.replace("BTC", "ETH")} }`)).toContain("markets.ethusdc.hedge");
    const twice = beside(
      `strategy: ladder, params: { halfSpreadBps: 4, sizeBase: 1 }, hedge: { ${HEDGE} }`,
    );
    expect(twice).toContain("markets.ethusdc.hedge.symbol");
    expect(twice).toContain("is the hedge of markets.btcusdc too");
  });

  it("is refused without the fee of the venue where acquired positions are always laid off", () => {
    const always = `chain: { rpc: ["http://127.0.0.1:8630"] }
liquidator: { minProfitQuote: 1, unwind: { layOff: hedge } }`;
    const refusal = refusalOf(DEEP, HEDGE, always);
    expect(refusal).toContain("hedgeVenues.deep.takerFeeBps");
    expect(refusal).toContain("liquidator.unwind.layOff is hedge");
    const { hedgeVenues, liquidator } = load(deepWith("takerFeeBps: 5"), HEDGE, always);
    expect(hedgeVenues?.deep?.takerFeeBps).toBe(5);
    expect(liquidator?.unwind.layOff).toBe("hedge");
  });

  it("is not promised for acquired positions where no market has one", () => {
    const always = `chain: { rpc: ["http://127.0.0.1:8630"] }
liquidator: { minProfitQuote: 1, unwind: { layOff: hedge } }`;
    const refusal = refusalOf(deepWith("takerFeeBps: 5"), undefined, always);
    expect(refusal).toContain("liquidator.unwind.layOff");
    expect(refusal).toContain("no market has one");
  });

  it("keeps the venue's own settings where the file has them", () => {
    const urls = "urls: { rest: 'http://127.0.0.1:8640/', stream: 'ws://127.0.0.1:8640' }";
    const { hedgeVenues } = load(deepWith(`${urls}, reconcileMs: 5000`), HEDGE);
    expect(hedgeVenues?.deep).toMatchObject({
      urls: { rest: "http://127.0.0.1:8640", stream: "ws://127.0.0.1:8640" },
      reconcileMs: 5000,
    });
  });
});
