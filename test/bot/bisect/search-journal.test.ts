import { beforeAll, describe, expect, it } from "vitest";
import type { JournalTurn } from "#bot/journal.js";
import { decodeTurn } from "#bot/journal.js";
import { replayLines } from "#bot/replay-journal.js";
import { type JournalSearch, searchJournal } from "#bot/search-journal.js";
import type { LinkStep, LinkSubject, TracedLink } from "#bot/traced-link.js";
import type { MarketId } from "#core/units.js";
import type { Action } from "#exchange/venue.js";
import type { Intent } from "#strategies/intent.js";
import { asFile, EXCHANGE, MemoryJournal, startVirtualRun } from "../recorded-run.js";

const journal = new MemoryJournal();
let turns: readonly JournalTurn[];

/** A quiet exchange: no settlement fails, so that positions are sums of trades. */
const SETTLING = { ...EXCHANGE, settlement: { delayMs: 1500, failureRate: 0 } };

beforeAll(async () => {
  const run = await startVirtualRun({ journal, exchangeConfig: SETTLING });
  await run.clock.runFor(8_000);
  run.running.command({ command: "halt", reason: "lunch" });
  await run.clock.runFor(2_000);
  await run.stop();
  turns = journal.lines.slice(1).map((line, index) => decodeTurn(line, index + 2));
}, 120_000);

/** The positions in lots after each turn, from the trades of the journal alone. */
function positionsOf(marketId: MarketId): readonly number[] {
  const seen = new Set<string>();
  let position = 0;
  return turns.map(({ input }) => {
    if (input.kind !== "event") return position;
    const { event } = input;
    const trades =
      event.type === "trade-update"
        ? [event.trade]
        : event.type === "answer" &&
            event.outcome.result === "answered" &&
            event.outcome.ask === "userTrades"
          ? event.outcome.data
          : [];
    for (const { id, marketId: of, side, lots } of trades) {
      if (of !== marketId || seen.has(String(id))) continue;
      seen.add(String(id));
      position += side === "BUY" ? lots : -lots;
    }
    return position;
  });
}

const search = (when: string | undefined, range = {}): Promise<JournalSearch> =>
  searchJournal(asFile(journal.lines), { when, ...range });

type Linked<S extends LinkStep> = TracedLink & {
  readonly subject: Extract<LinkSubject, { step: S }>;
};

function linksOf<S extends LinkStep>({ found }: JournalSearch, step: S): readonly Linked<S>[] {
  return (found?.chain ?? []).filter((link): link is Linked<S> => link.subject.step === step);
}

/** The actions of a turn by the journal, which counts turns from 1. */
const actionsIn = (turn: number): readonly Action[] => turns[turn - 1]?.actions ?? [];

describe("the first turn after which a condition holds", () => {
  it("is the turn of the fill that carries a position past a bound, by the journal's own trades", async () => {
    const positions = positionsOf("btcusdc");
    const most = Math.max(...positions.map(Math.abs));
    expect(most).toBeGreaterThan(10);
    const bound = most - 1;
    const expected = positions.findIndex((lots) => Math.abs(lots) > bound);
    const { found, searched } = await search(`abs(position.btcusdc) > ${bound / 1000}`);
    expect(found?.replayed.turn).toBe(expected + 1);
    expect(searched).toBe(expected + 1);
    expect(found?.heldBefore).toBe(false);
    expect(found?.fields).toEqual([
      {
        name: "abs(position.btcusdc)",
        before: [Math.abs((positions[expected - 1] ?? 0) / 1000)],
        after: [most / 1000],
      },
    ]);
  });

  it("comes with its chain: fill, order, action, plan, intent, view and frame as the journal has them", async () => {
    const positions = positionsOf("ethusdc");
    const expected = positions.findIndex((lots) => lots !== 0) + 1;
    const intents = new Map<number, Intent[]>();
    await replayLines(asFile(journal.lines), {
      onTurn: ({ turn, notices }) => {
        for (const notice of notices)
          if (notice.kind === "intent")
            intents.set(turn, [...(intents.get(turn) ?? []), notice.intent]);
      },
    });
    const result = await search("position.ethusdc != 0");
    expect(result.found?.replayed.turn).toBe(expected);
    const { input } = turns[expected - 1] as JournalTurn;
    expect(linksOf(result, "frame").find(({ turn }) => turn === expected)?.subject.input).toEqual(
      input,
    );
    const [fill] = linksOf(result, "fill").filter(({ turn }) => turn === expected);
    const { trade, orderHash } = fill?.subject ?? {};
    expect(input).toMatchObject({ kind: "event", event: { type: "trade-update", trade } });

    const place = linksOf(result, "action").find(
      ({ subject: { action } }) => action.kind === "place" && action.hash === orderHash,
    );
    const { action } = place?.subject ?? {};
    expect(place?.turn).toBeLessThan(expected);
    expect(actionsIn(place?.turn ?? 0)).toContainEqual(action);
    expect(action).toMatchObject({ marketId: "ethusdc", side: trade?.side, ticks: trade?.ticks });

    const plan = place?.causes[0] as Linked<"plan">;
    expect(plan.subject.planned).toMatchObject({
      kind: "place",
      place: action?.kind === "place" ? { ticks: action.ticks, lots: action.lots } : {},
    });
    const intent = plan.causes.find(({ subject }) => subject.step === "intent") as Linked<"intent">;
    expect(intents.get(intent.turn)).toContainEqual(intent.subject.intent);
    expect(intent.turn).toBeLessThanOrEqual(plan.turn);
    const view = intent.causes[0] as Linked<"view">;
    expect(view.subject.view).toMatchObject({
      marketId: "ethusdc",
      sequence: intent.subject.intent.viewSequence,
    });
    expect(view.causes.length).toBeGreaterThan(0);
    for (const { turn, subject } of view.causes)
      expect(subject).toMatchObject({ step: "frame", input: turns[turn - 1]?.input });
    for (const link of [plan, intent, view, ...view.causes])
      expect(result.found?.chain).toContain(link);
  });

  it("is followed to what became of its actions: a halt to its cancels and their answers", async () => {
    const expected = turns.findIndex(
      ({ input }) => input.kind === "command" && input.command.command === "halt",
    );
    const result = await search('halts contains "lunch"');
    expect(result.found?.replayed.turn).toBe(expected + 1);
    expect(linksOf(result, "event")[0]?.subject.event).toMatchObject({
      kind: "halted",
      reason: "manual",
      on: true,
    });
    const sent = turns
      .slice(expected + 1)
      .flatMap(({ actions }) => actions)
      .filter(({ kind }) => kind === "cancel");
    expect(sent.length).toBeGreaterThan(2);
    const cancels = linksOf(result, "action").map(({ subject: { action } }) => action);
    expect(cancels.length).toBeGreaterThan(2);
    expect(sent).toEqual(expect.arrayContaining(cancels));
    const answers = linksOf(result, "answer");
    expect(answers.map(({ subject: { action } }) => action)).toEqual(
      expect.arrayContaining(cancels),
    );
    for (const { turn, subject } of answers)
      expect(turns[turn - 1]?.input).toEqual({
        kind: "event",
        event: { type: "answer", actionId: subject.action.actionId, outcome: subject.outcome },
      });
  });

  it("is reported as none with the extremes that the field reached, which help to choose a bound", async () => {
    const positions = positionsOf("btcusdc");
    const { found, searched, ranges, result } = await search("position.btcusdc > 5");
    expect(found).toBeUndefined();
    expect(result.divergence).toBeUndefined();
    expect(searched).toBe(turns.length);
    const highest = Math.max(...positions);
    const lowest = Math.min(...positions);
    expect(ranges).toMatchObject([
      {
        name: "position.btcusdc",
        highest: { value: highest / 1000, atMs: expect.any(Number) },
        lowest: { value: lowest / 1000 },
      },
    ]);
    const [{ highest: top, lowest: bottom } = {}] = ranges;
    expect(positions[(top?.turn ?? 0) - 1]).toBe(highest);
    expect(positions[(bottom?.turn ?? 0) - 1]).toBe(lowest);
  });

  it("is the first of the range, which may begin at a turn or at an instant", async () => {
    const when = "count(quotes.btcusdc.price) > 0";
    const first = (await search(when)).found?.replayed.turn ?? 0;
    expect(first).toBeGreaterThan(1);
    const later = await search(when, { from: { turn: first + 10 } });
    expect(later.found).toMatchObject({ heldBefore: true, replayed: { turn: first + 10 } });
    const { atMs } = (turns[first + 49] as JournalTurn).stamp;
    const at = turns.findIndex(({ stamp }) => stamp.atMs >= atMs) + 1;
    const timed = await search(when, { from: { atMs } });
    expect(timed.found?.replayed.turn).toBe(at);
    const none = await search(when, { to: { turn: first - 1 } });
    expect(none.found).toBeUndefined();
    expect(none.searched).toBe(first - 1);
  });

  it("may be any turn that is asked for, with each value of the status that it changed", async () => {
    const positions = positionsOf("btcusdc");
    const turn = positions.findIndex((lots) => lots !== 0) + 1;
    const bound = { turn };
    const { found } = await search(undefined, { from: bound, to: bound });
    expect(found?.replayed.turn).toBe(turn);
    expect(found?.fields).toContainEqual({
      name: "markets.btcusdc.positionBase",
      before: ["0"],
      after: [String((positions[turn - 1] ?? 0) / 1000)],
    });
  });

  it("is found in a journal that was cut short, up to its last whole line", async () => {
    const lines = journal.lines.slice(0, 400);
    const cut = [
      ...asFile(lines),
      { number: 401, text: (journal.lines[400] ?? "").slice(0, 20), whole: false },
    ];
    const { found, searched, result } = await searchJournal(cut, { when: "position.btcusdc > 5" });
    expect(found).toBeUndefined();
    expect(searched).toBe(399);
    expect(result.tornLine).toBe(401);
  });

  it("is not looked for past the turn in which the replay differs from the journal", async () => {
    const at = turns.findIndex(({ actions }) => actions.some(({ kind }) => kind === "place"));
    const lines = journal.lines.map((line, index) =>
      index === at + 1 ? line.replace('"kind":"place"', '"kind":"build"') : line,
    );
    const { found, searched, result } = await searchJournal(asFile(lines), {
      when: "position.btcusdc != 0",
    });
    expect(found).toBeUndefined();
    expect(searched).toBe(at);
    expect(result.divergence).toMatchObject({ turn: at + 1 });
  });
});
