import type { InProcessRpc, RpcReply } from "#chain/rpc-transport.js";
import type { Random } from "#core/runtime.js";
import type { Ms } from "#core/units.js";
import type { HoldingClock } from "#simulation/waiting-clock.js";
import type { BlockBuilder } from "./block-builder.js";

/** Behaviour of a node at one time. Chances in [0, 1]. */
export interface NodeWeather {
  readonly requestLost: number;
  readonly answerLost: number;
  readonly refused: number;
  /** Round trip, at least and at most. */
  readonly leastMs: Ms;
  readonly mostMs: Ms;
  /** Number of newest blocks that it does not have yet. */
  readonly lagBlocks: number;
}

export const FAIR: NodeWeather = {
  requestLost: 0,
  answerLost: 0,
  refused: 0,
  leastMs: 4,
  mostMs: 12,
  lagBlocks: 0,
};

/** A node's fault in a request. */
export type NodeFault = "request-lost" | "answer-lost" | "refused" | "behind" | "slow";

const SLOW_MS = 200;

/**
 * One RPC of the chain as the network shows it: late, deaf, overloaded, behind. All from a seed.
 */
export function faultyNode(
  name: string,
  builder: Pick<BlockBuilder, "head" | "handle">,
  clock: HoldingClock,
  random: Random,
  weather: () => NodeWeather,
  struck: (fault: NodeFault) => void = () => {},
): InProcessRpc {
  const after = (ms: Ms, run: () => void): void => void clock.setTimer(ms, run);
  return {
    name,
    call: (method, params) =>
      new Promise<RpcReply>((resolve) => {
        const { requestLost, answerLost, refused, leastMs, mostMs, lagBlocks } = weather();
        const [lost, mute, tired, up, down] = [0, 1, 2, 3, 4].map(() => random.uniform()) as [
          number,
          number,
          number,
          number,
          number,
        ];
        const way = (draw: number): Ms => Math.ceil((leastMs + (mostMs - leastMs) * draw) / 2);
        if (lost < requestLost) return struck("request-lost");
        if (leastMs >= SLOW_MS) struck("slow");
        after(way(up), () => {
          if (tired < refused) {
            struck("refused");
            after(way(down), () =>
              resolve({ error: { code: -32005, message: "too many requests" } }),
            );
            return;
          }
          if (lagBlocks > 0) struck("behind");
          const asked = lagging(method, params, builder.head, lagBlocks);
          const work =
            asked === undefined
              ? Promise.resolve<RpcReply>(
                  method === "eth_call"
                    ? { error: { code: -32000, message: "header not found" } }
                    : { result: null },
                )
              : builder.handle(asked.method, asked.params);
          clock.hold(
            work.then((reply) => {
              if (mute < answerLost) struck("answer-lost");
              else after(way(down), () => resolve(reply));
            }),
          );
        });
      }),
  };
}

/**
 * The same question as a node asks itself that is behind; undefined where it knows of no such
 * block.
 */
function lagging(
  method: string,
  params: readonly unknown[],
  head: number,
  lagBlocks: number,
): { readonly method: string; readonly params: readonly unknown[] } | undefined {
  if (lagBlocks === 0) return { method, params };
  const known = head - lagBlocks;
  const tag = `0x${known.toString(16)}`;
  const isNumbered =
    method === "eth_call" ||
    method === "eth_getBlockByNumber" ||
    method === "eth_getTransactionCount";
  if (
    isNumbered &&
    params.some(
      (param) =>
        typeof param === "string" && /^0x[0-9a-f]{1,8}$/.test(param) && Number(param) > known,
    )
  ) {
    return undefined;
  }
  return { method, params: params.map((param) => (param === "latest" ? tag : param)) };
}
