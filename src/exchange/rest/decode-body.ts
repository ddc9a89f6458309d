import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { FormatError } from "../../core/errors.js";

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * Decodes a response's body to text. No request asks for compression, but a proxy may compress
 * anyway.
 * @throws FormatError when it cannot be unpacked, exceeds `maxBytes`, or has an unknown encoding.
 */
export function decodeBody(
  bytes: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): string {
  const name = (Array.isArray(encoding) ? encoding.join(", ") : (encoding ?? ""))
    .trim()
    .toLowerCase();
  // A response without a body needs no unpacking.
  if (name === "" || name === "identity" || bytes.length === 0) return bytes.toString("utf8");
  const unpack = UNPACK[name];
  const expected = `an answer as it is, or one of ${Object.keys(UNPACK).join(", ")}`;
  if (unpack === undefined)
    throw new FormatError("an encoding that cannot be read", {
      field: "content-encoding",
      value: name,
      expected,
    });
  try {
    return unpack(bytes, { maxOutputLength: maxBytes }).toString("utf8");
  } catch (cause) {
    const summary =
      cause instanceof RangeError ? `unpacks to more than ${maxBytes} bytes` : "does not unpack";
    throw new FormatError(summary, { field: "content-encoding", value: name, expected, cause });
  }
}
