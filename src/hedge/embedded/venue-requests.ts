import type { Ms } from "../../core/units.js";
import type { LiveVenue } from "../../exchange/live-venue.js";
import type { Action, ActionId, Outcome } from "../../exchange/venue.js";

type Unnumbered<A extends Action> = A extends Action ? Omit<A, "actionId" | "timestampMs"> : never;

/** An action of the exchange without its number and its timestamp. */
export type ExchangeRequest = Unnumbered<Action>;

/** Sends actions to an exchange, each with a callback for its outcome. */
export class VenueRequests {
  readonly #venue: Pick<LiveVenue, "submit">;
  readonly #exchangeNowMs: () => Ms;
  readonly #waiting = new Map<ActionId, (outcome: Outcome) => void>();
  #lastId: ActionId = 0;

  constructor(venue: Pick<LiveVenue, "submit">, exchangeNowMs: () => Ms) {
    this.#venue = venue;
    this.#exchangeNowMs = exchangeNowMs;
  }

  /** @param done called once, and never synchronously. */
  send(request: ExchangeRequest, done: (outcome: Outcome) => void): void {
    this.#lastId += 1;
    const actionId = this.#lastId;
    this.#waiting.set(actionId, done);
    this.#venue.submit({ ...request, actionId, timestampMs: this.#exchangeNowMs() });
  }

  /** Delivers an outcome to the callback of its action. */
  answered(actionId: ActionId, outcome: Outcome): void {
    const done = this.#waiting.get(actionId);
    this.#waiting.delete(actionId);
    done?.(outcome);
  }

  /** Drops every callback. */
  clear(): void {
    this.#waiting.clear();
  }
}
