/** An error of JSON-RPC. `data` of a revert is what the contract said. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The answer to one request. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };

/** Carries out a request on the EVM itself. */
export type EvmRequest = (method: string, params: readonly unknown[]) => Promise<RpcOutcome>;
