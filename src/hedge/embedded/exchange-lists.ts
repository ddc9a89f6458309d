import type { Int64Id, MarketId, Ms } from "../../core/units.js";
import { MAX_PAGE } from "../../exchange/protocol/parameters.js";
import type { VenueIncome, VenueOrder, VenueTrade } from "../../exchange/records.js";
import type { QueryResponses } from "../../exchange/venue.js";
import { type FailedOutcome, toFailedOutcome } from "./to-hedge-outcome.js";
import type { ExchangeRequest, VenueRequests } from "./venue-requests.js";

/** A list of the account that was read in pages, or why it was not. */
export type ExchangeList<Item> =
  | { readonly items: readonly Item[]; readonly isWhole: boolean }
  | { readonly failed: FailedOutcome };

type ListName = "historyOrders" | "userTrades" | "incomes";
type Question = Extract<ExchangeRequest, { readonly kind: "question" }>;
type Item<Ask extends ListName> = QueryResponses[Ask][number];

/** Most pages of one list. */
const MOST_PAGES = 20;

/** Reads lists of the account from an instant on, page by page, oldest first. */
export class ExchangeLists {
  readonly #requests: VenueRequests;

  constructor(requests: VenueRequests) {
    this.#requests = requests;
  }

  trades(marketId: MarketId, sinceMs: Ms, done: (list: ExchangeList<VenueTrade>) => void): void {
    const question = (last: VenueTrade | undefined): Question => ({
      kind: "question",
      ask: "userTrades",
      marketId,
      ...(last === undefined ? { startTimeMs: sinceMs } : { fromId: last.id }),
    });
    this.#pages("userTrades", question, ({ id }) => id, done);
  }

  /** Orders that have ended, by the time of their creation. */
  endedOrders(
    marketId: MarketId,
    sinceMs: Ms,
    done: (list: ExchangeList<VenueOrder>) => void,
  ): void {
    const question = (last: VenueOrder | undefined): Question => ({
      kind: "question",
      ask: "historyOrders",
      marketId,
      startTimeMs: last?.createdAtMs ?? sinceMs,
    });
    this.#pages("historyOrders", question, ({ id }) => id, done);
  }

  funding(marketId: MarketId, sinceMs: Ms, done: (list: ExchangeList<VenueIncome>) => void): void {
    const question = (last: VenueIncome | undefined): Question => ({
      kind: "question",
      ask: "incomes",
      marketId,
      type: "FUNDING_FEE",
      startTimeMs: last?.timeMs ?? sinceMs,
    });
    this.#pages("incomes", question, ({ id }) => id, done);
  }

  #pages<Ask extends ListName>(
    ask: Ask,
    question: (last: Item<Ask> | undefined) => Question,
    idOf: (item: Item<Ask>) => Int64Id,
    done: (list: ExchangeList<Item<Ask>>) => void,
  ): void {
    const items = new Map<Int64Id, Item<Ask>>();
    let pages = 0;
    const next = (last: Item<Ask> | undefined): void => {
      this.#requests.send(question(last), (outcome) => {
        if (outcome.result !== "answered" || outcome.ask !== ask)
          return done({ failed: toFailedOutcome(outcome) });
        const page = outcome.data as readonly Item<Ask>[];
        const before = items.size;
        for (const item of page) items.set(idOf(item), item);
        pages += 1;
        const isLast = page.length < MAX_PAGE;
        if (isLast || pages === MOST_PAGES || items.size === before)
          return done({ items: [...items.values()], isWhole: isLast });
        next(page.at(-1));
      });
    };
    next(undefined);
  }
}
