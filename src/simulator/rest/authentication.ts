import { bytesToHex } from "../../core/crypto/hex.js";
import type { SignatureScheme } from "../../core/crypto/signing.js";
import type { Hex, Ms } from "../../core/units.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import { signedString, venueRequestDigest } from "../signing/request-digest.js";
import { ApiError } from "./api-error.js";
import { readHex } from "./read-hex.js";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** The length of r, s and v. */
const SIGNATURE_BYTES = 65;
/** The widest window that a request may set, if the venue allows it. */
const WIDEST_WINDOW_MS = 60_000;

/** An account, and the key that signed for it. */
export interface SignedAccount {
  readonly account: ExchangeAccount;
  /** The account's own address or an operator's, in lower case. */
  readonly signer: Hex;
}

/**
 * Checks the signatures of requests and streams, by an implementation independent of the client's
 * (docs/reference/protocol.md#request-signatures and docs/reference/protocol.md#account-stream).
 */
export class Authentication {
  readonly #state: ExchangeState;
  readonly #scheme: SignatureScheme;

  constructor(state: ExchangeState, scheme: SignatureScheme) {
    this.#state = state;
    this.#scheme = scheme;
  }

  /**
   * Returns the address that a request names and that signed it with its own key. Needed to
   * register an account, name its operators and withdraw.
   * @throws ApiError 1010 when account or signature is missing, 1110 for an invalid address, 1011
   * outside the time window, 1012 when another key signed.
   */
  requireOwner(parameters: ReadonlyMap<string, string>): Hex {
    const { address, signer } = this.#claim(parameters);
    if (signer !== address.toLowerCase()) {
      throw this.#foreign(signer);
    }
    return address;
  }

  /**
   * Returns the registered account of a request that its own key signed, and uses up the signature.
   * A repetition of the same bytes, or of the same parameters under another spelling of the
   * signature, is refused. For withdrawals and operators.
   * @throws ApiError as {@link requireOwner}, and that of {@link requireRegistered}; 1012 for a
   * request that was used before
   */
  requireOwnAccountOnce(parameters: ReadonlyMap<string, string>): ExchangeAccount {
    const account = this.requireRegistered(this.requireOwner(parameters));
    const digest = bytesToHex(venueRequestDigest(signedString(parameters)));
    const untilMs =
      Number(parameters.get("timestamp")) + this.#windowMs(parameters.get("recvWindow"));
    if (!this.#state.markRequestUsed(digest, untilMs)) {
      throw new ApiError(
        1012,
        "this request was already used: sign it again with another timestamp",
      );
    }
    return account;
  }

  /**
   * Returns the registered account of a request that its own key or an operator's signed.
   * @throws ApiError as {@link requireOwner}, and that of {@link requireRegistered}
   */
  requireSignedAccount(parameters: ReadonlyMap<string, string>): SignedAccount {
    const { address, signer } = this.#claim(parameters);
    const account = this.#state.account(address);
    if (signer === null || !maySign(signer, address, account)) {
      throw this.#foreign(signer);
    }
    return { account: this.requireRegistered(address), signer };
  }

  /** {@link requireSignedAccount} without the signer. */
  requireAccount(parameters: ReadonlyMap<string, string>): ExchangeAccount {
    return this.requireSignedAccount(parameters).account;
  }

  /**
   * Returns the account of an address.
   * @throws ApiError 1010, or 1110 by the venue's choice, if it is not registered
   */
  requireRegistered(address: Hex): ExchangeAccount {
    const account = this.#state.account(address);
    if (account === undefined) {
      throw new ApiError(
        this.#state.config.choices.unregisteredAccount === "1110" ? 1110 : 1010,
        "the account is not registered",
      );
    }
    return account;
  }

  /**
   * Returns which permitted signer of an account signed an order's hash, in lower case; null if
   * none did.
   */
  recoverOrderSigner(digest: Uint8Array, signature: Hex, account: ExchangeAccount): Hex | null {
    const signer = this.#scheme.recover(digest, signature);
    return signer !== null && maySign(signer, account.address, account) ? signer : null;
  }

  #claim(parameters: ReadonlyMap<string, string>): { address: Hex; signer: Hex | null } {
    const address = readAddress(parameters);
    const signature = parameters.get("signature");
    if (signature === undefined || signature === "") {
      throw new ApiError(1010, "parameter signature is missing");
    }
    const timestamp = parameters.get("timestamp") ?? "";
    if (
      !/^\d{1,16}$/.test(timestamp) ||
      !this.#isCurrent(Number(timestamp), parameters.get("recvWindow"))
    ) {
      throw new ApiError(1011, "timestamp is missing or outside the window");
    }
    const hex = readHex(signature, SIGNATURE_BYTES);
    return {
      address,
      signer: hex && this.#scheme.recover(venueRequestDigest(signedString(parameters)), hex),
    };
  }

  #foreign(signer: Hex | null): ApiError {
    return signer !== null && this.#state.config.choices.foreignSigner === "1010"
      ? new ApiError(1010, "the signer is neither the account nor an operator of it")
      : new ApiError(1012, "Request signature is invalid");
  }

  #isCurrent(timestampMs: Ms, recvWindow: string | undefined): boolean {
    return isWithin(this.#windowMs(recvWindow), timestampMs, this.#state.runtime.clock.nowMs());
  }

  #windowMs(recvWindow: string | undefined): Ms {
    const { timestampWindowMs, choices } = this.#state.config;
    const requested =
      choices.recvWindow === "honour" && recvWindow !== undefined && /^\d{1,9}$/.test(recvWindow);
    return requested ? Math.min(Number(recvWindow), WIDEST_WINDOW_MS) : timestampWindowMs;
  }
}

/** True if two instants are no further apart than a window, in either order. */
function isWithin(windowMs: Ms, oneMs: Ms, otherMs: Ms): boolean {
  return Math.abs(oneMs - otherMs) <= windowMs;
}

function maySign(signer: Hex, address: Hex, account: ExchangeAccount | undefined): boolean {
  return signer === address.toLowerCase() || account?.operators.has(signer) === true;
}

/**
 * Reads the `account` parameter.
 * @throws ApiError 1010 when it is missing, 1110 when it is not an address
 */
export function readAddress(parameters: ReadonlyMap<string, string>): Hex {
  const address = parameters.get("account");
  if (address === undefined || address === "") {
    throw new ApiError(1010, "parameter account is missing");
  }
  if (!ADDRESS.test(address)) {
    throw new ApiError(1110, "account is not an address");
  }
  return address;
}
