/** Response to one request: JSON-RPC's `result` or `error`, unchecked. */
export type RpcReply = { readonly result: unknown } | { readonly error: unknown };

/** Connection to one RPC. */
export interface RpcTransport {
  /** @throws RpcFailure when no JSON-RPC response came in time. */
  request(method: string, params: readonly unknown[]): Promise<RpcReply>;
  /** Requests in flight fail. */
  close(): Promise<void>;
}

/** An RPC in this process: a chain's own function, for virtual time and simulations. */
export interface InProcessRpc {
  /** Name in messages. */
  readonly name: string;
  /**
   * Executes one request. It rejects, with an RpcFailure, only if the RPC fails as a network does.
   */
  readonly call: (method: string, params: readonly unknown[]) => Promise<RpcReply>;
}
