import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BacktestConfig, loadBacktestConfig } from "../../../src/backtest/config/backtest-config.js";
import { builtInStrategies } from "../../../src/strategies/built-in.js";
import type { BoundStrategy } from "../../../src/strategies/strategy.js";

/** The market of these runs, in which a ladder quotes. */
export const MARKET = "btcusdc";

const PARAMS = { halfSpreadBps: 0.03, sizeBase: 0.01, levels: 2, levelSpacingBps: 0.02 };

/** Writes the files of a ladder's backtest into a folder and reads them. @param history what they say of it, but for its market */
export function ladderConfig(folder: string, history: Readonly<Record<string, string | number>>): BacktestConfig {
  writeFileSync(
    join(folder, "bot.yaml"),
    `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 100 }
markets:
  ${MARKET}: { strategy: ladder, params: ${JSON.stringify(PARAMS)}, limits: { maxPositionBase: 0.2, maxOrderBase: 0.05 } }
risk: { maxDrawdownQuote: 5000 }
`,
  );
  const path = join(folder, "bt.yaml");
  writeFileSync(
    path,
    `history: ${JSON.stringify({ market: MARKET, ...history })}
bot: bot.yaml
rules: { markets: { ${MARKET}: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }
`,
  );
  return loadBacktestConfig(path, {});
}

/** What plays it. */
export function ladders(): { readonly strategies: ReadonlyMap<string, BoundStrategy>; readonly version: string } {
  return { strategies: new Map([[MARKET, builtInStrategies.ladder.bind(PARAMS)]]), version: "0.0.0" };
}
