import { expect, it } from "vitest";
import { type RunningBot, startBot } from "../../src/bot/run/run-bot.js";
import { MemoryStateStore } from "../../src/bot/state/state-dir.js";
import { seededRandom } from "../../src/core/seeded-random.js";
import { initCrypto } from "../../src/core/signing.js";
import { VirtualClock } from "../../src/core/virtual-clock.js";
import { logTo } from "../../src/monitoring/log.js";
import { parseExchangeConfig } from "../../src/simulator/config.js";
import { configuredExchange } from "../../src/simulator/configured-exchange.js";
import { botConfig } from "../simulation/bot-rig.js";
import { FaultSource } from "../simulation/faults.js";
import { FaultyNetwork } from "../simulation/faulty-network.js";

const START_MS = 1_760_000_000_000;

/** A bot of both markets that is killed, and one of btcusdc alone after it. */
async function twoRuns(placement: "local" | "server") {
  const clock = new VirtualClock(START_MS);
  const flow = (startPriceQuote: number) => ({ flow: { kind: "synthetic", preset: "quiet", startPriceQuote } });
  const config = parseExchangeConfig({ seed: 3, markets: { btcusdc: flow(60_000), ethusdc: { ...flow(3_000), tickSize: "0.01" } } });
  const exchange = configuredExchange(config, { clock, random: seededRandom("exchange") });
  exchange.start();
  await clock.runFor(3_000);
  const store = new MemoryStateStore();
  const lines: Record<string, unknown>[] = [];
  const ladder = (sizeBase: number) => ({ strategy: "ladder", params: { levels: 1, halfSpreadBps: 30, levelSpacingBps: 2, sizeBase } });
  const markets = { btcusdc: ladder(0.02), ethusdc: ladder(0.2) };
  const run = async (named: Partial<typeof markets>): Promise<RunningBot> => {
    const starting = startBot({
      config: botConfig({ exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1", placement }, markets: named }),
      privateKey: `0x${"17".repeat(32)}`,
      seam: { clock, random: seededRandom(`bot ${Object.keys(named).length}`) },
      store,
      log: logTo({ write: (line) => void lines.push(JSON.parse(line)) }, { level: "info", clock }),
      transport: new FaultyNetwork(exchange, clock, new FaultSource([], seededRandom("none")), "10.0.0.1"),
    });
    await clock.runFor(1_000);
    const bot = await starting;
    await clock.runFor(5_000);
    return bot;
  };
  const first = await run(markets);
  first.bot.abandon();
  first.close();
  const openIn = (marketId: string) =>
    exchange.openOrders(first.account).filter(({ terms, openLots }) => terms.market.id === marketId && openLots > 0);
  const left = openIn("ethusdc").map(({ terms }) => terms.id);
  lines.length = 0;
  const second = await run({ btcusdc: markets.btcusdc });
  second.bot.abandon();
  second.close();
  exchange.stop();
  return { left, lines, stillOpen: openIn("ethusdc").map(({ terms }) => terms.id) };
}

it.each(["local", "server"] as const)(
  "quotes that a killed bot left in a market that its file names no more are told as its own, with how to cancel each (%s)",
  async (placement) => {
    await initCrypto();
    const { left, lines, stillOpen } = await twoRuns(placement);
    expect(left).toHaveLength(2);
    expect(stillOpen, "nobody touches them").toEqual(left);
    const told = lines.filter(({ level, marketId }) => level === "error" && marketId === "ethusdc");
    expect(told.map(({ orderId }) => orderId)).toEqual(left);
    expect(told[0]).toMatchObject({
      msg: "an order that an earlier run of this bot left in a market that its file does not name: nobody works it",
      command: `marketwright call cancelOrder --bot /simulation/bot.yaml marketId=ethusdc orderId=${left[0]}`,
    });
    expect(lines.filter(({ msg }) => String(msg).includes("did not place"))).toEqual([]);
  },
);
