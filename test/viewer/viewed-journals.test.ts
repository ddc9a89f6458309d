import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import { compareJournals } from "#bot/compare-journals.js";
import { decodeTurn } from "#bot/journal.js";
import { readFileLines } from "#bot/journal-lines.js";
import { openReplay } from "#bot/open-replay.js";
import type { FieldChange } from "#bot/search-journal.js";
import type { ViewedJournals } from "#viewer/viewed-journals.js";
import { captureCli } from "../cli/captured-cli.js";
import { olderLines, readWhole, recordVirtualRun, writeJournal } from "./recorded-journals.js";

const folder = mkdtempSync(join(tmpdir(), "marketwright-viewer-"));
const lines = olderLines();
const older = writeJournal(folder, "run.journal", lines);
let viewed: ViewedJournals;

beforeAll(async () => {
  viewed = await readWhole({ journal: older });
}, 60_000);
afterAll(async () => {
  await viewed?.close();
  rmSync(folder, { recursive: true, force: true });
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const shown = (turn: number, of = viewed) => of.turn(turn).runs[0];
/** The order of the keys of a status that come and go is not kept. */
const byName = (changes: readonly FieldChange[] = []): readonly FieldChange[] =>
  [...changes].sort((one, other) => (one.name < other.name ? -1 : 1));

/** The position in lots after each turn, by the trades in the journal's own lines. */
function positionsByTrades(marketId: string): readonly number[] {
  const seen = new Set<unknown>();
  let lots = 0;
  return lines.slice(1).map((line, index) => {
    const { input } = decodeTurn(line, index + 2);
    if (input.kind === "event" && input.event.type === "trade-update") {
      const { trade } = input.event;
      if (trade.marketId === marketId && trade.status === "CREATED" && !seen.has(trade.id)) {
        seen.add(trade.id);
        lots += trade.side === "BUY" ? trade.lots : -trade.lots;
      }
    }
    return lots;
  });
}

describe("a journal that is shown turn by turn", () => {
  it("has each turn's state as the bot had it, in whichever order the turns are looked at", async () => {
    const replay = await openReplay(readFileLines(older), { keepsStatistics: true });
    const expected: unknown[] = [];
    for await (const _ of replay.turns) {
      const { bot } = replay;
      expected.push({
        status: plain(buildBotStatus(bot)),
        touches: bot.context.traderList.map(({ book, instrument }) =>
          book.isSynchronised
            ? [book.bids, book.asks].map((side) =>
                side.top(1).map(({ ticks }) => instrument.formatPrice(ticks)),
              )
            : [[], []],
        ),
      });
    }
    expect(expected.length).toBe(980);
    for (let step = 0; step < expected.length; step++) {
      const turn = ((step * 389) % 980) + 1;
      const { state } = shown(turn) ?? {};
      expect({
        turn,
        status: state?.status,
        touches: Object.values(state?.books ?? {}).map(({ bids, asks }) =>
          [bids, asks].map((levels) => levels.slice(0, 1).map(({ price }) => price)),
        ),
      }).toEqual({ turn, ...(expected[turn - 1] as object) });
    }
  }, 120_000);

  it.each([1, 35, 36, 107, 144, 333, 980])(
    "shows for turn %i the changes and the chain that bisect prints",
    async (turn) => {
      const { out } = await captureCli(["bisect", older, "--turn", String(turn), "--json"]);
      const { line, atMs, fields, chain } = JSON.parse(out);
      const { changes, ...rest } = shown(turn) ?? { changes: [] };
      expect(plain({ ...rest, state: undefined })).toEqual({ turn, line, atMs, chain });
      expect(plain(byName(changes))).toEqual(byName(fields));
    },
    60_000,
  );

  it("has the positions of the trades in the journal's own lines, on the time line too", () => {
    const positions = positionsByTrades("btcusdc");
    expect(Math.min(...positions)).toBe(-40);
    for (const turn of [106, 107, 300, 980])
      expect(shown(turn)?.state.status.markets.btcusdc?.positionBase).toBe(
        String((positions[turn - 1] ?? 0) / 1000),
      );
    const { turns, positionBase, buys, sells } = viewed.timeline(0, 1, 980, 50);
    expect(turns).toHaveLength(50);
    expect(turns.at(-1)).toBe(980);
    for (const [index, turn] of turns.entries()) {
      const from = turns[index - 1] ?? 1;
      const within = positions.slice(Math.max(0, from - 2), turn).map((lots) => lots / 1000);
      const { low, high } = positionBase.btcusdc ?? { low: [], high: [] };
      if (low[index] === null) continue;
      expect(low[index]).toBeGreaterThanOrEqual(Math.min(...within));
      expect(high[index]).toBeLessThanOrEqual(Math.max(...within));
    }
    const sides = lines.slice(1).flatMap((line, index) => {
      const { input } = decodeTurn(line, index + 2);
      return input.kind === "event" && input.event.type === "trade-update"
        ? [input.event.trade]
        : [];
    });
    const filled = new Map(sides.map(({ id, side }) => [id, side]));
    const count = (wanted: string) => [...filled.values()].filter((side) => side === wanted).length;
    const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);
    expect([sum(buys), sum(sells)]).toEqual([count("BUY"), count("SELL")]);
  });

  it("marks the halts of the run where they were, and names them", () => {
    const { halts, turns } = viewed.timeline(0, 1, 980, 400);
    const halted = halts.flatMap((text, index) =>
      text.includes("btcusdc: manual") ? [turns[index] ?? 0] : [],
    );
    expect(halted.length).toBeGreaterThan(0);
    // The command of turn 144 halts the market.
    expect(Math.min(...halted)).toBeGreaterThanOrEqual(144);
    expect(
      shown(Math.min(...halted))?.state.status.activeHalts.some(({ name }) => name === "manual"),
    ).toBe(true);
  });

  it("finds the turns of a condition that bisect finds, and each change of its truth after them", async () => {
    const when = "count(quotes.btcusdc.price) >= 2";
    const { out } = await captureCli(["bisect", older, "--when", when, "--json"]);
    const first = await viewed.search(0, when, "first", 1);
    expect(first).toMatchObject({ turn: JSON.parse(out).turn, holds: true, searched: 980 });
    const holdsAt = (turn: number) =>
      (shown(turn)?.state.status.markets.btcusdc?.quotes.length ?? 0) >= 2;
    let turn = first.turn ?? 0;
    const back: number[] = [];
    for (;;) {
      const next = await viewed.search(0, when, "next", turn);
      if (next.turn === null) break;
      back.push(turn);
      turn = next.turn;
      expect(holdsAt(turn)).toBe(next.holds);
      expect(holdsAt(turn - 1)).toBe(!next.holds);
    }
    expect(back.length).toBeGreaterThan(0);
    for (const earlier of back.reverse()) {
      turn = (await viewed.search(0, when, "previous", turn)).turn ?? 0;
      expect(turn).toBe(earlier);
    }
    await expect(viewed.search(0, "positon.btcusdc > 1", "first", 1)).rejects.toThrow(
      /position\.btcusdc/,
    );
  });

  it("keeps only the turns of --from and --to, with what led to them from before", async () => {
    const part = await readWhole({ journal: older, from: { turn: 107 }, to: { turn: 120 } });
    expect(part.summary().runs[0]).toMatchObject({ firstTurn: 107, lastTurn: 120 });
    const { chain, changes, ...rest } = shown(107, part) ?? { chain: [] };
    const whole = shown(107);
    expect(rest).toEqual({ turn: 107, line: 108, atMs: whole?.atMs, state: whole?.state });
    expect(byName(changes)).toEqual(byName(whole?.changes));
    const upTo = (turn: number) => (link: { turn: number }) => link.turn <= turn;
    expect(chain).toEqual(whole?.chain.filter(upTo(120)));
    expect(chain.some(upTo(106))).toBe(true);
    expect(() => part.turn(121)).toThrow("it has turns 107 to 120 within --from and --to");
    await part.close();
    const atMs = shown(500)?.atMs ?? 0;
    const later = await readWhole({ journal: older, from: { atMs } });
    const { firstTurn } = later.summary().runs[0] ?? {};
    expect(shown(firstTurn ?? 0)?.atMs).toBe(atMs);
    expect(shown((firstTurn ?? 0) - 1)?.atMs).toBeLessThan(atMs);
    expect(viewed.turnAt(atMs)).toBe(firstTurn);
    await later.close();
  }, 60_000);

  it("names the turns that there are for one beyond the end, and the last time for a later one", () => {
    expect(() => viewed.turn(981)).toThrow(/turn: does not exist \(got 981\).*turns 1 to 980/);
    expect(() => viewed.turnAt(4e12)).toThrow(/expected a time up to 2026-11-27T/);
  });

  it("ends within its memory, and says which turns another call shows", async () => {
    const part = await readWhole({ journal: older, mostKeptBytes: 30_000 });
    const { lastTurn = 0, notes } = part.summary().runs[0] ?? {};
    expect(lastTurn).toBeGreaterThan(100);
    expect(lastTurn).toBeLessThan(980);
    expect(notes.join()).toContain(`--from ${lastTurn + 1} shows later ones`);
    expect(shown(lastTurn, part)).toMatchObject({ turn: lastTurn });
    await part.close();
  }, 60_000);
});

describe("a journal with a fault", () => {
  const notesOf = async (journal: string): Promise<readonly [number, string]> => {
    const journals = await readWhole({ journal });
    const [run] = journals.summary().runs;
    await journals.close();
    return [run?.lastTurn ?? 0, run?.notes.join("\n") ?? ""];
  };

  it("is shown up to a last line that was cut short", async () => {
    const torn = join(folder, "torn.journal");
    writeFileSync(torn, `${lines.slice(0, 200).join("\n")}\n${lines[200]?.slice(0, 40)}`);
    expect(await notesOf(torn)).toEqual([199, expect.stringContaining("line 201 was cut short")]);
  }, 60_000);

  it("is shown up to a line that cannot be read, which is named", async () => {
    const broken = writeJournal(folder, "broken.journal", [
      ...lines.slice(0, 200),
      "{}",
      ...lines.slice(201),
    ]);
    expect(await notesOf(broken)).toEqual([
      199,
      expect.stringMatching(/cannot be read further: .*line 201/),
    ]);
  }, 60_000);

  it("is shown up to the turn in which the replay differs from it, with both", async () => {
    const index = lines.findIndex((line) => line.includes('"kind":"place"'));
    const changed = lines.map((line, at) =>
      at === index ? line.replace(/"lots":\d+/, '"lots":77') : line,
    );
    const [last, notes] = await notesOf(writeJournal(folder, "changed.journal", changed));
    expect(last).toBe(index - 1);
    expect(notes).toContain(`turn ${index} (line ${index + 1}) differs`);
    expect(notes).toContain('"lots":77');
  }, 60_000);
});

describe("two runs side by side", () => {
  let one: string;
  let other: string;
  beforeAll(async () => {
    one = writeJournal(folder, "one.journal", await recordVirtualRun(1));
    other = writeJournal(folder, "other.journal", await recordVirtualRun(2));
  }, 60_000);

  it("differ in the turns and values that bisect --against finds", async () => {
    const pair = await readWhole({ journal: one, against: other });
    const { differences, settings } = await compareJournals(
      readFileLines(one),
      readFileLines(other),
      { mostTurns: 10_000 },
    );
    const differing = differences.filter(({ parts }) => parts.length > 0);
    expect(differing.length).toBeGreaterThan(20);
    const summary = pair.summary();
    expect(plain(summary.settings)).toEqual(plain(settings));
    expect(summary.differing).toBe(differing.length);
    const { turns, more } = pair.differences(1);
    expect(turns.map(({ turn }) => turn)).toEqual(
      differing.map(({ turn }) => turn).slice(0, turns.length),
    );
    expect(turns.length + more).toBe(differing.length);
    for (const { turn, parts } of differing.slice(0, 30))
      expect(plain(pair.turn(turn).parts)).toEqual(plain(parts));
    const [first] = differing;
    expect(pair.nearestDifference(1, "next")?.turn).toBe(first?.turn);
    expect(pair.nearestDifference(first?.turn ?? 0, "previous")).toBeUndefined();
    const [ofOne, ofOther] = pair.turn(first?.turn ?? 0).runs;
    expect(ofOne?.state.intents.ethusdc?.text).not.toBe(ofOther?.state.intents.ethusdc?.text);
    await pair.close();
  }, 120_000);

  it("are equal where nothing differs", async () => {
    const again = writeJournal(folder, "again.journal", await recordVirtualRun(1));
    const pair = await readWhole({ journal: one, against: again });
    expect(pair.summary()).toMatchObject({ differing: 0, settings: [] });
    expect(pair.turn(30).parts).toEqual([]);
    await pair.close();
  }, 120_000);
});
