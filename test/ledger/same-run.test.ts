import { expect, it } from "vitest";
import { constantLatency } from "#backtest/latency.js";
import { makeLiveReport } from "#backtest/live-report.js";
import type { LiveReport } from "#backtest/live-report-schema.js";
import { openLiveRun } from "#backtest/live-run.js";
import { makeReport } from "#backtest/make-report.js";
import type { Report } from "#backtest/report-schema.js";
import { RunRecorder } from "#backtest/run-recorder.js";
import type { DayRecorder } from "#bot/day-recorder.js";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Tape } from "#history/tape.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { books, builder, MS, S, standing } from "../backtest/engine/played-tapes.js";
import { GRID, MARKET, NOON_US, ReplayStage } from "../backtest/engine/replay-stage.js";
import { openRecordedDays } from "./recorded-days.js";

const SECONDS = 45;
const SAMPLE_MS = 10_000;

/**
 * A market whose every move comes with the trades that make it, so that each fill has a trade. Its
 * instants are off the bot's own, as those of an exchange are.
 */
function traded(feedMs: number): Tape {
  const random = seededRandom("one run, two reports");
  const tape = standing(builder(), NOON_US);
  let mid = 600_000;
  for (let ms = 137; ms < SECONDS * 1000; ms += 97) {
    const atUs = NOON_US + ms * MS;
    const heardUs = atUs + feedMs * MS;
    const step = Math.round((random.uniform() - 0.5) * 6);
    const aggressor = step > 0 ? "BUY" : "SELL";
    const beyond = Math.sign(step) * (1 + Math.abs(step));
    if (step !== 0) tape.trade(atUs, heardUs, aggressor, mid + beyond, 40);
    tape.update(atUs, heardUs);
    for (let away = 1; away <= 8; away++)
      tape.level("BUY", mid - away, 0).level("SELL", mid + away, 0);
    mid += step;
    for (let away = 1; away <= 5; away++)
      tape.level("BUY", mid - away, 9).level("SELL", mid + away, 9);
  }
  // A bot knows the mid as long as its book is confirmed: here to the last millisecond.
  for (let ms = SECONDS * 1000; ms < (SECONDS + 1) * 1000; ms += 1) {
    tape.update(NOON_US + ms * MS, NOON_US + (ms + feedMs) * MS);
    tape.level("BUY", mid - 5, 9 + (ms % 2));
  }
  return tape.build();
}

/** One run of a bot on history that keeps day files as a live one does, and both its reports. */
async function bothReports(feedMs: number, orderMs: number) {
  const days = openRecordedDays(SAMPLE_MS);
  const instrument = new Instrument({
    marketId: MARKET,
    ...GRID,
    creditDecimals: 6,
    paperDecimals: 18,
  });
  const instruments = new Map([[MARKET, instrument]]);
  const recorder = new RunRecorder({
    startUs: NOON_US,
    instruments,
    adverseSelectionMs: 10_000,
  });
  let day: DayRecorder | undefined;
  const params = { levels: 2, halfSpreadBps: 0.03, levelSpacingBps: 0.03, sizeBase: 0.01 };
  const { run } = new ReplayStage({
    markets: { [MARKET]: books(traded(feedMs)) },
    strategies: { [MARKET]: builtInStrategies.ladder.bind(params) },
    latency: constantLatency(orderMs, orderMs),
    bot: { decide: { everyMs: 500, onTouchChange: false, onFill: true, minGapMs: 0 } },
    keepsStatistics: true,
    sampleUs: SAMPLE_MS * MS,
    observer: recorder,
    onBotEvent: (notice) => day?.onBotEvent(notice),
  });
  const { clock } = run.bot.context;
  day = days.recorderOf(clock);
  day.attach(run.bot, () => clock.nowMs());
  run.play(NOON_US + SECONDS * S);
  const historyEndUs = run.nowUs;
  const endUs = run.finish();
  days.close();
  const replayed = makeReport(
    {
      name: "one run",
      version: "1.0.0",
      seed: "1",
      grade: "books",
      startUs: NOON_US,
      asset: "USDC",
      instruments,
      strategies: new Map([[MARKET, "ladder"]]),
      configuration: [],
      data: [],
      gaps: [],
      inputs: [],
      sampleMs: SAMPLE_MS,
    },
    recorder,
    recorder.end(endUs, historyEndUs),
    { endUs, historyEndUs, ended: "end-of-history" },
  );
  const span = { fromMs: undefined, toMs: undefined };
  const opened = await openLiveRun(days.stateDir, span, Math.ceil(endUs / 1000));
  return { replayed, live: (await makeLiveReport(opened, "one run")).report };
}

/** The figures that do not depend on when the bot receives what the exchange already knows. */
const moneyOf = ({ profit, equity, fills, orders }: Report | LiveReport) => ({
  profit: {
    ...profit,
    // The mid that the bot knew at a fill splits the two.
    adverseSelection: undefined,
    inventory: undefined,
  },
  equity,
  fills: [fills.all, fills.maker, fills.taker],
  orders,
});

it("a backtest's report and the live report of the same run agree to the last unit", async () => {
  const { replayed, live } = await bothReports(0, 0);
  expect(moneyOf(live)).toEqual(moneyOf(replayed));
  expect(live.profit).toEqual(replayed.profit);
  expect(live.span).toEqual(replayed.span);
  const [here, there] = [live.markets[0], replayed.markets[0]];
  expect(here?.markouts).toEqual(there?.markouts);
  expect(here?.quotes.both).toBe(there?.quotes.both);
  expect(here?.quotes.bid.resting).toBe(there?.quotes.bid.resting);
  expect(here?.quotes.ask.resting).toBe(there?.quotes.ask.resting);
  expect(here?.quotes.bid.atTouch).toBe(there?.quotes.bid.atTouch);
  expect(here?.position).toEqual(there?.position);
  expect(here?.orders).toEqual(there?.orders);
  expect(live.live.uptime[0]?.both).toBe(there?.quotes.both);
  // A run that shows nothing proves nothing.
  expect(live.fills.all.fills).toBeGreaterThan(100);
  expect(live.orders.throttled).toBeGreaterThan(0);
  expect(Number(live.profit.spread)).toBeGreaterThan(0);
});

it("a report of a bot that hears of its fills late has the same money, and the same spread", async () => {
  const { replayed, live } = await bothReports(3, 10);
  expect(moneyOf(live)).toEqual(moneyOf(replayed));
  expect(live.fills.all.fills).toBeGreaterThan(100);
});
