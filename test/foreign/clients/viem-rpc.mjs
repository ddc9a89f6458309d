// What viem makes of the chain's port. usage: node viem-rpc.mjs HTTP_URL WEBSOCKET_URL RICH_KEY TOKEN DEALER
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseAbi,
  parseAbiItem,
  webSocket,
} from "viem";
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
const TRANSFER = parseAbiItem(
  "event Transfer(address indexed from, address indexed to, uint256 value)",
);
const between = { fromBlock: "earliest", toBlock: "latest" };
const abi = parseAbi([
  "function transfer(address,uint256) returns (bool)",
  "function setMaxPositionAmount(uint256)",
]);

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
const transfer = {
  account: rich.account,
  address: token,
  abi,
  functionName: "transfer",
  args: [to, 5n],
};
const hash = await rich.writeContract(transfer);
const { status, blockNumber } = await client.waitForTransactionReceipt({ hash });
const receipts = await client.request({
  method: "eth_getBlockReceipts",
  params: [`0x${blockNumber.toString(16)}`],
});
const { accessList } = await client.createAccessList({
  account: rich.account,
  to: token,
  data: `0xa9059cbb${to.slice(2).padStart(64, "0")}${"5".padStart(64, "0")}`,
});
const proof = await client.getProof({ address: dealer, storageKeys: ["0x0"] });

const later = {
  to,
  value: 1n,
  gas: 21_000n,
  nonce: 1000,
  maxFeePerGas: 10n ** 10n,
  maxPriorityFeePerGas: 10n ** 9n,
};
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
    client.simulateContract({
      account: rich.account,
      address: dealer,
      abi,
      functionName: "setMaxPositionAmount",
      args: [1n],
    }),
  ),
};

// Every read that viem writes, with the forms of block that it knows.
const block = { blockNumber };
const calling = { account: rich.account, to: token, data: "0x18160ddd" };
const reads = {
  getBalance: [{ address: to }, { address: to, ...block }, { address: to, blockTag: "safe" }],
  getBlobBaseFee: [undefined],
  getBlock: [{}, block, { blockTag: "pending", includeTransactions: true }],
  getBlockNumber: [{ cacheTime: 0 }],
  getBlockTransactionCount: [{}, block],
  call: [
    calling,
    { ...calling, ...block },
    { ...calling, gas: 100_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, nonce: 1 },
  ],
  getChainId: [undefined],
  getCode: [{ address: token }, { address: token, ...block }],
  estimateFeesPerGas: [{}, { type: "legacy" }],
  estimateGas: [calling, { ...calling, ...block }],
  estimateMaxPriorityFeePerGas: [{}],
  getFeeHistory: [
    { blockCount: 4, rewardPercentiles: [25, 75] },
    { blockCount: 1, rewardPercentiles: [], ...block },
  ],
  getGasPrice: [undefined],
  getLogs: [
    {},
    { address: [token, dealer], fromBlock: 0n, toBlock: "latest" },
    { event: TRANSFER, args: { to: [to, dealer] }, ...between },
  ],
  getProof: [{ address: dealer, storageKeys: [], ...block }],
  getStorageAt: [
    { address: dealer, slot: "0x0" },
    { address: dealer, slot: `0x${"0".repeat(64)}`, ...block },
  ],
  getTransaction: [{ hash }, { ...block, index: 0 }],
  getTransactionCount: [{ address: to }, { address: to, blockTag: "pending" }],
  getTransactionReceipt: [{ hash }],
  createAccessList: [calling, { ...calling, ...block }],
};
const refused = [];
const attempt = async (name, work) => {
  try {
    return await work();
  } catch (error) {
    refused.push([name, error.details ?? error.message]);
  }
};
for (const [name, requests] of Object.entries(reads)) {
  for (const request of requests) await attempt(name, () => client[name](request));
}
for (const make of ["createBlockFilter", "createPendingTransactionFilter", "createEventFilter"]) {
  const filter = await attempt(make, () =>
    client[make](make === "createEventFilter" ? { address: token, event: TRANSFER } : undefined),
  );
  await attempt(make, () => client.getFilterChanges({ filter }));
  if (make === "createEventFilter") await attempt(make, () => client.getFilterLogs({ filter }));
  await attempt(make, () => client.uninstallFilter({ filter }));
}
const unlocked = createWalletClient({ account: rich.account.address, chain, transport: http(url) });
await attempt("getAddresses", () => unlocked.getAddresses());
await attempt("signMessage", () => unlocked.signMessage({ message: "hello" }));
await attempt("signTypedData", () =>
  unlocked.signTypedData({
    domain: { name: "mail" },
    types: { Mail: [{ name: "amount", type: "uint256" }] },
    primaryType: "Mail",
    message: { amount: 5n },
  }),
);
await attempt("eth_sendTransaction", () => unlocked.sendTransaction({ to, value: 1n }));

console.log(
  JSON.stringify({
    refused,
    listening: await client.request({ method: "net_listening" }),
    status,
    receipts: receipts.some(({ transactionHash }) => transactionHash === hash),
    slots: accessList.map(({ address, storageKeys }) => [
      address.toLowerCase() === token.toLowerCase(),
      storageKeys.length,
    ]),
    proof: proof.storageProof.map(({ value }) => value > 0n),
    gas: Number(await client.estimateGas({ account: rich.account, to, value: 1n })),
    pending: (await pending) === hash,
    failures,
  }),
);
process.exit(0);
