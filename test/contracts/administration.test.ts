import { getAddress, ZeroAddress } from "ethers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dealerAbi, dealerBytecode } from "#chain/dealer.generated.js";
import {
  settablePriceSourceAbi,
  settablePriceSourceBytecode,
} from "#chain/settable-price-source.generated.js";
import { testTokenAbi, testTokenBytecode } from "#chain/test-token.generated.js";
import type { Signer } from "#core/signing.js";
import { reasonFor } from "./evm.js";
import { BTC_RATIOS, COIN, HEARTBEAT, signer, USD, World } from "./world.js";

const [alice, bob] = [signer(1), signer(2)] as [Signer, Signer];
const NOT_OWNER = "Ownable: caller is not the owner";

let world: World;
beforeAll(async () => {
  world = await World.create();
});
beforeEach(() => world.evm.restore());

describe("the dealer's owner", () => {
  it("alone sets its rules", async () => {
    const param = [0n, 0n, 0n, 0n, world.btc.source.address, "", true];
    for (const [name, ...args] of [
      ["setPerpRiskParams", world.btc.perp.address, param],
      ["setOrderSender", alice.address, true],
      ["setInsurance", alice.address],
      ["setFundingRateKeeper", alice.address],
      ["setMaxPositionAmount", 1],
      ["setWithdrawTimeLock", 1],
      ["setSecondaryAsset", alice.address],
      ["disableFastWithdraw", true],
      ["setFastWithdrawalWhitelist", alice.address, true],
      ["setWithdrawlWhitelist", alice.address, true],
      ["transferOwnership", alice.address],
      ["renounceOwnership"],
    ] as const) {
      expect([name, await reasonFor(world.dealer.send(alice, name, ...args))]).toEqual([
        name,
        NOT_OWNER,
      ]);
    }
  });

  it("may hand over, to somebody", async () => {
    expect(await reasonFor(world.dealer.send(world.owner, "transferOwnership", ZeroAddress))).toBe(
      "Ownable: new owner is the zero address",
    );
    await world.dealer.send(world.owner, "transferOwnership", alice.address);
    expect(await world.dealer.read("owner")).toBe(alice.address);
    expect(await reasonFor(world.dealer.send(world.owner, "setMaxPositionAmount", 1))).toBe(
      NOT_OWNER,
    );
    await world.dealer.send(alice, "setMaxPositionAmount", 1);
  });

  it("may give its rules up for good, and so may the limiter's and a price source's", async () => {
    for (const [contract, name, ...args] of [
      [world.dealer, "setMaxPositionAmount", 1],
      [world.limiter, "updateFundingRate", [], []],
      [world.btc.source, "setHeartbeat", 1],
      [world.usdc, "mint", alice.address, 1],
    ] as const) {
      expect(await reasonFor(contract.send(alice, "renounceOwnership"))).toBe(NOT_OWNER);
      const { events } = await contract.send(world.owner, "renounceOwnership");
      expect(events.map((event) => [event.name, ...event.args])).toEqual([
        ["OwnershipTransferred", world.owner.address, ZeroAddress],
      ]);
      expect(await contract.read("owner")).toBe(ZeroAddress);
      expect(await reasonFor(contract.send(world.owner, name, ...args))).toBe(NOT_OWNER);
    }
  });

  it("keeps its markets, which are nobody else's to move", async () => {
    for (const from of [alice, world.owner]) {
      expect(await reasonFor(world.btc.perp.send(from, "transferOwnership", alice.address))).toBe(
        NOT_OWNER,
      );
      expect(await reasonFor(world.btc.perp.send(from, "renounceOwnership"))).toBe(NOT_OWNER);
    }
    expect(await world.btc.perp.read("owner")).toBe(getAddress(world.dealer.address));
  });

  it("changes rules with events whose arguments are all in the data, as the published ones are", async () => {
    const bare = await world.evm.deploy(world.owner, dealerAbi, dealerBytecode, world.usdc.address);
    for (const [set, args, event, told] of [
      ["setInsurance", [alice.address], "SetInsurance", [ZeroAddress, alice.address]],
      ["setInsurance", [bob.address], "SetInsurance", [alice.address, bob.address]],
      [
        "setFundingRateKeeper",
        [alice.address],
        "SetFundingRateKeeper",
        [ZeroAddress, alice.address],
      ],
      ["setOrderSender", [alice.address, true], "SetOrderSender", [alice.address, true]],
      [
        "setSecondaryAsset",
        [world.jusd.address],
        "SetSecondaryAsset",
        [getAddress(world.jusd.address)],
      ],
      [
        "setFastWithdrawalWhitelist",
        [alice.address, true],
        "SetFastWithdrawalWhitelist",
        [alice.address, true],
      ],
      [
        "setWithdrawlWhitelist",
        [alice.address, true],
        "SetFastWithdrawalWhitelist",
        [alice.address, true],
      ],
      ["setMaxPositionAmount", [7], "SetMaxPositionAmount", [0n, 7n]],
      ["setWithdrawTimeLock", [9], "SetWithdrawTimeLock", [0n, 9n]],
      ["disableFastWithdraw", [true], "FastWithdrawDisabled", [true]],
    ] as const) {
      const { events } = await bare.send(world.owner, set, ...args);
      expect(
        events.map(({ name, topics, args: values }) => [name, topics.length, ...values]),
      ).toEqual([[event, 1, ...told]]);
    }
    // The two lists are two: who may withdraw fast is not thereby called.
    expect(await bare.read("isFastWithdrawalValid", bob.address)).toBe(false);
    await bare.send(world.owner, "setWithdrawlWhitelist", bob.address, true);
    expect(await bare.read("isFastWithdrawalValid", bob.address)).toBe(false);
  });

  it("encodes the calls that a contract makes for its account", async () => {
    for (const [helper, call, ...args] of [
      ["getSetOperatorCallData", "setOperator", alice.address, true],
      ["getRequestWithdrawCallData", "requestWithdraw", alice.address, 5n, 6n],
      ["getExecuteWithdrawCallData", "executeWithdraw", alice.address, bob.address, true, "0x1234"],
    ] as const) {
      expect(await world.dealer.read(helper, ...args)).toBe(
        world.dealer.abi.encodeFunctionData(call, args),
      );
    }
  });

  it("reads back what is set", async () => {
    await world.dealer.send(world.owner, "setWithdrawTimeLock", 3_600);
    await world.dealer.send(world.owner, "disableFastWithdraw", true);
    const lower = (values: unknown) =>
      [...(values as unknown[])].map((value) =>
        typeof value === "string" ? value.toLowerCase() : value,
      );
    expect(lower(await world.dealer.read("state"))).toEqual(
      lower([
        world.usdc.address,
        world.jusd.address,
        3_600n,
        true,
        world.insurance.address,
        world.owner.address,
        10n,
      ]),
    );
    expect(await world.dealer.read("version")).toBe("JOJODealer V1.1");
    expect(await world.dealer.read("isOrderSenderValid", world.owner.address)).toBe(true);
    expect(await world.dealer.read("getMarkPrice", world.btc.perp.address)).toBe(30_000n * USD);
  });

  it("lists and delists markets", async () => {
    const listed = async () =>
      [...((await world.dealer.read("getAllRegisteredPerps")) as string[])].map((perp) =>
        perp.toLowerCase(),
      );
    expect(await listed()).toEqual([world.btc.perp.address, world.eth.perp.address]);
    const { events } = await world.list(
      world.btc,
      "btcusdc",
      { ...BTC_RATIOS, initial: COIN },
      true,
    );
    expect(events[0]?.name).toBe("UpdatePerpRiskParams");
    expect(await listed()).toEqual([world.btc.perp.address, world.eth.perp.address]);
    const params = (await world.dealer.read("getRiskParams", world.btc.perp.address)) as {
      initialMarginRatio: bigint;
      name: string;
    };
    expect([params.initialMarginRatio, params.name]).toEqual([COIN, "btcusdc"]);
    await world.list(world.btc, "btcusdc", BTC_RATIOS, false);
    expect(await listed()).toEqual([world.eth.perp.address]);
    await world.list(world.btc, "btcusdc", BTC_RATIOS, false);
    expect(await listed()).toEqual([world.eth.perp.address]);
    await world.list(world.btc, "btcusdc", BTC_RATIOS, true);
    expect(await listed()).toEqual([world.eth.perp.address, world.btc.perp.address]);
  });

  it("cannot let a liquidation cost more than the margin that is left for it", async () => {
    const ratios = { ...BTC_RATIOS, discount: COIN / 50n, insuranceFee: COIN / 100n };
    await world.list(world.btc, "btcusdc", ratios);
    expect(
      await reasonFor(
        world.list(world.btc, "btcusdc", { ...ratios, discount: ratios.discount + 1n }),
      ),
    ).toBe("JOJO_INVALID_RISK_PARAM");
  });

  it("sets the second asset once, with the first one's decimals", async () => {
    expect(
      await reasonFor(world.dealer.send(world.owner, "setSecondaryAsset", world.usdc.address)),
    ).toBe("JOJO_SECONDARY_ASSET_ALREADY_EXIST");
    const bare = await world.evm.deploy(world.owner, dealerAbi, dealerBytecode, world.usdc.address);
    // The smallest contract that answers 18 to everything.
    const eighteen = "0x00000000000000000000000000000000000000E8";
    await world.evm.rpc("hardhat_setCode", eighteen, "0x601260005260206000f3");
    expect(await reasonFor(bare.send(world.owner, "setSecondaryAsset", eighteen))).toBe(
      "JOJO_SECONDARY_ASSET_DECIMAL_WRONG",
    );
    await bare.send(world.owner, "setSecondaryAsset", world.jusd.address);
  });
});

describe("funding", () => {
  const perps = () => [world.btc.perp.address, world.eth.perp.address];
  const update = (from: Signer, list: readonly string[], rates: readonly bigint[]) =>
    world.dealer.send(from, "updateFundingRate", list, rates);

  it("is updated by the keeper alone, for all markets together, with both contracts' events", async () => {
    expect(await reasonFor(update(alice, perps(), [1n, 1n]))).toBe(
      "JOJO_INVALID_FUNDING_RATE_KEEPER",
    );
    expect(await reasonFor(update(world.owner, perps(), [1n]))).toBe("JOJO_ARRAY_LENGTH_NOT_SAME");
    expect(await reasonFor(world.btc.perp.send(world.owner, "updateFundingRate", 1n))).toBe(
      NOT_OWNER,
    );
    await update(world.owner, perps(), [5n, 6n]);
    const { events } = await update(world.owner, perps(), [-7n, 8n]);
    const perp = (address: string) => expect.stringMatching(new RegExp(address, "i"));
    expect(events.map(({ name, args }) => [name, ...args])).toEqual([
      ["UpdateFundingRate", 5n, -7n],
      ["UpdateFundingRate", perp(world.btc.perp.address), 5n, -7n],
      ["UpdateFundingRate", 6n, 8n],
      ["UpdateFundingRate", perp(world.eth.perp.address), 6n, 8n],
    ]);
    expect(await world.btc.perp.read("getFundingRate")).toBe(-7n);
    expect(await world.dealer.read("getFundingRate", world.eth.perp.address)).toBe(8n);
  });

  it("moves credit from longs to shorts when the rate falls, and may make an account unsafe", async () => {
    await world.deposit(alice, 2_000n);
    await world.deposit(bob, 2_000n);
    await world.open(world.btc, alice, bob, COIN, 30_000n);
    await update(world.owner, [world.btc.perp.address], [-1_100n * USD]);
    expect(await world.balance(world.btc, alice)).toEqual([COIN, -31_115n * USD]);
    expect(await world.balance(world.btc, bob)).toEqual([-COIN, 31_097n * USD]);
    expect(await world.isSafe(alice)).toBe(false);
  });

  it("through the limiter: the first update is free, later ones move with time and price", async () => {
    await world.dealer.send(world.owner, "setFundingRateKeeper", world.limiter.address);
    const limited = (rate: bigint, from = world.owner) =>
      world.limiter.send(from, "updateFundingRate", [world.btc.perp.address], [rate]);
    expect(await reasonFor(limited(1n, alice))).toBe(NOT_OWNER);
    expect(
      await reasonFor(world.limiter.send(world.owner, "updateFundingRate", perps(), [1n])),
    ).toBe("JOJO_ARRAY_LENGTH_NOT_SAME");
    await limited(10n ** 12n);
    expect(await reasonFor(limited(10n ** 12n + 1n))).toBe("FUNDING_RATE_CHANGE_TOO_MUCH");
    await world.evm.wait(8 * 3_600);
    expect(await reasonFor(limited(10n ** 12n + 900n * USD + 1n))).toBe(
      "FUNDING_RATE_CHANGE_TOO_MUCH",
    );
    expect(await reasonFor(limited(10n ** 12n - 900n * USD - 1n))).toBe(
      "FUNDING_RATE_CHANGE_TOO_MUCH",
    );
    await limited(10n ** 12n - 900n * USD);
    expect(await world.btc.perp.read("getFundingRate")).toBe(10n ** 12n - 900n * USD);
  });
});

describe("the price source", () => {
  it("has no price before the first one, and takes none that is none", async () => {
    const source = await world.evm.deploy(
      world.owner,
      settablePriceSourceAbi,
      settablePriceSourceBytecode,
      "X/USD",
      60,
    );
    expect(await reasonFor(source.read("getMarkPrice"))).toBe("NO_VALID_DATA");
    for (const price of [0n, 2n ** 255n])
      expect(await reasonFor(source.send(world.owner, "setMarkPrice", price))).toBe(
        "NO_VALID_DATA",
      );
    expect(await reasonFor(source.send(alice, "setMarkPrice", 1n))).toBe(NOT_OWNER);
    expect(await reasonFor(source.send(alice, "setHeartbeat", 1n))).toBe(NOT_OWNER);
  });

  it("goes stale one second after its heartbeat, and comes back with a new price", async () => {
    const { source } = world.btc;
    await world.evm.wait(HEARTBEAT);
    expect(await source.read("getMarkPrice")).toBe(30_000n * USD);
    await world.evm.wait(1);
    expect(await reasonFor(source.read("getMarkPrice"))).toBe("ORACLE_HEARTBEAT_FAILED");
    expect(await reasonFor(source.read("getAssetPrice"))).toBe("ORACLE_HEARTBEAT_FAILED");
    const { events } = await source.send(world.owner, "setMarkPrice", 31_000n * USD);
    expect(events).toMatchObject([
      {
        name: "AnswerUpdated",
        args: [31_000n * USD, expect.any(String), 2n, BigInt(world.evm.nowSeconds), "BTC/USD"],
      },
    ]);
    expect(await source.read("getAssetPrice")).toBe(31_000n * USD);
  });
});

describe("the test token", () => {
  it("has USDC's decimals and is minted by its owner alone", async () => {
    const token = await world.evm.deploy(
      world.owner,
      testTokenAbi,
      testTokenBytecode,
      "Test",
      "TST",
    );
    expect(await token.read("decimals")).toBe(6n);
    expect(await reasonFor(token.send(alice, "mint", alice.address, 1n))).toBe(NOT_OWNER);
  });
});
