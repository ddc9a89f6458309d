/** The streams of an exchange in ccxt: best bid and ask, order book, or trades. */
export type CcxtStream = "touch" | "book" | "trades";

/** The kinds of markets that prices are taken from. */
export type CcxtMarketKind = "spot" | "linear" | "inverse";

/** An exchange whose public streams in ccxt are good enough for a reference price. */
export interface CcxtExchangeEntry {
  readonly streams: readonly CcxtStream[];
  readonly kinds: readonly CcxtMarketKind[];
  /**
   * The requests that may be made, each with its method and address without a query. A websocket's
   * method is `WS`. An address that ends in `*` allows what begins like it.
   */
  readonly requests: readonly string[];
  /** Options that limit the list of markets to those of a kind. */
  readonly options: (kind: CcxtMarketKind) => Readonly<Record<string, unknown>>;
}

const ALL_STREAMS = ["touch", "book", "trades"] as const;
/** Their order books have frozen or failed their checksums, in this or a recent version of ccxt. */
const WITHOUT_BOOK = ["touch", "trades"] as const;
const ALL_KINDS = ["spot", "linear", "inverse"] as const;

const ofTypes =
  (names: Readonly<Record<CcxtMarketKind, string>>) =>
  (kind: CcxtMarketKind): Readonly<Record<string, unknown>> => ({
    fetchMarkets: { types: [names[kind]] },
  });
const KIND_NAMES = { spot: "spot", linear: "linear", inverse: "inverse" };
const SWAPS = { spot: "spot", linear: "swap", inverse: "swap" };
const ANY = (): Readonly<Record<string, unknown>> => ({});

const BINANCE_LINEAR = [
  "GET https://fapi.binance.com/fapi/v1/exchangeInfo",
  "GET https://fapi.binance.com/fapi/v1/depth",
  "WS wss://fstream.binance.com/public/ws/*",
];

/**
 * The exchanges that ccxt streams well, by their names there. Each has a public stream of the best
 * bid and ask that ccxt applies message by message, needs no request but GET for its markets, and
 * no token for its streams. Left out are, for example, `kucoin` (a token by POST), `mexc`
 * (protobuf), `coinbase` and `hyperliquid` (no stream of the best bid and ask in ccxt), and `htx`
 * and `bitfinex` (books out of sequence).
 */
export const CCXT_EXCHANGES: Readonly<Record<string, CcxtExchangeEntry>> = {
  binance: {
    streams: ALL_STREAMS,
    kinds: ALL_KINDS,
    requests: [
      "GET https://api.binance.com/api/v3/exchangeInfo",
      "GET https://api.binance.com/api/v3/depth",
      "GET https://dapi.binance.com/dapi/v1/exchangeInfo",
      "GET https://dapi.binance.com/dapi/v1/depth",
      "WS wss://stream.binance.com:9443/ws/*",
      "WS wss://dstream.binance.com/ws/*",
      ...BINANCE_LINEAR,
    ],
    options: ofTypes(KIND_NAMES),
  },
  binanceusdm: {
    streams: ALL_STREAMS,
    kinds: ["linear"],
    requests: BINANCE_LINEAR,
    options: ofTypes(KIND_NAMES),
  },
  bybit: {
    streams: ALL_STREAMS,
    kinds: ALL_KINDS,
    requests: [
      "GET https://api.bybit.com/v5/market/instruments-info",
      "WS wss://stream.bybit.com/v5/public/spot",
      "WS wss://stream.bybit.com/v5/public/linear",
      "WS wss://stream.bybit.com/v5/public/inverse",
    ],
    options: ofTypes(KIND_NAMES),
  },
  okx: {
    streams: ALL_STREAMS,
    kinds: ALL_KINDS,
    requests: [
      "GET https://www.okx.com/api/v5/public/instruments",
      "WS wss://ws.okx.com:8443/ws/v5/public",
    ],
    options: ofTypes(SWAPS),
  },
  deribit: {
    streams: ALL_STREAMS,
    kinds: ALL_KINDS,
    requests: [
      "GET https://www.deribit.com/api/v2/public/get_instruments",
      "WS wss://www.deribit.com/ws/api/v2",
    ],
    options: ANY,
  },
  kraken: {
    streams: WITHOUT_BOOK,
    kinds: ["spot"],
    requests: ["GET https://api.kraken.com/0/public/AssetPairs", "WS wss://ws.kraken.com/v2"],
    options: ANY,
  },
  bitget: {
    streams: WITHOUT_BOOK,
    kinds: ALL_KINDS,
    requests: [
      "GET https://api.bitget.com/api/v2/spot/public/symbols",
      "GET https://api.bitget.com/api/v2/margin/currencies",
      "GET https://api.bitget.com/api/v2/mix/market/contracts",
      "WS wss://ws.bitget.com/v2/ws/public",
    ],
    options: ofTypes(SWAPS),
  },
  gate: {
    streams: WITHOUT_BOOK,
    kinds: ALL_KINDS,
    requests: [
      "GET https://api.gateio.ws/api/v4/margin/currency_pairs",
      "GET https://api.gateio.ws/api/v4/spot/currency_pairs",
      "GET https://api.gateio.ws/api/v4/futures/usdt/contracts",
      "GET https://api.gateio.ws/api/v4/futures/btc/contracts",
      "WS wss://api.gateio.ws/ws/v4/",
      "WS wss://fx-ws.gateio.ws/v4/ws/usdt",
      "WS wss://fx-ws.gateio.ws/v4/ws/btc",
    ],
    options: ofTypes(SWAPS),
  },
};

/** The kind of a market by its symbol in ccxt's spelling: `BTC/USDT`, `BTC/USDT:USDT`. */
export function marketKindOf(symbol: string): CcxtMarketKind {
  const [pair, settle] = symbol.split(":");
  if (settle === undefined) return "spot";
  return settle.split("-")[0] === pair.split("/")[1] ? "linear" : "inverse";
}
