/** A JSON-RPC error. `data` of a revert is the contract's revert data. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The response to one request. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };

/** Carries out a request on the EVM itself. */
export type EvmRequest = (method: string, params: readonly unknown[]) => Promise<RpcOutcome>;
