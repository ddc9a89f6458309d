import { copyFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { serveUsdm, type UsdmServer } from "#simulator/serve-usdm.js";
import { usdmConfigShape } from "#simulator/usdm-config.js";
import { ReferenceClient } from "../simulator/reference-client.js";
import {
  clientScript,
  hasNodeLibraries,
  hasPythonModules,
  libraryFolder,
  pythonEnv,
  runClient,
} from "./libraries.js";

const KEYS = ["ccxt-js", "ccxt-python", "binance"].map((name) => ({
  apiKey: `${name}-key-0123456789`,
  secret: `${name}-secret-0123456789`,
}));
// The clients are at loopback addresses, whatever proxy the machine has.
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)),
);
const hasCcxt = hasNodeLibraries("ccxt");
const hasPython = hasPythonModules("ccxt.pro");
const hasBinance = hasNodeLibraries("binance");

/** The view that both versions of ccxt have of one round of orders. */
const CCXT_ROUND = {
  markets: ["BTC/USDC:USDC"],
  seen: { bid: 30000, ask: 30001 },
  placed: ["open", "round-1", "PO", 29000],
  open: ["round-1"],
  cancelled: "canceled",
  refused: ["InvalidOrder", "-5022"],
  bought: ["closed", 0.02, 30001],
  trade: [true, 30001, 0.02, 0.180006],
  position: [0.02, "long", 30001],
  total: 99999.809994,
  streamed: {
    orders: expect.arrayContaining([["round-1", "canceled"]]),
    fills: [[true, "buy", 0.02]],
    positions: [[0.02, "long"]],
  },
};

describe("clients of other authors on the dialect, with other base URLs and nothing else", () => {
  let dialect: UsdmServer;
  let server: ExchangeServer;
  let maker: ReferenceClient;
  let folder: string | undefined;

  beforeAll(async () => {
    const runtime = createLiveRuntime();
    const exchange = new EmbeddedExchange(
      parseExchangeConfig({ port: 0, markets: { btcusdc: {} } }),
      runtime,
    );
    dialect = await serveUsdm(exchange, usdmConfigShape.parse({ port: 0 }), KEYS);
    server = await serveExchange(exchange);
    maker = new ReferenceClient(exchange, () => runtime.clock.nowMs()).register();
    if (hasCcxt || hasBinance) folder = libraryFolder();
  });
  beforeEach(() => {
    maker.call("DELETE", "/v1/allOpenOrders", {});
    maker.place("BUY", "30000", "1");
    maker.place("SELL", "30001", "1");
    // A book that does not change sends no event, and ccxt's first one is such an event.
    movesBook();
  });
  afterAll(async () => {
    clearInterval(moving);
    await dialect.close();
    await server.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  let moving: NodeJS.Timeout | undefined;
  function movesBook(): void {
    clearInterval(moving);
    let orderId: string | undefined;
    moving = setInterval(() => {
      if (orderId !== undefined)
        maker.call("DELETE", "/v1/order", { marketId: "btcusdc", orderId });
      orderId = String(maker.place("BUY", "20000", "0.01").json.id);
    }, 200);
  }

  const runNode = (script: string, key: (typeof KEYS)[number] | undefined) => {
    const copy = join(folder ?? "", basename(script));
    copyFileSync(clientScript(script), copy);
    const args = [copy, dialect.restUrl, dialect.streamUrl, key?.apiKey ?? "", key?.secret ?? ""];
    return runClient(process.execPath, args, ENV);
  };

  it.skipIf(!hasCcxt)(
    `ccxt for JavaScript${hasCcxt ? "" : " (skipped: not installed)"} loads markets, follows book and orders, places, cancels and fills`,
    async () => {
      expect(await runNode("ccxt-dialect.mjs", KEYS[0])).toEqual(CCXT_ROUND);
    },
  );

  it.skipIf(!hasPython)(
    `ccxt for Python${hasPython ? "" : " (skipped: not installed)"} sees the same`,
    async () => {
      const { apiKey = "", secret = "" } = KEYS[1] ?? {};
      const script = clientScript("ccxt_dialect.py");
      const { PYTHONPATH } = pythonEnv();
      const seen = await runClient(
        "python3",
        [script, dialect.restUrl, dialect.streamUrl, apiKey, secret],
        { ...ENV, PYTHONPATH, PYTHONDONTWRITEBYTECODE: "1" },
      );
      expect(seen).toEqual(CCXT_ROUND);
    },
  );

  it.skipIf(!hasBinance)(
    `the package binance${hasBinance ? "" : " (skipped: not installed)"} does too`,
    async () => {
      expect(await runNode("binance-dialect.mjs", KEYS[2])).toEqual({
        markets: ["BTCUSDC"],
        book: ["BTCUSDC", true, true],
        placed: ["NEW", true, "GTX"],
        open: [true],
        cancelled: "CANCELED",
        refused: -5022,
        bought: ["FILLED", "0.020", "30001"],
        event: [true, "FILLED", "0.020"],
        trade: [true, "30001.0", "0.020"],
        position: ["0.02", "30001"],
        asset: "USDC",
      });
    },
  );
});
