import { MarketwrightError } from "../../core/errors.js";
import type { Revert } from "../contracts/revert.js";

/** A chain request that got no usable response, or reverted. It affects only that request. */
export class ChainError extends MarketwrightError {}

/** One RPC returned no usable response. Another may. */
export class RpcFailure extends ChainError {
  /**
   * `timeout` and `connection`: no response. `http` and `malformed`: not JSON-RPC. `refused`: an
   * error of the node.
   */
  readonly why: "timeout" | "connection" | "http" | "malformed" | "refused";
  /** The JSON-RPC error's code, only for `refused`. */
  readonly code: number | undefined;

  constructor(why: RpcFailure["why"], summary: string, code?: number) {
    super(summary);
    this.why = why;
    this.code = code;
  }
}

/** The call reverted on the chain. That is a result, and the same from every RPC. */
export class CallReverted extends ChainError {
  readonly revert: Revert;

  constructor(revert: Revert) {
    super(`the call reverts: ${revert.text}`);
    this.revert = revert;
  }
}

/** No RPC returned a trusted result, or too few agree. The message gives the reason for each. */
export class ChainUnavailable extends ChainError {}
