// What viem makes of the chain's port. usage: node viem-rpc.mjs HTTP_URL WEBSOCKET_URL RICH_KEY TOKEN DEALER
import { createPublicClient, createWalletClient, defineChain, http, parseAbi, webSocket } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const [url, streamUrl, key, token, dealer] = process.argv.slice(2);
const chain = defineChain({
  id: 31337,
  name: "embedded",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [url] } },
});
const client = createPublicClient({ chain, transport: http(url), pollingInterval: 100 });
const walletOf = (account) => createWalletClient({ account, chain, transport: http(url) });
const rich = walletOf(privateKeyToAccount(key));
const poor = walletOf(privateKeyToAccount(`0x${"11".repeat(32)}`));
const abi = parseAbi(["function transfer(address,uint256) returns (bool)", "function setMaxPositionAmount(uint256)"]);

/** The names of an error and of its causes, and the contract's reason or the node's own words. */
async function failureOf(work) {
  const names = [];
  let words = "";
  let reason;
  try {
    await work();
  } catch (error) {
    for (let cause = error; cause; cause = cause.cause) {
      names.push(cause.name);
      words = cause.details ?? words;
      reason ??= cause.reason;
    }
  }
  return { names, words: reason ?? words };
}

const stream = createPublicClient({ chain, transport: webSocket(streamUrl) });
const pending = new Promise((resolve) => {
  const stop = stream.watchPendingTransactions({
    batch: false,
    onTransactions: ([hash]) => {
      stop();
      resolve(hash);
    },
  });
});
// A websocket keeps the order: the subscription was sent before this.
await stream.getBlockNumber();

const to = poor.account.address;
const transfer = { account: rich.account, address: token, abi, functionName: "transfer", args: [to, 5n] };
const hash = await rich.writeContract(transfer);
const { status, blockNumber } = await client.waitForTransactionReceipt({ hash });
const receipts = await client.request({ method: "eth_getBlockReceipts", params: [`0x${blockNumber.toString(16)}`] });
const { accessList } = await client.createAccessList({
  account: rich.account,
  to: token,
  data: `0xa9059cbb${to.slice(2).padStart(64, "0")}${"5".padStart(64, "0")}`,
});
const proof = await client.getProof({ address: dealer, storageKeys: ["0x0"] });

const later = { to, value: 1n, gas: 21_000n, nonce: 1000, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
const raw = await rich.account.signTransaction({ ...later, chainId: 31337, type: "eip1559" });
await client.sendRawTransaction({ serializedTransaction: raw });
const failures = {
  empty: await failureOf(() => poor.sendTransaction({ to, value: 1n })),
  emptyWithGas: await failureOf(() => poor.sendTransaction({ to, value: 1n, gas: 21_000n })),
  used: await failureOf(() => rich.sendTransaction({ to, value: 1n, gas: 21_000n, nonce: 0 })),
  known: await failureOf(() => client.sendRawTransaction({ serializedTransaction: raw })),
  underpriced: await failureOf(() => rich.sendTransaction({ ...later, value: 2n })),
  littleGas: await failureOf(() => rich.sendTransaction({ to, value: 1n, gas: 20_000n })),
  notOwner: await failureOf(() =>
    client.simulateContract({ account: rich.account, address: dealer, abi, functionName: "setMaxPositionAmount", args: [1n] }),
  ),
};
console.log(
  JSON.stringify({
    listening: await client.request({ method: "net_listening" }),
    status,
    receipts: receipts.some(({ transactionHash }) => transactionHash === hash),
    slots: accessList.map(({ address, storageKeys }) => [address.toLowerCase() === token.toLowerCase(), storageKeys.length]),
    proof: proof.storageProof.map(({ value }) => value > 0n),
    gas: Number(await client.estimateGas({ account: rich.account, to, value: 1n })),
    pending: (await pending) === hash,
    failures,
  }),
);
process.exit(0);
