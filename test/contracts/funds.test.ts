import { getAddress } from "ethers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Signer } from "#core/signing.js";
import { type Receipt, reasonFor } from "./evm.js";
import { COIN, signer, USD, World } from "./world.js";

const [alice, bob, operator] = [signer(1), signer(2), signer(4)] as [Signer, Signer, Signer];

describe("credit", () => {
  let world: World;

  beforeAll(async () => {
    world = await World.create();
    await world.deposit(alice, 10_000n, 2_000n);
    await world.deposit(bob, 100_000n);
    await world.evm.save();
  });
  beforeEach(() => world.evm.restore());

  const call = (from: Signer, name: string, ...args: unknown[]) =>
    world.dealer.send(from, name, ...args);
  const fast = (
    from: Signer,
    owner: Signer,
    to: Signer,
    primary: bigint,
    secondary: bigint,
    internal = false,
    param = "0x",
  ) => call(from, "fastWithdraw", owner.address, to.address, primary, secondary, internal, param);
  const execute = (from: Signer, owner: Signer, to: Signer, internal = false, param = "0x") =>
    call(from, "executeWithdraw", owner.address, to.address, internal, param);
  const tokens = (holder: Signer) => world.usdc.read("balanceOf", holder.address);
  /** Alice long 1 BTC at 30,000: initial margin 1,500 of the 11,985 that she is worth. */
  const aliceLong = () => world.open(world.btc, alice, bob, COIN, 30_000n);

  it("comes in against tokens of the caller, for anybody", async () => {
    await world.usdc.send(world.owner, "mint", bob.address, 7n);
    await world.usdc.send(bob, "approve", world.dealer.address, 7n);
    const { events } = await call(bob, "deposit", 7n, 0n, alice.address);
    expect(events.map(({ name }) => name)).toEqual(["Transfer", "Deposit"]);
    expect(events[1]).toMatchObject({ args: [alice.address, bob.address, 7n, 0n] });
    expect(await world.credit(alice)).toEqual([10_000n * USD + 7n, 2_000n * USD]);
    expect(await tokens(bob)).toBe(0n);
  });

  it("is not given for tokens that the caller does not have or did not allow", async () => {
    await expect(call(bob, "deposit", 1n, 0n, bob.address)).rejects.toThrow("reverted");
    await world.usdc.send(bob, "approve", world.dealer.address, 1n);
    await expect(call(bob, "deposit", 1n, 0n, bob.address)).rejects.toThrow("reverted");
  });

  it("goes out at once, to anybody, as tokens", async () => {
    const { events } = await fast(alice, alice, bob, 4_000n * USD, 500n * USD);
    expect(events.at(-1)).toMatchObject({
      name: "Withdraw",
      args: [bob.address, alice.address, 4_000n * USD, 500n * USD],
    });
    expect(await world.credit(alice)).toEqual([6_000n * USD, 1_500n * USD]);
    expect(await tokens(bob)).toBe(4_000n * USD);
    expect(await world.jusd.read("balanceOf", bob.address)).toBe(500n * USD);
  });

  it("moves between accounts without a token", async () => {
    const { events } = await fast(alice, alice, bob, 4_000n * USD, 500n * USD, true);
    expect(events.map(({ name, args }) => [name, ...args])).toEqual([
      ["TransferIn", bob.address, 4_000n * USD, 500n * USD],
      ["TransferOut", alice.address, 4_000n * USD, 500n * USD],
    ]);
    expect(await world.credit(bob)).toEqual([104_000n * USD, 500n * USD]);
    expect(await tokens(bob)).toBe(0n);
  });

  it("to oneself is still one's own", async () => {
    await fast(alice, alice, alice, 4_000n * USD, 500n * USD, true);
    expect(await world.credit(alice)).toEqual([10_000n * USD, 2_000n * USD]);
  });

  it("goes out no faster than the time lock, and only once", async () => {
    await call(world.owner, "setWithdrawTimeLock", 3_600);
    const due = BigInt(world.evm.nowSeconds + 3_600);
    const { events } = await call(
      alice,
      "requestWithdraw",
      alice.address,
      4_000n * USD,
      500n * USD,
    );
    expect(events).toMatchObject([
      { name: "RequestWithdraw", args: [alice.address, 4_000n * USD, 500n * USD, due] },
    ]);
    const state = (await world.dealer.read("getCreditOf", alice.address)) as bigint[];
    expect([...state]).toEqual([10_000n * USD, 2_000n * USD, 4_000n * USD, 500n * USD, due]);
    await world.evm.wait(3_599);
    expect(await reasonFor(execute(alice, alice, alice))).toBe("JOJO_WITHDRAW_PENDING");
    await world.evm.wait(1);
    await execute(alice, alice, bob);
    expect(await tokens(bob)).toBe(4_000n * USD);
    await execute(alice, alice, bob);
    expect(await tokens(bob)).toBe(4_000n * USD);
  });

  it("a new request takes the place of the old one, and its time", async () => {
    await call(world.owner, "setWithdrawTimeLock", 3_600);
    await call(alice, "requestWithdraw", alice.address, 4_000n * USD, 0n);
    await world.evm.wait(3_600);
    await call(alice, "requestWithdraw", alice.address, 1_000n * USD, 0n);
    expect(await reasonFor(execute(alice, alice, alice))).toBe("JOJO_WITHDRAW_PENDING");
    await world.evm.wait(3_600);
    await execute(alice, alice, bob);
    expect(await tokens(bob)).toBe(1_000n * USD);
  });

  it("goes out fast only while that is enabled, or for those on the list", async () => {
    await call(world.owner, "disableFastWithdraw", true);
    expect(await reasonFor(fast(alice, alice, alice, 1n, 0n))).toBe(
      "JOJO_FAST_WITHDRAW_NOT_ALLOWED",
    );
    expect(await reasonFor(fast(bob, alice, bob, 1n, 0n))).toBe("JOJO_FAST_WITHDRAW_NOT_ALLOWED");
    await call(world.owner, "setFastWithdrawalWhitelist", alice.address, true);
    expect(await world.dealer.read("isFastWithdrawalValid", alice.address)).toBe(true);
    await fast(alice, alice, alice, 1n, 0n);
  });

  it("is nobody else's to withdraw, but for a fund operator up to its allowance", async () => {
    expect(await reasonFor(fast(operator, alice, operator, 1n, 0n))).toBe("JOJO_WITHDRAW_INVALID");
    expect(await reasonFor(call(operator, "requestWithdraw", alice.address, 1n, 0n))).toBe(
      "JOJO_WITHDRAW_INVALID",
    );
    const { events } = await call(alice, "approveFundOperator", operator.address, 100n, 50n);
    expect(events).toMatchObject([
      { name: "FundOperatorAllowedChange", args: [alice.address, operator.address, 100n, 50n] },
    ]);
    expect(await reasonFor(fast(operator, alice, operator, 101n, 0n))).toBe(
      "JOJO_WITHDRAW_INVALID",
    );
    expect(await reasonFor(fast(operator, alice, operator, 0n, 51n))).toBe("JOJO_WITHDRAW_INVALID");
    await fast(operator, alice, operator, 60n, 50n);
    expect([
      ...((await world.dealer.read(
        "isCreditAllowed",
        alice.address,
        operator.address,
      )) as bigint[]),
    ]).toEqual([40n, 0n]);
    await call(operator, "requestWithdraw", alice.address, 40n, 0n);
    await execute(operator, alice, operator);
    expect(await tokens(operator)).toBe(100n);
    expect(await reasonFor(fast(operator, alice, operator, 1n, 0n))).toBe("JOJO_WITHDRAW_INVALID");
  });

  it("an allowance that shrank after the request holds at execution", async () => {
    await call(alice, "approveFundOperator", operator.address, 100n, 0n);
    await call(operator, "requestWithdraw", alice.address, 100n, 0n);
    await call(alice, "approveFundOperator", operator.address, 99n, 0n);
    expect(await reasonFor(execute(operator, alice, operator))).toBe("JOJO_WITHDRAW_INVALID");
  });

  it("a stranger erases no withdrawal that waits, and moves nothing, by an amount of zero", async () => {
    await call(alice, "requestWithdraw", alice.address, 4_000n * USD, 500n * USD);
    const pending = async () => [
      ...((await world.dealer.read("getCreditOf", alice.address)) as bigint[]),
    ];
    const before = await pending();
    expect(await reasonFor(call(operator, "requestWithdraw", alice.address, 0n, 0n))).toBe(
      "JOJO_WITHDRAW_INVALID",
    );
    expect(await reasonFor(fast(operator, alice, operator, 0n, 0n))).toBe("JOJO_WITHDRAW_INVALID");
    expect(await reasonFor(fast(operator, alice, operator, 0n, 0n, true))).toBe(
      "JOJO_WITHDRAW_INVALID",
    );
    expect(await pending()).toEqual(before);
    await execute(alice, alice, alice);
    expect(await reasonFor(execute(operator, alice, operator))).toBe("JOJO_WITHDRAW_INVALID");
    expect(await reasonFor(execute(operator, alice, operator, true))).toBe("JOJO_WITHDRAW_INVALID");
  });

  it("a fund operator with an allowance of either asset may ask for nothing, and one whose allowance is used up may not", async () => {
    for (const [primary, secondary] of [
      [1n, 0n],
      [0n, 1n],
    ] as const) {
      await call(alice, "approveFundOperator", operator.address, primary, secondary);
      await call(operator, "requestWithdraw", alice.address, 0n, 0n);
      await execute(operator, alice, operator);
      await fast(operator, alice, operator, primary, secondary);
      expect(await reasonFor(call(operator, "requestWithdraw", alice.address, 0n, 0n))).toBe(
        "JOJO_WITHDRAW_INVALID",
      );
    }
  });

  it("a fund operator's withdrawal tells what is left of its allowance before the money moves", async () => {
    const told = ({ events }: Receipt) => events.map(({ name, args }) => [name, ...args]);
    const left = (primary: bigint, secondary: bigint) => [
      "FundOperatorAllowedChange",
      alice.address,
      operator.address,
      primary,
      secondary,
    ];
    await call(alice, "approveFundOperator", operator.address, 100n, 50n);
    expect(told(await fast(operator, alice, bob, 60n, 10n))).toEqual([
      left(40n, 40n),
      ["Transfer", getAddress(world.dealer.address), bob.address, 60n],
      ["Transfer", getAddress(world.dealer.address), bob.address, 10n],
      ["Withdraw", bob.address, alice.address, 60n, 10n],
    ]);
    expect(told(await fast(operator, alice, bob, 10n, 0n, true))).toEqual([
      left(30n, 40n),
      ["TransferIn", bob.address, 10n, 0n],
      ["TransferOut", alice.address, 10n, 0n],
    ]);
    await call(operator, "requestWithdraw", alice.address, 30n, 40n);
    expect(told(await execute(operator, alice, bob, true))[0]).toEqual(left(0n, 0n));
    // The account's own withdrawal is not an operator's.
    expect(told(await fast(alice, alice, bob, 1n, 0n, true)).map(([name]) => name)).toEqual([
      "TransferIn",
      "TransferOut",
    ]);
  });

  it("an operator for orders is none for funds", async () => {
    await call(alice, "setOperator", operator.address, true);
    expect(await reasonFor(fast(operator, alice, operator, 1n, 0n))).toBe("JOJO_WITHDRAW_INVALID");
  });

  it("leaves no account below its initial margin", async () => {
    await aliceLong();
    const free = 11_985n * USD - 1_500n * USD;
    expect(await reasonFor(fast(alice, alice, alice, 0n, 2_000n * USD + 1n))).toBe("panic 0x11");
    await fast(alice, alice, alice, 0n, 2_000n * USD);
    expect(await reasonFor(fast(alice, alice, alice, free - 2_000n * USD + 1n, 0n))).toBe(
      "JOJO_ACCOUNT_NOT_SAFE",
    );
    await fast(alice, alice, alice, free - 2_000n * USD, 0n);
    expect(await world.dealer.read("isIMSafe", alice.address)).toBe(true);
    expect(await reasonFor(fast(alice, alice, alice, 1n, 0n))).toBe("JOJO_ACCOUNT_NOT_SAFE");
  });

  it("pays no primary credit out against secondary", async () => {
    expect(await reasonFor(fast(alice, alice, alice, 10_000n * USD + 1n, 0n))).toBe(
      "JOJO_ACCOUNT_NOT_SAFE",
    );
    expect(await reasonFor(fast(alice, alice, bob, 10_000n * USD + 1n, 0n, true))).toBe(
      "JOJO_ACCOUNT_NOT_SAFE",
    );
    await fast(alice, alice, alice, 10_000n * USD, 0n);
  });

  it("stays where it is while an account is unsafe, by either way", async () => {
    await aliceLong();
    await call(alice, "requestWithdraw", alice.address, 1n, 0n);
    await world.setPrice(world.btc, 18_000n * USD);
    expect(await world.isSafe(alice)).toBe(false);
    expect(await reasonFor(fast(alice, alice, alice, 1n, 0n))).toBe("JOJO_ACCOUNT_NOT_SAFE");
    expect(await reasonFor(fast(alice, alice, alice, 0n, 1n))).toBe("JOJO_ACCOUNT_NOT_SAFE");
    expect(await reasonFor(fast(alice, alice, bob, 0n, 1n, true))).toBe("JOJO_ACCOUNT_NOT_SAFE");
    expect(await reasonFor(execute(alice, alice, alice))).toBe("JOJO_ACCOUNT_NOT_SAFE");
  });

  it("stays where it is while a price of the account is stale", async () => {
    await aliceLong();
    await world.makeStale(world.btc);
    expect(await reasonFor(fast(alice, alice, alice, 1n, 0n))).toBe("ORACLE_HEARTBEAT_FAILED");
  });

  describe("that is withdrawn with a call of its receiver", () => {
    const transfer = (to: Signer, amount: bigint) =>
      world.usdc.abi.encodeFunctionData("transfer", [to.address, amount]);
    const fastTo = (to: string, primary: bigint, param: string) =>
      call(alice, "fastWithdraw", alice.address, to, primary, 0n, false, param);
    const list = (target: string, isValid = true) =>
      call(world.owner, "setWithdrawlWhitelist", target, isValid);

    it("goes only to a contract that the dealer's owner has put on the list", async () => {
      expect(await reasonFor(fastTo(bob.address, 1n, "0x00"))).toBe("target is not a contract");
      expect(await reasonFor(fastTo(world.usdc.address, 1n, "0x00"))).toBe(
        "target is not in whiteList",
      );
      await list(bob.address);
      expect(await reasonFor(fastTo(bob.address, 1n, "0x00"))).toBe("target is not a contract");
      const { events } = await list(world.usdc.address);
      expect(events.map(({ name, args }) => [name, ...args])).toEqual([
        ["SetFastWithdrawalWhitelist", getAddress(world.usdc.address), true],
      ]);
      await list(world.usdc.address, false);
      expect(await reasonFor(fastTo(world.usdc.address, 1n, transfer(bob, 0n)))).toBe(
        "target is not in whiteList",
      );
    });

    it("is judged before the call, and the account's margin before that", async () => {
      await aliceLong();
      expect(await reasonFor(fastTo(bob.address, 10_000n * USD, "0x00"))).toBe(
        "JOJO_ACCOUNT_NOT_SAFE",
      );
    });

    it("calls with what the account says, after the money has moved, by either way", async () => {
      await list(world.jusd.address);
      // The dealer's own tokens: whoever is put on the list is called by the dealer.
      const param = world.jusd.abi.encodeFunctionData("transfer", [bob.address, 3n]);
      const { events } = await fastTo(world.jusd.address, 1n, param);
      expect(events.map(({ name }) => name)).toEqual(["Transfer", "Withdraw", "Transfer"]);
      expect(await world.jusd.read("balanceOf", bob.address)).toBe(3n);
      await call(alice, "requestWithdraw", alice.address, 2n, 0n);
      await call(alice, "executeWithdraw", alice.address, world.jusd.address, true, param);
      expect(await world.jusd.read("balanceOf", bob.address)).toBe(6n);
    });

    it("is undone with the call's own reason when that fails", async () => {
      const { address } = world.btc.source;
      await list(address);
      const param = world.btc.source.abi.encodeFunctionData("setHeartbeat", [1n]);
      expect(await reasonFor(fastTo(address, 1n, param))).toBe("Ownable: caller is not the owner");
      expect(await world.credit(alice)).toEqual([10_000n * USD, 2_000n * USD]);
    });

    it("does not come back into the dealer's money by the call", async () => {
      await list(world.dealer.address);
      const { address, abi } = world.dealer;
      for (const [name, ...args] of [
        ["deposit", 0n, 0n, bob.address],
        ["requestWithdraw", address, 0n, 0n],
        ["executeWithdraw", address, address, true, "0x"],
        ["fastWithdraw", address, address, 0n, 0n, true, "0x"],
      ] as const) {
        expect([
          name,
          await reasonFor(fastTo(address, 0n, abi.encodeFunctionData(name, args))),
        ]).toEqual([name, "ReentrancyGuard: reentrant call"]);
      }
      // A call that moves no money is not locked.
      await fastTo(address, 0n, abi.encodeFunctionData("setOperator", [bob.address, true]));
      expect(await world.dealer.read("isOperatorValid", address, bob.address)).toBe(true);
    });
  });
});
