import { type Observable, Subject, type Subscription } from "rxjs";
import type { Clock } from "../../core/runtime/runtime.js";
import type { VenueBalances } from "../../exchange/records.js";
import type { Action, Outcome, QueryAction, Venue, VenueEvent } from "../../exchange/venue.js";

const NO_BALANCES: VenueBalances = {
  availableCredit: {},
  availableMargin: 0n,
  exposure: 0n,
  frozenMargin: 0n,
  positionMargin: 0n,
  netValue: 0n,
  primaryCredit: 0n,
  secondaryCredit: 0n,
  isSafe: true,
  leverage: "0",
  marginRate: "0",
};

/**
 * The exchange as an account that it does not know yet would find it after registering: the markets
 * are real, the account is empty. For a dry run, which registers nothing. It never passes an order
 * on.
 */
export class UnregisteredAccountVenue implements Venue {
  readonly events$: Observable<VenueEvent>;
  readonly #inner: Venue;
  readonly #clock: Clock;
  readonly #events = new Subject<VenueEvent>();
  readonly #subscription: Subscription;
  #isAccountUp = false;
  #isClosed = false;

  /** @param inner follows the markets' streams, but no account's. */
  constructor(inner: Venue, clock: Clock) {
    this.#inner = inner;
    this.#clock = clock;
    this.events$ = this.#events.asObservable();
    this.#subscription = inner.events$.subscribe((event) => this.#take(event));
  }

  submit(action: Action): void {
    const outcome = answerOf(action);
    if (outcome === undefined) this.#inner.submit(action);
    else
      this.#clock.setTimer(0, () =>
        this.#emit({ type: "answer", actionId: action.actionId, outcome }),
      );
  }

  resubscribe(marketId: string): void {
    this.#inner.resubscribe(marketId);
  }

  close(): void {
    this.#isClosed = true;
    this.#subscription.unsubscribe();
    this.#inner.close();
    this.#events.complete();
  }

  #take(event: VenueEvent): void {
    this.#emit(event);
    if (this.#isAccountUp || event.type !== "stream" || event.state !== "up") return;
    this.#isAccountUp = true;
    this.#emit({
      type: "stream",
      stream: "account",
      state: "up",
      reason: "the account is not registered: it has no events",
    });
  }

  #emit(event: VenueEvent): void {
    if (!this.#isClosed) this.#events.next(event);
  }
}

/** Undefined for queries that the exchange answers without an account. */
function answerOf(action: Action): Outcome | undefined {
  if (action.kind === "question") return accountAnswer(action);
  return {
    result: "not-sent",
    message: "the account is not registered, and a dry run sends no orders",
  };
}

function accountAnswer({ ask }: QueryAction): Outcome | undefined {
  switch (ask) {
    case "openOrders":
    case "historyOrders":
      return { result: "answered", ask, data: [] };
    case "userTrades":
      return { result: "answered", ask, data: [] };
    case "incomes":
      return { result: "answered", ask, data: [] };
    case "positions":
      return { result: "answered", ask, data: [] };
    case "balances":
      return { result: "answered", ask, data: { balances: NO_BALANCES, positions: [] } };
    default:
      return undefined;
  }
}
