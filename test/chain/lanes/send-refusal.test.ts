import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { broadcastTransaction } from "#chain/broadcast-transaction.js";
import { ChainRpc } from "#chain/chain-rpc.js";
import { signTransaction } from "#chain/fee-transaction.js";
import { RpcFailure } from "#chain/rpc-errors.js";
import { classifySendRefusal } from "#chain/send-refusal.js";
import { CHAIN_ID, GWEI, LaneWorld, OWNER, SENDER } from "./lane-world.js";

describe("a node's words", () => {
  it.each([
    ["already known", "already-known"],
    ["ALREADY_EXISTS: already known", "already-known"],
    ["AlreadyKnown", "already-known"],
    ["Known transaction", "already-known"],
    ["transaction already imported", "already-known"],
    ["nonce too low: next nonce 5, tx nonce 4", "nonce-too-low"],
    ["OldNonce", "nonce-too-low"],
    ["nonce too high", "nonce-too-high"],
    ["replacement transaction underpriced", "replacement-underpriced"],
    ["ReplacementNotAllowed", "replacement-underpriced"],
    ["INTERNAL_ERROR: could not replace existing tx", "replacement-underpriced"],
    ["insufficient funds for gas * price + value: balance 1, tx cost 2", "insufficient-funds"],
    ["Upfront cost exceeds account balance", "insufficient-funds"],
    ["transaction underpriced: tip needed 1, tip permitted 0", "fee-too-low"],
    [
      "max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2",
      "fee-too-low",
    ],
    ["FeeTooLow, MaxFeePerGas too low", "fee-too-low"],
    ["Gas price below configured minimum gas price", "fee-too-low"],
    ["exceeds block gas limit", "gas-limit"],
    ["intrinsic gas too low", "gas-limit"],
    ["insufficient gas for floor data gas cost: gas 30000, minimum needed 31000", "gas-limit"],
    ["txpool is full", "pool-full"],
    ["internal error", "unknown"],
    ["", "unknown"],
  ])("%j mean %s", (text, kind) => {
    expect(classifySendRefusal(text)).toBe(kind);
  });
});

describe("a real node", () => {
  let world: LaneWorld;
  const opened: ChainRpc[] = [];
  beforeAll(async () => {
    world = await LaneWorld.start();
  });
  afterAll(() => Promise.all(opened.map((rpc) => rpc.close())));

  const over = (...faults: ("none" | "dead" | "refusing")[]): ChainRpc => {
    const urls = faults.map((fault, i) => ({
      name: `rpc${i}`,
      call: async (method: string, params: readonly unknown[]) => {
        if (method !== "eth_sendRawTransaction" || fault === "none")
          return world.call(method, params);
        if (fault === "dead") throw new RpcFailure("connection", "connection lost");
        return { error: { code: -32000, message: "txpool is full" } };
      },
    }));
    const rpc = new ChainRpc({
      urls,
      chainId: CHAIN_ID,
      clock: world.clock,
      maxHeadAgeMs: 10 ** 9,
    });
    opened.push(rpc);
    return rpc;
  };
  const sign = (
    changes: { nonce?: number; maxFeeWei?: bigint; valueWei?: bigint; gasLimit?: bigint } = {},
  ) => {
    const fields = { nonce: 0, maxFeeWei: 10n * GWEI, valueWei: 0n, gasLimit: 21_000n, ...changes };
    return signTransaction(
      { chainId: CHAIN_ID, tipWei: GWEI, to: OWNER.address, data: "0x", ...fields },
      SENDER,
    );
  };

  it("rejects a transaction with a message that we recognise", async () => {
    const rpc = over("none");
    const why = async (signed: ReturnType<typeof sign>) => {
      const handover = await broadcastTransaction(rpc, signed);
      return handover.isAccepted ? "taken" : handover.refusal;
    };
    expect(await why(sign({ valueWei: 10n ** 24n }))).toBe("insufficient-funds");
    expect(await why(sign({ gasLimit: 40_000_000n }))).toBe("gas-limit");
    expect(await why(sign())).toBe("taken");
    expect(await why(sign())).toBe("taken");
    expect(await why(sign({ maxFeeWei: 10n * GWEI + 1n }))).toBe("replacement-underpriced");
    await world.mine();
    expect(await why(sign({ maxFeeWei: 30n * GWEI }))).toBe("nonce-too-low");
  });

  it("that accepts the transaction is enough, whatever the others return", async () => {
    for (const rpc of [
      over("dead", "none"),
      over("refusing", "none"),
      over("none", "refusing", "dead"),
    ]) {
      expect(await broadcastTransaction(rpc, sign({ nonce: 5 }))).toEqual({ isAccepted: true });
    }
    expect(await broadcastTransaction(over("dead", "refusing"), sign({ nonce: 6 }))).toEqual({
      isAccepted: false,
      refusal: "pool-full",
      text: "rpc1: txpool is full",
    });
    expect(await broadcastTransaction(over("dead", "dead"), sign({ nonce: 6 }))).toMatchObject({
      isAccepted: false,
      refusal: "unknown",
    });
  });

  it("of another chain receives nothing", async () => {
    const rpc = new ChainRpc({
      urls: [{ name: "edr", call: world.call }],
      chainId: 1,
      clock: world.clock,
      maxHeadAgeMs: 10 ** 9,
    });
    opened.push(rpc);
    expect(await broadcastTransaction(rpc, sign())).toMatchObject({
      isAccepted: false,
      refusal: "unknown",
      text: expect.stringContaining("is on chain"),
    });
  });
});
