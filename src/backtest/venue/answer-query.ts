import type { Int64Id, MarketId, Ms } from "../../core/units.js";
import type { VenueIncome, VenueRules, VenueTrade } from "../../exchange/records.js";
import type { Outcome, QueryAction } from "../../exchange/venue.js";
import type { ReplayAccount } from "./replay-account.js";
import type { ReplayMarket } from "./replay-market.js";

/** The most records of one answer. */
const PAGE = 500;

/** The state of the replayed exchange from which queries are answered. */
export interface QuerySources {
  readonly rules: VenueRules;
  readonly account: ReplayAccount;
  readonly markets: ReadonlyMap<MarketId, ReplayMarket>;
  readonly trades: RecentRecords<VenueTrade>;
  readonly incomes: RecentRecords<VenueIncome>;
}

/** Answers a query at an instant of exchange time, from the state at that time. */
export function answerQuery(action: QueryAction, sources: QuerySources, nowMs: Ms): Outcome {
  const { rules, account, markets, trades, incomes } = sources;
  switch (action.ask) {
    case "time":
      return { result: "answered", ask: "time", data: { serverTimeMs: nowMs } };
    case "rules":
      return { result: "answered", ask: "rules", data: { ...rules, serverTimeMs: nowMs } };
    case "openOrders": {
      const requested =
        action.marketId === undefined ? [...markets.values()] : [markets.get(action.marketId)];
      const data = requested.flatMap((market) =>
        market === undefined ? [] : [...market.openOrders].map((held) => market.toRecord(held)),
      );
      return { result: "answered", ask: "openOrders", data };
    }
    case "historyOrders": {
      const market = markets.get(action.marketId);
      const { startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY } = action;
      if (market === undefined) return { result: "answered", ask: "historyOrders", data: [] };
      const open = [...market.openOrders].filter(
        ({ createdAtMs }) => createdAtMs >= startTimeMs && createdAtMs <= endTimeMs,
      );
      const listed = [
        ...market.endedOrders.placedWithin(startTimeMs, endTimeMs),
        ...open.map((held) => market.toRecord(held)),
      ];
      return { result: "answered", ask: "historyOrders", data: listed.slice(-PAGE) };
    }
    case "userTrades": {
      const { marketId, fromId, startTimeMs } = action;
      const data =
        startTimeMs === undefined
          ? trades.page(marketId, fromId)
          : trades
              .of(marketId)
              .filter(({ timeMs }) => timeMs >= startTimeMs)
              .slice(0, PAGE);
      return { result: "answered", ask: "userTrades", data };
    }
    case "incomes": {
      const { type, startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY } = action;
      const data = incomes
        .of(action.marketId)
        .filter(({ timeMs }) => timeMs >= startTimeMs && timeMs < endTimeMs)
        .filter((income) => type === undefined || income.type === type)
        .slice(0, PAGE);
      return { result: "answered", ask: "incomes", data };
    }
    case "balances":
      return {
        result: "answered",
        ask: "balances",
        data: { balances: account.balances(), positions: account.positions() },
      };
    case "positions":
      return { result: "answered", ask: "positions", data: account.positions() };
    case "bookSequence":
      return { result: "answered", ask: "bookSequence", data: { sequence: 0 } };
  }
}

/** The newest records of each market. A bot that received the stream does not query older ones. */
export class RecentRecords<R extends { readonly id: Int64Id; readonly marketId: MarketId }> {
  readonly #byMarket = new Map<MarketId, R[]>();

  add(record: R): void {
    let records = this.#byMarket.get(record.marketId);
    if (records === undefined) {
      records = [];
      this.#byMarket.set(record.marketId, records);
    }
    records.push(record);
    if (records.length > 8 * PAGE) records.splice(0, records.length - 4 * PAGE);
  }

  /** Oldest first. */
  of(marketId: MarketId): readonly R[] {
    return this.#byMarket.get(marketId) ?? [];
  }

  /** From an id on, oldest first; without one the newest. */
  page(marketId: MarketId, fromId: Int64Id | undefined): readonly R[] {
    const records = this.of(marketId);
    if (fromId === undefined) return records.slice(-PAGE);
    // Ids ascend, and most queries are for the newest.
    const from = Number(fromId);
    let first = records.length;
    while (first > 0 && Number((records[first - 1] as R).id) >= from) first -= 1;
    return records.slice(first, first + PAGE);
  }
}
