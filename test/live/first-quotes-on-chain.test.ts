import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { loadBotConfig } from "#bot/config.js";
import { startBot } from "#bot/run-bot.js";
import type { RunningBot } from "#bot/running-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import type { InProcessRpc } from "#chain/rpc-transport.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { silentLog } from "#monitoring/log.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { type OpenExchange, openConfiguredExchange } from "#simulator/configured-exchange.js";

const START_MS: Ms = 1_760_000_000_000;
/** The time between two polls of the calls that wait for the chain, which takes no virtual time. */
const STEP_MS: Ms = 20;
/** As the loopback device, the network takes a millisecond or two. */
const QUICKEST: Random = { uniform: () => 0, uint64: () => 0n };

const file = (name: string): string =>
  fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

let open: OpenExchange | undefined;
let running: RunningBot | undefined;

afterEach(async () => {
  await open?.close();
  running?.bot.abandon();
  running?.close();
  running = undefined;
});

/** Lets the clock go on, the chain with it, until something holds. Returns whether it ever did. */
async function until(clock: VirtualClock, isSo: () => boolean, atMostMs: Ms): Promise<boolean> {
  const endMs = clock.nowMs() + atMostMs;
  while (!isSo()) {
    if (clock.nowMs() >= endMs) return false;
    await clock.runFor(STEP_MS);
    await open?.waitUntilSettled();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return true;
}

/** The money with which the account began, and all that it received since. */
function summed() {
  if (running === undefined) throw new Error("no bot runs");
  const { account } = running.bot.context;
  return { startEquity: account.startEquity, profit: account.profit() };
}

const START = { script: "npm start", bot: "bot.yaml", venue: "exchange.yaml" };
const LIQUIDATIONS = {
  script: "npm run demo:liquidations",
  bot: "liquidations.yaml",
  venue: "liquidations-exchange.yaml",
};

describe("what the demos quote, with their chain", () => {
  it.each([
    { ...START, intervalMs: 0, withinMs: 3_000 },
    { ...LIQUIDATIONS, intervalMs: 0, withinMs: 3_000 },
    // Credit comes with the first block: nothing can be quoted before.
    { ...START, intervalMs: 2_000, withinMs: 6_000 },
    { ...LIQUIDATIONS, intervalMs: 2_000, withinMs: 6_000 },
  ])(
    "has both sides of every market out within $withinMs ms of the bot's start, with a block every $intervalMs ms ($script)",
    async (given) => {
      const clock = new VirtualClock(START_MS);
      const config = loadExchangeConfig(file(given.venue));
      if (config.chain === undefined) throw new Error("the example has no chain");
      open = await openConfiguredExchange(
        {
          ...config,
          chain: {
            ...config.chain,
            rpc: null,
            blocks: { ...config.chain.blocks, intervalMs: given.intervalMs },
          },
        },
        { clock, random: seededRandom("exchange") },
        { baseFolder: dirname(file(given.venue)) },
      );
      const { exchange, chain } = open;
      exchange.start();
      const node: InProcessRpc = {
        name: "node",
        call: async (method, params) => {
          const outcome = await chain?.chain.handle(method, params);
          if (outcome === undefined) throw new Error("there is no chain");
          return outcome;
        },
      };
      let hasFailed: unknown;
      const bot = loadBotConfig(file(given.bot), {}, { key: "unused" });
      startBot({
        config: bot,
        privateKey: `0x${"5a".repeat(32)}`,
        runtime: { clock, random: seededRandom("bot") },
        store: new MemoryStateStore(),
        log: silentLog,
        transport: new FaultyNetwork(exchange, clock, new FaultSource([], QUICKEST), "10.0.0.1"),
        chain: {
          rpcs: [node],
          laneStore: () => ({ load: () => [], append: () => {}, close: () => {} }),
        },
      }).then(
        (started) => {
          running = started;
        },
        (error: unknown) => {
          hasFailed = error;
        },
      );
      const isStarted = await until(
        clock,
        () => running !== undefined || hasFailed !== undefined,
        5_000,
      );
      expect(hasFailed).toBeUndefined();
      expect(isStarted).toBe(true);
      expect(
        await until(clock, () => running?.monitor.firstQuoteAtMs !== undefined, given.withinMs),
      ).toBe(true);
      expect(running?.bot.tradingGuards.halts).toEqual([]);
      // It was the chain's credit that it quotes with, and the liquidator was there if the file has
      // one.
      const isThere = (): boolean => (running?.liquidator?.liquidator.view().blockNumber ?? 0) > 0;
      expect(await until(clock, isThere, 5_000)).toBe(bot.liquidator !== undefined);
      const { startEquity = 0n, profit } = summed();
      expect(startEquity * 10n ** BigInt(profit.decimals - 6) + profit.transfers).toBe(
        100_000n * 10n ** BigInt(profit.decimals),
      );
      expect(running?.liquidator?.liquidator.view().paused).toBeUndefined();
      // Credit that comes with a block after the start is nothing that the bot has earned.
      const status = running === undefined ? undefined : buildBotStatus(running.bot);
      expect(status?.equityChangeQuote).toBe(status?.earnedQuote);
      expect(Number(status?.equityQuote) - Number(status?.equityChangeQuote)).toBeCloseTo(
        100_000,
        6,
      );
      expect(Math.abs(Number(status?.earnedQuote))).toBeLessThan(1_000);
    },
  );
});
