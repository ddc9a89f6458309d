import type { InProcessRpc, RpcReply } from "#chain/rpc-transport.js";
import type { TransactionRecord } from "#chain/transaction-store.js";
import type { Break } from "./run-seed.js";
import { type SeedPlan, timeOfBlock } from "./seed-plan.js";

/** Every process is killed right after it has sent something. */
const killedAfterSending = (plan: SeedPlan): SeedPlan => ({
  ...plan,
  kills: [1, 2, 3].map((nth) => ({ on: "event", kind: "sent", nth, downMs: 500 })),
});

const reorganised = (plan: SeedPlan): SeedPlan => ({
  ...plan,
  lossInReorg: 0.5,
  confirmations: 4,
  reorgs: Array.from({ length: 18 }, (_, i) => ({
    atMs: timeOfBlock(4 + 2 * i),
    depth: 1 + (i % 3),
  })),
});

/**
 * The rules of the liquidator that can be switched off, each of which the witness must notice
 * (docs/reference/simulation-rules.md).
 */
export const BREAKS: readonly Break[] = [
  {
    name: "pending-forgotten",
    what: "a restarted liquidator does not look for what it had sent",
    plan: killedAfterSending,
    rework: (parts) => ({
      ...parts,
      store: { ...parts.store, load: () => [], append: (record) => parts.store.append(record) },
    }),
  },
  {
    name: "reorg-ignored",
    what: "a block that was read once is part of the chain for ever, and so is a receipt",
    plan: reorganised,
    rework: (parts) => {
      const seen = new Map<string, RpcReply>();
      const kept = new Set(["eth_getTransactionReceipt", "eth_getBlockByNumber"]);
      const nodes = parts.nodes.map((node): InProcessRpc => {
        const call: InProcessRpc["call"] = async (method, params) => {
          const key = `${method} ${JSON.stringify(params)}`;
          const known = seen.get(key);
          if (known !== undefined) return known;
          const reply = await node.call(method, params);
          const isKept = kept.has(method) && params[0] !== "latest" && params[0] !== "pending";
          if (isKept && "result" in reply && reply.result !== null) seen.set(key, reply);
          return reply;
        };
        return { ...node, call };
      });
      return { ...parts, nodes };
    },
  },
  {
    name: "taken-back-and-sold",
    what: "the bot keeps selling a takeover that the chain has reverted",
    plan: reorganised,
    rework: (parts) => ({ ...parts, unwind: { ...parts.unwind, revert: () => {} } }),
  },
  {
    name: "buffer-ignored",
    what: "the margin buffer is nothing",
    plan: (plan) => ({
      ...plan,
      deposits: { ...plan.deposits, own: 1_000n },
      marginBufferBps: 5_000,
    }),
    rework: (parts) => ({
      ...parts,
      settings: { ...parts.settings, rules: { ...parts.settings.rules, marginBufferBps: 0 } },
    }),
  },
  {
    name: "store-after-sending",
    what: "what is signed reaches the disk only after the next restart would have needed it",
    plan: killedAfterSending,
    rework: (parts) => {
      const late: TransactionRecord[] = [];
      return {
        ...parts,
        store: {
          ...parts.store,
          append: (record) => {
            late.push(record);
            if (late.length > 1) parts.store.append(late.shift() as TransactionRecord);
          },
        },
      };
    },
  },
  {
    name: "ledger-cut",
    what: "the ledger's file loses how opportunities ended",
    rework: (parts) => ({
      ...parts,
      ledgerFile: {
        ...parts.ledgerFile,
        append: (line) => {
          if (!line.includes('"outcome":"won"')) parts.ledgerFile.append(line);
        },
      },
    }),
  },
  {
    name: "any-price",
    what: "what is sent takes a worse price than what was decided, by a unit of credit",
    rework: (parts) => ({
      ...parts,
      ledgerFile: {
        ...parts.ledgerFile,
        append: (line) =>
          parts.ledgerFile.append(
            line.replace(
              /"expectCredit":"(-?\d+)n"/,
              (_, digits) => `"expectCredit":"${BigInt(digits) + 1n}n"`,
            ),
          ),
      },
    }),
  },
];
