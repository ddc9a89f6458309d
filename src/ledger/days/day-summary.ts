import { halfTickLotIn } from "../../account/markouts/half-tick-lot.js";
import { MARKOUT_SECONDS } from "../../account/markouts/markouts.js";
import type { ProfitParts } from "../../account/profit/account-profit.js";
import { DrawdownTracker } from "../../account/profit/drawdown.js";
import { RunError } from "../../core/errors.js";
import { Instrument, scaledToDecimal } from "../../core/instrument.js";
import { DAY_MS, type MarketId, type Ms, sideSign } from "../../core/units.js";
import { type Day, instantText, requireDayStart } from "../../history/day.js";
import type { DayRow, RunFacts } from "./day-row.js";
import { Downtime } from "./downtime.js";
import { readDays } from "./read-days.js";
import { type DayInterval, factsByRun, readIntervals } from "./read-intervals.js";
import { RecordedEquity } from "./recorded-equity.js";
import { SummedProfit } from "./summed-profit.js";

/** The format identifier of a summary. Any change that a reader could notice changes it. */
const DAY_SUMMARY_FORMAT = "marketwright-day/1";

/** Profit by its parts, as exact decimals of quote; above 0 earned. */
export type ProfitTexts = Readonly<
  Record<Exclude<keyof ProfitParts, "decimals" | "transfers">, string>
>;

/** One market of a {@link DaySummary}. */
export interface MarketSummary {
  readonly marketId: MarketId;
  readonly strategy: string;
  readonly profit: ProfitTexts;
  readonly fills: number;
  /** Quote that changed hands. */
  readonly volume: string;
  /** Paid if above 0, a rebate if below. */
  readonly fees: string;
  /** The last position, base, below 0 short; null if no row has one. */
  readonly position: string | null;
  /** Shares of the time since the begin of the summary. */
  readonly uptime: { readonly both: number; readonly bid: number; readonly ask: number };
  /** Time that was not on both sides, the longest cause first. */
  readonly down: readonly { readonly cause: string; readonly seconds: number }[];
  /** Horizons with a fill. */
  readonly markouts: readonly {
    readonly horizonSeconds: number;
    readonly fills: number;
    readonly quote: string;
    readonly bps: number;
  }[];
}

/** One UTC day of a bot, from its day files. Money is exact decimals of the quote asset. */
export interface DaySummary {
  readonly format: typeof DAY_SUMMARY_FORMAT;
  readonly day: Day;
  /** UTC. `to` is the last row's, until the day is over. */
  readonly from: string;
  readonly to: string;
  readonly account: string;
  readonly quoteAsset: string;
  /** `end` is `start` plus profit, transfers, `unattended` and `underWay`. */
  readonly equity: { readonly start: string; readonly end: string };
  readonly profit: ProfitTexts;
  readonly transfers: string;
  readonly unattended: string;
  readonly underWay: string;
  /** Deepest fall from the highest value of the day, at the rows. */
  readonly drawdown: string;
  /** Profit of hedges at their venues since they began; null without one. */
  readonly hedgeProfit: string | null;
  readonly fills: number;
  readonly volume: string;
  readonly fees: string;
  readonly markets: readonly MarketSummary[];
  readonly halts: readonly {
    readonly name: string;
    readonly marketId: string | null;
    readonly why: string;
    readonly from: string;
    /** null while it lasts. */
    readonly to: string | null;
    readonly seconds: number;
  }[];
  readonly settlementFailures: number;
  readonly liquidations: number;
  /** Times without rows, and why. */
  readonly gaps: readonly {
    readonly from: string;
    readonly to: string;
    readonly cause: string;
  }[];
}

/**
 * Summarises one UTC day of a bot from its day files. It may run beside the bot.
 * @param folder the day files
 * @throws RunError if there is no row of that day, or for Parquet files without DuckDB
 */
export async function summariseDay(folder: string, day: Day): Promise<DaySummary> {
  const startMs = requireDayStart(day);
  const endMs = startMs + DAY_MS;
  // The day before has the state at midnight.
  const span = { fromMs: startMs, toMs: endMs - 1 };
  const sparse: DayRow[] = [];
  for await (const { rows } of readDays(folder, span, "facts-and-fills")) sparse.push(...rows);
  const facts = factsByRun(sparse);
  const decimals = Math.max(0, ...[...facts.values()].map((run) => run.profitDecimals));
  const isOfDay = ({ atMs }: DayRow): boolean => atMs > startMs && atMs <= endMs;
  let gathered: GatheredDay | undefined;
  let last: DayInterval | undefined;
  let before: DayInterval | undefined;
  for await (const interval of readIntervals(folder, span, facts)) {
    if (!interval.isWhole) continue;
    if (!isOfDay(interval.account)) {
      if (interval.account.atMs <= startMs) before = interval;
      continue;
    }
    if (gathered === undefined) {
      const fromMs = before === undefined ? Math.max(startMs, interval.account.fromMs) : startMs;
      gathered = new GatheredDay(fromMs, decimals);
      if (before !== undefined) gathered.add(before, false);
    }
    gathered.add(interval, true);
    last = interval;
  }
  if (gathered === undefined || last === undefined)
    throw new RunError("there is no record of this day", {
      field: folder,
      value: day,
      expected: "a day on which the bot ran and kept its day files",
    });
  return gathered.summary(day, last.account.atMs, last.facts, facts);
}

/** Sums of one market. */
interface MarketSums {
  fills: number;
  volume: bigint;
  fees: bigint;
  positionLots: number | undefined;
  bothUs: number;
  bidUs: number;
  askUs: number;
  /** By horizon in ms: half ticks times lots, and the price of the same fills. */
  readonly markouts: Map<number, { fills: number; sum: bigint; notional: bigint }>;
}

class GatheredDay {
  readonly #fromMs: Ms;
  readonly #decimals: number;
  readonly #equity: RecordedEquity;
  readonly #profit: SummedProfit;
  readonly #downtime: Downtime;
  readonly #markets = new Map<MarketId, MarketSums>();
  #fall: DrawdownTracker | undefined;
  #settlementFailures = 0;
  #liquidations = 0;

  constructor(fromMs: Ms, decimals: number) {
    this.#fromMs = fromMs;
    this.#decimals = decimals;
    this.#equity = new RecordedEquity(decimals);
    this.#profit = new SummedProfit(decimals);
    this.#downtime = new Downtime(fromMs);
  }

  /** @param counts false for the interval before the day: its figures begin there */
  add({ account, markets, facts }: DayInterval, counts: boolean): void {
    for (const row of [account, ...markets]) this.#profit.add(row, facts.profitDecimals, counts);
    this.#equity.add(account, facts, counts);
    if (!counts) return;
    for (const row of markets) this.#market(row);
    this.#downtime.account(account);
    for (const { kind } of account.events ?? []) {
      if (kind === "settlement-failed") this.#settlementFailures += 1;
      if (kind === "liquidation") this.#liquidations += 1;
    }
    const { start } = this.#equity;
    if (start === undefined) return;
    this.#fall ??= new DrawdownTracker(this.#fromMs * 1000, start);
    this.#fall.add(account.atMs * 1000, start + this.#profit.of("").total);
  }

  summary(day: Day, lastMs: Ms, facts: RunFacts, runs: ReadonlyMap<Ms, RunFacts>): DaySummary {
    this.#downtime.end(lastMs, true);
    const fine = (units: bigint): string => scaledToDecimal(units, this.#decimals);
    const credit = (units: bigint): string => scaledToDecimal(units, facts.creditDecimals);
    const sums = [...this.#markets.values()];
    const { reported, underWay, unattended, hedgeProfit } = this.#equity;
    const profit = this.#profit.of("");
    return {
      format: DAY_SUMMARY_FORMAT,
      day,
      from: instantText(this.#fromMs),
      to: instantText(lastMs),
      account: facts.account,
      quoteAsset: facts.quoteAsset,
      equity: { start: fine(reported.start), end: fine(reported.end) },
      profit: profitTexts(profit),
      transfers: fine(profit.transfers),
      unattended: fine(unattended),
      underWay: fine(underWay),
      drawdown: fine(this.#fall?.deepest.amount ?? 0n),
      hedgeProfit: hedgeProfit === undefined ? null : credit(hedgeProfit),
      fills: sums.reduce((sum, { fills }) => sum + fills, 0),
      volume: credit(sums.reduce((sum, { volume }) => sum + volume, 0n)),
      fees: credit(sums.reduce((sum, { fees }) => sum + fees, 0n)),
      markets: [...this.#markets].map(([marketId, market]) =>
        this.#marketSummary(marketId, market, lastMs, [...runs.values()]),
      ),
      halts: this.#downtime.halts.map(({ name, marketId, why, fromMs, toMs }) => ({
        name,
        marketId: marketId === "" ? null : marketId,
        why,
        from: instantText(fromMs),
        to: toMs === undefined ? null : instantText(toMs),
        seconds: ((toMs ?? lastMs) - fromMs) / 1000,
      })),
      settlementFailures: this.#settlementFailures,
      liquidations: this.#liquidations,
      gaps: this.#downtime.gaps.map(({ fromMs, toMs, cause }) => ({
        from: instantText(fromMs),
        to: instantText(toMs),
        cause,
      })),
    };
  }

  #market(row: DayRow): void {
    this.#downtime.market(row);
    const sums = this.#markets.get(row.marketId) ?? {
      fills: 0,
      volume: 0n,
      fees: 0n,
      positionLots: undefined,
      bothUs: 0,
      bidUs: 0,
      askUs: 0,
      markouts: new Map(),
    };
    this.#markets.set(row.marketId, sums);
    sums.positionLots = row.positionLots ?? sums.positionLots;
    sums.bothUs += row.bothUs ?? 0;
    sums.bidUs += row.bidUs ?? 0;
    sums.askUs += row.askUs ?? 0;
    for (const { quote, fee } of row.fills ?? []) {
      sums.fills += 1;
      sums.volume += quote;
      sums.fees += fee;
    }
    for (const { horizonMs, side, ticks, lots, midHalfTicks } of row.markouts ?? []) {
      const at = sums.markouts.get(horizonMs) ?? { fills: 0, sum: 0n, notional: 0n };
      sums.markouts.set(horizonMs, at);
      at.fills += 1;
      at.sum += BigInt(sideSign(side) * lots) * BigInt(midHalfTicks - 2 * ticks);
      at.notional += BigInt(2 * ticks) * BigInt(lots);
    }
  }

  #marketSummary(
    marketId: MarketId,
    sums: MarketSums,
    lastMs: Ms,
    runs: readonly RunFacts[],
  ): MarketSummary {
    const run = runs.findLast(({ markets }) => markets[marketId] !== undefined) as RunFacts;
    const { strategy } = run.markets[marketId] as RunFacts["markets"][string];
    const instrument = instrumentOf(run, marketId);
    const spanUs = Math.max(1, (lastMs - this.#fromMs) * 1000);
    const share = (us: number): number => Math.round((1e6 * us) / spanUs) / 1e6;
    const halfTickLot = halfTickLotIn(instrument, this.#decimals);
    return {
      marketId,
      strategy,
      profit: profitTexts(this.#profit.of(marketId)),
      fills: sums.fills,
      volume: instrument.creditToDecimal(sums.volume),
      fees: instrument.creditToDecimal(sums.fees),
      position: sums.positionLots === undefined ? null : instrument.formatAmount(sums.positionLots),
      uptime: { both: share(sums.bothUs), bid: share(sums.bidUs), ask: share(sums.askUs) },
      down: this.#downtime.downOf(marketId),
      markouts: MARKOUT_SECONDS.flatMap((seconds) => {
        const at = sums.markouts.get(1000 * seconds);
        if (at === undefined) return [];
        return [
          {
            horizonSeconds: seconds,
            fills: at.fills,
            quote: scaledToDecimal(at.sum * halfTickLot, this.#decimals),
            bps:
              at.notional === 0n
                ? 0
                : Math.round((1e8 * Number(at.sum)) / Number(at.notional)) / 1e4,
          },
        ];
      }),
    };
  }
}

/** The grid of a market in a run. */
export function instrumentOf(
  { markets, creditDecimals }: RunFacts,
  marketId: MarketId,
): Instrument {
  const { tickSize, stepSize, paperDecimals } = markets[marketId] as RunFacts["markets"][string];
  return new Instrument({ marketId, tickSize, stepSize, creditDecimals, paperDecimals });
}

function profitTexts({ decimals, transfers: _, ...parts }: ProfitParts): ProfitTexts {
  return Object.fromEntries(
    Object.entries(parts).map(([part, units]) => [part, scaledToDecimal(units, decimals)]),
  ) as ProfitTexts;
}
