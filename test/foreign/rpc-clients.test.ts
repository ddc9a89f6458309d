import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Contract, id, JsonRpcProvider, Wallet } from "ethers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testTokenAbi } from "#chain/test-token.generated.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { chainOf } from "../simulator/chain/chains.js";
import {
  clientScript,
  hasNodeLibraries,
  hasPythonModules,
  libraryFolder,
  pythonEnv,
  runClient,
} from "./libraries.js";

const hasViem = hasNodeLibraries("viem");
const hasWeb3 = hasPythonModules("web3");

let open: OpenChain;
beforeEach(async () => {
  open = await chainOf({
    config: { rpc: { port: 0 }, blocks: { intervalMs: 200 } },
    clock: createLiveRuntime().clock,
  });
});
afterEach(() => open.close());

/** Addresses, and the key of an account with ether and tokens, as the clients take them. */
function clientArguments(): string[] {
  const { server, keys, addresses } = open;
  return [
    server?.url ?? "",
    server?.streamUrl ?? "",
    keys.accounts[0]?.privateKey ?? "",
    addresses.token,
    addresses.dealer,
  ];
}

/** The outcome that every client must see, under whatever name it gives the errors. */
const SEEN = {
  refused: [],
  listening: true,
  status: "success",
  receipts: true,
  slots: [[true, 2]],
  proof: [true],
  gas: 21_000,
  pending: true,
};

const error = (name: string, words: unknown) => ({ names: expect.arrayContaining([name]), words });
const INSUFFICIENT = expect.stringMatching(/^insufficient funds for gas \* price \+ value/);

/**
 * Every request that ethers writes, with the forms of block that it knows.
 * @returns those that failed, with the node's words
 */
async function refusedReads(
  provider: JsonRpcProvider,
  mine: string,
  token: string,
): Promise<string[]> {
  const hash = (await provider.getBlock("latest"))?.hash ?? "";
  const call = { from: mine, to: token, data: "0x18160ddd" };
  const wallet = await provider.getSigner(mine);
  const filter = {
    address: [token],
    topics: [[id("Transfer(address,address,uint256)")], null],
    fromBlock: 0,
    toBlock: "latest",
  };
  const types = { Mail: [{ name: "amount", type: "uint256" }] };
  const work: Readonly<Record<string, () => Promise<unknown>>> = {
    balance: () =>
      Promise.all([undefined, "safe", 0, -1, hash].map((at) => provider.getBalance(mine, at))),
    block: () =>
      Promise.all(["latest", "pending", 0, hash].map((at) => provider.getBlock(at, true))),
    call: () =>
      Promise.all([
        provider.call(call),
        provider.call({ ...call, blockTag: 1, gasLimit: 100_000, nonce: 1, type: 2 }),
      ]),
    code: () => provider.getCode(token, "latest"),
    count: () => provider.getTransactionCount(mine, "pending"),
    estimate: () =>
      provider.estimateGas({
        ...call,
        accessList: [{ address: token, storageKeys: [`0x${"0".repeat(64)}`] }],
      }),
    fees: () => provider.getFeeData(),
    logs: () => Promise.all([provider.getLogs(filter), provider.getLogs({ blockHash: hash })]),
    network: () => provider._detectNetwork(),
    sign: () =>
      Promise.all([
        wallet.signMessage("hello"),
        wallet._legacySignMessage("hello"),
        wallet.signTypedData({}, types, { amount: 5 }),
      ]),
    storage: () =>
      Promise.all(
        [0, `0x${"0".repeat(64)}`].map((slot) => provider.getStorage(token, slot, "latest")),
      ),
    transaction: () =>
      Promise.all([provider.getTransaction(hash), provider.getTransactionReceipt(hash)]),
    unlocked: () => provider.listAccounts(),
  };
  const refused: string[] = [];
  for (const [name, run] of Object.entries(work))
    await run().catch((error: Error) => refused.push(`${name}: ${error.message}`));
  return refused;
}

describe("the chain's port", () => {
  it.skipIf(!hasViem)(
    `runs viem unchanged${hasViem ? "" : " (skipped: test/foreign/install.sh has not run)"}`,
    async () => {
      const folder = libraryFolder();
      try {
        copyFileSync(clientScript("viem-rpc.mjs"), join(folder, "viem-rpc.mjs"));
        const seen = await runClient(process.execPath, [
          join(folder, "viem-rpc.mjs"),
          ...clientArguments(),
        ]);
        expect(seen).toEqual({
          ...SEEN,
          failures: {
            empty: error("InsufficientFundsError", INSUFFICIENT),
            emptyWithGas: error("InsufficientFundsError", INSUFFICIENT),
            used: error("NonceTooLowError", "nonce too low: next nonce 1, tx nonce 0"),
            known: error("RpcRequestError", "already known"),
            underpriced: error(
              "RpcRequestError",
              expect.stringMatching(/^replacement transaction underpriced/),
            ),
            littleGas: error(
              "IntrinsicGasTooLowError",
              "intrinsic gas too low: gas 20000, minimum needed 21000",
            ),
            notOwner: error("ContractFunctionRevertedError", "Ownable: caller is not the owner"),
          },
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it.skipIf(!hasWeb3)(
    `runs web3.py unchanged${hasWeb3 ? "" : " (skipped: test/foreign/install.sh has not run, or there is no python3)"}`,
    async () => {
      const seen = await runClient(
        "python3",
        [clientScript("web3_rpc.py"), ...clientArguments()],
        pythonEnv(),
      );
      expect(seen).toEqual({
        ...SEEN,
        failures: {
          empty: error("Web3RPCError", INSUFFICIENT),
          emptyWithGas: error("Web3RPCError", INSUFFICIENT),
          used: error("Web3RPCError", "nonce too low: next nonce 1, tx nonce 0"),
          known: error("Web3RPCError", "already known"),
          underpriced: error(
            "Web3RPCError",
            expect.stringMatching(/^replacement transaction underpriced/),
          ),
          littleGas: error(
            "Web3RPCError",
            "intrinsic gas too low: gas 20000, minimum needed 21000",
          ),
          notOwner: error(
            "ContractLogicError",
            "execution reverted: Ownable: caller is not the owner",
          ),
        },
      });
    },
  );

  it("runs ethers unchanged: it finds its own codes for every refusal", async () => {
    const provider = new JsonRpcProvider(open.server?.url ?? "", 31337, {
      staticNetwork: true,
      cacheTimeout: -1,
      pollingInterval: 100,
    });
    try {
      const rich = new Wallet(open.keys.accounts[0]?.privateKey ?? "", provider);
      const poor = new Wallet(`0x${"11".repeat(32)}`, provider);
      const token = new Contract(open.addresses.token, testTokenAbi, rich);
      expect(await refusedReads(provider, rich.address, open.addresses.token)).toEqual([]);
      const codeOf = (work: Promise<unknown>) =>
        work.then(
          () => "done",
          (failure: { code: string }) => failure.code,
        );
      const to = poor.address;
      const receipt = await (await token.getFunction("transfer")(to, 5n)).wait();
      expect(await provider.send("eth_getBlockReceipts", [receipt.blockNumber])).toHaveLength(1);
      expect(await provider.estimateGas({ from: rich.address, to, value: 1n })).toBe(21_000n);
      const later = {
        to,
        value: 1n,
        gasLimit: 21_000n,
        nonce: 1000,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 10n ** 9n,
      };
      await rich.sendTransaction(later);
      expect({
        empty: await codeOf(poor.sendTransaction({ to, value: 1n })),
        emptyWithGas: await codeOf(poor.sendTransaction({ to, value: 1n, gasLimit: 21_000n })),
        used: await codeOf(rich.sendTransaction({ to, value: 1n, nonce: 0 })),
        underpriced: await codeOf(rich.sendTransaction({ ...later, value: 2n })),
        reverted: await codeOf(token.getFunction("transfer")(to, 10n ** 30n)),
      }).toEqual({
        empty: "INSUFFICIENT_FUNDS",
        emptyWithGas: "INSUFFICIENT_FUNDS",
        used: "NONCE_EXPIRED",
        underpriced: "REPLACEMENT_UNDERPRICED",
        reverted: "CALL_EXCEPTION",
      });
    } finally {
      provider.destroy();
    }
  });
});
