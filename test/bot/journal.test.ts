import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { BotEvent } from "#bot/bot-event.js";
import type { JournalTurn } from "#bot/journal.js";
import { encodeJournal } from "#bot/journal.js";
import type { ReplayedTurn } from "#bot/journal-replay.js";
import { replayJournal, replayLines } from "#bot/replay-journal.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { recordLive } from "./live-recording.js";
import {
  asFile,
  botConfigOf,
  MemoryJournal,
  startVirtualRun,
  type Trouble,
  turnsOf,
} from "./recorded-run.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-journal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TROUBLE: readonly Trouble[] = [
  ["answer-delayed", 1_000, 2_500, 0.3],
  ["answer-lost", 2_000, 3_500, 0.2],
  ["request-lost", 3_000, 4_000, 0.2],
  ["storm-5xx", 4_000, 5_000, 0.6],
  ["stream-dropped", 4_500, 5_500, 0.04],
  ["frame-lost", 5_500, 6_000, 0.1],
  ["storm-429", 6_500, 7_000, 0.5],
  ["connection-lost", 7_000, 8_000, 0.3],
  ["frames-swapped", 7_500, 9_000, 0.2],
];

/** A strategy with timers and randomness of its own, besides the bot's. */
const RESTLESS = `
import { defineStrategy, quoteAround } from "marketwright";
import { debounceTime, map, merge, switchMap, timer } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.object({ sizeBase: z.number() }),
  create: ({ sizeBase }, { scheduler, random }) => (view$) =>
    merge(view$, view$.pipe(debounceTime(40, scheduler)), view$.pipe(switchMap((view) => timer(75, scheduler).pipe(map(() => view))))).pipe(
      map((view) => quoteAround(view, view.microPrice, { halfSpreadBps: 1 + random.uniform() * 2, sizeBase })),
    ),
});
`;

/** A strategy that works outside the bot's turns, and then ends there. */
const THOUGHTFUL = `
import { defineStrategy, quoteAround } from "marketwright";
import { concatMap, take } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.object({ sizeBase: z.number() }),
  create: ({ sizeBase }) => (view$) =>
    view$.pipe(
      concatMap(async (view) => {
        await undefined;
        return quoteAround(view, view.microPrice, { halfSpreadBps: 1, sizeBase });
      }),
      take(20),
    ),
});
`;

describe("a journal replays to byte-identical actions", () => {
  it("when requests, answers, frames and streams were lost, late, refused and out of order", async () => {
    const journal = new MemoryJournal();
    const run = await startVirtualRun({ journal, trouble: TROUBLE });
    await run.clock.runFor(10_000);
    await run.stop();
    expect([...run.struck.keys()].sort()).toEqual(
      [...new Set(TROUBLE.map(([kind]) => kind))].sort(),
    );
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
    expect(run.running.bot.turns, "as a status counts them").toBe(result.turns);
    expect(result.actions).toBe(actionsOf(journal).length);
    expect(result.actions).toBeGreaterThan(250);
    expect(result.phase).toBe("stopped");
    const { counts } = run.running.bot.context.account;
    expect(counts.unknown).toBeGreaterThan(0);
    expect(counts.fills).toBeGreaterThan(0);
  });

  it("when the risk ladder widened, reduced and sold the position", async () => {
    const journal = new MemoryJournal();
    const ladder = {
      drawdown: [
        { fromQuote: "0.0005", action: "widen" },
        { fromQuote: "0.001", action: "reduce" },
      ],
      inventory: [{ fromFraction: 0.02, action: "widen" }],
      markout: [{ fromBps: 0.001, action: "widen" }],
      markoutMinFills: 1,
      markoutHorizonMs: 500,
    };
    const config = botConfigOf({
      risk: { maxDrawdownQuote: "0.005", onDrawdown: "flatten", flatten: { everyMs: 300 }, ladder },
    });
    const notices: BotEvent[] = [];
    const run = await startVirtualRun({ journal, config });
    await run.clock.runFor(10_000);
    const acting = run.running.bot.tradingGuards.ladder.acting.map(({ action }) => action);
    await run.stop();
    const result = await replayLines(asFile(journal.lines), {
      onTurn: (turn) => notices.push(...turn.notices),
    });
    expect(result.divergence).toBeUndefined();
    expect(result.actions).toBe(actionsOf(journal).length);
    const told = notices.flatMap((notice) =>
      notice.kind === "rung" ? [`${notice.measure} ${notice.action}`] : [],
    );
    expect(told).toContain("drawdown flatten");
    expect(acting).toContain("flatten");
    const sold = actionsOf(journal).filter(
      (action) => action.kind === "place" && action.timeInForce === "IOC",
    );
    expect(sold.length, "slices").toBeGreaterThan(0);
  });

  it("when an operator halted, resumed and flattened, and GTT orders were built by the exchange", async () => {
    const journal = new MemoryJournal();
    const config = botConfigOf({
      exchange: {
        rest: "http://exchange.test/v1",
        stream: "ws://exchange.test/v1",
        placement: "server",
      },
      quotes: { timeInForce: "GTT", quoteLifeMs: 70_000 },
    });
    const run = await startVirtualRun({ journal, config });
    await run.clock.runFor(2_000);
    run.running.command({ command: "halt", reason: "lunch", marketId: "btcusdc" });
    await run.clock.runFor(1_000);
    run.running.command({ command: "resume" });
    await run.clock.runFor(1_500);
    run.running.command({ command: "flatten", maxSlippageBps: 20 });
    await run.clock.runFor(2_000);
    await run.stop();
    const kinds = new Set(actionsOf(journal).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["build", "cancel", "place", "question"]);
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  });

  it("when its event loop lagged: load was shed, and quotes were cancelled until it kept up again", async () => {
    const journal = new MemoryJournal();
    let machine: MachineClock | undefined;
    const run = await startVirtualRun({
      journal,
      machineOf: (world) => {
        machine = new MachineClock(world);
        return machine;
      },
    });
    const { loopLag } = run.running.bot.context;
    const seen: unknown[] = [];
    for (const [lateMs, forMs] of [
      [0, 1_000],
      [150, 6_000],
      [900, 6_000],
      [0, 6_000],
      [0, 9_000],
    ] as const) {
      if (machine !== undefined) machine.lateMs = lateMs;
      await run.clock.runFor(forMs);
      seen.push([
        loopLag.isShedding,
        run.running.bot.tradingGuards.halts.some(({ name }) => name === "loop-lag"),
      ]);
    }
    expect(seen).toEqual([
      [false, false],
      [true, false],
      [true, true],
      [true, false],
      [false, false],
    ]);
    await run.stop();
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  });

  it("when a user's own strategy has timers and randomness", async () => {
    const path = join(folder, "restless.ts");
    writeFileSync(path, RESTLESS);
    const journal = new MemoryJournal();
    const config = botConfigOf({
      markets: {
        btcusdc: {
          strategy: path,
          params: { sizeBase: 0.02 },
          limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
        },
      },
    });
    const run = await startVirtualRun({ journal, config });
    await run.clock.runFor(6_000);
    await run.stop();
    expect(
      turnsOf(journal).some(({ draws }) => draws.some((draw) => typeof draw === "number")),
    ).toBe(true);
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.changedStrategies).toEqual([]);
    expect(result.actions).toBeGreaterThan(50);
  });

  it("and reports a strategy file that has changed since the recording", async () => {
    const own = join(folder, "moving");
    mkdirSync(own);
    const path = join(own, "restless.ts");
    writeFileSync(join(own, "spread.ts"), "export const spread = 1;\n");
    writeFileSync(
      path,
      `import { spread } from "./spread.js";\n${RESTLESS.replace("halfSpreadBps: 1", "halfSpreadBps: spread")}`,
    );
    const journal = new MemoryJournal();
    const config = botConfigOf({
      markets: { btcusdc: { strategy: path, params: { sizeBase: 0.02 } } },
    });
    const run = await startVirtualRun({ journal, config });
    await run.clock.runFor(1_000);
    await run.stop();
    expect((await replayLines(asFile(journal.lines))).changedStrategies).toEqual([]);

    writeFileSync(join(own, "spread.ts"), "export const spread = 9;\n");
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeDefined();
    expect(result.changedStrategies).toEqual([
      {
        marketId: "btcusdc",
        name: path,
        recorded: expect.stringMatching(/^[0-9a-f]{64}$/),
        found: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it("when a strategy emits and ends outside the bot's turns", async () => {
    const path = join(folder, "thoughtful.ts");
    writeFileSync(path, THOUGHTFUL);
    const journal = new MemoryJournal();
    const config = botConfigOf({
      markets: { btcusdc: { strategy: path, params: { sizeBase: 0.02 } } },
    });
    const run = await startVirtualRun({ journal, config });
    await run.clock.runFor(5_000);
    expect(run.running.bot.tradingGuards.haltsFor("btcusdc").map(({ name }) => name)).toEqual([
      "strategy-error",
    ]);
    expect(run.exchange.openOrders(run.running.account)).toEqual([]);
    await run.stop();
    const signals = turnsOf(journal).flatMap(({ input }) =>
      input.kind === "strategy" ? [input.signal] : [],
    );
    expect(signals.map((signal) => Object.keys(signal)[0])).toEqual([
      ...Array(20).fill("intent"),
      "ended",
    ]);
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.actions).toBe(actionsOf(journal).length);
    expect(actionsOf(journal).filter(({ kind }) => kind === "place").length).toBeGreaterThan(2);
  });

  it("when the bot started from the state of an earlier run", async () => {
    const store = new MemoryStateStore();
    const first = await startVirtualRun({ store });
    await first.clock.runFor(5_000);
    first.running.bot.abandon();
    const journal = new MemoryJournal();
    const second = await startVirtualRun({ store, journal });
    await second.clock.runFor(5_000);
    await second.stop();
    const result = await replayLines(asFile(journal.lines));
    expect(Object.keys(result.header.state).sort()).toEqual([
      "budget.json",
      "contracts.json",
      "heartbeat.json",
      "peak-equity.json",
    ]);
    expect(result.divergence).toBeUndefined();
  });

  it("when nothing was sent, in a dry run", async () => {
    const journal = new MemoryJournal();
    const run = await startVirtualRun({ journal, dryRun: true });
    await run.clock.runFor(3_000);
    await run.stop();
    const plans: ReplayedTurn[] = [];
    const result = await replayLines(asFile(journal.lines), {
      onTurn: (turn) => {
        if (turn.notices.some(({ kind }) => kind === "dry-plan")) plans.push(turn);
      },
    });
    expect(result.divergence).toBeUndefined();
    expect(plans.length).toBeGreaterThan(0);
    expect(actionsOf(journal).every(({ kind }) => kind === "question")).toBe(true);
  });

  it("when it was recorded live, over loopback, through a failing network", async () => {
    const path = join(folder, "live.journal");
    const { struck, placed } = await recordLive(path, 8_000);
    expect(struck.size).toBeGreaterThan(2);
    expect(placed).toBeGreaterThan(0);
    const result = await replayJournal(path);
    expect(result.divergence).toBeUndefined();
    expect(result.tornLine).toBeUndefined();
    expect(result.phase).toBe("stopped");
  });
});

it("keeps numbers that JSON does not have", async () => {
  const stamp = { atMs: 1, monotonicMs: 0.1 + 0.2 };
  const line = encodeJournal({
    stamp,
    input: { kind: "timer", id: 1 },
    draws: [2n ** 63n, 0.1],
    actions: [],
  } satisfies JournalTurn);
  const { decodeTurn } = await import("#bot/journal.js");
  expect(decodeTurn(line, 2)).toEqual({
    stamp,
    input: { kind: "timer", id: 1 },
    draws: [2n ** 63n, 0.1],
    actions: [],
  });
  const state = {
    type: "market-state",
    marketId: "m",
    mark: 1n,
    index: -1n,
    fundingRate: Number.NaN,
    nextFundingMs: -0,
  } as const;
  const odd = encodeJournal({
    stamp,
    input: { kind: "event", event: state },
    draws: [],
    actions: [],
  });
  const read = decodeTurn(odd, 2).input;
  expect(read.kind === "event" ? read.event : undefined).toEqual(state);
});

function actionsOf(journal: MemoryJournal) {
  return turnsOf(journal).flatMap(({ actions }) => actions);
}
