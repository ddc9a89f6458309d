import { z } from "zod";
import { checkShape } from "../../core/config/config-shape.js";
import { ecdsaScheme, initCrypto, type Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import { warnRenamed } from "../../core/renamed.js";
import { createLiveRuntime } from "../../core/runtime/live-runtime.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import { NetworkTransport } from "../rest/network-transport.js";
import type { RateGate } from "../rest/rate-gate.js";
import type { RetryPolicy } from "../rest/retrier.js";
import { ExchangeClient } from "./exchange-client.js";
import { type OrderSettings, orderSettingsSchema } from "./order-settings.js";
import { ExchangeStreams } from "./streams.js";

/** Address of the exchange, and the account that trades there. */
export interface ConnectOptions {
  /** Base address of the REST interface with its version prefix: `https://host/v1`. */
  readonly baseUrl: string;
  /**
   * Base address of the streams: `wss://host/v1`; `baseUrl` with a websocket's protocol when
   * absent.
   */
  readonly streamUrl?: string;
  /**
   * A private key, 0x and 64 hex digits, or a signer. Without one only public operations are
   * available.
   */
  readonly key?: Hex | Signer;
  /** The trading account if the key is its operator's; default: the key's own. */
  readonly account?: Hex;
  readonly orders?: OrderSettings;
  readonly retry?: Partial<RetryPolicy>;
  /**
   * A rate budget shared with other connections of the process to the same exchange; default: a new
   * one.
   */
  readonly gate?: RateGate;
  /** Time limit of one request; default 10000. */
  readonly timeoutMs?: Ms;
  /** Some firewalls reject clients that do not look like a browser. */
  readonly userAgent?: string;
  /** Requests compressed streams. */
  readonly zip?: boolean;
  /** Time and randomness; default: the machine's own. */
  readonly runtime?: Runtime;
  /** @deprecated Use `runtime`. */
  readonly seam?: Runtime;
}

/** A connected exchange: its operations and its streams. */
export interface Connection {
  readonly client: ExchangeClient;
  readonly streams: ExchangeStreams;
  /** Closes streams and connections, and rejects waiting calls; requests in flight end as lost. */
  close(): void;
}

/** An object supplied by the caller; it is checked by its own code. */
const given = (expected: string) =>
  z.custom<object>((value) => typeof value === "object" && value !== null).meta({ expected });

const connectSchema = z.strictObject({
  baseUrl: z
    .string()
    .min(1)
    .meta({ expected: "the address of the REST interface, such as https://host/v1" }),
  streamUrl: z.string().min(1).optional(),
  key: z
    .custom<Hex | Signer>(
      (key) => typeof key === "string" || (typeof key === "object" && key !== null),
    )
    .meta({ expected: "a private key, 0x and 64 hex digits, or a Signer" })
    .optional(),
  account: z.string().optional(),
  orders: orderSettingsSchema.optional(),
  retry: z
    .strictObject({
      tries: z.number().optional(),
      pauseMs: z.number().optional(),
      maxPauseMs: z.number().optional(),
    })
    .optional(),
  gate: given("a RateGate").optional(),
  timeoutMs: z.number().optional(),
  userAgent: z.string().optional(),
  zip: z.boolean().optional(),
  runtime: given("a Runtime").optional(),
  seam: given("a Runtime").optional(),
});

/**
 * Connects to the exchange: reads its clock, so that requests are signed in its time, and its
 * rules, so that its rate limits hold.
 * @throws ConfigError for an unknown option, one that is not of its type, a wrong address or
 * account, FormatError for a wrong key, VenueRequestError when nothing answers.
 * @example
 * ```ts
 * import { connect } from "marketwright/exchange";
 *
 * // `npx marketwright exchange` serves this address; EXCHANGE_URL names another exchange.
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 * });
 * const { markets } = await client.exchangeInfo();
 * close();
 * markets.some(({ id }) => id === "btcusdc"); // => true
 * ```
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError("not the options of a connection", {
      field: "options",
      value: options,
      expected: "an object with baseUrl",
    });
  }
  checkShape(connectSchema, options);
  const {
    baseUrl,
    streamUrl = baseUrl.replace(/^http/, "ws"),
    key,
    account,
    seam,
    runtime = seam ?? createLiveRuntime(),
  } = options;
  if (seam !== undefined) warnRenamed("The option seam", "runtime");
  const { orders, retry, gate, timeoutMs, userAgent, zip = false } = options;
  if (account !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(account)) {
    throw new ConfigError("not an account", {
      field: "account",
      value: account,
      expected: "0x and 40 hex digits",
    });
  }
  const signer = typeof key === "string" ? ecdsaScheme.signer(key) : key;
  await initCrypto();
  const transport = new NetworkTransport({
    restUrl: baseUrl,
    streamUrl,
    clock: runtime.clock,
    userAgent,
  });
  const who = { signer, account };
  const client = new ExchangeClient({
    transport,
    runtime,
    ...who,
    orders,
    retry,
    gate,
    timeoutMs,
  });
  const streams = new ExchangeStreams({
    transport,
    runtime,
    nowMs: () => client.nowMs(),
    zip,
    ...who,
  });
  const close = (): void => {
    streams.close();
    client.close();
    transport.close();
  };
  try {
    await client.syncClock();
    await client.exchangeInfo();
  } catch (error) {
    close();
    throw error;
  }
  return { client, streams, close };
}
