import { KLINE_INTERVALS } from "../../exchange/protocol/parameters.js";

import type { CandleSeries } from "../markets/candles.js";
import type { DayWindow } from "../markets/day-window.js";
import type { Market } from "../markets/market.js";
import type { ChangeBuilder } from "./change-builder.js";
import {
  BAR_SOURCES,
  type BarSource,
  candleSeriesFor,
  dayWindowFor,
  type MarketSource,
  writeMarket,
} from "./market-record.js";
import { writeFields } from "./plain-fields.js";
import { idKey, KEYS } from "./record-keys.js";

/** Writes the figures of markets, and the new ones of their bars, minutes and payments. */
export class MarketWriter {
  readonly #change: ChangeBuilder;
  readonly #heads = new Set<Market>();
  readonly #touched: Readonly<Record<MarketSource, Set<Market>>> = {
    trades: new Set(),
    marks: new Set(),
  };
  /** The time of the last written item of each list. */
  readonly #newest = new Map<string, number>();

  /** The restored items are in the store already. */
  constructor(change: ChangeBuilder, markets: Iterable<Market>) {
    this.#change = change;
    for (const market of markets) {
      for (const source of ["trades", "marks"] as const) {
        for (const bars of BAR_SOURCES[source]) {
          const series = candleSeriesFor(market, bars);
          for (const interval of KLINE_INTERVALS) {
            this.#newest.set(
              KEYS.bars(market.id, bars, interval),
              series.barsFrom(interval, 0).at(-1)?.timeMs ?? 0,
            );
          }
        }
        this.#newest.set(
          KEYS.minutes(market.id, source),
          dayWindowFor(market, source).minutes.at(-1)?.startMs ?? 0,
        );
      }
      this.#newest.set(KEYS.fundings(market.id), market.fundings.last()?.timeMs ?? 0);
    }
  }

  /** Marks its single figures as changed. */
  touchHead(market: Market): void {
    this.#heads.add(market);
  }

  /** Marks the figures of its trades, or of its marks, as changed. */
  touch(market: Market, source: MarketSource): void {
    this.#heads.add(market);
    this.#touched[source].add(market);
  }

  write(): void {
    for (const market of this.#heads) {
      this.#change.put(KEYS.market(market.id), writeMarket(market));
    }
    this.#heads.clear();
    for (const source of ["trades", "marks"] as const) {
      for (const market of this.#touched[source]) {
        for (const bars of BAR_SOURCES[source]) {
          this.#writeBars(market, bars, candleSeriesFor(market, bars));
        }
        this.#writeMinutes(market, source, dayWindowFor(market, source));
        if (source === "marks") {
          this.#writeFundings(market);
        }
      }
      this.#touched[source].clear();
    }
  }

  /** Completed bars are written once; the eleven in progress are one record. */
  #writeBars(market: Market, source: BarSource, series: CandleSeries): void {
    const open: Record<string, unknown> = {};
    for (const interval of KLINE_INTERVALS) {
      const prefix = KEYS.bars(market.id, source, interval);
      const bars = series.barsFrom(interval, this.#newest.get(prefix) ?? 0);
      const last = bars.at(-1);
      if (last === undefined) {
        continue;
      }
      for (const bar of bars.slice(0, -1)) {
        this.#change.put(prefix + idKey(bar.timeMs), writeFields(bar));
      }
      this.#newest.set(prefix, last.timeMs);
      this.#change.forget(prefix, idKey(series.oldestMs(interval) ?? 0));
      open[interval] = writeFields(last);
    }
    this.#change.put(KEYS.openBars(market.id, source), open);
  }

  #writeMinutes(market: Market, source: MarketSource, { minutes }: DayWindow): void {
    const prefix = KEYS.minutes(market.id, source);
    const newest = this.#newest.get(prefix) ?? 0;
    for (let place = minutes.length - 1; place >= 0; place -= 1) {
      const minute = minutes[place];
      if (minute === undefined || minute.startMs < newest) {
        break;
      }
      this.#change.put(prefix + idKey(minute.startMs), writeFields(minute));
    }
    this.#newest.set(prefix, minutes.at(-1)?.startMs ?? newest);
    this.#change.forget(prefix, idKey(minutes[0]?.startMs ?? newest + 1));
  }

  /** Several may have the same instant, where missed intervals were made up for. */
  #writeFundings({ id, fundings }: Market): void {
    const prefix = KEYS.fundings(id);
    const payments = fundings.page({
      startMs: this.#newest.get(prefix) ?? 0,
      limit: Number.MAX_SAFE_INTEGER,
    });
    for (const { timeMs } of payments) {
      const together = payments.filter((payment) => payment.timeMs === timeMs);
      this.#change.putKept(prefix, fundings.firstId, String(timeMs), () =>
        together.map(writeFields),
      );
      this.#newest.set(prefix, timeMs);
    }
  }
}
