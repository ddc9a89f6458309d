import type { InProcessRpc } from "#chain/rpc-transport.js";
import type { Random } from "#core/runtime.js";
import type { Hex } from "#core/units.js";
import type { HoldingClock } from "#simulation/waiting-clock.js";
import type { OpenChain } from "#simulator/open-chain.js";
import {
  FAIR,
  faultyNode,
  type NodeFault,
  type NodeWeather,
} from "../../liquidator/simulation/faulty-node.js";
import type { RpcOutage } from "./whole-plan.js";

/** A node in an outage of a kind. */
export function weatherIn(kind: RpcOutage["kind"] | undefined): NodeWeather {
  switch (kind) {
    case undefined:
      return FAIR;
    case "silent":
      return { ...FAIR, requestLost: 1 };
    case "slow":
      return { ...FAIR, leastMs: 500, mostMs: 5_000 };
    case "refusing":
      return { ...FAIR, refused: 1 };
    case "behind":
      return { ...FAIR, lagBlocks: 5 };
  }
}

/** The parts from which the nodes of a run are built. */
export interface ChainNodesOptions {
  readonly count: number;
  readonly open: OpenChain;
  readonly clock: HoldingClock;
  readonly random: (node: number) => Random;
  readonly weather: () => NodeWeather;
  readonly onFault: (fault: NodeFault) => void;
  /** A raw transaction has reached a node, which has taken it. */
  readonly onSent: (raw: Hex) => void;
  /** An answer of a node has reached the process. */
  readonly onAnswer: (method: string, params: readonly unknown[]) => void;
}

/** The RPCs of the exchange's own chain, as a network shows them. */
export function chainNodes(options: ChainNodesOptions): readonly InProcessRpc[] {
  const { count, open, clock, random, weather, onFault, onSent, onAnswer } = options;
  const source = {
    get head() {
      return open.chain.head.number;
    },
    handle: async (method: string, params: readonly unknown[]) => {
      const outcome = await open.chain.handle(method, params);
      if (method === "eth_sendRawTransaction" && "result" in outcome) onSent(params[0] as Hex);
      return outcome;
    },
  };
  return Array.from({ length: count }, (_, node) => {
    const faulty = faultyNode(`node ${node}`, source, clock, random(node), weather, onFault);
    return {
      name: faulty.name,
      call: async (method: string, params: readonly unknown[]) => {
        const reply = await faulty.call(method, params);
        onAnswer(method, params);
        return reply;
      },
    };
  });
}
