import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { constantLatency } from "../../../src/backtest/venue/latency/latency.js";
import { seededRandom } from "../../../src/core/runtime/seeded-random.js";
import type { Tape } from "../../../src/history/columns/tape/tape.js";
import { TapeBuilder } from "../../../src/history/columns/tape/tape-builder.js";
import { expectSameText } from "./expect-same-text.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

const MS = 1_000;
const SPAN_MS = 24_000;
/** The recording lacks so much of it, from the middle on. */
const GAP = [NOON_US / MS + SPAN_MS / 2, NOON_US / MS + SPAN_MS / 2 + 8_000] as const;

/** A market that moves by fits and starts: what only time brings is found in its silences. */
function fitful(seed: string): Tape {
  const random = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(random.uniform() * (most + 1));
  const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
  let mid = 600_000;
  tape.snapshot(NOON_US, NOON_US + MS);
  for (let away = 1; away <= 3; away++)
    tape.level("BUY", mid - away, 30).level("SELL", mid + away, 30);
  for (let atMs = 0; atMs < SPAN_MS; atMs += random.uniform() < 0.2 ? upTo(6_000) : upTo(400)) {
    const exchangeUs = NOON_US + atMs * MS;
    if (exchangeUs >= GAP[0] * MS && exchangeUs < GAP[1] * MS) continue;
    const localUs = exchangeUs + upTo(3) * upTo(2_000);
    if (random.uniform() < 0.4) {
      const buys = random.uniform() < 0.5;
      tape.trade(
        exchangeUs,
        localUs,
        buys ? "BUY" : "SELL",
        mid + (buys ? 1 : -1) * (1 + upTo(2)),
        1 + upTo(40),
      );
      continue;
    }
    tape.update(exchangeUs, localUs);
    for (let away = 1; away <= 3; away++)
      tape.level("BUY", mid - away, 0).level("SELL", mid + away, 0);
    mid += upTo(4) - 2;
    for (let away = 1; away <= 3; away++)
      tape.level("BUY", mid - away, 1 + upTo(30)).level("SELL", mid + away, 1 + upTo(30));
  }
  return tape.build();
}

const bots = fc.record({
  decide: fc.record({
    everyMs: fc.constantFrom(10, 100, 137, 1_000),
    onTouchChange: fc.boolean(),
    onFill: fc.boolean(),
    minGapMs: fc.constantFrom(0, 30),
  }),
  quotes: fc.constantFrom<Record<string, unknown>>(
    { timeInForce: "POST_ONLY" },
    { timeInForce: "GTT", quoteLifeMs: 70_000 },
  ),
  risk: fc.record({
    maxDrawdownQuote: fc.constantFrom("1000000", "0.01"),
    maxBookAgeMs: fc.constantFrom(1_000, 1_700, 10_000),
    maxRejectsPerMinute: fc.constantFrom(1, 20),
  }),
  // At the second of them the account is out of date for the length of every reconciliation.
  account: fc.constantFrom([5_000, 10_000], [5_000, 5_001], [30_000, 90_000]),
});

/** What a person does meanwhile, at milliseconds of the run. */
const commands = fc.array(
  fc.record({
    atMs: fc.integer({ min: 1, max: SPAN_MS }),
    command: fc.constantFrom(
      { command: "halt", reason: "lunch" } as const,
      { command: "resume" } as const,
      { command: "flatten", maxSlippageBps: 20 } as const,
      {
        command: "inherit",
        takeover: {
          id: "t1",
          marketId: MARKET,
          lots: 40,
          credit: -2_400_000_000n,
          atMs: NOON_US / MS,
        },
      } as const,
      { command: "disinherit", takeoverId: "t1" } as const,
    ),
  }),
  { maxLength: 3 },
);

const runs = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  latencyMs: fc.constantFrom([0, 0], [7, 3], [40, 40]),
  bot: bots,
  commands,
  isTight: fc.boolean(),
  warmupMs: fc.constantFrom(0, 900),
});

type RunOptions = typeof runs extends fc.Arbitrary<infer Options> ? Options : never;

function played(
  {
    seed,
    latencyMs,
    bot: {
      account: [reconcileMs, maxAccountAgeMs],
      ...bot
    },
    commands,
    isTight,
    warmupMs,
  }: RunOptions,
  looksEachTick: boolean,
) {
  const stage = new ReplayStage({
    markets: { [MARKET]: { grade: "books", tape: fitful(`${seed}`), gaps: [GAP] } },
    strategies: {
      [MARKET]: quoting((view) => [
        { side: "BUY", level: 0, ticks: view.bids[0].ticks, lots: 20 },
        { side: "SELL", level: 0, ticks: view.asks[0].ticks, lots: 20 },
      ]),
    },
    bot: {
      decide: bot.decide,
      quotes: bot.quotes,
      risk: { ...bot.risk, maxAccountAgeMs },
      exchange: {
        rest: "http://exchange.test/v1",
        stream: "ws://exchange.test/v1",
        reconcileMs,
        rulesRefreshMs: 60_000,
      },
    },
    rules: isTight ? { orderTokensPerMinute: 60 } : {},
    latency: constantLatency(latencyMs[0] as number, latencyMs[1] as number),
    warmupMs,
    looksEachTick,
  });
  for (const { atMs, command } of [...commands].sort((a, b) => a.atMs - b.atMs)) {
    stage.run.play(NOON_US + atMs * MS);
    stage.run.bot.command(command);
  }
  stage.run.play(NOON_US + SPAN_MS * MS);
  stage.run.finish();
  return stage;
}

describe("a bot that leaves out the looks in which nothing can be due", () => {
  // Whatever a look would have found, stale books, lost drawdowns, questions that are due, holds that end, is found at the same microsecond.
  it("does what the one that looks at every tick does, at the same instants", () => {
    fc.assert(
      fc.property(runs, (options) => {
        const [sparse, dense] = [
          played(options, false).transcript,
          played(options, true).transcript,
        ];
        expectSameText(sparse, dense);
      }),
      { numRuns: 15 },
    );
  });

  // A decision timer takes whole milliseconds, so that a look may come between the instant at which a decision is due and its timer.
  it("finds a decision that is due before its timer fires", () => {
    const level = (tape: TapeBuilder, mid: number): unknown =>
      tape.level("BUY", mid - 1, 30).level("SELL", mid + 1, 30);
    const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
    level(tape.snapshot(NOON_US, NOON_US + 1_300), 600_000);
    // Decided at 4,099.6 ms, due again at 4,199.6; the timer of before fires at 4,163.301 and is set anew, for 4,200.301.
    level(
      tape
        .update(NOON_US + 4_098_000, NOON_US + 4_099_600)
        .level("BUY", 599_999, 0)
        .level("SELL", 600_001, 0),
      600_010,
    );
    const decided = (looksEachTick: boolean): readonly number[] => {
      const stage = new ReplayStage({
        markets: { [MARKET]: { grade: "books", tape: tape.build() } },
        strategies: { [MARKET]: quoting(() => []) },
        latency: constantLatency(10.1, 10),
        looksEachTick,
      });
      stage.run.play(NOON_US + 5_000_000);
      return stage.notices.flatMap(({ notice, atUs }) =>
        notice.kind === "intent" ? [atUs - NOON_US] : [],
      );
    };
    expect(decided(false)).toEqual(decided(true));
    expect(decided(false)).toContain(4_200_000);
  });

  it("has something of all that time alone brings in such runs, or they would show nothing", () => {
    const stage = played(
      {
        seed: 1,
        latencyMs: [7, 3],
        bot: {
          decide: { everyMs: 137, onTouchChange: true, onFill: true, minGapMs: 0 },
          quotes: { timeInForce: "POST_ONLY" },
          risk: { maxDrawdownQuote: "0.01", maxBookAgeMs: 1_000, maxRejectsPerMinute: 20 },
          account: [5_000, 5_001],
        },
        commands: [
          {
            atMs: 12_000,
            command: {
              command: "inherit",
              takeover: {
                id: "t1",
                marketId: MARKET,
                lots: 40,
                credit: -2_400_000_000n,
                atMs: NOON_US / MS,
              },
            },
          },
        ],
        isTight: true,
        warmupMs: 900,
      },
      false,
    );
    const kinds = stage.notices.map(({ notice }) =>
      notice.kind === "halted" ? `halted ${notice.reason}` : notice.kind,
    );
    for (const kind of ["book-unsynchronised", "stale-account", "drawdown"])
      expect(kinds).toContain(`halted ${kind}`);
    for (const kind of ["answered", "unwind"]) expect(kinds).toContain(kind);
    expect(stage.told.fills.length).toBeGreaterThan(0);
    expect(stage.run.bot.context.looksWhenDue).toBe(true);
  });
});
