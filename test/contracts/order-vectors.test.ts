import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dealerAbi, dealerBytecode } from "#chain/dealer.generated.js";
import { perpetualAbi, perpetualBytecode } from "#chain/perpetual.generated.js";
import {
  settablePriceSourceAbi,
  settablePriceSourceBytecode,
} from "#chain/settable-price-source.generated.js";
import { testTokenAbi, testTokenBytecode } from "#chain/test-token.generated.js";
import { type Contract, Evm, reasonFor } from "./evm.js";
import { type MatchedOrder, match, orderHash, orderInfo, tradeData } from "./signed-orders.js";
import { BTC_RATIOS, COIN, HEARTBEAT, KEYS, signer, USD, World } from "./world.js";

const [K0, K1] = [signer(0).address, signer(1).address];
const INFO1 = "0xffffa50cef85c000000110d9316ec000000000007a432b800000000000000001";
const INFO2 = "0x00005af3107a40000001c6bf52634000000000006553ff10ffffffffffffffff";
const LOCAL_PERP = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";
const BASE_PERP = "0xcd12b2fC3b0152c6D998337E4444C72C59b25fe1";
const BASE_DEALER = "0x2f7c3cF9D9280B165981311B822BecC4E05Fe635";
const SIZE = 1_095_303n * 10n ** 12n;

function vector(fields: MatchedOrder["fields"], hash: string, signature: string): MatchedOrder {
  return { fields, hash, signature, amount: fields[2] < 0n ? -fields[2] : fields[2] };
}

const V1 = vector(
  [LOCAL_PERP, K0, 2n * 10n ** 16n, -40_000_000n, INFO1],
  "0x7a899419cb1665ceccbdda32dc55ab7424e5911ab1607165b869197d9fb3ac9b",
  "0x816ef6d38e31c37ce7c6ac352e0074a8de32db367eb321d0b6f1dd3d2c4e7b15749d8398746f04e0a846a25bdeb5c1055077207237a4ea48777007fdabbbbbca1c",
);
const V2 = vector(
  [LOCAL_PERP, K1, -SIZE, 69_999_357_977n, INFO2],
  "0xef65ac32dbc4cb938377b7853d3f6bf9fac04e88536a52b59f19b29868769120",
  "0xa0fef8c03c59caf4775c0b5f44105f52c977c1b69abf7ded4616d0b5242d906330a2ac2bb61c4485cdb55deb74ae8dbf15bf51c4dde8b5ffb2d302709b08f2081b",
);
const V3A = vector(
  [LOCAL_PERP, K0, SIZE, -69_999_357_978n, INFO1],
  "0xa41c6f07a9a5a33f88c8844c68af032a25771d10e24a746677f121e5615aeae2",
  "0x7a536ddeb16321035d932f80436981d0c6bef3acbe2d2eb4cac8a65fabe59e1c7fc74a5d8f594c07296c4fc33100d0a3dbaced78ecbcd76db1a330581f34e0421c",
);
const V3B = vector(
  [LOCAL_PERP, K0, SIZE, -69_999_357_977n, INFO1],
  "0x273ae79c62a102ffee6a53f893e781961644ca3cadf4d89058702d6ccc8296d2",
  "0x2bfeb739d2a641a3f8cff5ccd3ae9d6292c7296ed93684cc395e2d6c6b592d5c21ebb0867166c7fb3cb16d7725e4bab17729fba5f6f05f39d1089949d4fc76541c",
);
const V4 = vector(
  [BASE_PERP, K0, COIN, -30_000_000_000n, INFO1],
  "0x6851a7fdb1364a9d38e0a0118e492a19377c65bd4621c34fa0d51080bb46dfd3",
  "0xdcdd2b739ad9407fba166f70a8531a3a35c909b4c1f90296523673e299dfa1315666cd0ba31eda9c9b7ba5b4d583884f67e8eb38bce71f4c4f609f81664d9d6c1b",
);
const V5 = vector(
  [BASE_PERP, K1, -COIN, 30_000_000_000n, INFO2],
  "0x471ac5d86496c85970d1e243a1f6d04f37b6b7ed2bfe116d09f64521acfdf9b9",
  "0x2c06ce7c6e7c3ccf0a2557df933c74623c03e009daeb9937c707de3961c4c067114c9e033d8af18761bde35b272f2c190441d5462d0c02b83fc46a537689e11b1b",
);

describe("the order vectors of the local chain", () => {
  let world: World;

  beforeAll(async () => {
    world = await World.create();
    for (const index of [0, 1, 2]) await world.deposit(signer(index), 100_000n);
    await world.setPrice(world.btc, 63_908_670_000n);
    await world.evm.save();
  });
  beforeEach(() => world.evm.restore());

  it("are of this dealer and this perpetual", () => {
    expect(world.domainSeparator).toBe(
      "0x7fdfe1c32d05803fdc2c66fdd0770dba9f4b7e589cbb54e930f8ed285d8581e0",
    );
    expect(world.btc.perp.address.toLowerCase()).toBe(LOCAL_PERP.toLowerCase());
    for (const { fields, hash } of [V1, V2, V3A, V3B])
      expect(orderHash(world.domainSeparator, fields)).toBe(hash);
  });

  it("V1: a bought 0.02 at 2,000 is filled, and known by its hash", async () => {
    const sold = world.signed(world.btc, {
      trader: signer(2),
      paper: -2n * 10n ** 16n,
      price: 2_000n,
    });
    await world.btc.perp.send(world.owner, "trade", tradeData([sold, V1]));
    expect(await world.dealer.read("getOrderFilledAmount", V1.hash)).toBe(2n * 10n ** 16n);
    expect(await world.balance(world.btc, signer(0))).toEqual([
      2n * 10n ** 16n,
      -40_000_000n + 4_000n,
    ]);
  });

  it.each([
    ["taker", [V3A, V2]],
    ["maker", [V2, V3A]],
  ] as const)(
    "V2 and V3a: a buy rounded up, as %s, crosses a sell rounded down at the same price",
    async (_, orders) => {
      await world.btc.perp.send(world.owner, "trade", tradeData(orders));
      expect((await world.balance(world.btc, signer(0)))[0]).toBe(SIZE);
    },
  );

  it("a buy rounded down crosses only a sell of the same size", async () => {
    await world.btc.perp.send(world.owner, "trade", tradeData([V3B, V2]));
    await world.evm.restore();
    const larger = {
      signer: signer(2),
      perp: LOCAL_PERP,
      paper: -2n * COIN,
      credit: 2n * 63_908_670_000n,
      info: INFO1,
    };
    const sold = match(world.domainSeparator, larger, SIZE);
    expect(await reasonFor(world.btc.perp.send(world.owner, "trade", tradeData([V3B, sold])))).toBe(
      "JOJO_ORDER_PRICE_NOT_MATCH",
    );
  });

  it("a buy rounded up meets a sell rounded down at the same price, whatever their sizes and whoever came first", async () => {
    const lots = fc.bigInt({ min: 1n, max: 1_000_000n });
    await fc.assert(
      fc.asyncProperty(
        lots,
        lots,
        fc.bigInt({ min: 10_000n, max: 9_999_999n }),
        async (bought, sold, cents) => {
          const [lot, price] = [10n ** 12n, cents * 10_000n];
          const amount = (bought < sold ? bought : sold) * lot;
          const order = { perp: LOCAL_PERP, info: INFO1 };
          const pay = {
            ...order,
            signer: signer(0),
            paper: bought * lot,
            credit: -((bought * price + 999_999n) / 1_000_000n),
          };
          const get = {
            ...order,
            signer: signer(2),
            paper: -sold * lot,
            credit: (sold * price) / 1_000_000n,
          };
          fc.pre(get.credit > 0n);
          const buy = match(world.domainSeparator, pay, amount);
          const sell = match(world.domainSeparator, get, amount);
          await world.setPrice(world.btc, price);
          for (const orders of [
            [buy, sell],
            [sell, buy],
          ]) {
            const trade = world.btc.perp.simulate(world.owner, "trade", tradeData(orders));
            expect(await trade.then(() => null, String)).toBeNull();
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("an order is good in the block of its expiration's second, and not in the next", async () => {
    const nowSeconds = world.evm.nowSeconds;
    await world.evm.wait(1_700_003_600 - nowSeconds);
    await world.btc.perp.simulate(world.owner, "trade", tradeData([V3A, V2]));
    await world.evm.wait(1);
    expect(
      await reasonFor(world.btc.perp.simulate(world.owner, "trade", tradeData([V3A, V2]))),
    ).toBe("JOJO_ORDER_EXPIRED");
  });

  it("info packs signed rates", () => {
    expect(orderInfo(-(10n ** 14n), 3n * 10n ** 14n, 2_051_222_400, 1n)).toBe(INFO1);
    expect(orderInfo(10n ** 14n, 5n * 10n ** 14n, 1_700_003_600, 2n ** 64n - 1n)).toBe(INFO2);
  });
});

describe("the order vectors of Base", () => {
  it("V4 and V5 trade, at the dealer's and the market's addresses there", async () => {
    const evm = await Evm.start(KEYS, { chainId: 8453n });
    const owner = signer(0);
    const usdc = await evm.deploy(owner, testTokenAbi, testTokenBytecode, "Test USD Coin", "USDC");
    const dealer = await moved(
      evm,
      await evm.deploy(owner, dealerAbi, dealerBytecode, usdc.address),
      BASE_DEALER,
      4,
    );
    const perp = await moved(
      evm,
      await evm.deploy(owner, perpetualAbi, perpetualBytecode, BASE_DEALER),
      BASE_PERP,
      0,
    );
    const source = await evm.deploy(
      owner,
      settablePriceSourceAbi,
      settablePriceSourceBytecode,
      "BTC/USD",
      HEARTBEAT,
    );
    await source.send(owner, "setMarkPrice", 30_000n * USD);
    await dealer.send(owner, "setOrderSender", owner.address, true);
    await dealer.send(owner, "setMaxPositionAmount", 1);
    const { initial, maintenance, discount, insuranceFee } = BTC_RATIOS;
    await dealer.send(owner, "setPerpRiskParams", perp.address, [
      initial,
      maintenance,
      discount,
      insuranceFee,
      source.address,
      "btcusdc",
      true,
    ]);
    for (const trader of [signer(0), signer(1)]) {
      await usdc.send(owner, "mint", trader.address, 10_000n * USD);
      await usdc.send(trader, "approve", dealer.address, 10_000n * USD);
      await dealer.send(trader, "deposit", 10_000n * USD, 0n, trader.address);
    }
    expect(await dealer.read("domainSeparator")).toBe(
      "0xae5e1b68d39d530e9f8985caa524ee202e49b88b7e2321962798cc5fdf27f874",
    );
    await perp.send(owner, "trade", tradeData([V4, V5]));
    expect(await dealer.read("getOrderFilledAmount", V4.hash)).toBe(COIN);
    expect(await dealer.read("getOrderFilledAmount", V5.hash)).toBe(COIN);
  });
});

/** Puts a deployed contract with its first storage slots where the published one lives. */
async function moved(
  evm: Evm,
  contract: Contract,
  address: string,
  slots: number,
): Promise<Contract> {
  await evm.rpc(
    "hardhat_setCode",
    address,
    await evm.rpc("eth_getCode", contract.address, "latest"),
  );
  for (let slot = 0; slot < slots; slot += 1) {
    const value = await evm.rpc("eth_getStorageAt", contract.address, `0x${slot}`, "latest");
    await evm.rpc("hardhat_setStorageAt", address, `0x${slot}`, value);
  }
  return evm.at(address, contract.abi);
}
