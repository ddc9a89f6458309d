import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex, MarketId } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { traderKey } from "#simulator/leveraged-flow.js";
import type { MemoryRecords } from "../store/memory-records.js";

export const START_MS = 1_760_000_000_000;
/** The bounds within which they open, of 25 at most. */
export const LEVERAGE = { min: 21, max: 24 };

/** Overrides of these markets and traders. */
export interface Traders {
  readonly seed?: number;
  readonly count?: number;
  readonly leveraged?: object;
  readonly shocks?: object;
  readonly exchange?: Partial<ExchangeConfigInput>;
  readonly records?: MemoryRecords;
}

/**
 * Two markets that are quiet except for their leveraged traders, and the addresses of the first
 * market's traders.
 */
export function traders({
  seed = 1,
  count = 8,
  leveraged = {},
  shocks,
  exchange: given = {},
  records,
}: Traders = {}) {
  const flow = (startPriceQuote: number) => ({
    kind: "synthetic" as const,
    preset: "quiet" as const,
    startPriceQuote,
    leveraged: { count, leverage: LEVERAGE, openWithinMs: 10_000, holdMs: 0, ...leveraged },
    ...(shocks === undefined ? {} : { shocks }),
  });
  const config = parseExchangeConfig({
    seed,
    markets: {
      btcusdc: { maxLeverage: 25, flow: flow(60_000) },
      ethusdc: {
        maxLeverage: 25,
        baseAsset: "ETH",
        stepSize: "0.01",
        amountBase: { min: "0.01" },
        marketAmountBase: { min: "0.01" },
        flow: flow(3_000),
      },
    },
    ...given,
  });
  const clock = new VirtualClock(START_MS);
  const random = seededRandom("exchange");
  const exchange = configuredExchange(
    config,
    { clock, random },
    records === undefined ? {} : { records },
  );
  const addresses = Array.from({ length: count }, (_, index) =>
    addressOf(`${seed}/btcusdc`, index + 1),
  );
  return { clock, exchange, addresses, config };
}

/** The address of a flow's trader, by the flow's seed and the trader's number. */
export function addressOf(seed: string, number: number): Hex {
  return ecdsaScheme.signer(traderKey(seed, "btcusdc", number)).address;
}

/** The exchange's account of an address. */
export function accountOf(exchange: EmbeddedExchange, address: Hex) {
  const account = exchange.account(address);
  if (account === undefined) throw new Error(`${address} is not registered`);
  return account;
}

/** The newest trades of an account in a market. */
export function tradesOf(exchange: EmbeddedExchange, address: Hex, marketId: MarketId = "btcusdc") {
  return accountOf(exchange, address).markets.get(marketId)?.trades.page({ limit: 500 }) ?? [];
}

/** The accounts that the exchange lists as near liquidation. */
export function riskyAccounts(
  exchange: EmbeddedExchange,
): { account: string; isSafe: boolean; risk: string; positions: object[] }[] {
  const { body } = exchange.handle({
    method: "GET",
    path: "/v1/riskyAccounts",
    query: "",
    body: "",
    ip: "10.0.0.1",
  });
  return JSON.parse(body);
}

/**
 * A liquidation of a whole position at the mark, as reported by the chain, without any order of the
 * account.
 */
export function liquidate(
  exchange: EmbeddedExchange,
  address: Hex,
  marketId: MarketId,
  nowMs: number,
): void {
  const market = exchange.market(marketId);
  const { position } = accountOf(exchange, address).inMarket(marketId);
  const { paper } = position.settled;
  const value = market.valueAtMark(paper);
  position.applySettled({
    paper: -paper,
    quote: value < 0n ? -value : value,
    fee: 0n,
    timeMs: nowMs,
  });
}
