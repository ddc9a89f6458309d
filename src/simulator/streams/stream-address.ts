import type { MarketId } from "../../core/units.js";
import { ApiError } from "../rest/api-error.js";

/** Which stream a connection asks for. */
export type StreamAddress =
  | { readonly kind: "markets"; readonly wraps: boolean; readonly streams: readonly string[] }
  | { readonly kind: "account"; readonly address: string; readonly parameters: ReadonlyMap<string, string> };

const SINGLE = "/v1/single/";
const MULTIPLE = "/v1/multiple";
const ACCOUNT = "account@";

/** Reads the address of a stream (protocol 4.1). @throws ApiError 1111 when it names none */
export function readStreamAddress(pathWithQuery: string): StreamAddress {
  const mark = pathWithQuery.indexOf("?");
  const path = mark < 0 ? pathWithQuery : pathWithQuery.slice(0, mark);
  const parameters = new Map(new URLSearchParams(mark < 0 ? "" : pathWithQuery.slice(mark + 1)));
  if (parameters.get("zip")) {
    throw new ApiError(1111, "compressed streams are not offered");
  }
  if (path.startsWith(SINGLE)) {
    const name = decodePath(path.slice(SINGLE.length));
    return name.startsWith(ACCOUNT)
      ? { kind: "account", address: name.slice(ACCOUNT.length), parameters }
      : { kind: "markets", wraps: false, streams: [name] };
  }
  if (path === MULTIPLE || path === `${MULTIPLE}/`) {
    const names = (parameters.get("streams") ?? "").split("/").filter((name) => name !== "");
    return { kind: "markets", wraps: true, streams: [...new Set(names)] };
  }
  throw new ApiError(1111, "there is no such stream");
}

/** The kinds of market streams. */
export type MarketStreamKind = "orderbook" | "market" | "trades";

/** Splits a market stream's name. @throws ApiError 1111 */
export function readStreamName(name: string): { marketId: MarketId; kind: MarketStreamKind } {
  const match = /^([a-z0-9]{1,64})@(orderbook|market|trades)$/.exec(name);
  if (match === null) {
    throw new ApiError(1111, `there is no stream ${name.slice(0, 80)}`);
  }
  return { marketId: match[1] as string, kind: match[2] as MarketStreamKind };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError(1111, "the stream's name is not percent-encoded UTF-8");
  }
}
