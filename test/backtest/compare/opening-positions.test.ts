import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareSession } from "#backtest/compare-session.js";
import { marketTerms } from "#backtest/market-terms.js";
import { ReplayAccount } from "#backtest/replay-account.js";
import { openingPositions } from "#backtest/rerun-session.js";
import type { Session } from "#backtest/session-file.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import { scratchFolder } from "../../history/scratch.js";
import { MARKET, makerSession, recordSession } from "../../support/recorded-session.js";
import { stageRules } from "../engine/replay-stage.js";
import { BTC } from "../record/sample-run.js";

const MARKS = { localUs: Float64Array.of(10, 20), markCredit: BigInt64Array.of(60_000n, 61_000n) };

describe("the positions that a session began with", () => {
  const opened = (marks: object | undefined) =>
    [{ marketId: MARKET, instrument: BTC, history: { marks } }] as unknown as Parameters<
      typeof openingPositions
    >[1];
  const session = (amount: string): Pick<Session, "start"> => ({
    start: { equityQuote: "1000", positionsBase: { [MARKET]: amount } },
  });

  it("are valued at the newest mark of the beginning, shorts and longs", () => {
    expect([...openingPositions(session("-0.005"), opened(MARKS), 15)]).toEqual([
      [MARKET, { lots: -5, mark: 60_000n }],
    ]);
    expect([...openingPositions(session("0.005"), opened(MARKS), 25)]).toEqual([
      [MARKET, { lots: 5, mark: 61_000n }],
    ]);
    expect([...openingPositions(session("0.005"), opened(MARKS), 5)]).toEqual([
      [MARKET, { lots: 5, mark: 60_000n }],
    ]);
  });

  it("are none where nothing was held, nor where no mark was recorded", () => {
    expect(openingPositions(session("0"), opened(MARKS), 15).size).toBe(0);
    expect(openingPositions(session("0.005"), opened(undefined), 15).size).toBe(0);
    expect(openingPositions({ start: null }, opened(MARKS), 15).size).toBe(0);
  });

  it("leave the account worth what it was, and move its profit with the mark alone", () => {
    const rules = stageRules([MARKET]).markets[MARKET];
    if (rules === undefined) throw new Error("no rules");
    const terms = new Map([
      [MARKET, marketTerms(rules, BTC, { priceOff: 0n, insuranceFeeRate: 0n })],
    ]);
    const account = new ReplayAccount(
      terms,
      1_000_000_000n,
      new Map([[MARKET, { lots: -5, mark: 60_000_000_000n }]]),
    );
    expect([account.positionLots(MARKET), account.netValue]).toEqual([-5, 1_000_000_000n]);
    account.mark(MARKET, 60_100_000_000n);
    expect(account.netValue).toBe(1_000_000_000n - 500_000n);
  });
});

describe("a session that began with a position", () => {
  it("is rerun with it: at its position limit the bot only reduces, and no warning says that it is missing", async () => {
    const { folder, session } = await recordSession(
      makerSession(join(scratchFolder(), "session"), 10_000, "lively", 0.02),
    );
    if (session === undefined) throw new Error("not recorded");
    const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
    const strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
    const liquidation = { priceOff: 10n ** 16n, insuranceFeeRate: 10n ** 16n };
    const compared = (amount: string) => {
      const start = {
        equityQuote: session.start?.equityQuote ?? "0",
        positionsBase: { [MARKET]: amount },
      };
      return compareSession({
        folder,
        session: { ...session, start },
        strategies,
        liquidation,
        seed: "1",
        fit: false,
      });
    };
    const told: string[] = [];
    const firstWanted = async (amount: string): Promise<readonly string[]> => {
      const { markets, notes } = await compared(amount);
      told.push(...notes.filter((note) => note.includes("does not have")));
      const wanted = markets[0]?.again.intents.firstDifference?.replay ?? "";
      return [...wanted.matchAll(/BUY|SELL/g)].map(([side]) => side);
    };
    expect(await firstWanted("1")).toEqual(["SELL", "SELL"]);
    expect(await firstWanted("-1")).toEqual(["BUY", "BUY"]);
    expect(told).toEqual([]);
  });
});
