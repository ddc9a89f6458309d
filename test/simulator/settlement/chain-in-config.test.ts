import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { checkChainConfig } from "#simulator/config-chain.js";
import { configuredExchange, openConfiguredExchange } from "#simulator/configured-exchange.js";
import { namedSignatures, START_MS } from "../reference-client.js";
import { MemoryRecords } from "../store/memory-records.js";
import { ChainWorld } from "./chain-world.js";

function config(input: Partial<ExchangeConfigInput> = {}) {
  return parseExchangeConfig({
    markets: { btcusdc: {} },
    ...input,
    chain: { rpc: null, accounts: { count: 0 } },
  });
}
const runtime = () => ({ clock: new VirtualClock(START_MS), random: seededRandom("exchange") });

describe("an exchange's file with a chain", () => {
  it("may leave out everything that the chain decides, or write the defaults", () => {
    expect(() => checkChainConfig(config())).not.toThrow();
    expect(() =>
      checkChainConfig(
        config({ settlement: { delayMs: 2000, failureRate: 0 }, creditDecimals: 6 }),
      ),
    ).not.toThrow();
  });

  it.each<[string, Partial<ExchangeConfigInput>, string]>([
    ["another number of decimals than the token's", { creditDecimals: 8 }, "creditDecimals"],
    ["another number of decimals than paper's", { paperDecimals: 8 }, "paperDecimals"],
    ["another domain than the dealer's", { domain: { name: "OTHER" } }, "domain.name"],
    ["another version of it", { domain: { version: "2" } }, "domain.version"],
    [
      "another dealer",
      { domain: { verifyingContract: `0x${"1".repeat(40)}` } },
      "domain.verifyingContract",
    ],
    ["a delay of settlement", { settlement: { delayMs: 100 } }, "settlement.delayMs"],
    [
      "settlements that fail at random",
      { settlement: { failureRate: 0.1 } },
      "settlement.failureRate",
    ],
    [
      "a market's contract",
      { markets: { btcusdc: { perp: `0x${"1".repeat(40)}` } } },
      "markets.btcusdc.perp",
    ],
    [
      "a discount and a fee beyond the margin that pays them",
      { markets: { btcusdc: { liquidationThreshold: "0.015" } } },
      "markets.btcusdc.insuranceFeeRate",
    ],
    [
      "a step that may be worth nothing",
      {
        markets: {
          btcusdc: {
            stepSize: "0.000001",
            amountBase: { min: "0.001", max: "1" },
            marketAmountBase: { min: "0.001", max: "1" },
          },
        },
      },
      "markets.btcusdc.priceQuote.min",
    ],
  ])("is refused with %s, by the key and what would be right", (_what, input, field) => {
    expect(() => checkChainConfig(config(input))).toThrow(ConfigError);
    expect(() => checkChainConfig(config(input))).toThrow(
      new RegExp(`^${field.replaceAll(".", "\\.")}: .*expected `),
    );
  });

  it("is refused if no chain could be opened, or signatures are not the contracts'", async () => {
    expect(() => configuredExchange(config(), runtime())).toThrow("openConfiguredExchange");
    await expect(
      openConfiguredExchange(config(), runtime(), { scheme: namedSignatures }),
    ).rejects.toThrow("scheme");
  });

  it("is refused for a folder with other content, which is left unchanged", async () => {
    const records = new MemoryRecords(new Map([["strange", "1"]]));
    await expect(openConfiguredExchange(config(), runtime(), { records })).rejects.toThrow(
      "holds something other than an exchange's state",
    );
    expect([...records.texts]).toEqual([["strange", "1"]]);
  });
});

describe("the exchange's report of its chain", () => {
  it("names the dealer that checks its orders, and each market's contract", async () => {
    const world = await ChainWorld.open({ config: { markets: { btcusdc: {}, ethusdc: {} } } });
    const { body } = world.exchange.handle({
      method: "GET",
      path: "/v1/exchangeInfo",
      query: "",
      body: "",
      ip: "",
    });
    const info = JSON.parse(body);
    const { dealer, markets } = world.chain.addresses;
    expect(info.eip712).toMatchObject({
      verifyingContract: dealer,
      chainId: world.chain.chain.genesis.chainId,
      domainName: "JOJO",
    });
    expect(
      info.markets.map(
        ({ perpetualContractAddress }: { perpetualContractAddress: string }) =>
          perpetualContractAddress,
      ),
    ).toEqual(["btcusdc", "ethusdc"].map((marketId) => markets.get(marketId)?.perp));
    await world.open.close();
  });
});
