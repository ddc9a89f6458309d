import { afterEach, expect, it } from "vitest";
import { startBot } from "#bot/run-bot.js";
import { buildRunSummary } from "#bot/run-summary.js";
import type { RunningBot } from "#bot/running-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import type { HttpResult, Transport } from "#exchange/transport.js";
import { silentLog } from "#monitoring/log.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { MemoryLaneStore } from "../chain/lanes/memory-lane-store.js";
import { botConfig } from "../simulation/bot-config.js";
import { ChainWorld } from "../simulator/settlement/chain-world.js";

const MARKET = "btcusdc";
let world: ChainWorld | undefined;
let running: RunningBot | undefined;
/** Questions to the chain that are not answered yet: time waits for them. */
const asked = new Set<Promise<unknown>>();
afterEach(async () => {
  running?.bot.abandon();
  running?.close();
  running = undefined;
  await world?.open.close();
});

/** Lets the clock go on, the chain with it, until something holds. */
async function until(isSo: () => boolean, atMostMs: Ms): Promise<boolean> {
  if (world === undefined) return false;
  for (const endMs = world.clock.nowMs() + atMostMs; !isSo(); ) {
    if (world.clock.nowMs() >= endMs) return false;
    await world.clock.runFor(20);
    do {
      await Promise.all(asked);
      await world.open.waitUntilSettled();
      await new Promise((resolve) => setImmediate(resolve));
    } while (asked.size > 0);
  }
  return true;
}

function noted<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const held: Promise<unknown> = answer.finally(() => asked.delete(held));
  asked.add(held);
  return answer;
}

function book(quote: number): void {
  const ticks = quote * 10;
  for (const sign of [-1, 1] as const)
    for (let level = 1; level <= 3; level += 1) {
      const side = sign < 0 ? ("BUY" as const) : ("SELL" as const);
      world?.flow().place({
        agent: "maker",
        side,
        ticks: ticks + sign * level * 200,
        lots: 3_000,
        timeInForce: "GTC",
      });
    }
}

it("a market maker that takes a position over in its own market has it in its quotes at once: what would add comes down, what sells is offered, and it is sold", async () => {
  // A victim with 10,000 that holds seventeen times as much.
  world = await ChainWorld.open({ config: { creditOnRegistration: "10000" } });
  const { exchange, clock, chain } = world;
  await world.setMark(60_000);
  book(60_000);
  const victim = await world.client(0);
  expect(victim.place("BUY", "60100", "2.9").status).toBe(200);
  await world.open.waitUntilSettled();
  const config = botConfig({
    chain: { rpc: ["http://chain.test"], pollMs: 100 },
    liquidator: {
      minProfitQuote: "1",
      watchFromBlock: 0,
      unwind: { makerFirstMs: 5_000, horizonMs: 20_000, slices: 4 },
    },
    markets: {
      [MARKET]: {
        strategy: "ladder",
        params: { halfSpreadBps: 10, sizeBase: 0.05 },
        limits: { maxPositionBase: "10", maxOrderBase: "5" },
      },
    },
  });
  startBot({
    config,
    privateKey: `0x${"5a".repeat(32)}`,
    runtime: { clock, random: seededRandom("bot") },
    store: new MemoryStateStore(),
    log: silentLog,
    transport: new FaultyNetwork(
      exchange,
      clock,
      new FaultSource([], { uniform: () => 0, uint64: () => 0n }),
      "10.0.0.1",
    ),
    chain: {
      rpcs: [{ name: "node", call: (method, params) => noted(chain.chain.handle(method, params)) }],
      laneStore: () => new MemoryLaneStore(),
    },
  }).then((started) => {
    running = started;
  });
  expect(await until(() => running?.monitor.firstQuoteAtMs !== undefined, 10_000)).toBe(true);
  const bot = running?.bot;
  const sides = () =>
    exchange
      .openOrders(running?.account ?? "")
      .filter(({ openLots }) => openLots > 0)
      .map(({ side }) => side);
  expect(sides().sort()).toEqual(["BUY", "SELL"]);

  world.flow().setReference(580_000, 580_000);
  book(58_000);
  await world.open.waitUntilSettled();
  expect(await until(() => (bot?.liquidatedInventory.reports().length ?? 0) > 0, 10_000)).toBe(
    true,
  );
  const [report] = bot?.liquidatedInventory.reports() ?? [];
  expect(report).toMatchObject({ state: "open", acquiredLots: 2_900 });
  expect(bot?.context.account.positionLots(MARKET), "counted in the same turn").toBe(
    2_900 - (report?.soldLots ?? 0),
  );
  expect(await until(() => !sides().includes("BUY"), 2_000), "nothing is bought on top").toBe(true);
  // From the exchange's word of it until the position is known nothing is quoted.
  expect(await until(() => sides().includes("SELL"), 3_000), "what sells is there").toBe(true);
  expect(sides(), "and nothing that buys").not.toContain("BUY");
  const agree = () =>
    exchange.positionLots(running?.account ?? "", MARKET) ===
    bot?.context.account.positionLots(MARKET);
  expect(await until(agree, 5_000), "the exchange has it too").toBe(true);
  expect(running?.liquidator?.ledger.counts()).toMatchObject({ won: 1 });

  // Offered for five seconds, then taken down in four slices of five, and then the market is made
  // again.
  const unwound = () => bot?.liquidatedInventory.reports()[0];
  expect(await until(() => unwound()?.state !== "open", 40_000)).toBe(true);
  expect(unwound()).toMatchObject({
    state: "done",
    acquiredLots: 2_900,
    soldLots: 2_900,
    remainingLots: 0,
  });
  const settled = () => [
    exchange.positionLots(running?.account ?? "", MARKET),
    bot?.context.account.positionLots(MARKET),
  ];
  expect(
    await until(() => settled().every((lots) => lots === 0) && sides().length === 2, 10_000),
    String(settled()),
  ).toBe(true);
  expect(sides().sort(), "quoted on both sides again").toEqual(["BUY", "SELL"]);
  const { acquiredCredit = 0n, proceedsCredit = 0n, feesCredit = 0n } = unwound() ?? {};
  expect(proceedsCredit + acquiredCredit - feesCredit, "earned").toBeGreaterThan(0n);
  const [opportunity] = running?.liquidator?.ledger.recent(1) ?? [];
  expect(opportunity).toMatchObject({
    outcome: "won",
    takenOver: { credit: acquiredCredit },
    unwound: { state: "done", remainingLots: 0 },
  });
  const profitQuote = acquiredCredit + proceedsCredit - feesCredit - (opportunity?.gasQuote ?? 0n);
  expect(running?.liquidator?.ledger.counts(), "to the unit").toMatchObject({
    won: 1,
    open: 0,
    profitQuote,
  });
});

it("a market maker whose chain does not answer at the start leaves no order behind: it had quoted while the chain was asked", async () => {
  world = await ChainWorld.open({ config: { creditOnRegistration: "10000" } });
  const { exchange, clock } = world;
  await world.setMark(60_000);
  book(60_000);
  const config = botConfig({
    chain: { rpc: ["http://chain.test"], pollMs: 100 },
    liquidator: { minProfitQuote: "1" },
    markets: {
      [MARKET]: {
        strategy: "ladder",
        params: { halfSpreadBps: 10, sizeBase: 0.05 },
        limits: { maxPositionBase: "10", maxOrderBase: "5" },
      },
    },
  });
  let ended: unknown;
  const privateKey = `0x${"5b".repeat(32)}`;
  const account = ecdsaScheme.signer(privateKey).address;
  startBot({
    config,
    privateKey,
    runtime: { clock, random: seededRandom("bot") },
    store: new MemoryStateStore(),
    log: silentLog,
    transport: new FaultyNetwork(
      exchange,
      clock,
      new FaultSource([], { uniform: () => 0, uint64: () => 0n }),
      "10.0.0.2",
    ),
    chain: {
      rpcs: [{ name: "node", call: () => new Promise(() => {}) }],
      laneStore: () => new MemoryLaneStore(),
    },
  }).catch((error: unknown) => {
    ended = error;
  });
  const open = () => exchange.openOrders(account).filter(({ openLots }) => openLots > 0).length;
  expect(await until(() => open() > 0, 10_000), "it quotes").toBe(true);
  expect(await until(() => ended !== undefined, 60_000)).toBe(true);
  expect(ended).toMatchObject({ message: expect.stringContaining("no answer") });
  expect(open()).toBe(0);
});

/**
 * A line whose answers are up to five seconds late, half of that on the way there; one that is
 * later than its time-out is none.
 */
function late(inner: Transport, random: Random, isLate: () => boolean): Transport {
  const request: Transport["request"] = (asked, done) => {
    const { clock } = world as ChainWorld;
    if (!isLate()) return inner.request(asked, done);
    const [thereMs, backMs] = [random.uniform() * 2_500, random.uniform() * 2_500];
    let isOver = false;
    const end = (result: HttpResult) => {
      if (isOver) return;
      isOver = true;
      done(result);
    };
    clock.setTimer(asked.timeoutMs, () =>
      end({ ok: false, cause: "timeout", sent: true, message: "no answer" }),
    );
    clock.setTimer(thereMs, () =>
      inner.request(asked, (result) => void clock.setTimer(backMs, () => end(result))),
    );
  };
  return {
    request,
    open: (path, handlers) => inner.open(path, handlers),
    close: () => inner.close(),
  };
}

it("an RPC that falls silent after a takeover was sent, beside a slow REST: the position is known by the stream, and nothing rests on the old one", async () => {
  world = await ChainWorld.open({ config: { creditOnRegistration: "10000" } });
  const { exchange, clock, chain } = world;
  await world.setMark(60_000);
  book(60_000);
  const victim = await world.client(0);
  expect(victim.place("BUY", "60100", "2.9").status).toBe(200);
  await world.open.waitUntilSettled();
  const config = botConfig({
    chain: { rpc: ["http://chain.test"], pollMs: 100 },
    liquidator: { minProfitQuote: "1", watchFromBlock: 0 },
    markets: {
      [MARKET]: {
        strategy: "ladder",
        params: { halfSpreadBps: 10, sizeBase: 0.05 },
        limits: { maxPositionBase: "3", maxOrderBase: "1" },
      },
    },
  });
  let isSilent = false;
  const node = async (method: string, params: readonly unknown[]) => {
    if (isSilent) return new Promise<never>(() => {});
    const answer = await noted(chain.chain.handle(method, params as never));
    if (method === "eth_sendRawTransaction") isSilent = true;
    return answer;
  };
  const network = new FaultyNetwork(
    exchange,
    clock,
    new FaultSource([], { uniform: () => 0, uint64: () => 0n }),
    "10.0.0.1",
  );
  startBot({
    config,
    privateKey: `0x${"5c".repeat(32)}`,
    runtime: { clock, random: seededRandom("bot") },
    store: new MemoryStateStore(),
    log: silentLog,
    transport: late(network, seededRandom("line"), () => isSilent),
    chain: { rpcs: [{ name: "node", call: node }], laneStore: () => new MemoryLaneStore() },
  }).then((started) => {
    running = started;
  });
  expect(await until(() => running?.monitor.firstQuoteAtMs !== undefined, 10_000)).toBe(true);
  const { bot, account, monitor } = running as RunningBot;
  world.flow().setReference(580_000, 580_000);
  book(58_000);
  await world.open.waitUntilSettled();
  expect(await until(() => isSilent, 10_000), "a takeover was sent").toBe(true);
  const [theirs, ours] = [
    () => exchange.positionLots(account, MARKET),
    () => bot.context.account.positionLots(MARKET),
  ];
  expect(await until(() => theirs() > 1_000, 10_000), "it was mined").toBe(true);
  let [quotedWrongMs, wrongMs, most] = [0, 0, 0];
  for (let waited = 0; waited < 40_000; waited += 100) {
    await until(() => false, 100);
    most = Math.max(most, theirs());
    if (Math.abs(theirs() - ours()) <= 50) continue;
    wrongMs += 100;
    if (exchange.openOrders(account).some(({ openLots }) => openLots > 0)) quotedWrongMs += 100;
  }
  expect(most).toBeLessThanOrEqual(3_000);
  // The cancels are as late as everything else.
  expect(quotedWrongMs).toBeLessThanOrEqual(5_000);
  expect(wrongMs).toBeLessThanOrEqual(10_000);
  expect([ours(), bot.context.reservations.all]).toMatchObject([theirs(), [{ isHeld: true }]]);

  let isStopped = false;
  running?.stopped.then(() => {
    isStopped = true;
  });
  running?.command({ command: "stop", reason: "SIGTERM" });
  expect(await until(() => isStopped, 90_000)).toBe(true);
  const summary = buildRunSummary(bot, monitor, null);
  expect(summary).toMatchObject({
    openOrdersLeft: 0,
    takeoversUnderWay: [{ marketId: MARKET, isHeld: true }],
  });
  expect(summary.positionsApart).toBeUndefined();
  expect(ours()).toBe(theirs());
});
