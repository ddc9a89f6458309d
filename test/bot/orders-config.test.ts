import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadBotConfig, loadBotOrders } from "#bot/config.js";
import { ConfigError } from "#core/errors.js";

const env = { MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}` };
const folder = mkdtempSync(join(tmpdir(), "mw-"));
const BOT = `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1, makerFeeRate: -0.00005, takerFeeRate: 0.0005 }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: ladder
    params: { halfSpreadBps: 3, sizeBase: 0.02 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 }
  ethusdc:
    strategy: ladder
risk: { maxDrawdownQuote: 500 }
guard: { heartbeatMs: 400, deadAfterMs: 2000 }
stateDir: ./here
`;

function fileOf(from: string | RegExp, to: string): string {
  const path = join(folder, "bot.yaml");
  const text = BOT.replace(from, to);
  expect(text).not.toBe(BOT);
  writeFileSync(path, text);
  return path;
}

/** The part of a file that names the account, the exchange and the markets. */
function ordersOf({
  exchange,
  account,
  guard,
  stateDir,
  logLevel,
  path,
  markets,
}: ReturnType<typeof loadBotConfig>) {
  return { exchange, account, guard, stateDir, logLevel, path, markets: Object.keys(markets) };
}

describe("a command that cancels a bot's orders", () => {
  it.each([
    ["a target beyond its limit", "sizeBase: 0.02", "sizeBase: 0.02, targetPositionBase: 2"],
    ["a size beyond its limit", "sizeBase: 0.02", "sizeBase: 2"],
    ["a limit that is none", "maxOrderBase: 0.1", "maxOrderBase: much"],
    ["a limit that nobody knows", "maxOrderBase: 0.1", "maxOrder: 0.1"],
    [
      "a strategy's file that is gone",
      "strategy: ladder\n    params",
      "strategy: ./gone.mjs\n    params",
    ],
    ["a market without a strategy", "ethusdc:\n    strategy: ladder", "ethusdc:"],
    ["quotes of a kind that is none", "POST_ONLY", "MAYBE"],
    ["a drawdown that is none", "500", "-500"],
    ["no risk at all", /^risk:.*\n/m, ""],
    ["a liquidator without its chain", "risk:", "liquidator: {}\nrisk:"],
    ["one of two fee rates", ", takerFeeRate: 0.0005", ""],
  ])("reads a file with %s, although no bot starts from it", (_, from, to) => {
    const path = fileOf(from, to);
    expect(() => loadBotConfig(path, env)).toThrow(ConfigError);
    const { markets, exchange, stateDir } = loadBotOrders(path, env);
    expect(Object.keys(markets)).toEqual(["btcusdc", "ethusdc"]);
    expect({ rest: exchange.rest, stateDir }).toEqual({
      rest: "http://127.0.0.1:8620/v1",
      stateDir: join(folder, "here"),
    });
  });

  it.each([
    ["its account has no key", "keyEnv: MARKETWRIGHT_KEY", "keyEnv: OTHER_KEY", "OTHER_KEY"],
    ["its account is written wrong", "account:", "acount:", "acount"],
    ["its exchange is nowhere", "rest: http://127.0.0.1:8620/v1", "rest: nowhere", "exchange.rest"],
    ["its state would be looked for elsewhere", "stateDir:", "statedir:", "statedir"],
    ["a market is twice in it", "ethusdc:", "btcusdc:", "btcusdc"],
    ["a market's name is none", "ethusdc:", "eth/usdc:", "eth/usdc"],
    ["it names no market", /markets:\n( .*\n)+/, "markets: {}\n", "names no market"],
    [
      "its guard would take a late heartbeat for a death",
      "deadAfterMs: 2000",
      "deadAfterMs: 500",
      "guard.deadAfterMs",
    ],
    ["it is no bot's", /^(.*\n)+$/, "history: {}\nbot: bot.yaml\n", "backtest's file"],
  ])(
    "refuses a file in which %s: it would cancel the wrong orders, or none",
    (_, from, to, says) => {
      expect(() => loadBotOrders(fileOf(from, to), env)).toThrow(says);
    },
  );

  it("reads the same values from a correct file as the bot", () => {
    for (const path of [
      "config/minimal.yaml",
      "config/bot.yaml",
      "config/liquidator.yaml",
      "config/liquidations.yaml",
      "config/liquidations-competitor.yaml",
      fileOf("ethusdc", "solusdc"),
    ]) {
      const { markets, ...orders } = loadBotOrders(path, env);
      expect({ ...orders, markets: Object.keys(markets) }).toEqual(
        ordersOf(loadBotConfig(path, env)),
      );
    }
  });
});
