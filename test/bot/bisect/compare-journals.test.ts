import { describe, expect, it } from "vitest";
import { compareJournals } from "#bot/compare-journals.js";
import { decodeTurn, encodeJournal } from "#bot/journal.js";
import { asFile, botConfigOf, MemoryJournal, startVirtualRun } from "../recorded-run.js";

/** A run in virtual time, which is the same each time. */
async function record(riskAversion: number): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  const config = botConfigOf({
    markets: {
      btcusdc: {
        strategy: "avellaneda-stoikov",
        params: { riskAversion, horizonMs: 60000, sizeBase: 0.02 },
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
      },
    },
  });
  const run = await startVirtualRun({ journal, config });
  await run.clock.runFor(3_000);
  await run.stop();
  return journal;
}

const turnsIn = ({ lines }: MemoryJournal) =>
  lines.slice(1).map((line, index) => decodeTurn(line, index + 2));

describe("two runs side by side", () => {
  it("are equal if all their inputs, intents, actions and statuses are", async () => {
    const [one, two] = [await record(0.05), await record(0.05)];
    const { differences, settings, compared } = await compareJournals(
      asFile(one.lines),
      asFile(two.lines),
      { mostTurns: 3 },
    );
    expect(differences).toEqual([]);
    expect(settings).toEqual([]);
    expect(compared).toBe(one.lines.length - 1);
  }, 60_000);

  it("differ from the turn in which one parameter first matters, which names that parameter", async () => {
    const [one, two] = [await record(0.05), await record(0.5)];
    const { differences, settings } = await compareJournals(asFile(one.lines), asFile(two.lines), {
      mostTurns: 4,
    });
    expect(settings).toEqual([
      { path: ["markets", "btcusdc", "params", "riskAversion"], before: 0.05, after: 0.5 },
    ]);
    const [first] = differences;
    const at = (first?.turn ?? 0) - 1;
    const [left, right] = [turnsIn(one), turnsIn(two)];
    // Up to there the journals have the same inputs and actions.
    const text = (turn: object | undefined) => encodeJournal(turn ?? {});
    for (let index = 0; index < at; index += 1) expect(text(left[index])).toBe(text(right[index]));
    expect(at).toBeGreaterThan(5);
    expect(text(left[at]?.input)).toBe(text(right[at]?.input));
    const parts = first?.parts.map(({ part }) => part);
    expect(parts).toEqual(["intents", "status"]);
    expect(first?.parts[0]?.values.map(({ path }) => path.join("."))).toContain(
      "0.reason.halfSpreadTicks",
    );
    expect(differences.map(({ turn }) => turn)).toEqual([at + 1, at + 2, at + 3, at + 4]);
  }, 60_000);

  it("differ where one has ended, and in no turn before it", async () => {
    const one = await record(0.05);
    const { differences, compared } = await compareJournals(
      asFile(one.lines),
      asFile(one.lines.slice(0, 101)),
      { mostTurns: 1 },
    );
    expect(compared).toBe(100);
    expect(differences).toMatchObject([{ turn: 101, atMs: [expect.any(Number), undefined] }]);
  }, 60_000);
});
