import type { OpenChain } from "#simulator/open-chain.js";

/** The objects that well-formed requests refer to, on a new chain. */
export interface Known {
  readonly mine: string;
  readonly other: string;
  readonly token: string;
  readonly hash: string;
}

export function knownOf({ keys, addresses, chain }: OpenChain): Known {
  const [mine, other] = keys.accounts.map(({ signer }) => signer.address);
  return { mine: mine ?? "", other: other ?? "", token: addresses.token, hash: chain.head.hash };
}

const WORD = `0x${"1".repeat(64)}`;

/**
 * Every method of the port with parameters as ethers, viem, web3.py, Hardhat and Foundry write
 * them. Those of one method are ordered from the fewest to the most.
 */
export function wellFormed({
  mine,
  other,
  token,
  hash,
}: Known): Readonly<Record<string, readonly (readonly unknown[])[]>> {
  const call = { from: mine, to: token, data: "0x06fdde03" };
  const fees = { maxFeePerGas: "0x2540be400", maxPriorityFeePerGas: "0x3b9aca00" };
  const full = {
    ...call,
    value: "0x0",
    gas: "0x186a0",
    nonce: "0x0",
    chainId: "0x7a69",
    type: "0x2",
    accessList: [],
    ...fees,
  };
  const listed = {
    ...call,
    accessList: [{ address: token, storageKeys: [WORD] }],
    gasPrice: "0x2540be400",
    input: call.data,
  };
  const filter = {
    address: [token, other],
    topics: [null, [WORD, WORD.replace("1", "2")], WORD],
    fromBlock: "0x0",
    toBlock: "latest",
  };
  const typed = {
    types: {
      EIP712Domain: [{ name: "name", type: "string" }],
      Mail: [{ name: "amount", type: "uint256" }],
    },
    primaryType: "Mail",
    domain: { name: "mail" },
    message: { amount: "5" },
  };
  const blocks = [
    "latest",
    "earliest",
    "pending",
    "safe",
    "finalized",
    "0x1",
    hash,
    { blockHash: hash },
    { blockNumber: "0x1" },
  ];
  const canonical = { blockHash: hash, requireCanonical: true };
  const at = (...before: readonly unknown[]) => [
    before,
    ...[...blocks, canonical, null].map((block) => [...before, block]),
  ];
  const numbered = (...behind: readonly unknown[]) =>
    ["latest", "0x1", 1, "0x01"].map((block) => [block, ...behind]);
  const nothing = [[]];
  return {
    debug_traceCall: [
      [call],
      [
        call,
        "latest",
        { tracer: "callTracer", tracerConfig: { onlyTopCall: true, withLog: true } },
      ],
      [
        call,
        "latest",
        { tracer: "prestateTracer", tracerConfig: { diffMode: true }, timeout: "5s", reexec: 128 },
      ],
      [call, "latest", { tracer: "4byteTracer", tracerConfig: {} }],
      [
        call,
        "latest",
        {
          tracer: "muxTracer",
          tracerConfig: { callTracer: { withLog: true }, noopTracer: null, "4byteTracer": {} },
        },
      ],
      [call, "latest", { disableStorage: true, enableMemory: false, limit: 5, stateOverrides: {} }],
    ],
    debug_traceTransaction: [],
    eth_accounts: nothing,
    eth_blobBaseFee: nothing,
    eth_blockNumber: nothing,
    eth_call: [
      ...at(call),
      [full, "latest"],
      [listed, "latest"],
      [{ to: other, data: null, from: null }, "latest"],
    ],
    eth_chainId: nothing,
    eth_coinbase: nothing,
    eth_createAccessList: [[call], [full, "latest"]],
    eth_estimateGas: [[call], [full, "latest"], [call, null]],
    eth_feeHistory: [
      ["0x1", "latest"],
      ["0x1", "latest", null],
      [4, "latest", [10, 50.5, 90]],
      ["0x4", "0x1", []],
      ["2", "pending", []],
    ],
    eth_gasPrice: nothing,
    eth_getBalance: at(mine),
    eth_getBlockByHash: [
      [hash, false],
      [hash, true],
    ],
    eth_getBlockByNumber: [...numbered(false), ["latest", true]],
    eth_getBlockReceipts: blocks.filter((block) => block !== "pending").map((block) => [block]),
    eth_getBlockTransactionCountByHash: [[hash]],
    eth_getBlockTransactionCountByNumber: numbered(),
    eth_getCode: at(token),
    eth_getFilterChanges: [],
    eth_getFilterLogs: [],
    eth_getLogs: [
      [{}],
      [filter],
      [{ blockHash: hash, address: token }],
      [{ address: null, topics: null, fromBlock: null }],
      [{ topics: [[null, WORD]] }],
    ],
    eth_getProof: [
      [token, []],
      [token, ["0x0", WORD], "latest"],
    ],
    eth_getStorageAt: at(token, "0x0"),
    eth_getTransactionByBlockHashAndIndex: [[hash, "0x0"]],
    eth_getTransactionByBlockNumberAndIndex: numbered("0x0"),
    eth_getTransactionByHash: [[WORD]],
    eth_getTransactionCount: at(mine),
    eth_getTransactionReceipt: [[WORD]],
    eth_maxPriorityFeePerGas: nothing,
    eth_newBlockFilter: nothing,
    eth_newFilter: [[{}], [filter]],
    eth_newPendingTransactionFilter: [[], [false]],
    eth_pendingTransactions: nothing,
    eth_sendRawTransaction: [],
    eth_sendTransaction: [
      [{ from: mine, to: other, value: "0x1" }],
      [
        {
          from: mine,
          to: other,
          value: 1,
          input: "0x",
          ...fees,
          gas: "0x5208",
          nonce: "0x1",
          type: "0x2",
          chainId: "0x7a69",
        },
      ],
    ],
    eth_sign: [[mine, "0x01"]],
    eth_signTypedData_v4: [
      [mine, typed],
      [mine, JSON.stringify(typed)],
    ],
    eth_subscribe: [
      ["newHeads"],
      ["logs", {}],
      ["logs", filter],
      ["newPendingTransactions"],
      ["newPendingTransactions", true],
    ],
    eth_syncing: nothing,
    eth_uninstallFilter: [["0xffff"]],
    eth_unsubscribe: [["0xffff"]],
    evm_increaseTime: [[1], ["0x1"], ["1"]],
    evm_mine: [[], [null]],
    evm_revert: [["0xffff"]],
    evm_setNextBlockTimestamp: [],
    evm_snapshot: nothing,
    hardhat_dropTransaction: [[WORD]],
    hardhat_impersonateAccount: [[token]],
    hardhat_mine: [[], ["0x2"], ["0x2", "0x1"]],
    hardhat_setBalance: [
      [other, "0xde0b6b3a7640000"],
      [other, "0x00de0b6b3a7640000"],
    ],
    hardhat_setCode: [[token.replace(/.{4}$/, "cccc"), "0x5b"]],
    hardhat_setCoinbase: [[other]],
    hardhat_setNextBlockBaseFeePerGas: [["0x3b9aca00"]],
    hardhat_setNonce: [[other, "0x5"]],
    hardhat_setPrevRandao: [[WORD]],
    hardhat_setStorageAt: [[other, "0x0", WORD]],
    hardhat_stopImpersonatingAccount: [[token]],
    net_listening: nothing,
    net_peerCount: nothing,
    net_version: nothing,
    personal_sign: [
      ["0x01", mine],
      ["0x01", mine, ""],
    ],
    web3_clientVersion: nothing,
    web3_sha3: [["0x"], ["0x01"]],
  };
}
