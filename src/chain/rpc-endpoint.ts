import { revertOfData, revertOfText } from "./revert.js";
import { CallReverted, RpcFailure } from "./rpc-errors.js";
import type { RpcTransport } from "./rpc-transport.js";

/** One RPC: its name in messages, and what its errors mean. */
export class RpcEndpoint {
  readonly name: string;
  readonly #transport: RpcTransport;

  constructor(name: string, transport: RpcTransport) {
    this.name = name;
    this.#transport = transport;
  }

  /**
   * One request.
   * @returns the `result` of the answer, unchecked.
   * @throws CallReverted when the chain undid the call; RpcFailure for everything else that is no result.
   */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    const reply = await this.#transport.ask(method, params);
    if ("error" in reply) throw failureOf(reply.error);
    return reply.result;
  }

  /** Ends all connections; requests under way fail. */
  async close(): Promise<void> {
    await this.#transport.close();
  }
}

const OUT_OF_GAS = /out of gas|gas required exceeds|exceeds .*gas|gas limit (?:is )?(?:too|exceed)/i;
const REVERTED = /^(?:.*: )?execution reverted(?:: (.*))?$/s;

/** Nodes tell a revert by its data, at one of two places, or by words alone. */
function failureOf(error: unknown): CallReverted | RpcFailure {
  const { code, message = "", data } = typeof error === "object" ? (error as { code?: unknown; message?: unknown; data?: unknown }) : {};
  const inner = typeof data === "object" && data !== null && "data" in data ? data.data : data;
  if (typeof inner === "string" && /^0x[0-9a-fA-F]*$/.test(inner) && inner !== "0x") return new CallReverted(revertOfData(inner));
  if (OUT_OF_GAS.test(String(message))) return new CallReverted({ kind: "out-of-gas", text: String(message).slice(0, 200) });
  if (inner === "0x" && /revert/i.test(String(message))) return new CallReverted(revertOfData("0x"));
  const words = REVERTED.exec(String(message));
  if (words !== null) return new CallReverted(words[1] === undefined ? revertOfData("0x") : revertOfText(words[1]));
  return new RpcFailure("refused", String(message).slice(0, 200), typeof code === "number" ? code : undefined);
}
