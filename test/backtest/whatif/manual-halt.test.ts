import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerWhatIf } from "#backtest/answer-whatif.js";
import { changeSession } from "#backtest/change-session.js";
import { findInputDoubts } from "#backtest/find-input-doubts.js";
import type { Session } from "#backtest/session-file.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import { MANUAL_HALT } from "#risk/halt.js";
import { scratchFolder } from "../../history/scratch.js";
import { makerSession, recordSession } from "../../support/recorded-session.js";

const SESSION = { startedUs: 0, endedUs: 100_000_000 };
const MARKET = { marketId: "btcusdc", account: { openingOrders: [] } };
const INPUTS = { halts: [], firstDifference: undefined };

it("finds a manual halt in a recorded session, in which both reruns quote although nobody did", async () => {
  const { folder, session } = await recordSession({
    ...makerSession(join(scratchFolder(), "session"), 12_000),
    halt: { afterMs: 5_000, forMs: 2_000 },
  });
  const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
  const { config } = session as Session;
  const strategies = bindStrategies(config, await loadStrategies(config, log));
  const path = ["markets", "btcusdc", "params", "halfSpreadBps"];
  const { doubts } = await answerWhatIf({
    folder,
    session: session as Session,
    strategies,
    changed: changeSession(session as Session, strategies, [{ path, value: 0.4 }]),
    liquidation: { priceOff: 10n ** 16n, insuranceFeeRate: 10n ** 16n },
    seed: "1",
    level: "0.8",
  });
  const halted = doubts.filter(({ why }) => why.includes("manually"));
  expect(halted).toEqual([
    {
      weight: "warn",
      why: expect.stringMatching(
        /^the session was halted manually in all markets for up to 2\.0 of its 1\d\.\d s, and/,
      ),
      expected: "a session without manual halts",
    },
  ]);
});

describe("what the reruns of a session do not repeat", () => {
  const doubts = (inputs: object = {}, market: object = MARKET): readonly string[] =>
    findInputDoubts(SESSION, [market as typeof MARKET], { ...INPUTS, ...inputs }).map(
      ({ weight, why }) => `${weight}: ${why}`,
    );
  const halt = (forMs: number, reason = MANUAL_HALT) => ({
    halts: [{ reason, marketId: "btcusdc", spans: [[0, forMs]] }],
  });

  it("is refused where a person had halted the market for long, and warned for less", () => {
    expect(doubts()).toEqual([]);
    expect(doubts(halt(1))).toEqual([expect.stringMatching(/^warn: .* manually in btcusdc for/)]);
    expect(doubts(halt(20_001))).toEqual([
      "refuse: the session was halted manually in btcusdc for up to 20.0 of its 100.0 s, and the reruns quote in that time",
    ]);
    // A guard halts the reruns by itself.
    expect(doubts(halt(50_000, "inventory"))).toEqual([]);
  });

  it("is warned where the opening orders, or later halts, are not known", () => {
    const untold = { ...MARKET, account: { openingOrders: undefined } };
    expect(doubts({}, untold)).toEqual([
      "warn: the recording does not tell which orders were open in btcusdc when the session began: the reruns begin without any",
    ]);
    const firstDifference = { turn: 3, atMs: 5, why: "the intents differ", live: "", replay: "" };
    expect(doubts({ firstDifference })).toEqual([
      "warn: the session's inputs do not give its intents again from 1970-01-01T00:00:00.005000Z on (the intents differ): manual halts after that are not known",
    ]);
  });
});
