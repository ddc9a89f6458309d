import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { RpcFailure } from "./rpc-errors.js";
import type { InProcessRpc, RpcReply, RpcTransport } from "./rpc-transport.js";

/** JSON-RPC to a function of this process, with the same timeout and clock as over a network. */
export class InProcessTransport implements RpcTransport {
  readonly #rpc: InProcessRpc;
  readonly #clock: Clock;
  readonly #timeoutMs: Ms;
  #isClosed = false;

  constructor(rpc: InProcessRpc, clock: Clock, timeoutMs: Ms) {
    this.#rpc = rpc;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  request(method: string, params: readonly unknown[]): Promise<RpcReply> {
    if (this.#isClosed) return Promise.reject(new RpcFailure("connection", "connection closed"));
    return new Promise((resolve, reject) => {
      const timeout = new RpcFailure("timeout", `no answer within ${this.#timeoutMs} ms`);
      const timer = this.#clock.setTimer(this.#timeoutMs, () => reject(timeout));
      this.#rpc
        .call(method, params)
        .then(resolve, (error: unknown) =>
          reject(error instanceof RpcFailure ? error : new RpcFailure("connection", String(error))),
        )
        .finally(() => timer.cancel());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }
}
