import { beforeAll, expect, it } from "vitest";
import type { HedgeVenueConfig } from "#bot/config.js";
import type { JournalTurn } from "#bot/journal.js";
import { encodeJournal } from "#bot/journal.js";
import { replayLines } from "#bot/replay-journal.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { seededRandom } from "#core/seeded-random.js";
import { SYMBOL } from "../../hedge/hedge-records.js";
import { ModelVenue } from "../../hedge/model-venue.js";
import { asFile, botConfigOf, MemoryJournal, startVirtualRun, turnsOf } from "../recorded-run.js";

const CONFIG = botConfigOf({
  hedgeVenues: { deep: { ccxt: "binanceusdm", keyEnv: "HEDGE_KEY", secretEnv: "HEDGE_SECRET" } },
  markets: {
    btcusdc: {
      strategy: "ladder",
      params: { levels: 2, halfSpreadBps: 1, levelSpacingBps: 1, sizeBase: 0.02 },
      limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
      hedge: {
        venue: "deep",
        symbol: SYMBOL,
        maxUnhedgedBase: "0.01",
        style: "maker-then-taker",
      },
    },
  },
});

/** A minute of a bot that hedges at a venue with faults, on a state directory. */
async function recorded(store: MemoryStateStore, seed: number): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  const run = await startVirtualRun({
    config: CONFIG,
    store,
    journal,
    hedgeVenuesOf: (clock) => {
      const venue = new ModelVenue(clock);
      const random = seededRandom(`faults ${seed}`);
      const happens = (): boolean => random.uniform() < 0.1;
      venue.requestFate = () => ({ ...(happens() ? { lost: "answer" } : {}), isTwice: happens() });
      venue.streamFate = () => ({ isLost: happens(), isTwice: happens() });
      return new Map([["deep", venue]]);
    },
  });
  await run.clock.runFor(60_000);
  await run.stop();
  return journal;
}

const store = new MemoryStateStore();
let first: MemoryJournal;
beforeAll(async () => {
  first = await recorded(store, 1);
});

it("a run that hedges is replayed to the byte, with every action at the other venue", async () => {
  for (const journal of [first, await recorded(store, 2)]) {
    const hedged = turnsOf(journal).flatMap(({ hedgeActions = [] }) => hedgeActions);
    expect(hedged.filter(({ action }) => action.kind === "place").length).toBeGreaterThan(5);
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  }
  expect(store.read("hedge-btcusdc.json")).toContain('"venue":"deep"');
});

it("a replay that hedges otherwise than its journal is found out", async () => {
  const { lines } = first;
  const at = lines.findIndex((line) => line.includes('"kind":"place"') && line.includes("mw-"));
  const turn = JSON.parse(lines[at] ?? "") as JournalTurn;
  const changed = [...lines];
  const [sent] = turn.hedgeActions ?? [];
  if (sent?.action.kind !== "place") throw new Error("no order was sent");
  const action = { ...sent.action, lots: sent.action.lots + 1 };
  changed[at] = encodeJournal({ ...turn, hedgeActions: [{ ...sent, action }] });
  const { divergence } = await replayLines(asFile(changed));
  expect(divergence?.line).toBe(at + 1);
});

it("a run whose acquired positions are laid off, or sold here without a hedge, is replayed to the byte", async () => {
  for (const [takerFeeBps, way] of [
    [1, "hedge"],
    [100, "here"],
  ] as const) {
    const journal = new MemoryJournal();
    const deep = { ...CONFIG.hedgeVenues?.deep, takerFeeBps } as HedgeVenueConfig;
    const run = await startVirtualRun({
      config: { ...CONFIG, hedgeVenues: { deep } },
      store: new MemoryStateStore(),
      journal,
      hedgeVenuesOf: (clock) => new Map([["deep", new ModelVenue(clock)]]),
    });
    await run.clock.runFor(10_000);
    run.running.command({
      command: "inherit",
      takeover: {
        id: "tx 1",
        marketId: "btcusdc",
        lots: 60,
        credit: -3_564_000_000n,
        atMs: run.clock.nowMs(),
      },
    });
    await run.clock.runFor(5_000);
    expect(run.running.bot.liquidatedInventory.reports()).toMatchObject([{ decision: { way } }]);
    await run.clock.runFor(20_000);
    await run.stop();
    const result = await replayLines(asFile(journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(journal.lines.length - 1);
  }
});
