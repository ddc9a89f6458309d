import { once } from "node:events";
import { request as httpRequest } from "node:http";
import {
  Contract,
  getCreateAddress,
  Interface,
  isCallException,
  JsonRpcProvider,
  Wallet,
  WebSocketProvider,
} from "ethers";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { dealerAbi } from "#chain/dealer.generated.js";
import {
  settablePriceSourceAbi,
  settablePriceSourceBytecode,
} from "#chain/settable-price-source.generated.js";
import { testTokenAbi } from "#chain/test-token.generated.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { MemoryTransactionLog, type TransactionLog } from "#simulator/transaction-log.js";
import { chainOf, DEALER, sendTo } from "./chains.js";

let open: OpenChain;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await open.close();
});

async function start(
  rpc: object = {},
  config: object = {},
  log?: TransactionLog,
): Promise<{ url: string; streamUrl: string }> {
  open = await chainOf({
    config: { rpc: { port: 0, ...rpc }, ...config },
    ...(log === undefined ? {} : { log }),
  });
  return { url: open.server?.url ?? "", streamUrl: open.server?.streamUrl ?? "" };
}

function provider(url: string): JsonRpcProvider {
  const made = new JsonRpcProvider(url, 31337, { staticNetwork: true, cacheTimeout: -1 });
  cleanups.push(() => made.destroy());
  return made;
}

/** @returns status and body, unparsed. */
async function post(
  url: string,
  body: string,
  type = "application/json",
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body });
  return { status: response.status, text: await response.text() };
}

async function rpc(
  url: string,
  method: string,
  ...params: unknown[]
): Promise<{ result?: unknown; error?: { code: number; message: string } }> {
  const { text } = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  return JSON.parse(text) as { result?: unknown; error?: { code: number; message: string } };
}

describe("a wallet from outside", () => {
  it("deposits with its own key, and reads its balances", async () => {
    const { url } = await start();
    const { addresses, keys } = open;
    const wallet = new Wallet(keys.accounts[0]?.privateKey ?? "", provider(url));
    const token = new Contract(addresses.token, testTokenAbi, wallet);
    const dealer = new Contract(addresses.dealer, dealerAbi, wallet);
    await (await token.getFunction("approve")(addresses.dealer, 500n)).wait();
    const receipt = await (await dealer.getFunction("deposit")(500n, 0n, wallet.address)).wait();
    expect(receipt?.status).toBe(1);
    expect((await dealer.getFunction("getCreditOf")(wallet.address))[0]).toBe(500n);
    expect((await dealer.queryFilter("Deposit", 0)).length).toBe(1);
  });

  it("gets the contract's revert reason", async () => {
    const { url } = await start();
    const dealer = new Contract(open.addresses.dealer, dealerAbi, provider(url));
    const refusal: unknown = await dealer
      .getFunction("setMaxPositionAmount")
      .staticCall(1n, { from: open.keys.accounts[0]?.signer.address })
      .catch((error: unknown) => error);
    expect(isCallException(refusal as Error) && (refusal as { reason?: unknown }).reason).toBe(
      "Ownable: caller is not the owner",
    );
    const data = new Interface(dealerAbi).encodeFunctionData("setMaxPositionAmount", [1n]);
    const { error } = await rpc(url, "eth_call", { to: open.addresses.dealer, data }, "latest");
    expect(error).toMatchObject({ code: 3, data: expect.stringMatching(/^0x08c379a0/) });
  });

  it("finds the ordinary accounts unlocked, and the exchange's own never", async () => {
    const { url } = await start();
    const { accounts, owner } = open.keys;
    expect((await rpc(url, "eth_accounts")).result).toEqual(
      accounts.map(({ signer }) => signer.address.toLowerCase()),
    );
    const sent = {
      from: accounts[0]?.signer.address,
      to: accounts[1]?.signer.address,
      value: "0x1",
    };
    expect((await rpc(url, "eth_sendTransaction", sent)).result).toMatch(/^0x[0-9a-f]{64}$/);
    expect(
      (await rpc(url, "eth_sendTransaction", { ...sent, from: owner.signer.address })).error
        ?.message,
    ).toBe("unknown account");
    expect((await rpc(url, "personal_sign", "0x00", owner.signer.address)).error).toBeDefined();
  });

  it("cannot use the accounts if they are locked", async () => {
    const { url } = await start({}, { accounts: { count: 1, unlocked: false } });
    expect((await rpc(url, "eth_accounts")).result).toEqual([]);
  });
});

describe("a websocket", () => {
  it("carries requests, and sends blocks and logs to its own client", async () => {
    const { url, streamUrl } = await start();
    const { addresses, keys } = open;
    const stream = new WebSocketProvider(streamUrl, 31337, { staticNetwork: true });
    cleanups.push(() => stream.destroy());
    const token = new Contract(addresses.token, testTokenAbi, stream);
    const approvals: unknown[] = [];
    const heard = new Promise<void>((resolve) => {
      void token.on("Approval", (...args: unknown[]) => {
        approvals.push(args[2]);
        resolve();
      });
    });
    const block = new Promise<number>((resolve) => void stream.once("block", resolve));
    // The subscriptions were sent before this, and a websocket keeps the order.
    expect(await stream.getBlockNumber()).toBe(open.chain.head.number);
    await stream.send("eth_chainId", []);
    const wallet = new Wallet(keys.accounts[0]?.privateKey ?? "", provider(url));
    await new Contract(addresses.token, testTokenAbi, wallet).getFunction("approve")(
      addresses.dealer,
      7n,
    );
    await heard;
    expect(approvals).toEqual([7n]);
    expect(await block).toBe(open.chain.head.number);
  });

  it("cannot end another client's subscription, and ends its own when it closes", async () => {
    const { streamUrl } = await start();
    const [one, other] = [await connected(streamUrl), await connected(streamUrl)];
    const id = (await ask(one, "eth_subscribe", "newHeads")).result;
    expect((await ask(other, "eth_unsubscribe", id)).result).toBe(false);
    expect((await ask(one, "eth_unsubscribe", id)).result).toBe(true);
    for (let place = 0; place < 32; place += 1) await ask(one, "eth_subscribe", "newHeads");
    expect((await ask(one, "eth_subscribe", "newHeads")).error.message).toContain("at most 32");
    one.close();
    await once(one, "close");
    expect((await ask(other, "eth_chainId")).result).toBe("0x7a69");
  });

  it("is refused to a web page, and so is a request", async () => {
    const { url, streamUrl } = await start();
    const headers = { "content-type": "application/json", origin: "https://example.org" };
    expect(
      (
        await fetch(url, {
          method: "POST",
          headers,
          body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
        })
      ).status,
    ).toBe(403);
    const socket = new WebSocket(streamUrl, { origin: "https://example.org" });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toContain("401");
  });

  // A bot in another container uses the host name of the exchange's container; a page whose own
  // name resolves here uses that.
  it("is open to the names that the exchange's file allows, and to no other", async () => {
    open = await chainOf({ config: { rpc: { port: 0 } }, allowedHosts: ["exchange.internal"] });
    const { url = "", streamUrl = "", port = 0 } = open.server ?? {};
    const asked = (host: string): Promise<{ status: number | undefined; text: string }> =>
      new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json", host };
        const request = httpRequest(url, { method: "POST", headers }, async (response) => {
          let text = "";
          for await (const chunk of response) text += String(chunk);
          resolve({ status: response.statusCode, text });
        });
        request.on("error", reject);
        request.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
      });
    expect(await asked(`exchange.internal:${port}`)).toMatchObject({ status: 200 });
    expect(await asked(`page.example:${port}`)).toMatchObject({
      status: 403,
      text: expect.stringContaining("allowedHosts"),
    });
    const socket = new WebSocket(streamUrl, { headers: { host: `exchange.internal:${port}` } });
    cleanups.push(() => socket.terminate());
    await once(socket, "open");
    expect((await ask(socket, "eth_chainId")).result).toBe("0x7a69");
  });

  async function connected(url: string): Promise<WebSocket> {
    const socket = new WebSocket(url);
    cleanups.push(() => socket.terminate());
    await once(socket, "open");
    return socket;
  }

  async function ask(socket: WebSocket, method: string, ...params: unknown[]) {
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const [data] = (await once(socket, "message")) as [Buffer];
    return JSON.parse(data.toString()) as { result: unknown; error: { message: string } };
  }
});

describe("the forms of JSON-RPC", () => {
  it("are kept: batches in order, notifications without an answer, ids as they came", async () => {
    const { url } = await start();
    const batch = [
      { jsonrpc: "2.0", id: "a", method: "eth_chainId" },
      { jsonrpc: "2.0", method: "eth_chainId" },
      1,
      { jsonrpc: "2.0", id: null, method: "eth_nothing", params: [] },
    ];
    const answers = JSON.parse((await post(url, JSON.stringify(batch))).text) as unknown[];
    expect(answers).toEqual([
      { jsonrpc: "2.0", id: "a", result: "0x7a69" },
      { jsonrpc: "2.0", id: null, error: { code: -32600, message: "not a request" } },
      {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32601, message: "the method eth_nothing does not exist" },
      },
    ]);
    expect(await post(url, JSON.stringify({ jsonrpc: "2.0", method: "eth_chainId" }))).toEqual({
      status: 204,
      text: "",
    });
  });

  it("return an error for invalid input, and the port keeps running", async () => {
    const { url } = await start();
    const cases: readonly (readonly [string, string, number])[] = [
      ["no JSON", "{", -32700],
      ["nothing", "", -32700],
      ["an empty batch", "[]", -32600],
      ["a batch beyond bounds", JSON.stringify(Array.from({ length: 101 }, () => 1)), -32600],
      ["no method", '{"jsonrpc":"2.0","id":1}', -32600],
      ["another version", '{"id":1,"method":"eth_chainId"}', -32600],
      ["an id that is a list", '{"jsonrpc":"2.0","id":[],"method":"eth_chainId"}', -32600],
      ["parameters by name", '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":{}}', -32602],
      [
        "wrong parameters",
        '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[7,{},"x"]}',
        -32602,
      ],
      [
        "a thousand brackets",
        `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${"[".repeat(1000)}${"]".repeat(1000)}]}`,
        -32602,
      ],
      ["brackets without end", "[".repeat(500_000), -32700],
    ];
    for (const [what, body, code] of cases) {
      const { text } = await post(url, body);
      expect([what, (JSON.parse(text) as { error: { code: number } }).error.code]).toEqual([
        what,
        code,
      ]);
    }
    expect((await rpc(url, "eth_chainId")).result).toBe("0x7a69");
  });

  it("accept only JSON, by POST, up to a size limit", async () => {
    const { url } = await start({ maxBodyBytes: 2048 });
    expect((await post(url, "{}", "text/plain")).status).toBe(415);
    expect((await post(url, " ".repeat(3000))).status).toBe(413);
    expect((await fetch(url)).status).toBe(404);
    expect((await rpc(url, "eth_subscribe", "newHeads")).error?.message).toContain(
      "need a websocket",
    );
  });
});

describe("a harmful request", () => {
  it("is refused: deploying code, overrides, the methods of development nodes", async () => {
    const { url } = await start();
    const wallet = new Wallet(open.keys.accounts[0]?.privateKey ?? "");
    const raw = await wallet.signTransaction({
      type: 2,
      chainId: 31337,
      nonce: 0,
      gasLimit: 100_000,
      maxFeePerGas: 10n ** 10n,
      data: "0x00",
    });
    expect((await rpc(url, "eth_sendRawTransaction", raw)).error?.message).toContain("deployments");
    expect(
      (await rpc(url, "eth_sendTransaction", { from: wallet.address, data: "0x00" })).error
        ?.message,
    ).toContain("deployments");
    expect((await rpc(url, "eth_call", { data: "0x5b600056" }, "latest")).error?.message).toContain(
      "deployments",
    );
    const to = open.addresses.dealer;
    expect(
      (await rpc(url, "eth_call", { to }, "latest", { [to]: { code: "0x5b600056" } })).error
        ?.message,
    ).toContain("devMethods");
    for (const method of [
      "evm_mine",
      "anvil_setBalance",
      "hardhat_reset",
      "debug_traceCall",
      "evm_setAutomine",
    ]) {
      expect((await rpc(url, method)).error?.code).toBe(-32601);
    }
  });

  it("is refused in every encoding of a transaction: none of them deploys", async () => {
    const { url } = await start();
    const { addresses, keys } = open;
    const wallet = new Wallet(keys.accounts[0]?.privateKey ?? "");
    // A loop: JUMPDEST, PUSH1 0, JUMP.
    const creation = {
      chainId: 31337,
      nonce: 0,
      gasLimit: 1_000_000,
      data: "0x645b6000565b6000526005601bf3",
    };
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const signed = [
      await wallet.signTransaction({ ...creation, type: 0, gasPrice: 10n ** 10n }),
      await wallet.signTransaction({ ...creation, type: 0, gasPrice: 10n ** 10n, chainId: 0 }),
      await wallet.signTransaction({
        ...creation,
        type: 1,
        gasPrice: 10n ** 10n,
        accessList: [{ address: addresses.dealer, storageKeys: [] }],
      }),
      await wallet.signTransaction({ ...creation, type: 2, ...fees }),
    ];
    const longLength = (raw: string): string => {
      const at = raw.startsWith("0x0") ? 4 : 2;
      // The list's length in one byte more than needed.
      return `${raw.slice(0, at)}${(Number.parseInt(raw.slice(at, at + 2), 16) + 1).toString(16)}00${raw.slice(at + 2)}`;
    };
    const forms: ((raw: string) => unknown)[] = [
      (raw) => raw,
      (raw) => `${raw}00`,
      (raw) => `${raw}${raw.slice(2)}`,
      (raw) => `0x00${raw.slice(2)}`,
      (raw) => `0x03${raw.slice(4)}`,
      (raw) => `0x04${raw.slice(4)}`,
      (raw) => `0x7f${raw.slice(2)}`,
      (raw) => raw.toUpperCase().replace("0X", "0x"),
      (raw) => raw.slice(2),
      (raw) => `${raw}0`,
      (raw) => raw.slice(0, -2),
      longLength,
      (raw) => [raw],
      (raw) => ({ raw }),
    ];
    for (const raw of signed) {
      for (const form of forms)
        expect(
          (await rpc(url, "eth_sendRawTransaction", form(raw))).error,
          `${form}`,
        ).toBeDefined();
    }
    const { address } = wallet;
    for (const sending of [
      { to: null },
      { to: "" },
      { to: "0x" },
      { to: [] },
      { to: "0x00" },
      { to: 0 },
      { to: `0x${"0".repeat(41)}` },
    ]) {
      expect(
        (await rpc(url, "eth_sendTransaction", { from: address, data: "0x5b600056", ...sending }))
          .error,
      ).toBeDefined();
      expect(
        (await rpc(url, "eth_call", { from: address, data: "0x5b600056", ...sending }, "latest"))
          .error,
      ).toBeDefined();
      expect(
        (await rpc(url, "eth_estimateGas", { from: address, data: "0x5b600056", ...sending }))
          .error,
      ).toBeDefined();
    }
    // The EVM's own reader accepts a list as an object, entry by entry.
    for (const method of ["eth_call", "eth_estimateGas", "eth_sendTransaction"]) {
      expect(
        (
          await rpc(
            url,
            method,
            [address, null, "0xf4240", null, null, null, "0x5b600056"],
            "latest",
          )
        ).error,
      ).toMatchObject({
        code: -32602,
      });
    }
    expect(
      (await rpc(url, "eth_getTransactionCount", address, "pending")).result,
      "nothing was taken",
    ).toBe("0x0");
    for (let nonce = 0; nonce < 3; nonce += 1) {
      expect(
        (await rpc(url, "eth_getCode", getCreateAddress({ from: address, nonce }), "latest"))
          .result,
      ).toBe("0x");
    }
    const transfer = await wallet.signTransaction({
      ...creation,
      data: "0x",
      type: 2,
      ...fees,
      to: addresses.dealer,
      gasLimit: 100_000,
    });
    expect((await rpc(url, "eth_sendRawTransaction", `${transfer}00`)).error).toMatchObject({
      code: -32602,
    });
    expect(
      (await rpc(url, "eth_sendRawTransaction", transfer)).result,
      "what is exactly one is taken",
    ).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it("is limited for code that is not the exchange's: the gas of calls and of transactions", async () => {
    const { url } = await start({ deployments: true, foreignGas: 200_000 });
    const { addresses, keys } = open;
    const wallet = new Wallet(keys.accounts[0]?.privateKey ?? "", provider(url));
    // Returns the remaining gas: GAS, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN.
    const deployed = await wallet.sendTransaction({
      data: "0x685a60005260206000f360005260096017f3",
      gasLimit: 1_000_000,
    });
    const to = (await deployed.wait())?.contractAddress ?? "";
    const left = async (gas?: string) =>
      Number(
        (await rpc(url, "eth_call", { to, ...(gas === undefined ? {} : { gas }) }, "latest"))
          .result,
      );
    for (const gas of [undefined, "0xf4240", "0xffffffffffff"])
      expect(await left(gas)).toBeLessThanOrEqual(200_000);
    expect(await left()).toBeGreaterThan(100_000);
    const gas = {
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      chainId: 31337,
      type: 2,
      nonce: 1,
    };
    const dear = await wallet.signTransaction({ ...gas, to, gasLimit: 200_001 });
    expect((await rpc(url, "eth_sendRawTransaction", dear)).error?.message).toContain(
      "at most 200000",
    );
    expect(
      (await rpc(url, "eth_sendTransaction", { from: wallet.address, to, gas: "0x30d41" })).error
        ?.message,
    ).toContain("at most 200000");
    const own = await wallet.signTransaction({ ...gas, to: addresses.dealer, gasLimit: 5_000_000 });
    expect((await rpc(url, "eth_sendRawTransaction", own)).result).toMatch(/^0x/);
  });

  it("is limited: blocks of logs and of fees at once, lists, the responses to a batch", async () => {
    const { url } = await start();
    const { chain, addresses } = open;
    await chain.request("hardhat_mine", "0x3e8");
    for (let i = 0; i < 10; i += 1) await chain.request("hardhat_mine", "0x3e8");
    const to = addresses.dealer;
    expect(
      (await rpc(url, "eth_getLogs", { fromBlock: "0x0", toBlock: "latest", address: to })).error,
    ).toMatchObject({ code: -32005 });
    expect(
      (await rpc(url, "eth_newFilter", { fromBlock: "earliest", address: to })).error,
    ).toMatchObject({ code: -32005 });
    expect(
      (await rpc(url, "eth_getLogs", { fromBlock: "0x0", toBlock: "0x270f", address: to })).result,
    ).toHaveLength(6);
    const history = (await rpc(url, "eth_feeHistory", "0xffffffffffff", "latest", [])).result as {
      gasUsedRatio: unknown[];
    };
    expect(history.gasUsedRatio.length).toBeLessThanOrEqual(1024);
    const keys = Array.from({ length: 1001 }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`);
    expect((await rpc(url, "eth_getProof", to, keys, "latest")).error).toMatchObject({
      code: -32602,
    });
  });

  it("is limited: ranges of missing blocks, gas above a call's limit, abandoned filters", async () => {
    const { url } = await start();
    const to = open.addresses.dealer;
    expect(
      (
        await rpc(url, "eth_getLogs", {
          fromBlock: "0x0",
          toBlock: "0xffffffffffffffff",
          address: to,
        })
      ).result,
    ).toHaveLength(6);
    const data = new Interface(dealerAbi).encodeFunctionData("version");
    expect(
      (await rpc(url, "eth_call", { to, data, gas: "0xffffffffffff" }, "latest")).result,
    ).toContain("4a4f4a4f");
    const first = (await rpc(url, "eth_newBlockFilter")).result;
    await rpc(url, "eth_getFilterChanges", first);
    expect((await rpc(url, "eth_getFilterChanges", first)).result).toEqual([]);
    const many = Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_newBlockFilter",
    }));
    for (let round = 0; round < 3; round += 1) await post(url, JSON.stringify(many));
    expect((await rpc(url, "eth_getFilterChanges", first)).error?.message).toBe("filter not found");
  });

  it("is not run if its client disconnects in the middle of it", async () => {
    const { url } = await start();
    const request = httpRequest(url, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": 1000 },
    });
    request.on("error", () => {});
    request.write("{");
    await once(request, "socket");
    request.destroy();
    expect((await rpc(url, "eth_chainId")).result).toBe("0x7a69");
  });
});

describe("the methods of development nodes, where they are on", () => {
  it("move time, mine blocks and set state, and a rebuilt chain has all of it", async () => {
    const log = new MemoryTransactionLog();
    const { url } = await start({ devMethods: true, deployments: true }, {}, log);
    const { chain, keys } = open;
    const { number, timestampSeconds } = chain.head;
    const someone = "0x00000000000000000000000000000000000000aa";
    await rpc(url, "evm_increaseTime", 100);
    await rpc(url, "anvil_setBalance", someone, "0x5");
    expect((await rpc(url, "hardhat_mine", "0x3")).result).toBe("0x0");
    expect(chain.head).toMatchObject({
      number: number + 3,
      timestampSeconds: timestampSeconds + 100,
    });
    expect((await rpc(url, "eth_getBalance", someone, "latest")).result).toBe("0x5");
    const snapshot = (await rpc(url, "evm_snapshot")).result;
    await rpc(url, "evm_mine", timestampSeconds + 5000);
    expect(chain.head.timestampSeconds).toBe(timestampSeconds + 5000);
    expect((await rpc(url, "evm_revert", snapshot)).result).toBe(true);
    expect(chain.head).toMatchObject({
      number: number + 3,
      timestampSeconds: timestampSeconds + 100,
    });
    for (const wrong of [-1, "x", 1.5, 2 ** 60, 2 ** 52, null, {}])
      expect((await rpc(url, "evm_increaseTime", wrong)).error?.code).toBe(-32602);
    for (const wrong of [1, 2 ** 52])
      expect((await rpc(url, "evm_setNextBlockTimestamp", wrong)).error?.code).toBe(-32602);
    expect((await rpc(url, "hardhat_mine", "0xffffffff")).error?.code).toBe(-32602);
    const data =
      settablePriceSourceBytecode +
      new Interface(settablePriceSourceAbi).encodeDeploy(["x", 1]).slice(2);
    const sent = (
      await rpc(url, "eth_sendTransaction", { from: keys.accounts[0]?.signer.address, data })
    ).result as string;
    expect((await chain.receipt(sent))?.contractAddress).toMatch(/^0x/);
    // The clock continued from the time it was set to.
    expect(chain.head.timestampSeconds).toBe(timestampSeconds + 5000);
    const rebuilt = await chainOf({ log: new MemoryTransactionLog(log.genesis(), log.entries()) });
    expect(rebuilt.chain.head).toEqual(chain.head);
    await sendTo(
      rebuilt.chain,
      keys.owner.signer,
      open.addresses.dealer,
      DEALER,
      "setMaxPositionAmount",
      11n,
    );
    expect(rebuilt.chain.head.timestampSeconds).toBe(timestampSeconds + 5000);
    await rebuilt.close();
  });
});
