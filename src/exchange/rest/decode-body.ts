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
 * An answer's body as text. Nothing asks for a compressed one, but what stands between may send it all the same.
 * @throws FormatError when it does not unpack, to more than `maxBytes`, or is in an encoding that nobody here knows.
 */
export function decodeBody(
  bytes: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): string {
  const name = (Array.isArray(encoding) ? encoding.join(", ") : (encoding ?? ""))
    .trim()
    .toLowerCase();
  // Of an answer without a body there is nothing to unpack.
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
