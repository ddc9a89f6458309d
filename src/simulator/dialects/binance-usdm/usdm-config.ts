import { z } from "zod";
import { address, decimal, positiveDecimal, text } from "../../config/config-text.js";

const durationMs = z.int().min(0).max(1_000_000_000_000);
const count = z.int().min(1).max(1_000_000_000);

const apiKeyShape = z.strictObject({
  /** The environment variable that holds the API secret. */
  secretEnv: text(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable"),
  /**
   * The account that the key trades for, opened at the start if it does not exist. An account of
   * the key's own when left out.
   */
  account: address.optional(),
});

/**
 * The dialect `binance-usdm` in an exchange's configuration.
 * docs/reference/binance-dialect.md gives the reason for each default.
 */
export const usdmConfigShape = z.strictObject({
  /** The port of its REST and streams; 0 uses any free one. */
  port: z.int().min(0).max(65535).default(8622),
  /** Accounts by API key. */
  apiKeys: z
    .record(text(/^[A-Za-z0-9_-]{8,128}$/, "8 to 128 letters, digits, - and _"), apiKeyShape)
    .default({}),
  /**
   * A failed settlement takes a fill back. `adjustment` reports that as an ACCOUNT_UPDATE of reason
   * ADJUSTMENT and by incomes; `silent` only changes what REST returns.
   */
  failedSettlement: z.enum(["adjustment", "silent"]).default("adjustment"),
  /** Limits of a new order's price, as multiples of the mark. */
  percentPrice: z
    .strictObject({
      up: positiveDecimal.default("1.15"),
      down: positiveDecimal.default("0.85"),
    })
    .prefault({}),
  /** How far from the mark a MARKET order may trade, as a fraction of it. */
  marketTakeBound: decimal.default("0.05"),
  /** The smallest notional of an order that does not only reduce. */
  minNotionalQuote: decimal.default("5"),
  /** The time for which a listen key is valid after its creation and each keepalive. */
  listenKeyLifeMs: durationMs.min(1000).default(3_600_000),
  /** The widest `recvWindow`, and the one of a request without it. */
  maxRecvWindowMs: durationMs.min(1).default(60_000),
  recvWindowMs: durationMs.min(1).default(5000),
  rateLimits: z
    .strictObject({
      /** Request weight of one address in a minute. */
      weightPerMinute: count.default(2400),
      /** New orders of one account. */
      ordersPerMinute: count.default(1200),
      ordersPer10Seconds: count.default(300),
      /** Requests after a 429 within one minute that turn it into a 418. */
      requestsBeforeBan: count.default(120),
      banMs: durationMs.min(1000).default(120_000),
    })
    .prefault({}),
  streams: z
    .strictObject({
      pingIntervalMs: durationMs.min(1).default(180_000),
      pongTimeoutMs: durationMs.min(1).default(600_000),
      maxAgeMs: durationMs.min(1).default(86_400_000),
      maxStreams: count.default(1024),
      messagesPerSecond: count.default(10),
      maxBufferedBytes: count.default(8_388_608),
    })
    .prefault({}),
});

/** The dialect's configuration, checked and with all defaults filled in. */
export type UsdmConfig = z.output<typeof usdmConfigShape>;
