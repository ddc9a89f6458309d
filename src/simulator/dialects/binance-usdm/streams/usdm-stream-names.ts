import type { CandleInterval } from "../../../markets/candle-interval.js";
import type { Market } from "../../../markets/market.js";
import { USDM_INTERVAL_NAMES, usdmInterval } from "../rest/usdm-intervals.js";
import { UsdmError } from "../usdm-error.js";
import type { UsdmSymbols } from "../usdm-symbols.js";

/** A parsed name of a market stream. */
export type UsdmStream = { readonly name: string; readonly markets: readonly Market[] } & (
  | { readonly kind: "aggTrade" | "trade" | "bookTicker" | "ticker" | "miniTicker" }
  | { readonly kind: "markPrice"; readonly everySeconds: 1 | 3 }
  | { readonly kind: "kline"; readonly interval: CandleInterval; readonly intervalName: string }
  | {
      readonly kind: "depth";
      readonly intervalMs: number;
      /** The number of levels of each side; null for the changes of all. */
      readonly levels: number | null;
    }
) & {
    /** True if each message is a list over all markets. */
    readonly isList: boolean;
  };

const DEPTH_INTERVAL_MS = 250;
const PLAIN: ReadonlySet<string> = new Set([
  "aggTrade",
  "trade",
  "bookTicker",
  "ticker",
  "miniTicker",
]);

const DEPTH_SPEEDS_MS = [100, 250, 500];
const DEPTH_LEVELS = [5, 10, 20];

/** The streams of a symbol, by what follows its `@`. */
export const USDM_STREAM_KINDS: readonly string[] = [
  ...PLAIN,
  "markPrice",
  "markPrice@1s",
  ...["", ...DEPTH_LEVELS].flatMap((levels) =>
    ["", ...DEPTH_SPEEDS_MS.map((ms) => `@${ms}ms`)].map((speed) => `depth${levels}${speed}`),
  ),
  ...USDM_INTERVAL_NAMES.map((name) => `kline_${name}`),
];

/** The streams of all symbols together. */
export const USDM_STREAMS_OF_ALL: readonly string[] = [
  "!ticker@arr",
  "!miniTicker@arr",
  "!bookTicker",
  "!markPrice@arr",
  "!markPrice@arr@1s",
];

/**
 * Reads a stream's name: `btcusdc@depth5@100ms`, `!ticker@arr`.
 * @returns undefined for a name that is no stream here; the interface ignores those.
 */
export function readUsdmStream(name: string, symbols: UsdmSymbols): UsdmStream | undefined {
  const all = /^!(ticker|miniTicker|bookTicker|markPrice)(?:@arr)?(@1s)?$/.exec(name);
  if (all !== null) {
    const markets = [...symbols.all.values()];
    const [, kind, second] = all;
    const isList = name.includes("@arr");
    if (kind === "markPrice") {
      return { name, markets, isList, kind, everySeconds: second === undefined ? 3 : 1 };
    }
    return { name, markets, isList, kind: kind as "ticker" };
  }
  const match = /^([a-z0-9_]{1,20})@([A-Za-z]+)([0-9]*)(?:_([0-9A-Za-z]+))?(?:@(\w+))?$/.exec(name);
  const market = symbols.all.get((match?.[1] ?? "").toUpperCase());
  if (match === null || market === undefined) return undefined;
  const [, , kind = "", count = "", interval, speed] = match;
  const common = { name, markets: [market], isList: false };
  if (kind === "kline" && interval !== undefined) return klineStream(common, interval);
  if (PLAIN.has(kind)) return { ...common, kind: kind as "aggTrade" };
  if (kind === "markPrice") return { ...common, kind, everySeconds: speed === "1s" ? 1 : 3 };
  if (kind !== "depth") return undefined;
  const intervalMs = speed === undefined ? DEPTH_INTERVAL_MS : Number(speed.replace(/ms$/, ""));
  const levels = count === "" ? null : Number(count);
  const isOffered =
    DEPTH_SPEEDS_MS.includes(intervalMs) && (levels === null || DEPTH_LEVELS.includes(levels));
  return isOffered ? { ...common, kind, intervalMs, levels } : undefined;
}

function klineStream(
  common: { readonly name: string; readonly markets: readonly Market[]; readonly isList: boolean },
  intervalName: string,
): UsdmStream | undefined {
  try {
    return { ...common, kind: "kline", interval: usdmInterval(intervalName), intervalName };
  } catch (error) {
    if (error instanceof UsdmError) return undefined;
    throw error;
  }
}

/** The form and the streams that the path of a connection names. */
export interface UsdmStreamAddress {
  /** True if messages are wrapped with the name of their stream. */
  readonly wraps: boolean;
  /** Names of streams, and listen keys. */
  readonly names: readonly string[];
}

/**
 * Reads the path of a connection: `/ws`, `/ws/NAME`, `/stream?streams=NAME/NAME`, each also below
 * `/public`, `/market` and `/private`, and `/private/ws?listenKey=KEY`
 * (https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams).
 * @returns undefined for another path
 */
export function readUsdmStreamPath(pathWithQuery: string): UsdmStreamAddress | undefined {
  const [path = "", query = ""] = pathWithQuery.split("?", 2);
  const match = /^(?:\/(?:public|market|private))?\/(ws|stream)(?:\/(.*))?$/.exec(path);
  if (match === null) return undefined;
  const parameters = new URLSearchParams(query);
  const given = [
    ...(match[2] ?? "").split("/"),
    ...(parameters.get("streams") ?? "").split("/"),
    parameters.get("listenKey") ?? "",
  ];
  return { wraps: match[1] === "stream", names: [...new Set(given)].filter((name) => name !== "") };
}
