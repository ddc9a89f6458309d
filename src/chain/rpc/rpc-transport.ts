/** What came of one request: JSON-RPC's `result` or `error`, unchecked. */
export type RpcReply = { readonly result: unknown } | { readonly error: unknown };

/** How requests reach one RPC. */
export interface RpcTransport {
  /** @throws RpcFailure when no JSON-RPC answer came in time. */
  request(method: string, params: readonly unknown[]): Promise<RpcReply>;
  /** Requests under way fail. */
  close(): Promise<void>;
}

/** An RPC in this process: a chain's own function, for virtual time and simulations. */
export interface InProcessRpc {
  /** What it is called in messages. */
  readonly name: string;
  /** Carries out one request, and never rejects unless the RPC fails as a network does: then with an RpcFailure. */
  readonly call: (method: string, params: readonly unknown[]) => Promise<RpcReply>;
}
