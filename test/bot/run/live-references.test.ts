import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { BotEvent } from "#bot/bot-event.js";
import type { BotConfig } from "#bot/config.js";
import { replayLines } from "#bot/replay-journal.js";
import { seededRandom } from "#core/seeded-random.js";
import type { VirtualClock } from "#core/virtual-clock.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import {
  asFile,
  botConfigOf,
  EXCHANGE,
  MemoryJournal,
  startVirtualRun,
  turnsOf,
  type VirtualRun,
} from "../recorded-run.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-references-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A source that follows nothing: the price that its parameters name, four times a second. */
const STEADY = `
import { defineReferenceSource } from "marketwright";
import { map, timer } from "rxjs";
import { z } from "zod";
export default defineReferenceSource({
  params: z.object({ priceQuote: z.number() }),
  create: ({ priceQuote }, { runtime, scheduler }) =>
    timer(0, 250, scheduler).pipe(
      map(() => ({ bid: priceQuote - 1, ask: priceQuote + 1, timeMs: runtime.clock.nowMs() })),
    ),
});
`;

const ONE_MARKET = { ...EXCHANGE, markets: { btcusdc: EXCHANGE.markets.btcusdc } };

function config(): BotConfig {
  const file = botConfigOf();
  writeFileSync(join(folder, "steady.mts"), STEADY);
  const source = { multiplier: 1, minGapMs: 20 };
  const { btcusdc } = file.markets;
  return {
    ...file,
    path: join(folder, "bot.yaml"),
    references: {
      elsewhere: {
        ...source,
        exchange: { rest: "http://elsewhere.test/v1", stream: "ws://elsewhere.test/v1" },
        market: "btcusdc",
      },
      steady: { ...source, module: "./steady.mts", params: { priceQuote: 60_000 } },
      unused: { ...source, module: "./missing.ts" },
    },
    markets: {
      btcusdc: {
        ...btcusdc,
        reference: {
          from: ["elsewhere", "steady"],
          combine: "median",
          maxAgeMs: 2000,
          maxDeviationBps: 500,
          maxFromMidBps: 500,
          minSources: 2,
          onStale: "halt",
          widenFactor: 3,
          basis: { halfLifeMs: 10_000, maxBasisBps: 50 },
        },
      },
    },
  };
}

interface ReferencedRun extends VirtualRun {
  /** The network of the source `elsewhere`. */
  readonly network: FaultyNetwork;
  readonly journal: MemoryJournal;
  readonly closeElsewhere: () => void;
}

async function start(dryRun = false): Promise<ReferencedRun> {
  const journal = new MemoryJournal();
  const made: { network?: FaultyNetwork; close?: () => void } = {};
  const run = await startVirtualRun({
    journal,
    dryRun,
    config: config(),
    exchangeConfig: ONE_MARKET,
    referencesOf(clock: VirtualClock) {
      const elsewhere = configuredExchange(parseExchangeConfig({ ...ONE_MARKET, seed: 8 }), {
        clock,
        random: seededRandom("elsewhere"),
      });
      elsewhere.start();
      made.close = () => elsewhere.stop();
      const faults = new FaultSource([], seededRandom("no faults"));
      made.network = new FaultyNetwork(elsewhere, clock, faults, "10.0.0.2");
      return { transports: { elsewhere: made.network } };
    },
  });
  const { network, close } = made as Required<typeof made>;
  return { ...run, network, journal, closeElsewhere: close, stop: () => run.stop() };
}

const updatesOf = (journal: MemoryJournal): ReferenceUpdate[] =>
  turnsOf(journal).flatMap(({ input }) => (input.kind === "reference" ? [input.update] : []));

const isHalted = ({ running }: VirtualRun): boolean =>
  running.bot.tradingGuards.halts.some(({ scope }) => scope === "market");

describe("a bot with two sources of reference prices, one of which disconnects", () => {
  it("halts without enough sources, quotes again when they are back, and replays to the byte", async () => {
    const run = await start();
    await run.clock.runFor(2500);
    const trader = run.running.bot.context.traders.get("btcusdc");
    expect(run.running.bot.context.account.orders.unresolved().length).toBeGreaterThan(0);
    expect(trader?.reference?.price.fairTicks).toBeGreaterThan(0);
    expect(isHalted(run)).toBe(false);
    run.network.down = true;
    run.network.dropStreams("the network is down");
    await run.clock.runFor(500);
    expect(isHalted(run)).toBe(true);
    await run.clock.runFor(2000);
    expect(isHalted(run)).toBe(true);
    run.network.down = false;
    await run.clock.runFor(5000);
    expect(isHalted(run)).toBe(false);
    await run.stop();
    run.closeElsewhere();
    const updates = updatesOf(run.journal);
    const down = updates.filter(({ type }) => type === "down");
    expect(down[0]).toEqual({
      type: "down",
      source: "elsewhere",
      reason: expect.stringContaining("the network is down"),
    });
    // A source that stays down says so once a second at most.
    expect(down.length).toBeLessThan(10);
    expect(updates.filter(({ source }) => source === "steady").length).toBeGreaterThan(20);
    const notices: BotEvent[] = [];
    const result = await replayLines(asFile(run.journal.lines), {
      onTurn: (turn) => notices.push(...turn.notices),
    });
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(run.journal.lines.length - 1);
    expect(result.actions).toBeGreaterThan(20);
    expect(notices.some(({ kind }) => kind === "halted")).toBe(true);
  });

  it("connects none that no market uses, and passes prices at most once a gap", async () => {
    const run = await start(true);
    await run.clock.runFor(3000);
    await run.stop();
    run.closeElsewhere();
    const updates = updatesOf(run.journal);
    expect(new Set(updates.map(({ source }) => source))).toEqual(new Set(["elsewhere", "steady"]));
    const count = updates.filter(({ source }) => source === "elsewhere").length;
    expect(count).toBeGreaterThan(2);
    expect(count).toBeLessThanOrEqual(3000 / 20 + 1);
  });

  it("closes every source at its end: nothing enters the bot, and no timer is left", async () => {
    const run = await start(true);
    await run.clock.runFor(2000);
    await run.stop();
    const { length } = run.journal.lines;
    await run.clock.runFor(5000);
    run.closeElsewhere();
    expect(run.journal.lines).toHaveLength(length);
  });
});
