import { keccak256 } from "../../core/crypto/keccak.js";
import type { Signer } from "../../core/crypto/signing.js";
import { FormatError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";

/**
 * Parameters of one request as the exact strings that are transmitted: the server signs what it
 * receives, character by character.
 */
export type RequestParams = Readonly<Record<string, string>>;

/** By character code: 1 for characters that are not escaped. */
const BARE = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
  BARE[character.charCodeAt(0)] = 1;

/**
 * Form-url-encodes one value as Go's `url.QueryEscape` and Python's `quote_plus` do: a space
 * becomes `+`, and only letters, digits and `-_.~` stay bare. `URLSearchParams` differs in `*` and
 * `~`, and would break the signature.
 * @throws FormatError when the text is no valid Unicode.
 * @example
 * ```ts
 * import { formEncode } from "marketwright/exchange";
 *
 * formEncode("a b*~"); // => "a+b%2A~"
 * ```
 */
export function formEncode(text: string): string {
  if (isBare(text)) return text;
  try {
    return encodeURIComponent(text)
      .replace(/[!'()*]/g, percentOf)
      .replaceAll("%20", "+");
  } catch (cause) {
    throw new FormatError("not valid Unicode", {
      field: "parameter",
      expected: "no lone surrogates",
      cause,
    });
  }
}

/** A loop, because a regular expression costs more than the rest for a short text. */
function isBare(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= BARE.length || BARE[code] === 0) return false;
  }
  return true;
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * All parameters as `k=v&k=v`, sorted by key in ASCII order and form-url-encoded: what is signed,
 * and what is sent.
 * @param more further parameters, which stand above `params` where both name one.
 * @example
 * ```ts
 * import { formatCanonicalParams } from "marketwright/exchange";
 *
 * formatCanonicalParams({ side: "BUY", marketId: "btcusdc" }); // => "marketId=btcusdc&side=BUY"
 * formatCanonicalParams({ note: "a b*" }, { account: "0x01" }); // => "account=0x01&note=a+b%2A"
 * ```
 */
export function formatCanonicalParams(params: RequestParams, more: RequestParams = NONE): string {
  const names = Object.keys(params);
  for (const name of Object.keys(more)) if (params[name] === undefined) names.push(name);
  // Without a comparator names are ordered by UTF-16 units, which is ASCII order for this protocol.
  names.sort();
  let text = "";
  for (const name of names)
    text += `${text === "" ? "" : "&"}${formEncode(name)}=${formEncode(more[name] ?? (params[name] as string))}`;
  return text;
}

const NONE: RequestParams = {};

/** Reused buffer of the bytes to hash. */
let scratch = Buffer.allocUnsafe(2048);

/**
 * The EIP-191 `personal_sign` hash of a canonical parameter string (ERC-191, version 0x45): 32
 * bytes.
 * @example
 * ```ts
 * import { formatCanonicalParams, ecdsaScheme, requestDigest } from "marketwright/exchange";
 *
 * const signer = ecdsaScheme.signer(`0x${"11".repeat(32)}`);
 * const digest = requestDigest(formatCanonicalParams({ marketId: "btcusdc" }));
 * digest.length; // => 32
 * ecdsaScheme.recover(digest, signer.sign(digest)); // => signer.address.toLowerCase()
 * ```
 */
export function requestDigest(canonical: string): Uint8Array {
  // Percent-encoded, so one character is one byte.
  const text = `\u0019Ethereum Signed Message:\n${canonical.length}${canonical}`;
  if (text.length > scratch.length) scratch = Buffer.allocUnsafe(2 * text.length);
  return keccak256(scratch.subarray(0, scratch.write(text, "latin1")));
}

/**
 * The whole signed parameter string of a private request: the caller's parameters, `account`,
 * `timestamp`, and the signature over them last. The same string serves as a query or as a form
 * body.
 * @param account the trading account; another one than the signer's where the signer is its
 * registered operator.
 * @example
 * ```ts
 * import { ecdsaScheme, signParams } from "marketwright/exchange";
 *
 * const signer = ecdsaScheme.signer(`0x${"11".repeat(32)}`);
 * const text = signParams({ marketId: "btcusdc" }, signer.address, 1_700_000_000_000, signer);
 * const names = text.split("&").map((part) => part.split("=")[0]);
 * names; // => ["account", "marketId", "timestamp", "signature"]
 * ```
 */
export function signParams(
  params: RequestParams,
  account: Hex,
  timestampMs: Ms,
  signer: Signer,
): string {
  return signedText(
    formatCanonicalParams(params, { account, timestamp: String(timestampMs) }),
    signer,
  );
}

/** Appends the signature to a canonical parameter string. */
export function signedText(canonical: string, signer: Signer): string {
  return `${canonical}&signature=${signer.sign(requestDigest(canonical))}`;
}
