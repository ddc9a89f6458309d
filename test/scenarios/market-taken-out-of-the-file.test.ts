import { expect, it } from "vitest";
import { startBot } from "#bot/run-bot.js";
import type { RunningBot } from "#bot/running-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { resumeState } from "#cli/stopped-bot.js";
import { seededRandom } from "#core/seeded-random.js";
import { initCrypto } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { botConfig } from "../simulation/bot-config.js";

const START_MS = 1_760_000_000_000;

const LADDER = { strategy: "ladder", params: { levels: 1, halfSpreadBps: 30, levelSpacingBps: 2 } };
const MARKETS = {
  btcusdc: { ...LADDER, params: { ...LADDER.params, sizeBase: 0.02 } },
  ethusdc: { ...LADDER, params: { ...LADDER.params, sizeBase: 0.2 } },
};

/**
 * An exchange of two markets, and an account whose bot is started on some of them, runs for some
 * seconds, and is killed.
 */
async function accountOfTwoMarkets(placement: "local" | "server") {
  await initCrypto();
  const clock = new VirtualClock(START_MS);
  const flow = (startPriceQuote: number) => ({
    flow: { kind: "synthetic", preset: "quiet", startPriceQuote },
  });
  const config = parseExchangeConfig({
    seed: 3,
    markets: { btcusdc: flow(60_000), ethusdc: { ...flow(3_000), tickSize: "0.01" } },
  });
  const exchange = configuredExchange(config, { clock, random: seededRandom("exchange") });
  exchange.start();
  await clock.runFor(3_000);
  const store = new MemoryStateStore();
  const lines: Record<string, unknown>[] = [];
  const run = async (named: Partial<typeof MARKETS>, resumed?: string): Promise<RunningBot> => {
    const starting = startBot({
      config: botConfig({
        exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1", placement },
        markets: named,
      }),
      privateKey: `0x${"17".repeat(32)}`,
      runtime: { clock, random: seededRandom(`bot ${clock.nowMs()}`) },
      store,
      log: createLog(
        { write: (line) => void lines.push(JSON.parse(line)) },
        { level: "info", clock },
      ),
      transport: new FaultyNetwork(
        exchange,
        clock,
        new FaultSource([], seededRandom("none")),
        "10.0.0.1",
      ),
    });
    await clock.runFor(1_000);
    const bot = await starting;
    await clock.runFor(5_000);
    if (resumed !== undefined) bot.command({ command: "resume", marketId: resumed });
    await clock.runFor(1_000);
    bot.bot.abandon();
    bot.close();
    return bot;
  };
  const openIn = (account: Hex, marketId: string): readonly string[] =>
    exchange
      .openOrders(account)
      .filter(({ terms, openLots }) => terms.market.id === marketId && openLots > 0)
      .map(({ terms }) => terms.id);
  return { store, lines, run, openIn };
}

it.each(["local", "server"] as const)(
  "quotes that a killed bot left in a market that its file names no more are told as its own, with how to cancel each (%s)",
  async (placement) => {
    const { lines, run, openIn } = await accountOfTwoMarkets(placement);
    const { account } = await run(MARKETS);
    const left = openIn(account, "ethusdc");
    expect(left).toHaveLength(2);
    lines.length = 0;
    await run({ btcusdc: MARKETS.btcusdc });
    expect(openIn(account, "ethusdc"), "nobody touches them").toEqual(left);
    const told = lines.filter(({ level, marketId }) => level === "error" && marketId === "ethusdc");
    expect(told.map(({ orderId }) => orderId)).toEqual(left);
    expect(told[0]).toMatchObject({
      msg: "an earlier run left an order in a market that the bot's file does not name: the bot does not manage it",
      command: `marketwright call cancelOrder --bot /simulation/bot.yaml marketId=ethusdc orderId=${left[0]}`,
    });
    expect(lines.filter(({ msg }) => String(msg).includes("did not place"))).toEqual([]);
  },
);

it("the contract of a market that is back in the file is held against the one that was traded there, whatever ran meanwhile", async () => {
  const { store, run } = await accountOfTwoMarkets("local");
  await run(MARKETS);
  const kept = JSON.parse(store.read("contracts.json") ?? "");
  const before = `0x${"cd".repeat(20)}`;
  store.write("contracts.json", JSON.stringify({ ...kept, ethusdc: before }));
  await run({ btcusdc: MARKETS.btcusdc });
  const { bot } = await run(MARKETS);

  expect(bot.tradingGuards.haltsFor("btcusdc")).toEqual([]);
  expect(bot.tradingGuards.haltsFor("ethusdc")).toMatchObject([
    {
      name: "exchange-info-changed",
      why: expect.stringContaining(`perp was ${before} in the last run`),
    },
  ]);
});

it.each(["while it runs", "while it does not"])(
  "a resume of one market %s accepts the contract that was found there, and no other market's",
  async (when) => {
    const { store, run } = await accountOfTwoMarkets("local");
    const { account } = await run(MARKETS);
    const before = `0x${"cd".repeat(20)}`;
    store.write("contracts.json", JSON.stringify({ btcusdc: before, ethusdc: before }));
    await run(MARKETS, when === "while it runs" ? "btcusdc" : undefined);
    if (when === "while it does not") {
      const state = { markets: Object.keys(MARKETS), store, account, nowMs: START_MS };
      expect(resumeState(state, { command: "resume", marketId: "btcusdc" })).toMatchObject({
        resumed: [{ name: "exchange-info-changed", marketId: "btcusdc" }],
        halts: [{ name: "exchange-info-changed", marketId: "ethusdc" }],
      });
    }
    const { bot } = await run(MARKETS);
    expect(bot.tradingGuards.haltsFor("btcusdc")).toEqual([]);
    expect(bot.tradingGuards.haltsFor("ethusdc")).toMatchObject([
      { name: "exchange-info-changed" },
    ]);
  },
);
