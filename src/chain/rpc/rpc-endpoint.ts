import { classifyRevertData, classifyRevertText } from "../contracts/revert.js";
import { CallReverted, RpcFailure } from "./rpc-errors.js";
import type { RpcTransport } from "./rpc-transport.js";

/** One RPC: its name in messages, and the meaning of its errors. */
export class RpcEndpoint {
  readonly name: string;
  readonly #transport: RpcTransport;

  constructor(name: string, transport: RpcTransport) {
    this.name = name;
    this.#transport = transport;
  }

  /**
   * Sends one request.
   * @returns the unchecked `result` of the response.
   * @throws CallReverted when the call reverted, for a method that executes one; RpcFailure for
   * everything else.
   */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    const reply = await this.#transport.request(method, params);
    if ("error" in reply) throw failureOf(method, reply.error);
    return reply.result;
  }

  /** Closes all connections; requests in flight fail. */
  async close(): Promise<void> {
    await this.#transport.close();
  }
}

/** Methods that execute a call. No other request can revert, whatever a node claims. */
const EXECUTING: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas"]);
const OUT_OF_GAS =
  /out of gas|gas required exceeds|exceeds .*gas|gas limit (?:is )?(?:too|exceed)/i;
const REVERTED = /^(?:.*: )?execution reverted(?:: (.*))?$/s;

/** Nodes report a revert by its data, in one of two places, or by a message alone. */
function failureOf(method: string, error: unknown): CallReverted | RpcFailure {
  const { code, message, data } =
    typeof error === "object" && error !== null
      ? (error as { code?: unknown; message?: unknown; data?: unknown })
      : {};
  // JSON may have another type here, which may not convert to text.
  const text = typeof message === "string" ? message : "";
  return (
    (EXECUTING.has(method) ? revertOf(text, data) : undefined) ??
    new RpcFailure(
      "refused",
      text === "" ? "an error without a message" : text.slice(0, 200),
      typeof code === "number" ? code : undefined,
    )
  );
}

/** Undefined if the error is not a revert. */
function revertOf(message: string, data: unknown): CallReverted | undefined {
  const inner = typeof data === "object" && data !== null && "data" in data ? data.data : data;
  if (typeof inner === "string" && /^0x[0-9a-fA-F]*$/.test(inner) && inner !== "0x")
    return new CallReverted(classifyRevertData(inner));
  if (OUT_OF_GAS.test(message))
    return new CallReverted({ kind: "out-of-gas", text: message.slice(0, 200) });
  if (inner === "0x" && /revert/i.test(message)) return new CallReverted(classifyRevertData("0x"));
  const words = REVERTED.exec(message);
  if (words !== null)
    return new CallReverted(
      words[1] === undefined
        ? classifyRevertData("0x")
        : classifyRevertText(words[1].slice(0, 200)),
    );
  return undefined;
}
