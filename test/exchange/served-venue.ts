import { afterEach, beforeEach, expect } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ecdsaScheme } from "#core/signing.js";
import { LiveVenue, type LiveVenueOptions } from "#exchange/live-venue.js";
import type { NetworkTransport } from "#exchange/network-transport.js";
import type { VenueRules } from "#exchange/records.js";
import type { Action, Outcome, VenueEvent } from "#exchange/venue.js";
import { json, type LocalServer, until } from "./local-server.js";
import { ServedTransport } from "./served-transport.js";
import { wireExchangeInfo, wireMarket } from "./wire-records.js";

export const runtime = createLiveRuntime();
export const signer = ecdsaScheme.signer(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
/** The fixed time of the exchange's clock. */
export const NOW = 1_700_000_000_000;
export const MARKETS = [wireMarket(), wireMarket({ id: "ethusdc" })];
/** Distributive, so that each kind of action keeps its own fields. */
export type Unnumbered<A> = A extends Action ? Omit<A, "actionId" | "timestampMs"> : never;

/**
 * A live venue at a real server, which tells its rules and answers all else with an empty 204; both
 * anew for each test.
 */
export class ServedVenue {
  readonly #served = new ServedTransport();
  venue!: LiveVenue;
  /** All events of the opened venues. */
  events: VenueEvent[] = [];
  #nextId = 0;

  constructor() {
    beforeEach(() => {
      this.server.onRequest = ({ path }, response) => {
        if (path === "/v1/exchangeInfo") json(response, wireExchangeInfo(MARKETS));
        else response.writeHead(204).end();
      };
      this.events = [];
      this.#nextId = 0;
    });
    afterEach(() => this.venue.close());
  }

  get server(): LocalServer {
    return this.#served.server;
  }

  get transport(): NetworkTransport {
    return this.#served.transport;
  }

  open(options: Partial<LiveVenueOptions> = {}): LiveVenue {
    const { transport } = this;
    this.venue = new LiveVenue({
      transport,
      runtime,
      signer,
      markets: ["btcusdc", "ethusdc"],
      exchangeNowMs: () => NOW,
      ...options,
    });
    this.venue.events$.subscribe((event) => this.events.push(event));
    return this.venue;
  }

  async submitted(action: Unnumbered<Action>): Promise<Outcome> {
    this.#nextId += 1;
    const actionId = this.#nextId;
    const before = this.events.length;
    this.venue.submit({ ...action, actionId, timestampMs: NOW } as Action);
    expect(this.events.length, "an answer never comes from inside submit").toBe(before);
    await until(() => this.#outcome(actionId) !== undefined);
    return this.#outcome(actionId) as Outcome;
  }

  async withRules(): Promise<VenueRules> {
    const answer = await this.submitted({ kind: "question", ask: "rules" });
    if (answer.result !== "answered" || answer.ask !== "rules")
      throw new Error(JSON.stringify(answer));
    return answer.data;
  }

  #outcome(actionId: number): Outcome | undefined {
    return this.events.flatMap((event) =>
      event.type === "answer" && event.actionId === actionId ? [event.outcome] : [],
    )[0];
  }
}
