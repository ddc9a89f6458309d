import { AbiCoder, dataSlice } from "ethers";
import { RunError } from "../../core/errors.js";
import type { RpcError, RpcOutcome } from "./rpc-outcome.js";

/** A request that the chain refused; `data` is the contract's revert data, if any. */
export class ChainRequestError extends RunError {
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, { code, message, data }: RpcError) {
    super(`${method}: ${message}`);
    this.code = code;
    this.data = data;
  }

  /** The text of `Error(string)`, or null if the refusal has none. */
  get reason(): string | null {
    if (typeof this.data !== "string" || !this.data.startsWith("0x08c379a0")) return null;
    return AbiCoder.defaultAbiCoder().decode(["string"], dataSlice(this.data, 4))[0] as string;
  }
}

/**
 * Returns the result of a request.
 * @throws ChainRequestError when it was refused
 */
export function unwrapResult(method: string, outcome: RpcOutcome): unknown {
  if ("error" in outcome) throw new ChainRequestError(method, outcome.error);
  return outcome.result;
}
