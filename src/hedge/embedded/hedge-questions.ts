import type { Ms } from "../../core/units.js";
import type { VenueRules, VenueTrade } from "../../exchange/records.js";
import type { QueryResponses } from "../../exchange/venue.js";
import type { HedgeOutcome, HedgeQuery } from "../hedge-venue.js";
import type { ExchangeLists } from "./exchange-lists.js";
import { toHedgeUnits } from "./hedge-contracts.js";
import type { HedgeFills } from "./hedge-fills.js";
import type { KnownOrders } from "./known-orders.js";
import type { OrderLookup } from "./order-lookup.js";
import { toFailedOutcome } from "./to-hedge-outcome.js";
import type { VenueRequests } from "./venue-requests.js";

/** How long before its first fill an order may have been placed. */
const LONGEST_REST_MS: Ms = 600_000;

type Answer = (outcome: HedgeOutcome) => void;

interface HedgeQuestionsDeps {
  readonly rules: VenueRules;
  readonly requests: VenueRequests;
  readonly lists: ExchangeLists;
  readonly orders: KnownOrders;
  readonly lookup: OrderLookup;
  readonly fills: HedgeFills;
}

/** Answers the questions to a hedge venue by those of its exchange. */
export class HedgeQuestions {
  readonly #deps: HedgeQuestionsDeps;

  constructor(deps: HedgeQuestionsDeps) {
    this.#deps = deps;
  }

  /** @param answer called once, and never synchronously */
  ask(query: HedgeQuery, answer: Answer): void {
    const { lookup } = this.#deps;
    const { symbol } = query;
    switch (query.kind) {
      case "order":
        return lookup.find(symbol, query.key, answer);
      case "open-orders":
        return lookup.openOrders(symbol, (orders) =>
          answer("result" in orders ? orders : { result: "open-orders", orders }),
        );
      case "fills":
        return this.#askFills(symbol, query.sinceMs, answer);
      case "funding":
        return this.#askFunding(symbol, query.sinceMs, answer);
      case "account":
        return this.#askAccount(answer);
    }
  }

  #askFills(symbol: string, sinceMs: Ms, answer: Answer): void {
    const { lists, fills } = this.#deps;
    // An older trade whose settlement is not known may have failed meanwhile.
    const fromMs = Math.min(sinceMs, fills.pendingSinceMs(symbol));
    lists.trades(symbol, fromMs, (trades) => {
      if ("failed" in trades) return answer(trades.failed);
      const { items, isWhole } = trades;
      const done = (): void =>
        answer({ result: "fills", fills: items.flatMap((trade) => fills.all(trade)), isWhole });
      if (!items.some((trade) => fills.isNew(trade))) return done();
      this.#readOrders(symbol, items, answer, done);
    });
  }

  /** Reads the orders that may have made the trades, so that each fill gets its key. */
  #readOrders(
    symbol: string,
    trades: readonly VenueTrade[],
    answer: Answer,
    done: () => void,
  ): void {
    const { lists, lookup, orders } = this.#deps;
    const fromMs = Math.max(0, (trades[0]?.timeMs ?? 0) - LONGEST_REST_MS);
    lookup.openOrders(symbol, (open) => {
      if ("result" in open) return answer(open);
      lists.endedOrders(symbol, fromMs, (ended) => {
        if ("failed" in ended) return answer(ended.failed);
        for (const order of ended.items) orders.reported(order);
        done();
      });
    });
  }

  #askFunding(symbol: string, sinceMs: Ms, answer: Answer): void {
    const { lists, rules } = this.#deps;
    lists.funding(symbol, sinceMs, (incomes) => {
      if ("failed" in incomes) return answer(incomes.failed);
      const payments = incomes.items.map(({ id, amount, timeMs }) => ({
        id,
        symbol,
        amount: toHedgeUnits(amount, rules.creditDecimals),
        asset: rules.markets[symbol]?.quoteAsset ?? "",
        timeMs,
      }));
      answer({ result: "funding", payments });
    });
  }

  #askAccount(answer: Answer): void {
    const { requests } = this.#deps;
    requests.send({ kind: "question", ask: "balances" }, (outcome) =>
      answer(
        outcome.result === "answered" && outcome.ask === "balances"
          ? { result: "account", account: this.#toAccount(outcome.data) }
          : toFailedOutcome(outcome),
      ),
    );
  }

  #toAccount({
    balances,
    positions,
  }: QueryResponses["balances"]): Extract<HedgeOutcome, { result: "account" }>["account"] {
    const { creditDecimals, markets } = this.#deps.rules;
    return {
      positionLots: Object.fromEntries(positions.map(({ marketId, lots }) => [marketId, lots])),
      availableMargin: toHedgeUnits(balances.availableMargin, creditDecimals),
      initialMarginFraction: Object.fromEntries(
        Object.values(markets).map(({ marketId, maxLeverage }) => [marketId, 1 / maxLeverage]),
      ),
      equity: toHedgeUnits(balances.netValue, creditDecimals),
    };
  }
}
