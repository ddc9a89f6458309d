import type { BotConfig } from "#bot/config.js";
import type { Rehearsal, RehearsedRun } from "#rehearsal/rehearsal-result.js";
import { type RehearseOptions, rehearse } from "#rehearsal/rehearse.js";
import type { RehearsedFault } from "#rehearsal/rehearsed-fault.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { botConfig } from "../simulation/bot-config.js";

/** A market maker of one market that trades often. */
export function makerFile(changes: Record<string, unknown> = {}): BotConfig {
  return botConfig({
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 10, sizeToleranceFraction: 0.3 },
    decide: { everyMs: 500, onTouchChange: false, minGapMs: 200 },
    markets: {
      btcusdc: {
        strategy: "ladder",
        params: { halfSpreadBps: 2, sizeBase: 0.02 },
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.1", maxOpenOrders: 12 },
      },
    },
    ...changes,
  });
}

/** A market maker whose price comes from one source and whose position is laid off elsewhere. */
export function hedgedFile(
  reference: Record<string, unknown> = {},
  hedge: Record<string, unknown> = {},
): BotConfig {
  return makerFile({
    references: { deep: { module: "./deep.js" }, second: { module: "./second.js" } },
    hedgeVenues: { other: { ccxt: "binanceusdm", keyEnv: "HEDGE_KEY", secretEnv: "HEDGE_SECRET" } },
    markets: {
      btcusdc: {
        strategy: "pegged",
        params: { edgeBps: 2, sizeBase: 0.02 },
        reference: { from: ["deep"], ...reference },
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.1", maxOpenOrders: 12 },
        hedge: {
          venue: "other",
          symbol: "BTC/USDC:USDC",
          maxUnhedgedBase: "0.02",
          maxUnhedgedMs: 2_000,
          ...hedge,
        },
      },
    },
  });
}

/** A cheap market that trades with every quote near its mid. */
export const MARKET = {
  config: parseExchangeConfig({
    markets: {
      btcusdc: { flow: { kind: "synthetic", preset: "quiet", startPriceQuote: 60_000 } },
    },
  }),
  baseFolder: ".",
};

/** Rehearses a bot in this thread, on one seed for two minutes. */
export function rehearseHere(
  bot: BotConfig,
  faults: readonly RehearsedFault[],
  changes: Partial<RehearseOptions> = {},
): Promise<Rehearsal> {
  return rehearse({
    bot,
    botName: "bot.yaml",
    exchange: MARKET,
    seeds: [1],
    faults,
    marketMs: 120_000,
    threads: 0,
    runsGuard: true,
    ...changes,
  });
}

/** The run of a fault, of the first seed. */
export function runOf({ runs }: Rehearsal, fault: RehearsedFault): RehearsedRun {
  const found = runs.find((run) => run.fault === fault);
  if (found === undefined) throw new Error(`no run of ${fault}`);
  return found;
}
