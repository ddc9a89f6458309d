import { Observable, timeout } from "rxjs";
import type { CcxtExchangeClass } from "../../../ccxt/ccxt-exchange.js";
import { ConfigError, RunError } from "../../../core/errors.js";
import { loadOptional, requireInstalled } from "../../../core/optional-part.js";
import type { ReconnectTimings } from "../../../core/runtime/reconnect-pauses.js";
import type { Runtime } from "../../../core/runtime/runtime.js";
import { createRxScheduler } from "../../../core/runtime/rx-scheduler.js";
import type { Ms } from "../../../core/units.js";
import type { PriceMessage } from "../../price-message.js";
import type { PriceSource } from "../price-source.js";
import { reconnecting } from "../reconnecting.js";
import { CCXT_EXCHANGES, type CcxtStream, marketKindOf } from "./ccxt-exchanges.js";
import { CcxtSession } from "./ccxt-session.js";
import { PublicRequests } from "./public-requests.js";

/** Silence after which a connection counts as dead. A stream of ccxt may stop without an error. */
const SILENCE_MS: Ms = 30_000;

/** A market of an exchange in ccxt. */
export interface CcxtSourceConfig {
  /** The exchange's name in ccxt. */
  readonly ccxt: string;
  /** In ccxt's spelling. */
  readonly symbol: string;
  readonly stream: CcxtStream;
}

/** Options of {@link createCcxtSource} beside the market. */
export interface CcxtSourceOptions {
  readonly runtime: Runtime;
  /** Path of the source in the bot's file, for errors. */
  readonly field: string;
  /** Other addresses for some origins, such as a test's own server. */
  readonly origins?: Readonly<Record<string, string>> | undefined;
  readonly timings?: Partial<ReconnectTimings> | undefined;
  /** Default 30,000. */
  readonly silenceMs?: Ms | undefined;
}

/**
 * Checks that a source can be used, without loading the library.
 * @throws ConfigError for an exchange, stream or kind of market that is not on the list; RunError
 * if the package is not installed
 */
function checkCcxtSource({ ccxt, symbol, stream }: CcxtSourceConfig, field: string): void {
  const entry = Object.hasOwn(CCXT_EXCHANGES, ccxt) ? CCXT_EXCHANGES[ccxt] : undefined;
  if (entry === undefined)
    throw new ConfigError("is not on the list of exchanges that ccxt streams well", {
      field: `${field}.ccxt`,
      value: ccxt,
      expected: `one of ${Object.keys(CCXT_EXCHANGES).join(", ")}`,
    });
  if (!entry.streams.includes(stream))
    throw new ConfigError(`is not a stream that ccxt reads well at ${ccxt}`, {
      field: `${field}.stream`,
      value: stream,
      expected: `one of ${entry.streams.join(", ")}`,
    });
  const kind = marketKindOf(symbol);
  if (!entry.kinds.includes(kind))
    throw new ConfigError(`is not a symbol of ${ccxt}`, {
      field: `${field}.symbol`,
      value: symbol,
      expected: `${entry.kinds.map((known) => EXAMPLES[known]).join(" or ")}`,
    });
  requireInstalled(["ccxt"]);
}

const EXAMPLES = {
  spot: "a spot market such as BTC/USDT",
  linear: "a linear contract such as BTC/USDT:USDT",
  inverse: "an inverse contract such as BTC/USD:BTC",
};

/**
 * Creates a source from a public stream of ccxt.
 * @throws as {@link checkCcxtSource} does
 */
export async function createCcxtSource(
  config: CcxtSourceConfig,
  { runtime, field, origins, timings, silenceMs = SILENCE_MS }: CcxtSourceOptions,
): Promise<PriceSource> {
  checkCcxtSource(config, field);
  const { default: ccxt } = await loadOptional("ccxt");
  const { ccxt: name, symbol, stream } = config;
  const base = (ccxt.pro as unknown as Readonly<Record<string, CcxtExchangeClass>>)[name];
  const { requests, options } = CCXT_EXCHANGES[name];
  const allowed = new PublicRequests(requests, origins);
  const scheduler = createRxScheduler(runtime.clock);
  let market: unknown;
  const connect = () =>
    new Observable<PriceMessage>((subscriber) => {
      const session = new CcxtSession({
        base,
        symbol,
        stream,
        options: options(marketKindOf(symbol)),
        requests: allowed,
        market,
        onMessage: (message) => subscriber.next(message),
      });
      const run = async (): Promise<never> => {
        market = await session.loadMarket();
        return session.watch();
      };
      run().catch((error: unknown) => subscriber.error(error));
      return () => session.close();
    }).pipe(
      timeout({
        each: silenceMs,
        scheduler,
        with: () => {
          throw new RunError(`nothing arrived for ${silenceMs / 1000} s`);
        },
      }),
    );
  return reconnecting(connect, runtime, timings);
}
