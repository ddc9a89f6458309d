import { createLiveRuntime } from "#core/live-runtime.js";
import type { Hex } from "#core/units.js";
import type { CcxtHedgeVenue } from "#hedge/ccxt-hedge-venue.js";
import { createHedgeOrderKey } from "#hedge/hedge-order-key.js";
import type { HedgeAction, HedgeEvent, HedgeOutcome } from "#hedge/hedge-venue.js";
import {
  type CcxtHedgeConfig,
  type CcxtHedgeDeps,
  openCcxtHedgeVenue,
} from "#hedge/open-ccxt-hedge-venue.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { FaultInjector } from "#simulator/fault-injector.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { serveUsdm, type UsdmServer } from "#simulator/serve-usdm.js";
import { usdmConfigShape } from "#simulator/usdm-config.js";
import { until } from "../exchange/local-server.js";
import { ReferenceClient } from "../simulator/reference-client.js";
import { RecordingProxy } from "./recording-proxy.js";

/** The symbol of the market, as ccxt spells it. */
export const SYMBOL = "BTC/USDC:USDC";
/** The tag of the bot. */
export const TAG = 0xabcd;
export const API_KEY = "hedge-key-0123456789";
export const API_SECRET = "hedge-secret-0123456789";

const runtime = createLiveRuntime();

type WithoutId<Action> = Action extends unknown ? Omit<Action, "actionId"> : never;

/** A venue of ccxt, what it has sent, and a way to ask it. */
export class HedgeSession {
  readonly events: HedgeEvent[] = [];
  #actionId = 0;

  constructor(readonly venue: CcxtHedgeVenue) {
    venue.events$.subscribe((event) => this.events.push(event));
  }

  /** Submits an action and waits for its answer. */
  async submit(action: WithoutId<HedgeAction>): Promise<HedgeOutcome> {
    const actionId = ++this.#actionId;
    const before = this.events.length;
    this.venue.submit({ ...action, actionId } as HedgeAction);
    if (this.events.length !== before) throw new Error("answered synchronously");
    const mine = () =>
      this.events.flatMap((event) =>
        event.type === "answer" && event.actionId === actionId ? [event.outcome] : [],
      );
    await until(() => mine().length > 0);
    return mine()[0] as HedgeOutcome;
  }

  of<Type extends HedgeEvent["type"]>(type: Type): Extract<HedgeEvent, { readonly type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<HedgeEvent, { readonly type: Type }> => event.type === type,
    );
  }

  /** Waits until the streams have been up so many times. */
  async up(times = 1): Promise<void> {
    await until(() => this.of("stream").filter(({ state }) => state === "up").length >= times);
  }
}

/** A new key of the bot. */
export function newKey(tag = TAG): string {
  return createHedgeOrderKey(tag, runtime.random);
}

/** Opens a venue at an address, and starts nothing. */
export async function openVenue(
  host: string,
  config: Partial<CcxtHedgeConfig> = {},
  deps: Partial<CcxtHedgeDeps> = {},
): Promise<HedgeSession> {
  const venue = await openCcxtHedgeVenue(
    {
      ccxt: "binanceusdm",
      urls: { rest: `http://${host}`, stream: `ws://${host}` },
      requestTimeoutMs: 2000,
      acceptanceWindowMs: 2000,
      maxRequestWeight: 2400,
      ...config,
    },
    {
      runtime,
      field: "hedgeVenues.other",
      apiKey: API_KEY,
      secret: API_SECRET,
      symbols: [{ symbol: SYMBOL, field: "markets.btcusdc.hedge.symbol" }],
      tag: TAG,
      ...deps,
    },
  );
  return new HedgeSession(venue);
}

/**
 * An embedded exchange in real time that speaks the dialect over HTTP and websockets, a proxy that
 * records all that reaches it, and a maker with 1 BTC at 30000 and at 30001.
 */
export async function dialectWorld(
  input: Partial<ExchangeConfigInput> = {},
  dialectInput: Parameters<typeof usdmConfigShape.parse>[0] = {},
  account?: Hex,
) {
  const injector = new FaultInjector(runtime.clock, { seed: 1 });
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({ port: 0, markets: { btcusdc: {} }, ...input }),
    runtime,
  );
  const dialect: UsdmServer = await serveUsdm(
    exchange,
    usdmConfigShape.parse({ port: 0, ...(dialectInput as object) }),
    [{ apiKey: API_KEY, secret: API_SECRET, ...(account === undefined ? {} : { account }) }],
    { faults: injector },
  );
  const server: ExchangeServer = await serveExchange(exchange);
  const proxy = await RecordingProxy.start(dialect.restUrl);
  const maker = new ReferenceClient(exchange, () => runtime.clock.nowMs()).register();
  maker.place("BUY", "30000", "1");
  maker.place("SELL", "30001", "1");
  return {
    exchange,
    proxy,
    injector,
    maker,
    async stop() {
      await proxy.stop();
      await dialect.close();
      await server.close();
    },
  };
}
