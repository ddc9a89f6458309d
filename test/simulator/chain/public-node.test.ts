import { once } from "node:events";
import { Contract, Interface, keccak256, parseEther, Wallet, zeroPadValue } from "ethers";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { testTokenAbi } from "#chain/test-token.generated.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { chainOf } from "./chains.js";

/*
 * The port answers as a public node does: by the methods, forms and words that go-ethereum has and
 * other people's tools rely on.
 */

const POOR = new Wallet(`0x${"11".repeat(32)}`);
const FEES = {
  type: 2,
  chainId: 31337,
  gasLimit: 21_000,
  maxFeePerGas: 10n ** 10n,
  maxPriorityFeePerGas: 10n ** 9n,
};
const INTERVAL = { blocks: { intervalMs: 1000 } };
const TOKEN_CALLS = new Interface(testTokenAbi);

let open: OpenChain;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await open.close();
});

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function start(config: object = {}): Promise<void> {
  open = await chainOf({
    config: { rpc: { port: 0, devMethods: true, deployments: true }, ...config },
  });
}

async function rpc(method: string, ...params: readonly unknown[]): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(open.server?.url ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return (await response.json()) as Answer;
}

async function resultOf<Value>(method: string, ...params: readonly unknown[]): Promise<Value> {
  const { result, error } = await rpc(method, ...params);
  expect(error, method).toBeUndefined();
  return result as Value;
}

function rich(): Wallet {
  return new Wallet(open.keys.accounts[0]?.privateKey ?? "");
}

function other(): string {
  return open.keys.accounts[1]?.signer.address ?? "";
}

async function send(wallet: Wallet, transaction: object): Promise<Answer> {
  return rpc(
    "eth_sendRawTransaction",
    await wallet.signTransaction({ ...FEES, to: other(), value: 1n, ...transaction }),
  );
}

async function codeAt(address: string, code: string): Promise<void> {
  await resultOf("hardhat_setCode", address, code);
}

describe("eth_getBlockReceipts", () => {
  it("has the receipt of every transaction of a block, however the block is named", async () => {
    await start(INTERVAL);
    for (const nonce of [0, 1, 2]) await send(rich(), { nonce });
    await open.chain.minePending();
    const { number, hash } = open.chain.head;
    const named = `0x${number.toString(16)}`;
    const { transactions } = await resultOf<{ transactions: string[] }>(
      "eth_getBlockByNumber",
      named,
      false,
    );
    expect(transactions.length).toBe(3);
    const single = await Promise.all(
      transactions.map((transaction) => resultOf("eth_getTransactionReceipt", transaction)),
    );
    for (const block of [named, "latest", hash, { blockHash: hash }, { blockNumber: named }]) {
      expect((await rpc("eth_getBlockReceipts", block)).result, JSON.stringify(block)).toEqual(
        single,
      );
    }
  });

  it("is null for an unknown block, and refused for the pending one", async () => {
    await start();
    expect(await resultOf("eth_getBlockReceipts", "0xffffff")).toBeNull();
    expect(await resultOf("eth_getBlockReceipts", `0x${"1".repeat(64)}`)).toBeNull();
    expect(await resultOf("eth_getBlockReceipts", "0x0")).toEqual([]);
    expect((await rpc("eth_getBlockReceipts", "pending")).error).toMatchObject({ code: -32000 });
    for (const wrong of [undefined, [], "0x1g", {}]) {
      expect((await rpc("eth_getBlockReceipts", wrong)).error?.code, JSON.stringify(wrong)).toBe(
        -32602,
      );
    }
  });
});

describe("eth_createAccessList", () => {
  it("lists the slots that a transfer of tokens touches, and the gas that the transaction then takes", async () => {
    await start();
    const { token } = open.addresses;
    const call = {
      from: rich().address,
      to: token,
      data: TOKEN_CALLS.encodeFunctionData("transfer", [other(), 5n]),
    };
    const { accessList, gasUsed, error } = await resultOf<{
      accessList: { address: string; storageKeys: string[] }[];
      gasUsed: string;
      error?: string;
    }>("eth_createAccessList", call, "latest");
    expect(error).toBeUndefined();
    expect(accessList.map(({ address }) => address)).toEqual([token.toLowerCase()]);
    // The balances of both are a mapping in one of the token's first slots.
    const slotsOf = (account: string) =>
      [0, 1, 2, 3, 4, 5].map((slot) =>
        keccak256(zeroPadValue(account, 32) + slot.toString(16).padStart(64, "0")),
      );
    for (const account of [call.from, other()])
      expect(accessList[0]?.storageKeys.some((key) => slotsOf(account).includes(key))).toBe(true);
    const sent = await send(rich(), {
      nonce: 0,
      to: token,
      value: 0n,
      data: call.data,
      gasLimit: 200_000,
      accessList,
    });
    const receipt = await resultOf<{ gasUsed: string; status: string }>(
      "eth_getTransactionReceipt",
      sent.result,
    );
    expect([receipt.status, receipt.gasUsed]).toEqual(["0x1", gasUsed]);
  });

  it("lists accounts that are only read, and leaves out sender, recipient and precompiled contracts", async () => {
    await start();
    const at = "0x00000000000000000000000000000000000000cc";
    // BALANCE of an account, a call of the identity contract, SLOAD of slot 7.
    await codeAt(at, `0x73${POOR.address.slice(2)}31505f5f5f5f5f60045af150600754`);
    expect(
      await resultOf("eth_createAccessList", { from: rich().address, to: at }, "latest"),
    ).toMatchObject({
      accessList: [
        { address: at, storageKeys: [`0x${"7".padStart(64, "0")}`] },
        { address: POOR.address.toLowerCase(), storageKeys: [] },
      ],
    });
    expect(
      await resultOf(
        "eth_createAccessList",
        { from: rich().address, to: other(), value: "0x1" },
        "latest",
      ),
    ).toEqual({
      accessList: [],
      gasUsed: "0x5208",
    });
  });

  it("reports a call's failure together with the slots it touched", async () => {
    await start();
    const data = TOKEN_CALLS.encodeFunctionData("transfer", [other(), 10n ** 30n]);
    const { accessList, error } = await resultOf<{ accessList: object[]; error: string }>(
      "eth_createAccessList",
      {
        from: rich().address,
        to: open.addresses.token,
        data,
      },
    );
    expect([accessList.length, error]).toEqual([1, "execution reverted"]);
    expect((await rpc("eth_createAccessList", [], "latest")).error?.code).toBe(-32602);
    expect(
      (await rpc("eth_createAccessList", { to: open.addresses.token, accessList: 7 }, "latest"))
        .error?.code,
    ).toBe(-32602);
  });
});

describe("net_listening", () => {
  it("is true, with no peer", async () => {
    await start();
    expect([await resultOf("net_listening"), await resultOf("net_peerCount")]).toEqual([
      true,
      "0x0",
    ]);
  });
});

describe("eth_subscribe to new transactions", () => {
  it.each([
    ["hashes by default", [], (hash: string) => hash],
    ["hashes where the whole transaction is not wanted", [false], (hash: string) => hash],
    [
      "whole transactions where they are",
      [true],
      (hash: string) =>
        expect.objectContaining({ hash, from: rich().address.toLowerCase(), nonce: "0x0" }),
    ],
  ])("gives %s", async (_what, options, wanted) => {
    await start(INTERVAL);
    const socket = new WebSocket(open.server?.streamUrl ?? "");
    cleanups.push(() => socket.terminate());
    await once(socket, "open");
    socket.send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_subscribe",
        params: ["newPendingTransactions", ...options],
      }),
    );
    const [subscribed] = (await once(socket, "message")) as [Buffer];
    const { result: subscription, error } = JSON.parse(String(subscribed)) as {
      result: string;
      error?: unknown;
    };
    expect(error).toBeUndefined();
    const next = once(socket, "message");
    const hash = (await send(rich(), { nonce: 0 })).result as string;
    const [told] = (await next) as [Buffer];
    expect(JSON.parse(String(told)).params).toEqual({ subscription, result: wanted(hash) });
  });
});

describe("the pending block", () => {
  it("has the next block number, which clients read", async () => {
    await start(INTERVAL);
    await send(rich(), { nonce: 0 });
    const { number } = open.chain.head;
    const pending = await resultOf<{ number: string; transactions: string[] }>(
      "eth_getBlockByNumber",
      "pending",
      false,
    );
    expect([Number(pending.number), pending.transactions.length]).toEqual([number + 1, 1]);
    expect(await resultOf("eth_getBlockByNumber", "0xffffff", false)).toBeNull();
  });
});

describe("eth_getProof", () => {
  it("accepts storage keys as quantities and as 32 bytes, and returns them in the same form", async () => {
    await start();
    const word = (key: string) => `0x${key.slice(2).padStart(64, "0")}`;
    const keys = ["0x0", "0x00", "0x1", word("0x0"), word("0x1")];
    const { storageProof } = await resultOf<{
      storageProof: { key: string; value: string; proof: string[] }[];
    }>("eth_getProof", open.addresses.dealer, keys, "latest");
    expect(storageProof.map(({ key }) => key)).toEqual([
      "0x0",
      "0x0",
      "0x1",
      word("0x0"),
      word("0x1"),
    ]);
    const stored = await Promise.all(
      keys.map((key) => resultOf<string>("eth_getStorageAt", open.addresses.dealer, key, "latest")),
    );
    expect(storageProof.map(({ value }) => BigInt(value))).toEqual(stored.map(BigInt));
    expect(BigInt(stored[0] ?? 0)).not.toBe(0n);
    expect(storageProof[0]?.proof).toEqual(storageProof[3]?.proof);
    for (const wrong of [`${word("0x0")}0`, "0xg", "", 7, null]) {
      expect(
        (await rpc("eth_getProof", open.addresses.dealer, [wrong], "latest")).error?.code,
        String(wrong),
      ).toBe(-32602);
    }
  });
});

describe("eth_estimateGas", () => {
  it("is 21000 for a plain transfer, and enough for everything else", async () => {
    await start();
    const from = rich().address;
    expect(await resultOf("eth_estimateGas", { from, to: other(), value: "0x1" })).toBe("0x5208");
    expect(
      await resultOf(
        "eth_estimateGas",
        { from, to: POOR.address, value: "0x1", data: "0x" },
        "latest",
      ),
    ).toBe("0x5208");
    expect((await send(rich(), { nonce: 0, gasLimit: 21_000 })).result).toMatch(/^0x/);
    expect(open.chain.head.number).toBeGreaterThan(0);
    // One JUMPDEST needs one more.
    await codeAt("0x00000000000000000000000000000000000000cc", "0x5b");
    expect(
      await resultOf("eth_estimateGas", { from, to: "0x00000000000000000000000000000000000000cc" }),
    ).toBe("0x5209");
    const data = TOKEN_CALLS.encodeFunctionData("transfer", [other(), 5n]);
    const gas = await resultOf<string>("eth_estimateGas", { from, to: open.addresses.token, data });
    const sent = await send(rich(), {
      nonce: 1,
      to: open.addresses.token,
      value: 0n,
      data,
      gasLimit: BigInt(gas),
    });
    expect(await resultOf("eth_getTransactionReceipt", sent.result)).toMatchObject({
      status: "0x1",
    });
  });
});

describe("a refusal", () => {
  it("of a sender who cannot pay begins with the words of go-ethereum, whatever asks", async () => {
    await start();
    const words = /^insufficient funds for gas \* price \+ value: /;
    const from = POOR.address;
    const refusals = [
      await send(POOR, { nonce: 0 }),
      await send(rich(), { nonce: 0, value: parseEther("1000000") }),
      await rpc("eth_sendTransaction", {
        from: rich().address,
        to: other(),
        value: `0x${parseEther("1000000").toString(16)}`,
      }),
      await rpc("eth_estimateGas", { from, to: other(), value: "0x1" }),
      await rpc("eth_estimateGas", { from, to: other(), maxFeePerGas: "0x77359400" }),
      await rpc("eth_estimateGas", { from, to: other(), gasPrice: "0x77359400" }, "latest"),
      await rpc("eth_call", { from, to: other(), value: "0x1" }, "latest"),
      await rpc("eth_createAccessList", { from, to: other(), value: "0x1" }, "latest"),
    ];
    for (const [place, { error }] of refusals.entries()) {
      expect(error?.message, `${place}`).toMatch(words);
      expect(error?.code).toBe(-32000);
    }
    expect(refusals[0]?.error?.message).toContain(
      "balance 0, tx cost 210000000000001, overshot 210000000000001",
    );
    // Without a price a call costs nothing, and overrides may give the missing funds.
    expect((await rpc("eth_call", { from, to: other() }, "latest")).result).toBe("0x");
    expect(
      (
        await rpc("eth_call", { from, to: other(), value: "0x1" }, "latest", {
          [from]: { balance: "0x1" },
        })
      ).result,
    ).toBe("0x");
    expect(
      (
        await rpc(
          "eth_call",
          { from: rich().address, to: other(), value: "0x1", gasPrice: "0x77359400" },
          "latest",
        )
      ).result,
    ).toBe("0x");
  });

  it("of a nonce, a replacement, a gas limit or a fee begins with the words of go-ethereum", async () => {
    await start(INTERVAL);
    expect((await send(rich(), { nonce: 0 })).error).toBeUndefined();
    expect((await send(rich(), { nonce: 0 })).error).toEqual({
      code: -32000,
      message: "already known",
    });
    expect((await send(rich(), { nonce: 0, value: 2n })).error?.message).toMatch(
      /^replacement transaction underpriced: .*1100000000/,
    );
    expect(
      (
        await send(rich(), {
          nonce: 0,
          value: 2n,
          maxFeePerGas: 10n ** 11n,
          maxPriorityFeePerGas: 10n ** 10n,
        })
      ).error,
    ).toBeUndefined();
    await open.chain.minePending();
    expect((await send(rich(), { nonce: 0 })).error?.message).toBe(
      "nonce too low: next nonce 1, tx nonce 0",
    );
    expect((await send(rich(), { nonce: 1, gasLimit: 20_000 })).error?.message).toBe(
      "intrinsic gas too low: gas 20000, minimum needed 21000",
    );
    const zeros = `0x${"00".repeat(1000)}`;
    expect(
      (await send(rich(), { nonce: 1, gasLimit: 30_000, data: zeros })).error?.message,
    ).toMatch(/^insufficient gas for floor data gas cost: gas 30000, minimum needed 31000/);
    expect(
      (await send(rich(), { nonce: 1, to: open.addresses.dealer, gasLimit: 100_000_000 })).error
        ?.message,
    ).toMatch(/^exceeds block gas limit: gas 100000000, block gas limit 30000000/);
    const tipped = {
      from: rich().address,
      to: other(),
      maxFeePerGas: "0x1",
      maxPriorityFeePerGas: "0x100",
    };
    expect((await rpc("eth_sendTransaction", tipped)).error?.message).toMatch(
      /^max priority fee per gas higher than max fee per gas: /,
    );
  });

  it("of a contract has code 3, its reason and its data, unlike an execution that halts", async () => {
    await start();
    const { dealer, token } = open.addresses;
    const at = "0x00000000000000000000000000000000000000cc";
    const asked = async (to: string, data: string, method = "eth_call", gas = "0x100000") =>
      (await rpc(method, { from: rich().address, to, data, gas }, "latest")).error;
    const owned = new Interface(["function setMaxPositionAmount(uint256)"]).encodeFunctionData(
      "setMaxPositionAmount",
      [1n],
    );
    for (const method of ["eth_call", "eth_estimateGas"]) {
      expect(await asked(dealer, owned, method)).toEqual({
        code: 3,
        message: "execution reverted: Ownable: caller is not the owner",
        data: expect.stringMatching(/^0x08c379a0/),
      });
      expect(await asked(dealer, "0x12345678", method)).toEqual({
        code: 3,
        message: "execution reverted",
        data: "0x",
      });
      const custom = await asked(
        token,
        TOKEN_CALLS.encodeFunctionData("transfer", [other(), 10n ** 30n]),
        method,
      );
      expect(custom).toMatchObject({
        code: 3,
        message: "execution reverted",
        data: expect.stringMatching(/^0xe450d38c/),
      });
    }
    // Panic 0x11, an unknown panic, and a selector without data.
    const reverts = async (data: string) => {
      const code = data.slice(2);
      const store = Array.from(
        { length: code.length / 2 },
        (_, i) => `60${code.slice(2 * i, 2 * i + 2)}60${i.toString(16).padStart(2, "0")}53`,
      );
      await codeAt(
        at,
        `0x${store.join("")}60${(code.length / 2).toString(16).padStart(2, "0")}5ffd`,
      );
      return asked(at, "0x");
    };
    const panic = (code: string) => `0x4e487b71${code.padStart(64, "0")}`;
    expect((await reverts(panic("11")))?.message).toBe(
      "execution reverted: arithmetic underflow or overflow",
    );
    expect((await reverts(panic("99")))?.message).toBe(
      "execution reverted: unknown panic code: 0x99",
    );
    expect(await reverts("0x08c379a0")).toEqual({
      code: 3,
      message: "execution reverted",
      data: "0x08c379a0",
    });
    // JUMPDEST, PUSH1 0, JUMP: an endless loop.
    await codeAt(at, "0x5b600056");
    expect(await asked(at, "0x")).toEqual({ code: -32000, message: "out of gas" });
    expect(await asked(at, "0x", "eth_estimateGas")).toEqual({
      code: -32000,
      message: "gas required exceeds allowance",
    });
    await codeAt(at, "0xfe");
    expect(await asked(at, "0x")).toEqual({ code: -32000, message: "invalid opcode" });
  });
});

describe("a wallet of ethers", () => {
  it("finds its own error codes", async () => {
    await start(INTERVAL);
    const { JsonRpcProvider } = await import("ethers");
    const provider = new JsonRpcProvider(open.server?.url ?? "", 31337, {
      staticNetwork: true,
      cacheTimeout: -1,
    });
    cleanups.push(() => provider.destroy());
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => "done",
        (error: { code: string }) => error.code,
      );
    const [wealthy, poor] = [rich().connect(provider), POOR.connect(provider)];
    const to = other();
    expect(await codeOf(poor.sendTransaction({ to, value: 1n }))).toBe("INSUFFICIENT_FUNDS");
    expect(await codeOf(poor.sendTransaction({ to, value: 1n, gasLimit: 21_000 }))).toBe(
      "INSUFFICIENT_FUNDS",
    );
    await wealthy.sendTransaction({ to, value: 1n, nonce: 0 });
    expect(await codeOf(wealthy.sendTransaction({ to, value: 2n, nonce: 0 }))).toBe(
      "REPLACEMENT_UNDERPRICED",
    );
    await open.chain.minePending();
    expect(await codeOf(wealthy.sendTransaction({ to, value: 2n, nonce: 0 }))).toBe(
      "NONCE_EXPIRED",
    );
    const token = new Contract(open.addresses.token, testTokenAbi, wealthy);
    expect(await codeOf(token.getFunction("transfer")(to, 10n ** 30n))).toBe("CALL_EXCEPTION");
  });
});
