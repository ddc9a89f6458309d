import { describe, expect, it } from "vitest";
import { resumeState } from "#cli/stopped-bot.js";
import type { OperationName } from "#exchange/operations.js";
import type { ScriptedNetwork } from "./scripted-network.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const BOTH = [`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`];
const OTHER_HASH = `0x${"ab".repeat(32)}`;
const OTHER_PERP = `0x${"cd".repeat(20)}`;
const THIRD_PERP = `0x${"ef".repeat(20)}`;
/** exchangeInfo is read again every ten seconds. */
const REREAD = {
  exchange: { rest: "http://a.test/v1", stream: "ws://a.test/v1", rulesRefreshMs: 10_000 },
};

type Change = readonly [field: string, text: string | null];

/** exchangeInfo with a field of another value, at any depth; null takes the value out. */
function exchangeInfoSays(network: ScriptedNetwork, [field, text]: Change): () => void {
  return network.every("exchangeInfo", {
    is: "rewritten",
    body: (body) => {
      const changed = body.replace(
        new RegExp(`"${field}":("[^"]*"|[0-9.]+)`, "g"),
        text === null ? `"was${field}":1` : `"${field}":${text}`,
      );
      expect(changed, `exchangeInfo has a ${field}`).not.toBe(body);
      return changed;
    },
  });
}

function expectNothingPlaced(stage: Stage): void {
  for (const what of ["placeOrder", "buildOrder"] satisfies OperationName[])
    expect(stage.network.sentOf(what)).toEqual([]);
  expect(stage.ordersEver()).toBe(0);
}

describe("at its start the bot places nothing, and says why", () => {
  it.each<readonly [string, Change, RegExp]>([
    [
      "the domain separator is another",
      ["EIP712_DOMAIN_SEPARATOR", `"${OTHER_HASH}"`],
      /EIP712_DOMAIN_SEPARATOR is 0xabab.*, the bot computes 0x/,
    ],
    [
      "the domain's type hash is another",
      ["EIP712_DOMAIN_TYPEHASH", `"${OTHER_HASH}"`],
      /EIP712_DOMAIN_TYPEHASH is 0xabab.*, the bot computes 0x/,
    ],
    [
      "the order's type hash is another",
      ["EIP712_ORDER_TYPE", `"${OTHER_HASH}"`],
      /EIP712_ORDER_TYPE is 0xabab.*, the bot computes 0x/,
    ],
    [
      "the chain is another than the separator was made for",
      ["chainId", "1"],
      /EIP712_DOMAIN_SEPARATOR is 0x.*, the bot computes 0x/,
    ],
  ])("%s", async (_name, change, why) => {
    const stage = new Stage();
    await stage.botStarts(20_000, (network) => exchangeInfoSays(network, change));

    expectNothingPlaced(stage);
    expect(stage.halts()).toEqual(["domain-mismatch"]);
    expect(stage.saidOfHalt("domain-mismatch")).toMatch(why);
  });

  it.each(["SUSPENDED", "PENDING", "DELISTED"] as const)("the market is %s", async (status) => {
    const stage = new Stage({ bot: REREAD });
    stage.exchange.setMarketStatus(MARKET, status);
    await stage.botStarts(8_000);
    expectNothingPlaced(stage);
    expect(stage.halts()).toEqual(["market-not-trading"]);
    expect(stage.saidOfHalt("market-not-trading")).toContain(`status ${status}`);

    stage.exchange.setMarketStatus(MARKET, "TRADING");
    await stage.passes(10_000);
    expect(stage.quotes(), "and quotes when it trades").toEqual(BOTH);
  });

  it("the contract is not the one that the last run traded on; a person's resume accepts it", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const perp = stage.rig.rules.markets[MARKET]?.perp ?? "";
    await stage.botStops();
    const before = stage.ordersEver();

    await stage.botStarts(20_000, (network) =>
      exchangeInfoSays(network, ["perpetualContractAddress", `"${OTHER_PERP}"`]),
    );

    expect(stage.network.sentOf("placeOrder")).toEqual([]);
    expect(stage.ordersEver()).toBe(before);
    expect(stage.halts()).toEqual(["exchange-info-changed"]);
    expect(stage.saidOfHalt("exchange-info-changed")).toContain(
      `perp was ${perp.toLowerCase()} in the last run, is ${OTHER_PERP}`,
    );

    stage.rig.bot.command({ command: "resume" });
    await stage.passes(2_000);
    expect(stage.network.sentOf("placeOrder").length).toBeGreaterThan(0);
  });

  it("the contract has changed twice since the last run that quoted; a resume while no bot runs accepts the one that is there", async () => {
    const stage = new Stage();
    await stage.botStarts();
    await stage.botStops();
    const startsWith = (perp: string) =>
      stage.botStarts(10_000, (network) =>
        exchangeInfoSays(network, ["perpetualContractAddress", `"${perp}"`]),
      );
    for (const perp of [OTHER_PERP, THIRD_PERP]) {
      await startsWith(perp);
      expect(stage.halts()).toEqual(["exchange-info-changed"]);
      stage.botIsKilled();
    }

    const state = {
      markets: [MARKET],
      store: stage.store,
      account: stage.address,
      nowMs: stage.clock.nowMs(),
    };
    expect(resumeState(state, { command: "resume" })).toMatchObject({
      halts: [],
      resumed: [{ perp: THIRD_PERP }],
    });
    await startsWith(THIRD_PERP);
    expect(stage.halts()).toEqual([]);
  });

  it("the account is not registered", async () => {
    const stage = new Stage({ registered: false });
    await stage.botStarts(60_000);

    expectNothingPlaced(stage);
    expect(stage.halts()).toContain("unconfirmed-account");
    expect(
      stage.rig.bot.tradingGuards
        .haltsFor(MARKET)
        .map(({ why }) => why)
        .join(),
    ).toMatch(
      /not confirmed the bot's orders and positions: its stream is down: refused: 401 .*the account is not registered/,
    );
    expect(stage.network.sent.length, "and asks patiently").toBeLessThan(400);
  });

  it("the exchange refuses to tell the account", async () => {
    const stage = new Stage();
    const body = JSON.stringify({
      code: 1010,
      codeText: "Unauthorized",
      message: "the account was closed",
    });
    await stage.botStarts(20_000, (network) =>
      network.every("balances", { is: "answered by a wall", status: 401, body }),
    );

    expectNothingPlaced(stage);
    const [halt] = stage.rig.bot.tradingGuards.haltsFor(MARKET);
    expect(halt?.why).toBe(
      "the exchange has not confirmed the bot's orders and positions: balances cannot be read: 1010 Unauthorized: the account was closed",
    );
  });

  it("the machine's clock is off by more than it may be", async () => {
    const stage = new Stage();
    stage.machine.skewMs = -4_000;
    await stage.botStarts(20_000);

    expectNothingPlaced(stage);
    expect(stage.halts()).toEqual(["clock-offset"]);
    expect(stage.saidOfHalt("clock-offset")).toContain("4000 ms behind the");

    stage.machine.skewMs = 0;
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("the exchange's time cannot be had", async () => {
    const stage = new Stage();
    await stage.botStarts(20_000, (network) => network.every("time", { is: "request lost" }));

    expectNothingPlaced(stage);
    expect(stage.halts()).toContain("clock-unknown");
    expect(stage.notices).toContainEqual({
      kind: "halted",
      reason: "clock-unknown",
      marketId: undefined,
      on: true,
      why: "the exchange's time has not been read yet",
      isStarting: true,
    });
  });
});

describe("while it runs the bot takes its quotes down, places nothing more, and says why", () => {
  it.each<readonly [string, Change, string, RegExp]>([
    [
      "the domain separator changed",
      ["EIP712_DOMAIN_SEPARATOR", `"${OTHER_HASH}"`],
      "domain-mismatch",
      /EIP712_DOMAIN_SEPARATOR is 0xabab/,
    ],
    [
      "the order's type hash changed",
      ["EIP712_ORDER_TYPE", `"${OTHER_HASH}"`],
      "domain-mismatch",
      /EIP712_ORDER_TYPE is 0xabab/,
    ],
    [
      "the contract changed",
      ["perpetualContractAddress", `"${OTHER_PERP}"`],
      "exchange-info-changed",
      /perp was 0x.*, is 0xcdcd/,
    ],
    [
      "the tick size changed",
      ["tickSize", '"0.5"'],
      "exchange-info-changed",
      /tickSize was 0.1, is 0.5/,
    ],
    [
      "the step size changed",
      ["stepSize", '"0.01"'],
      "exchange-info-changed",
      /stepSize was 0.001, is 0.01/,
    ],
    [
      "the smallest amount changed",
      ["minAmount", '"0.005"'],
      "exchange-info-changed",
      /minLots was 1, is 5/,
    ],
    [
      "the largest price changed",
      ["maxPrice", '"50000"'],
      "exchange-info-changed",
      /maxTicks was \d+, is 500000/,
    ],
    [
      "the market was suspended",
      ["status", '"SUSPENDED"'],
      "market-not-trading",
      /status SUSPENDED/,
    ],
    [
      "a rule of the market is none",
      ["maxLeverage", "12.5"],
      "market-not-trading",
      /rules cannot be read: .*maxLeverage.*12\.5/,
    ],
    [
      "the market is listed no more",
      ["id", '"ethusdc"'],
      "market-not-trading",
      /no longer lists the market/,
    ],
  ])("%s", async (_name, change, reason, why) => {
    const stage = new Stage({ bot: REREAD });
    await stage.botStarts();
    expect(stage.quotes()).toEqual(BOTH);

    exchangeInfoSays(stage.network, change);
    await stage.passes(11_000);

    expect(stage.quotes()).toEqual([]);
    expect(stage.halts()).toEqual([reason]);
    expect(stage.saidOfHalt(reason)).toMatch(why);
    const placed = stage.network.sentOf("placeOrder").length;
    await stage.passes(60_000);
    expect(stage.network.sentOf("placeOrder")).toHaveLength(placed);
    const result = await stage.botStops();
    expect(result.openOrdersLeft).toBe(0);
  });

  it("but quotes on where the exchange switches its rate limits off, which it tells as 0", async () => {
    const stage = new Stage({ bot: REREAD });
    await stage.botStarts();
    stage.network.every("exchangeInfo", {
      is: "rewritten",
      body: (body) => body.replace(/("intervalSeconds":\d+,"limit"):\d+/g, "$1:0"),
    });
    await stage.passes(11_000);
    const placed = stage.network.sentOf("placeOrder").length;
    stage.counterparty.sells(10, BID);
    await stage.passes(5_000);
    expect(stage.network.sentOf("placeOrder").length).toBeGreaterThan(placed);
    expect(stage.halts()).toEqual([]);
  });

  it("a quote that fills just after the grid changed is counted in the lots that it was placed in", async () => {
    const stage = new Stage({ bot: REREAD });
    await stage.botStarts();
    exchangeInfoSays(stage.network, ["stepSize", '"0.01"']);
    const ends = stage.network.every("cancelOrder", { is: "request late", byMs: 1_500 });
    await stage.passes(8_000);
    expect(stage.halts()).toEqual(["exchange-info-changed"]);
    stage.counterparty.sells(10, BID);
    ends();
    await stage.passes(60_000);

    expect(stage.positionLots()).toBe(10);
    expect(stage.allQuotes()).toEqual([]);
    stage.expectAgreement();
  });

  it("a quote that fills just after its market vanished from exchangeInfo is counted too", async () => {
    const stage = new Stage({ bot: REREAD });
    await stage.botStarts();
    exchangeInfoSays(stage.network, ["id", '"ethusdc"']);
    const ends = stage.network.every("cancelOrder", { is: "request late", byMs: 1_500 });
    await stage.passes(8_000);
    expect(stage.halts()).toEqual(["market-not-trading"]);
    stage.counterparty.sells(10, BID);
    ends();
    await stage.passes(60_000);

    expect(stage.positionLots()).toBe(10);
    expect(stage.allQuotes()).toEqual([]);
    stage.expectAgreement();
  });

  it("a resume by hand does not make a changed contract right", async () => {
    const stage = new Stage({ bot: REREAD });
    await stage.botStarts();
    exchangeInfoSays(stage.network, ["perpetualContractAddress", `"${OTHER_PERP}"`]);
    await stage.passes(11_000);
    const placed = stage.network.sentOf("placeOrder").length;

    stage.rig.bot.command({ command: "resume" });
    await stage.passes(15_000);

    expect(stage.halts()).toEqual(["exchange-info-changed"]);
    expect(stage.network.sentOf("placeOrder")).toHaveLength(placed);
  });

  it("exchangeInfo cannot be read for longer than it may: quotes come down, and return with it", async () => {
    const stage = new Stage({
      bot: { ...REREAD, risk: { maxDrawdownQuote: "1000", maxRulesAgeMs: 25_000 } },
    });
    await stage.botStarts();
    const ends = stage.network.every("exchangeInfo", {
      is: "answered by a wall",
      status: 502,
      body: "bad gateway",
    });
    await stage.passes(18_000);
    expect(stage.quotes()).toEqual(BOTH);
    await stage.passes(10_000);
    expect(stage.quotes()).toEqual([]);
    expect(stage.halts()).toEqual(["exchange-info-unread"]);
    expect(stage.saidOfHalt("exchange-info-unread")).toMatch(
      /exchangeInfo was read \d+ ms ago, allowed 25000 ms: HTTP 502: bad gateway/,
    );

    ends();
    await stage.passes(12_000);
    expect(stage.quotes()).toEqual(BOTH);
    stage.expectAgreement();
  });

  it("exchangeInfo that is no longer understood halts as one that cannot be read does", async () => {
    const stage = new Stage({
      bot: { ...REREAD, risk: { maxDrawdownQuote: "1000", maxRulesAgeMs: 25_000 } },
    });
    await stage.botStarts();
    stage.network.every("exchangeInfo", {
      is: "answered by a wall",
      status: 200,
      body: "<html>maintenance</html>",
    });
    await stage.passes(40_000);
    expect(stage.halts()).toEqual(["exchange-info-unread"]);
    expect(stage.quotes()).toEqual([]);
  });

  it("the market is suspended and opens again: quotes return by themselves", async () => {
    const stage = new Stage({ bot: REREAD });
    await stage.botStarts();
    const opens = exchangeInfoSays(stage.network, ["status", '"SUSPENDED"']);
    await stage.passes(11_000);
    expect(stage.quotes()).toEqual([]);

    opens();
    await stage.passes(12_000);
    expect(stage.quotes()).toEqual(BOTH);
    stage.expectAgreement();
  });

  it("fees change: new quotes are signed with the new ones, and nothing halts", async () => {
    const stage = new Stage({ bot: REREAD });
    await stage.botStarts();
    exchangeInfoSays(stage.network, ["makerFee", '"0.0002"']);
    await stage.passes(11_000);
    expect(stage.halts()).toEqual([]);
    stage.wants({ bid: BID - 50 });
    await stage.passes(1_000);

    // 0.0002 at 18 decimals in eight bytes, first in info.
    const infos = stage.network.sentOf("placeOrder").map(({ params }) => params.get("info"));
    expect(
      infos.at(-1)?.startsWith(`0x${(200_000_000_000_000).toString(16).padStart(16, "0")}`),
    ).toBe(true);
  });
});
