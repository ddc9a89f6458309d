import { AllowedRequests } from "../../ccxt/allowed-requests.js";
import type { CcxtExchange, CcxtExchangeClass } from "../../ccxt/ccxt-exchange.js";
import { protectSecret } from "../../core/crypto/secrets.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { ConfigError, RunError } from "../../core/errors.js";
import { loadOptional, requireInstalled } from "../../core/optional-part.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { HedgeVenueName } from "../listed-venues.js";
import { CcxtHedgeVenue, type HedgeStreamHandlers } from "./ccxt-hedge-venue.js";
import { createHedgeExchange } from "./create-hedge-exchange.js";
import { RefusedRequest } from "./hedge-queries.js";
import { HedgeRestClient } from "./hedge-rest-client.js";
import { HEDGE_STREAM_TIMINGS, HedgeStreams, type HedgeStreamTimings } from "./hedge-streams.js";
import { readContract } from "./read-contract.js";
import { RequestWeights } from "./request-weights.js";
import { UsdmDecoder } from "./usdm-decoder.js";
import { usdmPositionModeShape } from "./usdm-records.js";
import { USDM_KEY_CODES } from "./usdm-refusals.js";
import {
  USDM_ALLOWED,
  USDM_MARKET_STREAM,
  USDM_REST_ORIGIN,
  USDM_RIGHTS_ORIGIN,
  USDM_STREAM_ORIGIN,
  USDM_USER_STREAM,
} from "./usdm-requests.js";
import { VenueTime } from "./venue-time.js";

/** Time limit of the list of all markets. */
const MARKETS_MS: Ms = 15_000;

/** The part of a venue in the bot's file that opens it. */
export interface CcxtHedgeConfig {
  /** The exchange's name in ccxt. */
  readonly ccxt: HedgeVenueName;
  /** Other addresses, as of an exchange that speaks the same interface. */
  readonly urls?: { readonly rest: string; readonly stream: string } | undefined;
  readonly requestTimeoutMs: Ms;
  readonly acceptanceWindowMs: Ms;
  readonly maxRequestWeight: number;
}

/** Dependencies of {@link openCcxtHedgeVenue}. */
export interface CcxtHedgeDeps {
  readonly runtime: Runtime;
  /** Path of the venue in the bot's file, for errors. */
  readonly field: string;
  readonly apiKey: string;
  readonly secret: string;
  /** The contracts to hedge with, in ccxt's spelling, each with its path in the bot's file. */
  readonly symbols: readonly { readonly symbol: string; readonly field: string }[];
  /** The 16 bits that mark the bot's orders. */
  readonly tag: number;
  readonly timings?: Partial<HedgeStreamTimings> | undefined;
}

/**
 * Opens a listed exchange of ccxt: sets the clock by its own, reads its contracts and checks the
 * API key and the position mode. The streams open with `start`. The caller closes the venue.
 * @throws ConfigError for a contract, key or setting of the account that cannot hedge; RunError if
 * the exchange cannot be reached or ccxt is not installed
 */
export async function openCcxtHedgeVenue(
  config: CcxtHedgeConfig,
  deps: CcxtHedgeDeps,
): Promise<CcxtHedgeVenue> {
  const { runtime, field, apiKey, secret } = deps;
  protectSecret(apiKey);
  protectSecret(secret);
  requireInstalled(["ccxt"]);
  const { default: ccxt } = await loadOptional("ccxt");
  const base = (ccxt.pro as unknown as Readonly<Record<string, CcxtExchangeClass>>)[config.ccxt];
  const requests = new AllowedRequests(USDM_ALLOWED, "docs/reference/hedge.md", originsOf(config));
  const time = new VenueTime(runtime.clock);
  const timings = { ...HEDGE_STREAM_TIMINGS, ...deps.timings };
  let streams: HedgeStreams | undefined;
  let venue: CcxtHedgeVenue | undefined;
  const exchange = createHedgeExchange({
    base,
    apiKey,
    secret,
    acceptanceWindowMs: config.acceptanceWindowMs,
    requests,
    nowMs: () => time.nowMs(),
    send: (request) => client.send(request, MARKETS_MS),
    listener: {
      onOpen: (socket) => streams?.onOpen(socket),
      onMessage: (socket, message) => streams?.onMessage(socket, message),
      onDown: (socket, reason) => streams?.onDown(socket, reason),
    },
  });
  const client = new HedgeRestClient({
    exchange,
    requests,
    weights: new RequestWeights(config.maxRequestWeight, () => time.nowMs()),
    clock: runtime.clock,
    timeoutMs: config.requestTimeoutMs,
    onClockRefused: () => venue?.refreshClock(),
  });
  try {
    const markets = await loadMarkets(exchange, field);
    const contracts = new Map(
      deps.symbols.map(({ symbol, field }) => [symbol, readContract(symbol, markets, field)]),
    );
    const names = [...contracts.values()].map(({ id }) => `${id.toLowerCase()}@bookTicker`);
    const stream = requests.reroute(USDM_STREAM_ORIGIN);
    const openStreams = (handlers: HedgeStreamHandlers): HedgeStreams => {
      streams = new HedgeStreams({
        runtime,
        exchange: () => exchange,
        timings,
        userUrl: (key) => `${stream}${USDM_USER_STREAM}?listenKey=${key}`,
        marketUrl: () => `${stream}${USDM_MARKET_STREAM}?streams=${names.join("/")}`,
        ...handlers,
      });
      return streams;
    };
    venue = new CcxtHedgeVenue({
      runtime,
      contracts,
      acceptanceWindowMs: config.acceptanceWindowMs,
      client,
      decoder: new UsdmDecoder(contracts.values(), deps.tag),
      time,
      timings,
      openStreams,
    });
    await checkAccount(venue, config, field);
    return venue;
  } catch (error) {
    client.close();
    venue?.close();
    throw error;
  }
}

/** The other addresses of the exchange's origins. */
function originsOf({ urls }: CcxtHedgeConfig): Readonly<Record<string, string>> {
  if (urls === undefined) return {};
  const rest = urls.rest.replace(/\/+$/, "");
  return {
    [USDM_REST_ORIGIN]: rest,
    [USDM_RIGHTS_ORIGIN]: rest,
    [USDM_STREAM_ORIGIN]: urls.stream.replace(/\/+$/, ""),
  };
}

async function loadMarkets(
  exchange: CcxtExchange,
  field: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    await exchange.loadHttpProxyAgent();
    await exchange.loadMarkets();
  } catch (cause) {
    throw new RunError(`cannot read the exchange's markets: ${describeThrown(cause)}`, {
      field,
      cause,
    });
  }
  return exchange.markets ?? {};
}

/** @throws ConfigError if the exchange does not accept the key, or the account cannot hedge */
async function checkAccount(
  venue: CcxtHedgeVenue,
  config: CcxtHedgeConfig,
  field: string,
): Promise<void> {
  try {
    await venue.readClock();
    const { dualSidePosition } = await venue.queries.read("positionMode", usdmPositionModeShape);
    if (!dualSidePosition) return;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    const { refusal } = error;
    if (refusal.result === "rejected" && USDM_KEY_CODES.includes(refusal.code))
      throw new ConfigError(`the exchange does not accept the API key: ${refusal.message}`, {
        field: `${field}.keyEnv`,
        expected:
          config.urls === undefined
            ? "a key of the exchange itself, with the right to trade futures from this address; keys of its testnet do not work"
            : `a key of the exchange at ${config.urls.rest}`,
      });
    throw new RunError(`cannot read the account: ${refusal.message}`, { field });
  }
  throw new ConfigError("the account is in hedge mode, with two positions a contract", {
    field,
    expected: "one-way mode: change it in the exchange's settings",
  });
}
