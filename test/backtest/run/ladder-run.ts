import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BacktestConfig, loadBacktestConfig } from "#backtest/backtest-config.js";
import { builtInStrategies } from "#strategies/built-in.js";
import type { BoundStrategy } from "#strategies/strategy.js";

/** The market of these runs, in which a ladder quotes. */
export const MARKET = "btcusdc";

/** Its parameters. */
export const LADDER = { halfSpreadBps: 0.03, sizeBase: 0.01, levels: 2, levelSpacingBps: 0.02 };

/** A ladder's backtest file: keys of its history, and whole extra lines. */
export function ladderBacktest(history = "from: 2026-01-05, to: 2026-01-07", more = ""): string {
  return `history: { market: ${MARKET}, ${history} }
bot: bot.yaml
rules: { markets: { ${MARKET}: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }
${more}
`;
}

/** Optional changes to a ladder's files. */
export interface LadderFiles {
  readonly name?: string | undefined;
  readonly limits?: string | undefined;
  /** More keys of the bot's exchange. */
  readonly exchange?: string | undefined;
}

/** Writes a ladder's bot and its backtest into a folder, and reads them. */
export function ladderConfig(
  folder: string,
  backtest: string,
  {
    name = "bt",
    limits = "maxPositionBase: 0.2, maxOrderBase: 0.05",
    exchange = "",
  }: LadderFiles = {},
): BacktestConfig {
  const bot = `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1${exchange} }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 100 }
markets:
  ${MARKET}: { strategy: ladder, params: ${JSON.stringify(LADDER)}, limits: { ${limits} } }
risk: { maxDrawdownQuote: 5000 }
`;
  writeFileSync(join(folder, "bot.yaml"), bot);
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, backtest);
  return loadBacktestConfig(path, {});
}

/** The strategies that play it. */
export function ladders(): {
  readonly strategies: ReadonlyMap<string, BoundStrategy>;
  readonly version: string;
} {
  return {
    strategies: new Map([[MARKET, builtInStrategies.ladder.bind(LADDER)]]),
    version: "0.0.0",
  };
}
