import type { MarketId } from "../../core/units.js";
import { KLINE_INTERVALS } from "../protocol/parameters.js";

/** A candle's length, in the spelling of REST: minutes are M, months MO. */
export type KlineInterval = (typeof KLINE_INTERVALS)[number];

/** A stream of one market. */
export type MarketStream =
  | { readonly marketId: MarketId; readonly kind: "orderbook" | "market" | "trades" }
  | { readonly marketId: MarketId; readonly kind: "kline"; readonly interval: KlineInterval };

/**
 * The name under which the exchange knows a stream (docs/reference/protocol.md#market-streams).
 * @example
 * ```ts
 * import { formatStreamName } from "marketwright/exchange";
 *
 * formatStreamName({ marketId: "btcusdc", kind: "kline", interval: "1H" }); // => "btcusdc@kline1H"
 * formatStreamName({ marketId: "btcusdc", kind: "trades" }); // => "btcusdc@trades"
 * ```
 */
export function formatStreamName(stream: MarketStream): string {
  const market = encodeURIComponent(stream.marketId);
  return stream.kind === "kline" ? `${market}@kline${stream.interval}` : `${market}@${stream.kind}`;
}

/**
 * Parses the name of a stream, with a candle's length in upper or lower case; undefined for an
 * unknown name.
 * @example
 * ```ts
 * import { parseStreamName } from "marketwright/exchange";
 *
 * parseStreamName("btcusdc@kline1h"); // => { marketId: "btcusdc", kind: "kline", interval: "1H" }
 * parseStreamName("btcusdc@weather"); // => undefined
 * ```
 */
export function parseStreamName(name: string): MarketStream | undefined {
  const at = name.indexOf("@");
  const marketId = name.slice(0, at);
  const kind = name.slice(at + 1);
  if (at < 1) return undefined;
  if (kind === "orderbook" || kind === "market" || kind === "trades") return { marketId, kind };
  const interval = KLINE_INTERVALS.find(
    (known) => kind === `kline${known}` || kind === `kline${known.toLowerCase()}`,
  );
  return interval === undefined ? undefined : { marketId, kind: "kline", interval };
}
