import type { MarketId } from "../../core/units.js";
import { type CandleInterval, readInterval } from "../markets/candle-interval.js";
import { ApiError } from "../rest/api-error.js";

/** The stream of a connection, and whether it is compressed. */
export type StreamAddress = { readonly zips: boolean } & (
  | { readonly kind: "markets"; readonly wraps: boolean; readonly streams: readonly string[] }
  | {
      readonly kind: "account";
      readonly address: string;
      readonly parameters: ReadonlyMap<string, string>;
    }
);

const SINGLE = "/v1/single/";
/**
 * The addresses for subscriptions: as published, and those that clients open before they subscribe.
 */
const MULTIPLE: ReadonlySet<string> = new Set([
  "/v1/multiple",
  "/v1/multiple/",
  "/",
  "/v1",
  "/v1/",
]);
const ACCOUNT = "account@";

/**
 * Reads the address of a stream (docs/reference/protocol.md#connections).
 * @throws ApiError 1111 for an unknown address
 */
export function readStreamAddress(pathWithQuery: string): StreamAddress {
  const mark = pathWithQuery.indexOf("?");
  const path = mark < 0 ? pathWithQuery : pathWithQuery.slice(0, mark);
  const given = [...new URLSearchParams(mark < 0 ? "" : pathWithQuery.slice(mark + 1))];
  const parameters = new Map(given);
  const twice = given.find(
    ([name], at) => given.findIndex(([other]) => other === name) !== at,
  )?.[0];
  if (twice !== undefined) {
    throw new ApiError(1111, `parameter ${twice} is in the query twice`);
  }
  const zips = (parameters.get("zip") ?? "") !== "";
  if (path.startsWith(SINGLE)) {
    const name = decodePath(path.slice(SINGLE.length));
    return name.startsWith(ACCOUNT)
      ? { zips, kind: "account", address: name.slice(ACCOUNT.length), parameters }
      : { zips, kind: "markets", wraps: false, streams: [name] };
  }
  if (MULTIPLE.has(path)) {
    const names = (parameters.get("streams") ?? "").split("/").filter((name) => name !== "");
    return { zips, kind: "markets", wraps: true, streams: [...new Set(names)] };
  }
  throw new ApiError(1111, "unknown stream");
}

/** A parsed name of a market stream. */
export interface MarketStream {
  /** The name in its events: as the client spelled it, except that `@trade` becomes `@trades`. */
  readonly name: string;
  readonly marketId: MarketId;
  readonly kind: "orderbook" | "market" | "trades" | "kline";
  /** The interval of a kline stream; null for others. */
  readonly interval: CandleInterval | null;
}

/**
 * Parses a market stream's name; the interval of a kline stream may be in upper or lower case.
 * Clients subscribe to trades as `@trade` and read events of `@trades`.
 * @throws ApiError 1111
 */
export function readMarketStream(name: string): MarketStream {
  const match = /^([a-z0-9]{1,64})@(?:(orderbook|market|trades?)|kline([0-9a-zA-Z]{1,4}))$/.exec(
    name,
  );
  const [, marketId, given, intervalName] = match ?? [];
  const kind = given === "trade" ? "trades" : given;
  const interval = intervalName === undefined ? null : (readInterval(intervalName) ?? null);
  if (marketId === undefined || (kind === undefined && interval === null)) {
    throw new ApiError(1111, `unknown stream ${name.slice(0, 80)}`);
  }
  const known = kind === undefined ? name : `${marketId}@${kind}`;
  return { name: known, marketId, kind: (kind ?? "kline") as MarketStream["kind"], interval };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError(1111, "the stream's name is not percent-encoded UTF-8");
  }
}
