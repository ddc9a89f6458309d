import { createHmac } from "node:crypto";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange, type ExchangeOptions } from "#simulator/exchange.js";
import type { StreamConnection, StreamSink } from "#simulator/stream-sink.js";
import type { UsdmCredentials } from "#simulator/usdm-api-keys.js";
import { usdmConfigShape } from "#simulator/usdm-config.js";
import { UsdmDialect } from "#simulator/usdm-dialect.js";
import { encode, START_MS } from "../reference-client.js";

const KEYS: readonly UsdmCredentials[] = ["alice", "bob"].map((name) => ({
  apiKey: `${name}-key-0123456789`,
  secret: `${name}-secret-0123456789`,
}));

/** A response of the dialect. */
export interface UsdmAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
  readonly json: any;
  readonly headers: Readonly<Record<string, string>>;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * An exchange in virtual time that speaks the dialect, with one market BTCUSDC without other
 * participants, and two accounts that use the dialect.
 */
export function usdmWorld(
  input: Partial<ExchangeConfigInput> = {},
  options: ExchangeOptions = {},
  credentials = KEYS,
) {
  const clock = new VirtualClock(START_MS);
  const config = parseExchangeConfig({ markets: { btcusdc: {} }, ...input });
  const exchange = new EmbeddedExchange(
    config,
    { clock, random: seededRandom("exchange") },
    options,
  );
  const dialect = exchange.addDialect(
    (deps) =>
      new UsdmDialect(
        deps,
        config.dialects["binance-usdm"] ?? usdmConfigShape.parse({}),
        credentials,
      ),
  );
  exchange.start();
  const [alice, bob] = credentials.map(
    (key, place) => new UsdmClient(dialect, clock, key, `10.0.0.${place + 1}`),
  ) as [UsdmClient, UsdmClient];
  return { exchange, dialect, clock, alice, bob };
}

/** A client of the dialect without a network. */
export class UsdmClient {
  constructor(
    readonly dialect: UsdmDialect,
    readonly clock: VirtualClock,
    readonly key: UsdmCredentials,
    readonly ip = "10.0.0.1",
  ) {}

  /** An unsigned request, with the API key in its header. */
  send(method: string, path: string, values: Values = {}): UsdmAnswer {
    return this.raw(method, path, encode(texts(values)));
  }

  /** A signed request: parameters in the query, or in the body of a POST or PUT. */
  signed(method: string, path: string, values: Values = {}): UsdmAnswer {
    const form = encode(texts({ ...values, timestamp: values.timestamp ?? this.clock.nowMs() }));
    const signature = createHmac("sha256", this.key.secret).update(form).digest("hex");
    return this.raw(method, path, `${form}&signature=${signature}`);
  }

  raw(method: string, path: string, form: string, apiKey = this.key.apiKey): UsdmAnswer {
    const inBody = method === "POST" || method === "PUT";
    const {
      status,
      body,
      headers = {},
    } = this.dialect.handle({
      method,
      path: `/fapi${path}`,
      query: inBody ? "" : form,
      body: inBody ? form : "",
      headers: { "x-mbx-apikey": apiKey },
      ip: this.ip,
    });
    return { status, json: JSON.parse(body), headers };
  }

  /** Places an order of BTCUSDC. */
  place(side: "BUY" | "SELL", quantity: string, price: string, more: Values = {}): UsdmAnswer {
    return this.signed("POST", "/v1/order", {
      symbol: "BTCUSDC",
      side,
      type: "LIMIT",
      timeInForce: "GTC",
      quantity,
      price,
      ...more,
    });
  }

  /** Opens a stream. */
  stream(path: string): UsdmReader {
    return new UsdmReader(this.dialect, path, this.ip);
  }

  /** Opens the user stream. */
  userStream(): UsdmReader {
    const { listenKey } = this.send("POST", "/v1/listenKey").json;
    return this.stream(`/private/ws/${listenKey}`);
  }
}

/** A client's end of a stream without a network. */
export class UsdmReader implements StreamSink {
  readonly #texts: string[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly connection: StreamConnection;

  /** @throws Error with status and body when the stream is refused */
  constructor(dialect: UsdmDialect, path: string, ip: string) {
    const connection = dialect.connect(path, this, ip);
    if ("refused" in connection) {
      throw new Error(`${connection.refused.status} ${connection.refused.body}`);
    }
    this.connection = connection;
  }

  send(text: string): void {
    this.#texts.push(text);
  }

  sendBytes(): void {
    throw new Error("nothing of the dialect is compressed");
  }

  ping(): void {
    this.connection.pong();
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  terminate(): void {}

  bufferedBytes(): number {
    return 0;
  }

  /** Sends a request to change streams. */
  request(method: string, params: readonly unknown[] = [], id: unknown = 1): void {
    this.connection.receive(JSON.stringify({ method, params, id }));
  }

  /** Everything that arrived and was not yet taken. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
  take(): any[] {
    return this.#texts.splice(0).map((text) => JSON.parse(text));
  }
}

function texts(values: Values): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) found[name] = String(value);
  }
  return found;
}
