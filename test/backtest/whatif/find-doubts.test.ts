import { describe, expect, it } from "vitest";
import { type DoubtedMarket, findRerunDoubts, findSessionDoubts } from "#backtest/find-doubts.js";
import { RecordedMids } from "#backtest/recorded-mids.js";
import type { RerunMarket, RerunResult } from "#backtest/rerun-session.js";
import type { Session } from "#backtest/session-file.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { BTC } from "../record/sample-run.js";

const SECOND_US = 1_000_000;
const [MARKET, MID] = ["btcusdc", 600_000];
const SESSION = {
  mode: "live",
  config: { markets: { [MARKET]: { limits: { maxPositionBase: "1" } } } },
  start: { equityQuote: "1000", positionsBase: {} },
  startedUs: 0,
  endedUs: 120 * SECOND_US,
} as unknown as Session;

/** A market whose mid moves by two ticks a second. */
function mids(changes = 120): RecordedMids {
  const builder = new TapeBuilder({ marketId: MARKET, tickSize: "0.1", stepSize: "0.001" });
  for (let at = 0; at < changes; at++) {
    builder.snapshot(at * SECOND_US, at * SECOND_US, at + 1);
    builder.level("BUY", MID - 10 + 2 * (at % 2), 5);
    builder.level("SELL", MID + 10 + 2 * (at % 2), 5);
  }
  return new RecordedMids(builder.build());
}

/** Bids, a second apart, so many ticks below the mid, each of them filled. */
function traded(ticksAway: number, lots = 10, isMaker = true, positionLots = 10): RerunMarket {
  const places = Array.from({ length: 40 }, (_, at) => ({
    hash: `0x${at}`,
    side: "BUY",
    ticks: MID - ticksAway,
    lots,
    level: 0,
    atUs: at * SECOND_US,
    isMaker,
    positionLots,
  }));
  return { intents: [], orders: places, fills: places } as unknown as RerunMarket;
}

function rerun(changed: Partial<RerunResult> = {}): RerunResult {
  const result = {
    worthless: [],
    halts: [],
    marketsWithOpeningPosition: new Set<string>(),
    profit: { liquidation: 0n },
  };
  return { ...result, ...changed } as unknown as RerunResult;
}

const LIVE = traded(40);

function opened(fills: readonly unknown[] = LIVE.fills, isInBook = true): DoubtedMarket["opened"] {
  const account = { orders: LIVE.orders, fills };
  return {
    marketId: MARKET,
    instrument: BTC,
    account,
    isInBook,
  } as unknown as DoubtedMarket["opened"];
}

function sessionDoubts(
  session: Session = SESSION,
  market = opened(),
  alike = 1,
  history = mids(),
): readonly string[] {
  const markets = [{ opened: market, mids: history }];
  return findSessionDoubts(session, markets, new Map([[MARKET, alike]])).map(
    ({ weight, why }) => `${weight}: ${why}`,
  );
}

function rerunDoubts(
  after: RerunMarket,
  { session = SESSION, result = rerun() } = {},
): readonly string[] {
  const market: DoubtedMarket = { opened: opened(), mids: mids(), before: LIVE, after };
  const reruns = { before: rerun(), after: result };
  return findRerunDoubts(session, session.config, [market], reruns).map(
    ({ weight, why }) => `${weight}: ${why}`,
  );
}

describe("a session that cannot answer", () => {
  it("is refused for what it lacks, so that nobody reads a figure without a ground", () => {
    expect(sessionDoubts()).toEqual([]);
    expect(sessionDoubts({ ...SESSION, mode: "no-fills" })).toEqual([
      "refuse: the session filled nothing: it ran with --no-fills",
    ]);
    expect(sessionDoubts({ ...SESSION, endedUs: 30 * SECOND_US })).toEqual([
      "refuse: the session took 30 s",
    ]);
    expect(sessionDoubts(SESSION, opened(LIVE.fills.slice(0, 9)))).toEqual([
      "refuse: btcusdc has 9 fills",
    ]);
    expect(sessionDoubts(SESSION, opened(), 0.5)).toEqual([
      "refuse: no model fills the orders of btcusdc as the session did: 50 % of the size is alike",
    ]);
    expect(sessionDoubts(SESSION, opened(), 1, mids(5))).toEqual([
      "refuse: the mid of btcusdc changed 5 times",
    ]);
    const takers = LIVE.fills.map((fill) => ({ ...fill, isMaker: false }));
    expect(sessionDoubts(SESSION, opened(takers))).toEqual([
      "refuse: 100 % of the fills in btcusdc took liquidity on arrival",
    ]);
    // On paper no book lacks what its takers found.
    expect(sessionDoubts(SESSION, opened(takers, false))).toEqual([]);
    const hedged = { markets: { [MARKET]: { hedge: {} } } } as unknown as Session["config"];
    expect(sessionDoubts({ ...SESSION, config: hedged })).toEqual([
      "refuse: btcusdc is hedged, and the market of its hedge was not recorded",
    ]);
  });
});

describe("a change that leaves what the session shows", () => {
  it("is refused where quotes come much nearer or much farther, and warned before that", () => {
    expect(rerunDoubts(traded(36))).toEqual([]);
    expect(rerunDoubts(traded(25))).toEqual([expect.stringMatching(/^warn: the innermost quotes/)]);
    expect(rerunDoubts(traded(10))).toEqual([
      expect.stringMatching(/^refuse: the innermost quotes/),
    ]);
    expect(rerunDoubts(traded(100))).toEqual([
      expect.stringMatching(/^warn: the innermost quotes/),
    ]);
    expect(rerunDoubts(traded(200))).toEqual([
      expect.stringMatching(/^refuse: the innermost quotes/),
    ]);
  });

  it("is refused where orders grow beyond the takers that were seen, or take themselves", () => {
    expect(rerunDoubts(traded(40, 31))).toEqual([
      "refuse: 100 % of the size quoted in btcusdc is in orders much larger than the session's",
    ]);
    expect(rerunDoubts(traded(38, 10, false))).toEqual([
      "refuse: with the new values, 100 % of the fills in btcusdc take liquidity",
    ]);
  });

  it("is refused where it moves no fill, halts the market, reaches a limit or ends the account", () => {
    expect(rerunDoubts(LIVE)).toEqual([expect.stringMatching(/^refuse: the change moved no fill/)]);
    const halts = [{ reason: "loss", spans: [[0, 60_000]] }] as unknown as RerunResult["halts"];
    expect(rerunDoubts(traded(38), { result: rerun({ halts }) })).toEqual([
      expect.stringMatching(/^refuse: guards halt one of the two reruns for 50 %/),
    ]);
    expect(rerunDoubts(traded(38, 10, true, 1000))).toEqual([
      expect.stringMatching(
        /^refuse: with the new values the position in btcusdc reaches its limit/,
      ),
    ]);
    const profit = { liquidation: -5n } as RerunResult["profit"];
    expect(rerunDoubts(traded(38), { result: rerun({ profit }) })).toEqual([
      "refuse: with the new values the account is liquidated",
    ]);
    expect(rerunDoubts(traded(38), { result: rerun({ worthless: ["no order"] }) })).toEqual([
      "refuse: with the new values, no order",
    ]);
  });

  it("is refused where the position that the session began with has no mark price", () => {
    const start = { equityQuote: "1000", positionsBase: { [MARKET]: "0.02" } };
    const session = { ...SESSION, start };
    expect(rerunDoubts(traded(38), { session })).toEqual([
      "refuse: the session began with a position of 0.02 in btcusdc, and no mark price was recorded",
    ]);
    const result = rerun({ marketsWithOpeningPosition: new Set([MARKET]) });
    expect(rerunDoubts(traded(38), { session, result })).toEqual([]);
  });
});
