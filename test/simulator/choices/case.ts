import type { VenueChoices } from "#simulator/choices.js";
import type { ExchangeConfigInput } from "#simulator/config.js";
import { KEYS, ReferenceClient, type traders } from "../reference-client.js";

export type World = ReturnType<typeof traders>;
export type ChoicesInput = NonNullable<ExchangeConfigInput["choices"]>;

export const MARKET = { marketId: "btcusdc" };
export const TERMS = {
  ...MARKET,
  side: "BUY",
  orderType: "LIMIT",
  amount: "0.1",
  price: "30000",
  timeInForce: "GTC",
};

/** One value of a choice, and its effect on a client. */
export interface Case {
  readonly value: unknown;
  readonly also?: ChoicesInput;
  readonly config?: Partial<ExchangeConfigInput>;
  readonly sees: (world: World) => void | Promise<void>;
}

export const history = ({ bob }: World) => bob.call("GET", "/v1/historyOrders", MARKET).json;
export const info = ({ alice }: World) => alice.raw("GET", "/v1/exchangeInfo").json;

/** Bob's order matches all of Alice's at once and waits for its settlement. */
export function matched(world: World) {
  world.alice.place("SELL", "30000", "0.1");
  return world.bob.place("BUY", "30000", "0.1").json;
}

export function signsFor({ exchange, clock, alice }: World): ReferenceClient {
  return new ReferenceClient(
    exchange,
    () => clock.nowMs(),
    KEYS[1],
    "10.0.0.9",
    true,
    alice.address,
  );
}

/** Some choices, each with every tested value. */
export type Cases = Partial<Readonly<Record<keyof VenueChoices, readonly Case[]>>>;
