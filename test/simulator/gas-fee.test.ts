import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import type { FlowMarket } from "#simulator/flow-market.js";
import { build, placeBuilt } from "./built-order.js";
import { type ReferenceClient, traders } from "./reference-client.js";

const TERMS = {
  marketId: "btcusdc",
  side: "BUY",
  orderType: "LIMIT",
  amount: "0.1",
  price: "30000",
  timeInForce: "GTC",
};
/** 100,000 gas at 1 gwei and 3,000 quote for an ETH: 0.3 quote an order. */
const GAS = {
  gasLimit: 100_000,
  minGasPriceWei: "1000000000",
  maxGasPriceWei: "1000000000",
  ethPriceQuote: "3000",
};

/** The two rates of an `info`, scaled by 10^18. */
function ratesOf(info: string): { maker: bigint; taker: bigint } {
  const word = (place: number) =>
    BigInt.asIntN(64, BigInt(`0x${info.slice(2 + 16 * place, 18 + 16 * place)}`));
  return { maker: word(0), taker: word(1) };
}

/** Builds an order and places it as built, except for `change`. */
function buildAndPlace(
  client: ReferenceClient,
  terms: typeof TERMS,
  change: Record<string, string | undefined> = {},
) {
  const built = build(client, terms);
  return { built, placed: placeBuilt(client, terms, built, change) };
}

describe("an order below the waiver", () => {
  const config = { gasFee: GAS, choices: { waiveGasFeeMinimumAmount: "5000" } } as const;

  it("is built with the gas of its settlement as a share of its value on both rates", () => {
    const { alice } = traders(config);
    const { built } = buildAndPlace(alice, TERMS);
    // 0.3 of 3,000 quote is one basis point, on maker -1 bp and taker 3 bp.
    expect(ratesOf(built.order.info)).toEqual({ maker: 0n, taker: 4n * 10n ** 14n });
  });

  it("is accepted with those rates and that token, and pays them", async () => {
    const { alice, bob, clock, exchange } = traders(config);
    const selling = { ...TERMS, side: "SELL" };
    expect(buildAndPlace(bob, selling).placed.status).toBe(200);
    expect(buildAndPlace(alice, TERMS).placed.json).toMatchObject({ status: "NEW" });
    expect(alice.balances().balances.netValue).toBe("99998.8");
    expect(bob.balances().balances.netValue).toBe("100000");
    await clock.runFor(2000);
    expect(exchange.audit()).toMatchObject({ feeCredit: 1_200_000n, isConserved: true });
  });

  it("is refused without the token, with another's, with a forged one, and with the market's own rates", () => {
    const { alice, bob } = traders(config);
    const other = bob.call("POST", "/v1/order/build", TERMS).json;
    const refused = { status: 400, json: { code: 4012 } };
    expect(buildAndPlace(alice, TERMS, { gasFeeQuotation: undefined }).placed).toMatchObject(
      refused,
    );
    expect(
      buildAndPlace(alice, TERMS, { gasFeeQuotation: other.gasFeeQuotation }).placed,
    ).toMatchObject(refused);
    expect(
      buildAndPlace(alice, TERMS, { gasFeeQuotation: `9${other.gasFeeQuotation}` }).placed,
    ).toMatchObject(refused);
    expect(alice.place("BUY", "30000", "0.1")).toMatchObject(refused);
    expect(alice.openOrders()).toEqual([]);
  });

  it("is refused when the token has expired, and accepted on its last millisecond", async () => {
    const { alice, clock } = traders({
      ...config,
      choices: { ...config.choices, gasFeeQuotationLifeMs: 10_000 },
    });
    const [early, late] = [build(alice, TERMS), build(alice, TERMS)];
    await clock.runFor(10_000);
    expect(placeBuilt(alice, TERMS, early).status).toBe(200);
    await clock.runFor(1);
    expect(placeBuilt(alice, TERMS, late).json).toMatchObject({ code: 4012 });
  });

  it("is accepted once, however often its token is sent", () => {
    const { alice } = traders(config);
    const built = build(alice, TERMS);
    expect(placeBuilt(alice, TERMS, built).status).toBe(200);
    expect(placeBuilt(alice, TERMS, built).json).toMatchObject({ code: 2016 });
  });

  it("is not built if it is worth less than its gas", () => {
    const { alice } = traders({ ...config, gasFee: { ...GAS, gasLimit: 30_000_000 } });
    expect(alice.call("POST", "/v1/order/build", { ...TERMS, amount: "0.001" }).json).toMatchObject(
      { code: 2016 },
    );
  });
});

describe("an order at the waiver or above", () => {
  it("carries the market's rates, built or not, with or without the token", () => {
    const { alice } = traders({ gasFee: GAS, choices: { waiveGasFeeMinimumAmount: "3000" } });
    expect(ratesOf(buildAndPlace(alice, TERMS).built.order.info)).toEqual({
      maker: -(10n ** 14n),
      taker: 3n * 10n ** 14n,
    });
    expect(buildAndPlace(alice, TERMS, { gasFeeQuotation: undefined }).placed.status).toBe(200);
    expect(alice.place("BUY", "30000", "0.1").status).toBe(200);
    expect(alice.place("BUY", "29999.9", "0.1").json).toMatchObject({ code: 4012 });
  });

  it("is measured in base where the venue says so", () => {
    const { alice } = traders({
      gasFee: GAS,
      choices: { waiverUnit: "base", waiveGasFeeMinimumAmount: "0.2" },
    });
    expect(alice.place("BUY", "30000", "0.2").status).toBe(200);
    expect(alice.place("BUY", "30000", "0.199").json).toMatchObject({ code: 4012 });
    expect(() => traders({ choices: { waiverUnit: "base" } })).toThrow(ConfigError);
  });
});

describe("gasFeeInfo", () => {
  const info = (client: ReferenceClient) => client.raw("GET", "/v1/exchangeInfo").json.gasFeeInfo;

  it("has a price that rises with full blocks of matches and falls again when they are empty, between its bounds", async () => {
    const { alice, bob, clock } = traders({
      gasFee: {
        gasLimit: 100_000,
        minGasPriceWei: "1000",
        maxGasPriceWei: "1200",
        blockMs: 1000,
        blockGasTarget: 200_000,
      },
    });
    const prices = [info(alice).gasPrice];
    for (let block = 0; block < 3; block += 1) {
      // Three matches are three times the target, and a block holds twice the target.
      for (let match = 0; match < 3; match += 1) {
        alice.place("SELL", "30000", "0.1");
        bob.place("BUY", "30000", "0.1");
      }
      await clock.runFor(1000);
      prices.push(info(alice).gasPrice);
    }
    expect(prices).toEqual(["1000", "1125", "1200", "1200"]);
    await clock.runFor(1000);
    expect(info(alice).gasPrice).toBe("1050");
    await clock.runFor(3_600_000);
    expect(info(alice).gasPrice).toBe("1000");
  });

  it("has the ETH price of the market's index, live, and a waiver of so many times an order's gas", () => {
    let flow: FlowMarket | undefined;
    const { alice } = traders(
      {
        markets: { btcusdc: {}, ethusdc: { baseAsset: "ETH" } },
        gasFee: { ...GAS, waiverMultiple: 20 },
      },
      {
        createFlow: (marketId) => ({
          start: (market) => {
            flow = marketId === "ethusdc" ? market : flow;
          },
          stop: () => {},
        }),
      },
    );
    expect(info(alice)).toEqual({
      gasLimit: "100000",
      gasPrice: "1000000000",
      lastEthIndexPrice: "3000",
      waiveGasFeeMinimumAmount: "6",
    });
    flow?.setReference(45_000, 45_000);
    expect(info(alice)).toMatchObject({ lastEthIndexPrice: "4500", waiveGasFeeMinimumAmount: "9" });
  });

  it("shows the gas price in the unit that the venue chose", () => {
    expect(info(traders({ gasFee: GAS, choices: { gasPriceUnit: "gwei" } }).alice).gasPrice).toBe(
      "1",
    );
    expect(info(traders({ gasFee: GAS, choices: { gasPriceUnit: "eth" } }).alice).gasPrice).toBe(
      "0.000000001",
    );
  });

  it("takes the ETH price from a named market, and refuses an unknown one", () => {
    expect(() => traders({ gasFee: { ethMarketId: "ethusdc" } })).toThrow(/gasFee\.ethMarketId/);
    expect(() => traders({ gasFee: { minGasPriceWei: "2", maxGasPriceWei: "1" } })).toThrow(
      /gasFee\.maxGasPriceWei/,
    );
    expect(() => traders({ gasFee: { ethPriceQuote: "0.0000001" } })).toThrow(
      /gasFee\.ethPriceQuote/,
    );
    const { alice, bob } = traders({ gasFee: { ...GAS, ethMarketId: "btcusdc" } });
    bob.place("SELL", "30000", "0.1");
    alice.place("BUY", "30000", "0.1");
    expect(info(alice).lastEthIndexPrice).toBe("30000");
  });
});
