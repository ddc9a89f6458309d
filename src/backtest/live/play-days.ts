import type { MarketId, Ms } from "../../core/units.js";
import type { DayFill, DayRow, RunFacts } from "../../ledger/days/day-row.js";
import { Downtime } from "../../ledger/days/downtime.js";
import { type DayInterval, readIntervals } from "../../ledger/days/read-intervals.js";
import { RecordedEquity } from "../../ledger/days/recorded-equity.js";
import { SummedProfit } from "../../ledger/days/summed-profit.js";
import type { ReplayFill } from "../record/run-observer.js";
import type { RunRecorder } from "../record/run-recorder.js";
import { LiveMarketRecorder } from "./live-market-recorder.js";
import type { LiveRun } from "./live-run.js";
import type { RecordedFill } from "./recorded-fills.js";

/** The last row is at most so many intervals old while the bot runs. */
const RECENT = 2;

/** Facts of a span of a live bot beside the figures of a report. */
export interface PlayedDays {
  /** Where the figures end, ms since 1970. */
  readonly endMs: Ms;
  readonly equity: RecordedEquity;
  readonly downtime: Downtime;
  readonly runs: readonly { readonly startMs: Ms; endMs: Ms; readonly version: string }[];
  /** Fills up to {@link endMs} that no row has. */
  readonly unseenFills: number;
  readonly settlementFailures: number;
  readonly liquidations: number;
}

/**
 * Plays the day files of a span into the recorder of a report, in order of time.
 * @throws RunError if the parts of the profit do not sum to the change of the equity
 */
export async function playDays(run: LiveRun, recorder: RunRecorder): Promise<PlayedDays> {
  const player = new DayPlayer(run, recorder);
  const { folder, fromMs, toMs } = run;
  for await (const interval of readIntervals(folder, { fromMs, toMs }, run.facts))
    player.interval(interval);
  return player.end();
}

class DayPlayer {
  readonly #run: LiveRun;
  readonly #recorder: RunRecorder;
  readonly #equity: RecordedEquity;
  readonly #profit: SummedProfit;
  readonly #downtime: Downtime;
  readonly #runs: { startMs: Ms; endMs: Ms; version: string }[] = [];
  readonly #positions = new Map<MarketId, number>();
  #last: DayRow | undefined;
  #unseen = 0;
  #fills = 0;
  #settlementFailures = 0;
  #liquidations = 0;

  constructor(run: LiveRun, recorder: RunRecorder) {
    this.#run = run;
    this.#recorder = recorder;
    this.#equity = new RecordedEquity(run.decimals);
    this.#profit = new SummedProfit(run.decimals);
    this.#downtime = new Downtime(run.fromMs);
  }

  interval({ account, markets, facts, isWhole }: DayInterval): void {
    const { fromMs, toMs } = this.#run;
    if (account.atMs > toMs) return;
    // The last interval before the span states where its figures begin.
    const counts = account.atMs > fromMs;
    if (!isWhole) {
      // A crash cut it: the next interval of the run has its profit, and no other its fills.
      if (counts)
        for (const { marketId, fills = [] } of markets)
          for (const fill of fills) this.#fill(marketId, fill);
      return;
    }
    for (const row of [account, ...markets]) this.#profit.add(row, facts.profitDecimals, counts);
    this.#equity.add(account, facts, counts);
    if (!counts) return;
    this.#begin(account, facts);
    for (const row of markets) this.#market(row);
    this.#last = account;
    this.#equityAt(account.atMs);
  }

  end(): PlayedDays {
    const last = this.#last;
    const { toMs, facts } = this.#run;
    const everyMs = last === undefined ? 0 : (facts.get(last.session)?.everyMs ?? 0);
    const hasStopped = last?.events?.some(({ kind }) => kind === "stop") === true;
    const isRunning = last !== undefined && !hasStopped && toMs - last.atMs <= RECENT * everyMs;
    const endMs = isRunning || last === undefined ? (last?.atMs ?? toMs) : toMs;
    this.#unseenUntil(endMs);
    this.#downtime.end(endMs, isRunning);
    // The report ends with a sample, and starts with one if the span has no row.
    if (endMs !== last?.atMs) this.#equityAt(endMs);
    return {
      endMs,
      equity: this.#equity,
      downtime: this.#downtime,
      runs: this.#runs,
      unseenFills: this.#unseen,
      settlementFailures: this.#settlementFailures,
      liquidations: this.#liquidations,
    };
  }

  #begin(row: DayRow, { version }: RunFacts): void {
    this.#unseenUntil(row.atMs);
    this.#downtime.account(row);
    const run = this.#runs.at(-1);
    if (run?.startMs === row.session) run.endMs = row.atMs;
    else this.#runs.push({ startMs: row.session, endMs: row.atMs, version });
    for (const { kind, atMs, marketId, name, why } of row.events ?? []) {
      if (kind === "settlement-failed") this.#settlementFailures += 1;
      if (kind === "liquidation") this.#liquidations += 1;
      const where = marketId === "" ? "" : `${marketId}: `;
      const text = [`${where}${kind}`, name, why].filter((part) => part !== "").join(", ");
      this.#recorder.note(atMs * 1000, LEVELS[kind] ?? "info", text);
    }
  }

  #market(row: DayRow): void {
    const { marketId, fills = [] } = row;
    const market = this.#recorder.markets.get(marketId);
    if (!(market instanceof LiveMarketRecorder)) return;
    this.#downtime.market(row);
    for (const fill of fills) this.#fill(marketId, fill);
    if (row.positionLots !== undefined) this.#positions.set(marketId, row.positionLots);
    market.row(row);
  }

  #equityAt(atMs: Ms): void {
    const { decimals, instruments } = this.#run;
    const creditDecimals = [...instruments.values()][0]?.creditDecimals ?? 0;
    const profit = this.#profit.of("");
    const fine = (this.#equity.start ?? 0n) + profit.total + profit.transfers;
    this.#recorder.equity({
      atUs: atMs * 1000,
      // By the records: what changed while no bot ran is not of any part.
      equity: fine / 10n ** BigInt(decimals - creditDecimals),
      profit,
      markets: [...instruments.keys()].map((marketId) => ({
        marketId,
        positionLots: this.#positions.get(marketId) ?? 0,
        midHalfTicks: Number.NaN,
        markTicks: Number.NaN,
        ownBidTicks: Number.NaN,
        ownAskTicks: Number.NaN,
        profit: this.#profit.of(marketId),
      })),
      budgets: [],
    });
  }

  #fill(marketId: MarketId, fill: DayFill): void {
    const { matchedMs, heardMs, side, level, ticks, lots, isMaker, quote, fee } = fill;
    this.#positions.set(marketId, fill.positionLots);
    this.#add({
      marketId,
      atUs: matchedMs * 1000,
      receivedUs: heardMs * 1000,
      side,
      level,
      ticks,
      lots,
      isMaker,
      quote,
      fee,
      midHalfTicks: fill.midHalfTicks ?? Number.NaN,
      positionLots: fill.positionLots,
    });
  }

  /** Fills that no row has, up to an instant. */
  #unseenUntil(untilMs: Ms): void {
    const { fills } = this.#run.unseen;
    for (let fill = fills[this.#unseen]; fill !== undefined; fill = fills[this.#unseen]) {
      if (fill.timeMs > untilMs) return;
      this.#unseen += 1;
      if (this.#recorder.markets.has(fill.marketId)) this.#add(unseenFill(fill));
    }
  }

  #add(fill: Omit<ReplayFill, "number" | "orderId" | "cause" | "ambiguity">): void {
    this.#fills += 1;
    this.#recorder.fill({
      ...fill,
      number: this.#fills,
      orderId: undefined,
      cause: fill.isMaker ? undefined : "taker",
      ambiguity: undefined,
    });
  }
}

const LEVELS: Partial<Record<string, "info" | "warn" | "error">> = {
  halt: "warn",
  "settlement-failed": "warn",
  liquidation: "warn",
  "position-set": "warn",
  rung: "warn",
};

function unseenFill({
  marketId,
  timeMs,
  side,
  ticks,
  lots,
  isMaker,
  quote,
  commission,
}: RecordedFill): Omit<ReplayFill, "number" | "orderId" | "cause" | "ambiguity"> {
  return {
    marketId,
    atUs: timeMs * 1000,
    receivedUs: Number.NaN,
    side,
    level: undefined,
    ticks,
    lots,
    isMaker,
    quote,
    fee: commission,
    midHalfTicks: Number.NaN,
    positionLots: Number.NaN,
  };
}
