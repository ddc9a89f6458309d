import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { ConfigError } from "#core/errors.js";

const env = { MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}` };
const folder = mkdtempSync(join(tmpdir(), "marketwright-liquidator-config-"));
const BOT = `exchange: { rest: "http://127.0.0.1:8620/v1", stream: "ws://127.0.0.1:8620/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc: {}
  ethusdc: { limits: { maxOrderBase: 2 } }
risk: { maxDrawdownQuote: 500 }
chain: { rpc: ["http://127.0.0.1:8545"] }
liquidator: { minProfitQuote: 2.50 }
`;

function load(text: string) {
  const path = join(folder, "bot.yaml");
  writeFileSync(path, text);
  return loadBotConfig(path, env);
}

function refusalOf(
  from: string,
  to: string,
): { readonly field: string | undefined; readonly message: string } {
  const text = BOT.replace(from, to);
  expect(text).not.toBe(BOT);
  try {
    load(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return { field: (error as ConfigError).field, message: (error as ConfigError).message };
  }
  throw new Error("the file was taken");
}

describe("a liquidator's file", () => {
  it("needs only a chain and the least profit", () => {
    const { chain, liquidator, markets } = load(BOT);
    expect(chain).toMatchObject({
      rpc: ["http://127.0.0.1:8545"],
      quorum: 1,
      confirmations: 1,
      maxHeadAgeMs: 15_000,
      requestTimeoutMs: 2000,
    });
    expect(liquidator).toMatchObject({
      dryRun: false,
      minProfitQuote: "2.5",
      marginBufferFraction: 0.5,
      tipGwei: "0.01",
    });
    expect(markets.btcusdc).toEqual({ params: {}, limits: {} });
    expect(markets.ethusdc?.limits).toEqual({ maxOrderBase: "2" });
  });

  it.each([
    ["chain: {", "nothing: {", "nothing", /unknown|not known|no key/i],
    [`chain: { rpc: ["http://127.0.0.1:8545"] }\n`, "", "chain", /missing beside liquidator.*8545/],
    [
      "liquidator: { minProfitQuote: 2.50 }\n",
      "",
      "markets.btcusdc.strategy",
      /only with a liquidator/,
    ],
    ["minProfitQuote: 2.50", "dryRun: true", "liquidator.minProfitQuote", /missing/],
    ["minProfitQuote: 2.50", "minProfitQuote: 0", "liquidator.minProfitQuote", /zero/],
    [
      "2.50",
      "2.50, maxNotionalQuote: 2",
      "liquidator.minProfitQuote",
      /far below maxNotionalQuote, 2/,
    ],
    ["2.50", "2.50, tipGwei: -1", "liquidator.tipGwei", /too low.*from 0 and below 1e6/],
    ["2.50", "2.50, deadlineMs: 5000", "liquidator.deadlineMs", /more than stuckMs, 6000/],
    ["2.50", "2.50, bumpPercent: 5", "liquidator.bumpPercent", /10/],
    [
      "btcusdc: {}",
      "btcusdc: { params: { sizeBase: 1 } }",
      "markets.btcusdc.params",
      /none is named/,
    ],
    [
      "btcusdc: {}",
      "btcusdc: { decide: { everyMs: 100 } }",
      "markets.btcusdc.decide",
      /none is named/,
    ],
    [`rpc: ["http://127.0.0.1:8545"]`, "rpc: []", "chain.rpc", /at least one address/],
    [`:8545"]`, `:8545", "http://127.0.0.1:8545/"]`, "chain.rpc", /the same RPC twice/],
    [`:8545"]`, `:8545"], quorum: 2`, "chain.quorum", /1 to 1, the number of RPCs/],
    [`:8545"]`, `:8545"], gasCap: 1000000`, "chain.gasCap", /2000000/],
    [`:8545"]`, `:8545"], pollMs: 60000`, "chain.pollMs", /less than maxHeadAgeMs, 15000/],
    [`:8545"]`, `:8545"], lens: "0x12"`, "chain.lens", /40 hex digits/],
    [
      `rpc: ["http://127.0.0.1:8545"]`,
      `rpc: "http://127.0.0.1:8545"`,
      "chain.rpc",
      /a list of at most 16 addresses, such as \[http/,
    ],
    [
      `rpc: ["http://127.0.0.1:8545"]`,
      `rpc: [8545]`,
      "chain.rpc.0",
      /an address such as http:\/\/127\.0\.0\.1:8545$/,
    ],
    [
      `:8545"]`,
      `:8545"], rpcEnv: ["MY-URL"]`,
      "chain.rpcEnv.0",
      /wrong form.*the name of an environment variable, such as RPC_URL/,
    ],
    [`rpc: ["http://127`, `rpc: ["ws://127`, "chain.rpc.0", /http:/],
    [`rpc: ["http://127`, `rpc: ["http://user:secret@127`, "chain.rpc.0", /name or password/],
  ])("is refused with %s made %s", (from, to, field, words) => {
    const refusal = refusalOf(from, to);
    expect(refusal.field).toBe(field);
    expect(refusal.message).toMatch(words);
  });
});
