import type { SignatureScheme } from "../../core/signing.js";
import type { Hex, Ms } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import { requestDigest, signedString } from "../signing/request-digest.js";
import type { ExchangeState } from "../state.js";
import { ApiError } from "./api-error.js";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Checks the signatures of requests and streams, by its own reading of the scheme (protocol 1 and 4.4). */
export class Authentication {
  readonly #state: ExchangeState;
  readonly #scheme: SignatureScheme;

  constructor(state: ExchangeState, scheme: SignatureScheme) {
    this.#state = state;
    this.#scheme = scheme;
  }

  /**
   * The address that a request claims and has signed for.
   * @throws ApiError 1010 nothing is claimed or signed, 1110 no address, 1011 outside the time window, 1012 signed by another.
   */
  signerOf(parameters: ReadonlyMap<string, string>): Hex {
    const address = addressOf(parameters);
    const signature = parameters.get("signature");
    if (signature === undefined || signature === "") {
      throw new ApiError(1010, "parameter signature is missing");
    }
    const timestamp = parameters.get("timestamp") ?? "";
    if (!/^\d{1,16}$/.test(timestamp) || !this.#isCurrent(Number(timestamp))) {
      throw new ApiError(1011, "timestamp is missing or outside the window");
    }
    if (!this.signed(requestDigest(signedString(parameters)), signature, address)) {
      throw new ApiError(1012, "Request signature is invalid");
    }
    return address;
  }

  /**
   * The registered account that a request has signed for.
   * @throws ApiError as {@link signerOf}, and 1010 when the address has no account.
   */
  accountOf(parameters: ReadonlyMap<string, string>): Account {
    const address = this.signerOf(parameters);
    const account = this.#state.account(address);
    if (account === undefined) {
      throw new ApiError(1010, "the account is not registered");
    }
    return account;
  }

  /** Whether `address` made a signature, with or without `0x`, over a digest. */
  signed(digest: Uint8Array, signature: string, address: Hex): boolean {
    const hex = signature.startsWith("0x") ? signature : `0x${signature}`;
    return this.#scheme.recover(digest, hex) === address.toLowerCase();
  }

  #isCurrent(timestampMs: Ms): boolean {
    return Math.abs(this.#state.seam.clock.nowMs() - timestampMs) <= this.#state.config.timestampWindowMs;
  }
}

/** The `account` parameter. @throws ApiError 1010 when it is missing, 1110 when it is no address */
export function addressOf(parameters: ReadonlyMap<string, string>): Hex {
  const address = parameters.get("account");
  if (address === undefined || address === "") {
    throw new ApiError(1010, "parameter account is missing");
  }
  if (!ADDRESS.test(address)) {
    throw new ApiError(1110, "account is not an address");
  }
  return address;
}
