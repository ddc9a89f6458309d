import { createHmac, timingSafeEqual } from "node:crypto";
import { bytesToHex } from "../../../core/crypto/hex.js";
import { keccak256 } from "../../../core/crypto/keccak.js";
import type { Signer } from "../../../core/crypto/signing.js";
import type { Hex } from "../../../core/units.js";
import type { ExchangeAccount } from "../../accounts/account.js";
import type { ApiRequest } from "../../rest/parameters.js";
import type { DialectDeps } from "../dialect.js";
import { missing, type UsdmParameters } from "./rest/usdm-parameters.js";
import type { UsdmConfig } from "./usdm-config.js";
import { UsdmError } from "./usdm-error.js";

/** An API key with its secret, before it has an account. */
export interface UsdmCredentials {
  readonly apiKey: string;
  readonly secret: string;
  /** The account that it trades for; one of its own when left out. */
  readonly account?: Hex | undefined;
}

/** An API key and the account that it trades for. */
export interface UsdmKey {
  readonly apiKey: string;
  readonly account: ExchangeAccount;
  /** Signs the account's orders: its own key, or an operator's if the file names the account. */
  readonly signer: Signer;
}

type KeyDeps = Pick<DialectDeps, "state" | "clearing" | "accounts" | "scheme">;

/** How far a request's time may be ahead of the server's. */
const MAX_AHEAD_MS = 1000;
const KEY_FORM = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * The API keys, and the checks of a request that names one
 * (https://developers.binance.com/docs/derivatives/usds-margined-futures/general-info).
 */
export class UsdmApiKeys {
  readonly #deps: KeyDeps;
  readonly #config: UsdmConfig;
  readonly #credentials: readonly UsdmCredentials[];
  readonly #keys = new Map<string, UsdmKey & { readonly secret: string }>();
  readonly #accounts = new Set<ExchangeAccount>();
  /** Keys of named accounts whose operator is not yet named. */
  readonly #withoutOperator = new Set<UsdmKey>();

  constructor(deps: KeyDeps, config: UsdmConfig, credentials: readonly UsdmCredentials[]) {
    this.#deps = deps;
    this.#config = config;
    this.#credentials = credentials;
  }

  /**
   * Opens the accounts that do not exist yet. An account without a name in the file belongs to the
   * key, so its own key signs. A named one gets an operator.
   */
  open(): void {
    const { state, accounts, scheme } = this.#deps;
    for (const { apiKey, secret, account: named } of this.#credentials) {
      const signer = scheme.signer(
        derivedKey(named === undefined ? "account" : "operator", secret),
      );
      const address = named ?? signer.address;
      const account = state.account(address) ?? accounts.open(address);
      const key = { apiKey, account, signer, secret };
      this.#accounts.add(account);
      this.#keys.set(apiKey, key);
      if (named !== undefined) this.#withoutOperator.add(key);
    }
    this.approveOperators();
  }

  /**
   * Makes the operators of named accounts valid. On a chain that takes gas, so an account that was
   * opened just now has to receive its own first. Called once a second.
   */
  approveOperators(): void {
    const { state, clearing } = this.#deps;
    for (const key of this.#withoutOperator) {
      const { account, signer } = key;
      if (this.#hasRequest("gas", account) || this.#hasRequest("deposit", account)) continue;
      this.#withoutOperator.delete(key);
      const operator = signer.address.toLowerCase() as Hex;
      if (account.operators.has(operator)) continue;
      account.operators.add(operator);
      clearing.credit.setOperator(account, operator, true);
      state.listener.onAccount(account);
    }
  }

  /** True once the exchange may sign for the account: a chain has to know its operator. */
  isReady(key: UsdmKey): boolean {
    return !this.#withoutOperator.has(key) && !this.#hasRequest("operator", key.account);
  }

  #hasRequest(kind: string, { address }: ExchangeAccount): boolean {
    return this.#deps.state.requests.hasRequestFor(kind, address.toLowerCase() as Hex);
  }

  /** True if a key trades for an account. */
  isUsedBy(account: ExchangeAccount): boolean {
    return this.#accounts.has(account);
  }

  /** The address of the account that a request's API key stands for; undefined for no key. */
  addressOf({ headers }: Pick<ApiRequest, "headers">): Hex | undefined {
    return this.#keys.get(String(headers?.["x-mbx-apikey"]))?.account.address;
  }

  /** The accounts of all keys. */
  get accounts(): ReadonlySet<ExchangeAccount> {
    return this.#accounts;
  }

  /**
   * The key that a request names in its header.
   * @throws UsdmError -2014 without one, -2015 for an unknown one
   */
  require(request: Pick<ApiRequest, "headers">): UsdmKey {
    return this.#find(request);
  }

  /**
   * The key of a request that its secret signed within its time window.
   * @throws UsdmError as {@link require}, -1102, -1021, -1022
   */
  requireSigned(request: ApiRequest, parameters: UsdmParameters): UsdmKey {
    const key = this.#find(request);
    const signature = parameters.get("signature");
    if (!signature) throw missing("signature");
    this.#requireCurrent(parameters);
    const payload = withoutSignature(request.query) + withoutSignature(request.body);
    const expected = createHmac("sha256", key.secret).update(payload).digest();
    const given = /^[0-9a-fA-F]{64}$/.test(signature) ? Buffer.from(signature, "hex") : null;
    if (given === null || !timingSafeEqual(given, expected)) throw new UsdmError("-1022");
    return key;
  }

  #find({ headers }: Pick<ApiRequest, "headers">): UsdmKey & { readonly secret: string } {
    const given = headers?.["x-mbx-apikey"];
    if (typeof given !== "string" || !KEY_FORM.test(given)) throw new UsdmError("-2014");
    const key = this.#keys.get(given);
    if (key === undefined) throw new UsdmError("-2015");
    return key;
  }

  #requireCurrent(parameters: UsdmParameters): void {
    const timestamp = parameters.get("timestamp") ?? "";
    if (!/^\d{1,16}$/.test(timestamp)) throw missing("timestamp");
    const { recvWindowMs, maxRecvWindowMs } = this.#config;
    const given = parameters.get("recvWindow");
    if (given && !/^\d{1,9}$/.test(given)) {
      throw new UsdmError("-1130", "Data sent for parameter 'recvWindow' is not valid.");
    }
    const windowMs = given ? Number(given) : recvWindowMs;
    if (windowMs > maxRecvWindowMs) {
      throw new UsdmError("-1131", `recvWindow must be less than ${maxRecvWindowMs}`);
    }
    const ageMs = this.#deps.state.runtime.clock.nowMs() - Number(timestamp);
    if (ageMs <= -MAX_AHEAD_MS) {
      throw new UsdmError(
        "-1021",
        `Timestamp for this request was ${MAX_AHEAD_MS}ms ahead of the server's time.`,
      );
    }
    if (ageMs > windowMs) throw new UsdmError("-1021");
  }
}

/** The signed text is query and body as they were sent, without the signature. */
function withoutSignature(form: string): string {
  return form
    .split("&")
    .filter((pair) => !pair.startsWith("signature="))
    .join("&");
}

/** A private key that only the API secret gives, so that it is the same after a restart. */
function derivedKey(role: "account" | "operator", secret: string): Hex {
  return bytesToHex(keccak256(Buffer.from(`marketwright binance-usdm ${role} ${secret}`, "utf8")));
}
