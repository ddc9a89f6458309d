import { MarketwrightError } from "../../core/errors.js";
import type { Revert } from "../contracts/revert.js";

/** A question to the chain that got no usable answer, or a revert: it ends that question, and nothing else. */
export class ChainError extends MarketwrightError {}

/** One RPC did not give an answer that can be used. Another may. */
export class RpcFailure extends ChainError {
  /** `timeout` and `connection`: nothing came. `http` and `malformed`: no JSON-RPC came. `refused`: an error of the node's own. */
  readonly why: "timeout" | "connection" | "http" | "malformed" | "refused";
  /** The JSON-RPC error's code, of `refused` alone. */
  readonly code: number | undefined;

  constructor(why: RpcFailure["why"], summary: string, code?: number) {
    super(summary);
    this.why = why;
    this.code = code;
  }
}

/** The call was undone on the chain: an answer, and the same from every RPC. */
export class CallReverted extends ChainError {
  readonly revert: Revert;

  constructor(revert: Revert) {
    super(`the call reverts: ${revert.text}`);
    this.revert = revert;
  }
}

/** No RPC gave an answer that can be believed, or not enough gave the same. The message says of each why. */
export class ChainUnavailable extends ChainError {}
