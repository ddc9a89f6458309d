import { keccak256 } from "../../core/crypto/keccak.js";

/**
 * The digest that signs a private request (docs/reference/protocol.md#request-signatures):
 * EIP-191's personal message of the form-encoded parameters.
 */
export function venueRequestDigest(message: string): Uint8Array {
  const body = Buffer.from(message, "utf8");
  return keccak256(
    Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`, "latin1"), body]),
  );
}

/** Characters that form encoding leaves unchanged. */
const BARE = /^[A-Za-z0-9_.~-]*$/;

/** Form-encodes one key or value as Go's QueryEscape and Python's quote_plus do. */
function formEncode(text: string): string {
  return BARE.test(text)
    ? text
    : encodeURIComponent(text)
        .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
        .replace(/%20/g, "+");
}

/**
 * The signed string: every parameter except the signature, sorted by key in ASCII order and
 * form-encoded.
 */
export function signedString(parameters: ReadonlyMap<string, string>): string {
  const keys = [...parameters.keys()].filter((key) => key !== "signature").sort();
  return keys
    .map((key) => `${formEncode(key)}=${formEncode(parameters.get(key) as string)}`)
    .join("&");
}
