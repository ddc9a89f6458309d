import type { FlowMarket } from "#simulator/flow-market.js";
import { traders } from "./reference-client.js";

/**
 * A world of one market, whose index and mark the test sets, in whole quote: both 30,000 at first.
 */
export function marked(config: Parameters<typeof traders>[0] = {}) {
  let market: FlowMarket | undefined;
  const flowOf = (marketId: string) => {
    const start = (given: FlowMarket) => {
      market = given;
    };
    return marketId === "btcusdc" ? { start, stop: () => {} } : null;
  };
  const world = traders(
    {
      markets: {
        btcusdc: {
          takerFeeRate: "0",
          makerFeeRate: "0",
          maxLeverage: 20,
          liquidationThreshold: "0.03",
        },
      },
      ...config,
    },
    { createFlow: flowOf },
  );
  const setMark = (quote: number, indexQuote = quote) =>
    market?.setReference(indexQuote * 10, quote * 10);
  setMark(30_000);
  return { ...world, setMark, flow: market as unknown as FlowMarket };
}
