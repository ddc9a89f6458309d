import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange, type ExchangeOptions } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { encode, KEYS, type PlaceOptions, ReferenceClient, START_MS } from "./reference-client.js";

/** The exchange's response; for a refusal its code and text. */
export interface HttpAnswer {
  readonly status: number;
  readonly code: number;
  readonly codeText: string;
  readonly message: string;
}

/** An exchange on a port, whose clock does not advance, and two registered HTTP clients. */
export class Venue {
  readonly #servers: ExchangeServer[] = [];

  async open(input: Partial<ExchangeConfigInput> = {}, options: ExchangeOptions = {}) {
    const clock = new VirtualClock(START_MS);
    const config = parseExchangeConfig({ port: 0, markets: { btcusdc: {} }, ...input });
    const exchange = new EmbeddedExchange(
      config,
      { clock, random: seededRandom("exchange") },
      options,
    );
    const server = await serveExchange(exchange);
    this.#servers.push(server);
    const [alice, bob] = [KEYS[0], KEYS[1]].map(
      (key) => new HttpClient(server, new ReferenceClient(exchange, () => clock.nowMs(), key)),
    );
    if (alice === undefined || bob === undefined) {
      throw new Error("two clients were made");
    }
    await alice.signed("POST", "/account");
    await bob.signed("POST", "/account");
    return { exchange, clock, server, alice, bob };
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** An account that uses the exchange over HTTP. */
export class HttpClient {
  constructor(
    readonly server: ExchangeServer,
    readonly reference: ReferenceClient,
  ) {}

  async send(
    method: string,
    path: string,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    const form = encode(parameters);
    const url = `${this.server.restUrl}${path}`;
    const answer =
      method === "POST"
        ? await fetch(url, {
            method,
            body: form,
            headers: { "content-type": "application/x-www-form-urlencoded" },
          })
        : await fetch(form === "" ? url : `${url}?${form}`, { method });
    const text = await answer.text();
    return { status: answer.status, ...(text === "" ? {} : JSON.parse(text)) };
  }

  signed(
    method: string,
    path: string,
    parameters: Readonly<Record<string, string | undefined>> = {},
  ): Promise<HttpAnswer> {
    return this.send(method, path, this.reference.signed(parameters));
  }

  place(
    side: "BUY" | "SELL",
    price: string,
    amount: string,
    options: PlaceOptions = {},
  ): Promise<HttpAnswer> {
    return this.signed("POST", "/order", this.reference.order(side, price, amount, options));
  }
}
