import type { Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { HedgeOrderKey } from "../hedge-order-key.js";
import type { HedgeOrderReport, HedgeOutcome } from "../hedge-venue.js";
import type { KnownOrders } from "./known-orders.js";
import { type FailedOutcome, toFailedOutcome } from "./to-hedge-outcome.js";
import type { ExchangeRequest, VenueRequests } from "./venue-requests.js";

/** The answer to a question for one order. */
type LookupOutcome = Extract<HedgeOutcome, { readonly result: "order" | "absent" }> | FailedOutcome;

type ListQuestion = Extract<
  ExchangeRequest,
  { readonly ask: "openOrders" } | { readonly ask: "historyOrders" }
>;

/**
 * Finds orders by key. The exchange finds an order by its own id only, so both of its lists are
 * read, the open orders first: an order moves from there to the other list, and never back.
 */
export class OrderLookup {
  readonly #requests: VenueRequests;
  readonly #orders: KnownOrders;
  readonly #acceptanceWindowMs: Ms;

  constructor(requests: VenueRequests, orders: KnownOrders, acceptanceWindowMs: Ms) {
    this.#requests = requests;
    this.#orders = orders;
    this.#acceptanceWindowMs = acceptanceWindowMs;
  }

  /** @param done called once with the order, its absence, or the outcome of a failed question */
  find(symbol: string, key: HedgeOrderKey, done: (outcome: LookupOutcome) => void): void {
    this.openOrders(symbol, (open) => {
      if ("result" in open) return done(open);
      const found = open.find((order) => order.key === key);
      if (found !== undefined) return done({ result: "order", order: found });
      this.#ended(symbol, key, done);
    });
  }

  /** Reads the open orders of a market. */
  openOrders(
    symbol: string,
    done: (orders: readonly HedgeOrderReport[] | FailedOutcome) => void,
  ): void {
    this.#list({ kind: "question", ask: "openOrders", marketId: symbol }, done);
  }

  #ended(symbol: string, key: HedgeOrderKey, done: (outcome: LookupOutcome) => void): void {
    const sinceMs = this.#orders.sinceMs(key);
    // The page from its creation on. Without a time it is the page of the latest orders.
    const range =
      sinceMs === undefined ? {} : { startTimeMs: Math.max(0, sinceMs - this.#acceptanceWindowMs) };
    this.#list({ kind: "question", ask: "historyOrders", marketId: symbol, ...range }, (ended) => {
      if ("result" in ended) return done(ended);
      const order = ended.find((report) => report.key === key);
      done(
        order === undefined
          ? { result: "absent", message: "neither open nor among the ended orders" }
          : { result: "order", order },
      );
    });
  }

  #list(
    question: ListQuestion,
    done: (orders: readonly HedgeOrderReport[] | FailedOutcome) => void,
  ): void {
    this.#requests.send(question, (outcome) => {
      if (outcome.result !== "answered" || outcome.ask !== question.ask)
        return done(toFailedOutcome(outcome));
      const orders = outcome.data as readonly VenueOrder[];
      done(orders.map((order) => this.#orders.reported(order)));
    });
  }
}
