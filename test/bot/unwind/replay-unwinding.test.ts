import { expect, it } from "vitest";
import { replayLines } from "#bot/replay-journal.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { TAKEOVERS_FILE } from "#bot/stored-takeovers.js";
import { asFile, botConfigOf, EXCHANGE, MemoryJournal, startVirtualRun } from "../recorded-run.js";

const config = botConfigOf({
  markets: {
    btcusdc: {
      strategy: "ladder",
      params: { levels: 1, halfSpreadBps: 20, levelSpacingBps: 1, sizeBase: 0.01 },
      limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
    },
  },
});
const exchangeConfig = { ...EXCHANGE, markets: { btcusdc: EXCHANGE.markets.btcusdc } };

it("a journal with takeovers that are acquired, reverted, and found in the state directory replays to byte-identical actions", async () => {
  const store = new MemoryStateStore();
  for (const [start, forMs, slices] of [
    ["first", 3_000, 0],
    ["second", 19_000, 1],
  ] as const) {
    const journal = new MemoryJournal();
    const run = await startVirtualRun({ config, exchangeConfig, journal, store });
    await run.clock.runFor(1_000);
    const say = (id: string, lots: number, credit: bigint) =>
      run.running.command({
        command: "inherit",
        takeover: {
          id: `${start} ${id}`,
          marketId: "btcusdc",
          lots,
          credit,
          atMs: run.clock.nowMs(),
        },
      });
    say("kept", 60, -3_564_000_000n);
    say("undone", 30, -1_782_000_000n);
    await run.clock.runFor(1_000);
    run.running.command({ command: "disinherit", takeoverId: `${start} undone` });
    await run.clock.runFor(forMs);
    await run.stop();
    for (const id of ["kept", "undone"])
      expect(store.read(TAKEOVERS_FILE)).toContain(`${start} ${id}`);
    const placed = journal.lines.filter((line) => line.includes('"timeInForce":"IOC"')).length;
    expect(placed, "slices in it").toBeGreaterThanOrEqual(slices);
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  }
});

it("a journal with takeovers that are planned, found in the state directory, and ended replays too: orders that they block are not sent", async () => {
  const store = new MemoryStateStore();
  for (const start of ["first", "second"]) {
    const journal = new MemoryJournal();
    const run = await startVirtualRun({ config, exchangeConfig, journal, store });
    await run.clock.runFor(5_000);
    const { account, reservations } = run.running.bot.context;
    expect(reservations.all, start).toHaveLength(start === "first" ? 0 : 1);
    const buys = () =>
      account.orders.mayStillFill("btcusdc").filter(({ side }) => side === "BUY").length;
    if (start === "second") expect(buys()).toBe(0);
    const plan = (jobId: string) => ({ jobId, marketId: "btcusdc", paper: 495n * 10n ** 15n });
    run.running.command({ command: "reserve", takeovers: [] });
    await run.clock.runFor(5_000);
    expect(buys()).toBe(1);
    run.running.command({ command: "reserve", takeovers: [plan(start)] });
    await run.clock.runFor(5_000);
    run.running.bot.abandon();
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  }
});
