import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readIntents } from "#backtest/compare-intents.js";
import { manualHaltNotes, recorderNotes } from "#backtest/comparison-notes.js";
import { type OpenedSessionMarket, openSession } from "#backtest/open-session.js";
import { recordedTurns } from "#backtest/read-turns.js";
import { ReplayBook } from "#backtest/replay-book.js";
import { replayTurns, type TurnReplayResult } from "#backtest/replay-turns.js";
import { SESSION_FILES, type Session } from "#backtest/session-file.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { totalLengthMs } from "#history/spans.js";
import { type Tape, TapeKind } from "#history/tape.js";
import { createLog } from "#monitoring/log.js";
import { scratchFolder } from "../../history/scratch.js";
import { makerSession, recordSession } from "../../support/recorded-session.js";

const PAPER = {
  queue: "risk-averse",
  orderLatencyMs: 20,
  responseLatencyMs: 20,
  creditQuote: "100000",
};
const folder = (): string => join(scratchFolder(), "session");

/** @param change of the store's rows, before the bot receives them again. */
async function again(
  at: string,
  session: Session,
  change: (market: OpenedSessionMarket) => Tape = ({ recordedTape }) => recordedTape,
): Promise<TurnReplayResult> {
  const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
  const strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
  const data = (await openSession(at, session)).map((market) => {
    const { marketId, history, isInBook } = market;
    return { marketId, tape: change(market), marks: history.marks, isInBook };
  });
  return replayTurns(
    recordedTurns(at, session),
    strategies,
    data,
    await readIntents(at, session),
    session.startedUs,
  );
}

function expectSame(again: TurnReplayResult, { turns, intents }: Session): void {
  expect(again).toEqual({
    turns: turns.count,
    intents: intents.count,
    equal: intents.count,
    firstDifference: undefined,
    strategyErrors: [],
    halts: again.halts,
  });
  expect(again.intents).toBeGreaterThan(10);
}

it("wants the same to the byte in every turn of a paper session, and names the first turn of a row that was changed", async () => {
  const { folder: at, session } = await recordSession({
    ...makerSession(folder(), 5_000),
    paper: PAPER,
  });
  if (session === undefined) throw new Error("not recorded");
  const same = await again(at, session);
  expectSame(same, session);

  // One level of one book in the middle of the session differs.
  const changed = await again(at, session, ({ recordedTape }) =>
    withBestBid(recordedTape, Math.floor(recordedTape.messages / 2)),
  );
  expect(changed.equal).toBeGreaterThan(0);
  expect(changed.equal).toBeLessThan(same.equal);
  const { firstDifference } = changed;
  expect(firstDifference?.why).toMatch(
    /^(the intents differ|(live|the replay) produced no new intent)$/,
  );
  expect(firstDifference?.live).not.toBe(firstDifference?.replay);
  expect(JSON.parse(firstDifference?.live ?? firstDifference?.replay ?? "")).toMatchObject({
    kind: "quotes",
    marketId: "btcusdc",
  });

  const lacking = await again(at, session, ({ recordedTape }) => ({
    ...recordedTape,
    messages: recordedTape.messages - 5,
  }));
  expect(lacking.firstDifference?.why).toMatch(/^the store has no message \d+ of btcusdc$/);
  const swapped = await again(at, session, ({ recordedTape }) => ({
    ...recordedTape,
    kind: recordedTape.kind.map((kind) => (kind === TapeKind.trade ? TapeKind.bookUpdate : kind)),
  }));
  expect(swapped.firstDifference?.why).toMatch(
    /^message \d+ of btcusdc is another kind of message in the store, expected public-trade$/,
  );

  appendFileSync(join(at, SESSION_FILES.turns), "{}\n");
  await expect(again(at, session)).rejects.toThrow(
    "has changed since it was recorded: its SHA-256 differs",
  );
});

it("wants the same to the byte in every turn of a live session, whose book has our own orders in it", async () => {
  const { folder: at, session } = await recordSession(makerSession(folder(), 4_000));
  if (session === undefined) throw new Error("not recorded");
  const same = await again(at, session);
  expectSame(same, session);
});

// A clock correction below the bot's limit once ended the comparison there without an explanation.
it.each([-800, 800])(
  "gives the same intents to the byte in a session whose clock was set by %i ms, and reports the step",
  async (byMs) => {
    const { folder: at, session } = await recordSession({
      ...makerSession(folder(), 5_000),
      setClock: { afterMs: 2_500, byMs },
    });
    if (session === undefined) throw new Error("not recorded");
    expectSame(await again(at, session), session);
    const opened = await openSession(at, session);
    const said =
      byMs < 0
        ? "was set back by 0.8 s: the recording continues by the clock before"
        : "went forward by 0.8 s: either it was set";
    for (const market of opened)
      expect(recorderNotes(market)).toEqual([
        expect.stringContaining(`this machine's clock ${said}`),
      ]);
  },
);

// A backtest looked better than live by the profit of the time in which the quotes were halted
// manually for the news.
it("states for how long the quotes were halted manually, which the rerun does not repeat", async () => {
  const { folder: at, session } = await recordSession({
    ...makerSession(folder(), 4_000),
    paper: PAPER,
    halt: { afterMs: 1_500, forMs: 2_000 },
  });
  if (session === undefined) throw new Error("not recorded");
  const { firstDifference, halts } = await again(at, session);
  expect(firstDifference).toBeUndefined();
  const byHand = halts.filter(({ reason }) => reason === "manual");
  expect(byHand.map(({ marketId, spans }) => [marketId, totalLengthMs(spans)])).toEqual([
    [undefined, 2_000],
  ]);
  expect(manualHaltNotes({ startedUs: 0, endedUs: 4_000_000 }, halts)).toEqual([
    "the session was halted manually for 2.0 of its 4.0 s: the rerun was not halted, and quoted in that time",
  ]);
});

/** The tape, with the first best bid published after message `after` a tick better. */
function withBestBid(tape: Tape, after: number): Tape {
  const signedTicks = tape.signedTicks.slice();
  const book = new ReplayBook();
  for (let message = 0; message < tape.messages; message++) {
    book.applyMessage(tape, message);
    const { bestTicks } = book.bids;
    if (
      message < after ||
      tape.kind[message] === TapeKind.trade ||
      book.asks.bestTicks - bestTicks < 2
    )
      continue;
    for (
      let row = tape.rowEnd[message - 1] as number;
      row < (tape.rowEnd[message] as number);
      row++
    ) {
      if (signedTicks[row] !== bestTicks) continue;
      signedTicks[row] = bestTicks + 1;
      return { ...tape, signedTicks };
    }
  }
  throw new Error("no best bid is told of after the middle");
}
