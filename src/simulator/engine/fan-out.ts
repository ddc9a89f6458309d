import type { ExchangeListener, StateListener } from "./exchange-state.js";

/**
 * Calls the store, if there is one, and then the streams. Both are looked up at each event, since
 * they are created after the state.
 */
export function fanOut(
  store: () => StateListener | null,
  streams: () => ExchangeListener,
): StateListener {
  return {
    onOrder: (order) => {
      store()?.onOrder(order);
      streams().onOrder(order);
    },
    onUserTrade: (trade) => {
      store()?.onUserTrade(trade);
      streams().onUserTrade(trade);
    },
    onAccount: (account) => {
      store()?.onAccount(account);
      streams().onAccount(account);
    },
    onIncomes: (account, incomes) => {
      store()?.onIncomes(account, incomes);
      streams().onIncomes(account, incomes);
    },
    onOperatorRevoked: (account, operator) => {
      store()?.onOperatorRevoked(account, operator);
      streams().onOperatorRevoked(account, operator);
    },
    onTrade: (trade) => {
      store()?.onTrade(trade);
      streams().onTrade(trade);
    },
    onBook: (market) => {
      store()?.onBook(market);
      streams().onBook(market);
    },
    onMarket: (market) => store()?.onMarket(market),
    onPosition: (account, market) => store()?.onPosition(account, market),
    onPending: (pending) => store()?.onPending(pending),
    onResolved: (pending) => store()?.onResolved(pending),
    onOrderHash: (hash) => store()?.onOrderHash(hash),
    onUsedRequest: (digest, untilMs) => store()?.onUsedRequest(digest, untilMs),
    onExpiredUsedRequest: (digest) => store()?.onExpiredUsedRequest(digest),
    onRequest: (request) => store()?.onRequest(request),
    onRequestResolved: (request) => store()?.onRequestResolved(request),
    onState: () => store()?.onState(),
  };
}
