import { beforeAll, describe, expect, it } from "vitest";
import { decodeHeader, decodeTurn, type JournalTurn } from "#bot/journal.js";
import { replayLines } from "#bot/replay-journal.js";
import { searchJournal } from "#bot/search-journal.js";
import { type JournalSlice, shrinkJournal } from "#bot/shrink-journal.js";
import { asFile, EXCHANGE, MemoryJournal, startVirtualRun } from "./recorded-run.js";

const WHEN = "position.btcusdc != 0";
const journal = new MemoryJournal();

beforeAll(async () => {
  const exchangeConfig = { ...EXCHANGE, settlement: { delayMs: 1500, failureRate: 0 } };
  const run = await startVirtualRun({ journal, exchangeConfig });
  await run.clock.runFor(6_000);
  await run.stop();
}, 120_000);

async function shrink(when: string, maxRuns = 1_000): Promise<JournalSlice | undefined> {
  const options = { when, journal: "run.journal", maxRuns };
  return (await shrinkJournal(() => asFile(journal.lines), options)).slice;
}

const turnsIn = ({ lines }: JournalSlice): readonly JournalTurn[] =>
  lines.slice(1).map((line, at) => decodeTurn(line, at + 2));

describe("a journal shrunk to what a condition needs", () => {
  it("replays to the byte, and shows the condition in its last turn for the first time", async () => {
    const slice = await shrink(WHEN);
    if (slice === undefined) expect.fail("the condition held in the run");
    expect((await replayLines(asFile(slice.lines))).divergence).toBeUndefined();
    const { found } = await searchJournal(asFile(slice.lines), { when: WHEN });
    expect(found?.replayed.turn).toBe(slice.sliceTurns);
    expect(slice.isComplete).toBe(true);
    expect(slice.sliceTurns).toBeLessThan(slice.prefixTurns / 10);
    expect(decodeHeader(slice.lines[0] as string).slicedFrom).toEqual({
      journal: "run.journal",
      when: WHEN,
      turns: slice.prefixTurns,
    });
    const whole = await searchJournal(asFile(journal.lines), { when: WHEN });
    expect(slice.foundTurn).toBe(whole.found?.replayed.turn);
  });

  it("keeps the order whose fill made the position, and no frame of the other market", async () => {
    const slice = (await shrink(WHEN)) as JournalSlice;
    const turns = turnsIn(slice);
    const last = turns.at(-1)?.input;
    if (last?.kind !== "event" || last.event.type !== "trade-update")
      return expect.fail("a fill makes the position");
    const { side } = last.event.trade;
    const places = turns.flatMap(({ actions }) => actions.filter(({ kind }) => kind === "place"));
    expect(places).toMatchObject([{ marketId: "btcusdc", side }]);
    const books = turns.flatMap(({ input }) =>
      input.kind === "event" && input.event.type === "book-snapshot" ? [input.event.marketId] : [],
    );
    expect(books).toEqual(["btcusdc"]);
  });

  it("is the same slice each time, and a longer one if the search is cut short", async () => {
    const [one, other] = [await shrink(WHEN, 5), await shrink(WHEN, 5)];
    expect(one?.lines).toEqual(other?.lines);
    expect([one?.isComplete, one?.runs]).toEqual([false, 5]);
    expect(one?.sliceTurns).toBeLessThanOrEqual(one?.prefixTurns ?? 0);
    expect((await replayLines(asFile(one?.lines ?? []))).divergence).toBeUndefined();
  });

  it("does not exist for a condition that never held", async () => {
    expect(await shrink("position.btcusdc > 1000")).toBeUndefined();
  });
});
