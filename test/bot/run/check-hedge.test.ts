import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkHedgeVenues } from "#bot/check-hedge.js";
import type { Finding } from "#bot/finding.js";
import { openHedgeVenues } from "#bot/open-hedge-venues.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { VenueRules } from "#exchange/records.js";
import { inspectHedgeAccount } from "#hedge/inspect-hedge-account.js";
import { API_KEY, API_SECRET, openVenue, SYMBOL } from "../../hedge/dialect-world.js";
import { CONTRACT, ToldServer } from "../../hedge/told-server.js";
import { IS_CCXT_INSTALLED } from "../../reference/sources/ccxt-installed.js";
import { botConfigOf } from "../recorded-run.js";

const ACCOUNT = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const ENV = { HEDGE_KEY: API_KEY, HEDGE_SECRET: API_SECRET };
const RULES = {
  markets: { btcusdc: { baseAsset: "btc", quoteAsset: "usdc", stepSize: "0.001" } },
} as unknown as Pick<VenueRules, "markets">;

let server: ToldServer;

beforeEach(async () => {
  server = await ToldServer.start();
  server.told.set("GET /fapi/v2/account", { body: account() });
  server.told.set("GET /fapi/v1/openOrders", { body: [] });
});

afterEach(() => server.stop());

function account(positionAmt = "0.000", availableBalance = "1000.5") {
  return {
    assets: [{ asset: "USDC", marginBalance: "1000.5", availableBalance }],
    positions: [{ symbol: "BTCUSDC", positionSide: "BOTH", positionAmt, leverage: "20" }],
  };
}

function start(hedge: object = {}, env: Readonly<Record<string, string>> = ENV, rules = RULES) {
  const file = botConfigOf({
    hedgeVenues: {
      other: {
        ccxt: "binanceusdm",
        urls: { rest: `http://${server.host}`, stream: `ws://${server.host}` },
        keyEnv: "HEDGE_KEY",
        secretEnv: "HEDGE_SECRET",
      },
    },
  });
  const market = { venue: "other", symbol: SYMBOL, maxUnhedgedBase: "0.01", ...hedge };
  const shape = { ratio: 1, maxUnhedgedMs: 5000, style: "taker", maxSlippageBps: 20 } as const;
  const config = {
    ...file,
    markets: {
      btcusdc: { ...file.markets.btcusdc, hedge: { ...shape, whenAway: "reduce", ...market } },
    },
  } as const;
  return { config, env, runtime: createLiveRuntime(), account: ACCOUNT, rules } as const;
}

const problems = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== "ok").map(({ level, text }) => `${level}: ${text}`);

describe.skipIf(!IS_CCXT_INSTALLED)("the check of a hedge venue", () => {
  it("finds nothing wrong with an account that can hedge, and names its limits", async () => {
    const findings = await checkHedgeVenues(start());
    expect(problems(findings)).toEqual([]);
    const texts = findings.map(({ text }) => text).join("\n");
    expect(texts).toContain("smallest order 0.001 and 100 USDC");
    expect(texts).toContain("1000.5 USDC available at leverage 20");
  });

  it("refuses with one sentence what would hedge wrongly, in the check and in the run alike", async () => {
    const cases: readonly (readonly [() => void, object, RegExp])[] = [
      [() => {}, { symbol: "BTC/USD:BTC" }, /is an inverse contract/],
      [() => {}, { symbol: "BTC/USDX:USDX" }, /is not a contract of this exchange/],
      [
        () => contract({ baseAsset: "WBTC" }),
        { symbol: "WBTC/USDC:USDC" },
        /base asset is another/,
      ],
      [
        () => contract({ quoteAsset: "USDT", marginAsset: "USDT" }),
        { symbol: "BTC/USDT:USDT" },
        /quoteRate: is missing, and the hedge is paid in USDT/,
      ],
      [() => contract({ status: "SETTLING" }), {}, /is SETTLING at the exchange/],
      [() => {}, { minClipBase: "0.0005" }, /is not on the hedge venue's grid/],
      [
        () => contract({ filters: CONTRACT.filters.map(withLeast("0.005", "0.001")) }),
        { minClipBase: "0.002" },
        /is below the venue's smallest order/,
      ],
      [
        () =>
          server.told.set("GET /fapi/v1/positionSide/dual", { body: { dualSidePosition: true } }),
        {},
        /the account is in hedge mode/,
      ],
      [
        () =>
          server.told.set("GET /fapi/v1/positionSide/dual", {
            status: 401,
            body: { code: -2015, msg: "Invalid API-key, IP, or permissions for action." },
          }),
        {},
        /does not accept the API key/,
      ],
    ];
    for (const [prepare, hedge, message] of cases) {
      server.contract = CONTRACT;
      server.told.delete("GET /fapi/v1/positionSide/dual");
      prepare();
      const findings = await checkHedgeVenues(start(hedge));
      expect(problems(findings)).toEqual([expect.stringMatching(message)]);
      expect(findings[0]?.level).toBe("error");
      await expect(openHedgeVenues(start(hedge))).rejects.toThrow(message);
    }
  });

  it("names the variable of a missing secret, and never what another one holds", async () => {
    const findings = await checkHedgeVenues(start({}, { HEDGE_KEY: API_KEY }));
    expect(findings).toMatchObject([{ level: "error", subject: "hedgeVenues.other.secretEnv" }]);
    expect(JSON.stringify(findings)).not.toContain(API_KEY);
    expect(server.server.requests).toEqual([]);
  });

  it("warns of a position and of orders there that are not the bot's", async () => {
    server.told.set("GET /fapi/v2/account", { body: account("-0.020") });
    server.told.set("GET /fapi/v1/openOrders", {
      body: [
        {
          symbol: "BTCUSDC",
          orderId: 5,
          clientOrderId: "by-hand",
          side: "BUY",
          status: "NEW",
          origQty: "0.001",
          executedQty: "0",
        },
      ],
    });
    expect(problems(await checkHedgeVenues(start()))).toEqual([
      expect.stringMatching(/^warning: there is a position of -0.02 already/),
      expect.stringMatching(/^warning: 1 open orders .* \(by-hand\)/),
    ]);
  });

  it("finds an account without margin, a bound below the smallest order, and a coarser step", async () => {
    server.told.set("GET /fapi/v2/account", { body: account("0", "0.0") });
    server.contract = {
      ...CONTRACT,
      filters: CONTRACT.filters.map(withLeast("0.01")),
    };
    const findings = await checkHedgeVenues(start({ maxUnhedgedBase: "0.005" }));
    expect(problems(findings)).toEqual([
      expect.stringMatching(/^warning: 0.005 is below the venue's smallest order, 0.01/),
      expect.stringMatching(/^warning: the market trades in steps of 0.001/),
      expect.stringMatching(/^error: 0 USDC available/),
    ]);
  });

  it("warns of margin in several assets", async () => {
    server.told.set("GET /fapi/v1/multiAssetsMargin", { body: { multiAssetsMargin: true } });
    expect(problems(await checkHedgeVenues(start()))).toEqual([
      expect.stringContaining("several assets as margin"),
    ]);
  });

  it("reads from the exchange itself if a key could withdraw", async () => {
    const session = await openVenue(server.host);
    server.told.set("GET /sapi/v1/account/apiRestrictions", {
      body: { ipRestrict: false, enableWithdrawals: true, enableFutures: true },
    });
    expect((await inspectHedgeAccount(session.venue, true)).rights).toEqual({
      canMoveFunds: true,
      canTrade: true,
    });
    expect((await inspectHedgeAccount(session.venue, false)).rights).toBeUndefined();
    session.venue.close();
  });
});

function contract(other: object): void {
  server.contract = { ...CONTRACT, ...other };
}

function withLeast(least: string, step = least) {
  return (filter: (typeof CONTRACT.filters)[number]) =>
    filter.filterType === "LOT_SIZE" ? { ...filter, minQty: least, stepSize: step } : filter;
}
