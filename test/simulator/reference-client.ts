import { Signature, TypedDataEncoder, Wallet } from "ethers";
import { seededRandom } from "#core/seeded-random.js";
import type { SignatureScheme } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange, type ExchangeOptions } from "#simulator/exchange.js";

/** Monday 2026-06-01, 00:00:10 UTC. */
export const START_MS = 1_780_272_010_000;

export const KEYS = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
] as const;

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries, as a foreign client would have it.
  readonly json: any;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PlaceOptions {
  readonly marketId?: string;
  readonly type?: string;
  readonly timeInForce?: string;
  readonly expirationMs?: number;
  readonly nonce?: bigint;
  readonly makerRate?: bigint;
  readonly takerRate?: bigint;
  readonly infoExpirationSeconds?: bigint;
  readonly overrides?: Readonly<Record<string, string | undefined>>;
}

const DOMAIN = { name: "JOJO", version: "1", chainId: 31337 };
const ORDER_TYPES = {
  Order: [
    { name: "perp", type: "address" },
    { name: "signer", type: "address" },
    { name: "paperAmount", type: "int128" },
    { name: "creditAmount", type: "int128" },
    { name: "info", type: "bytes32" },
  ],
};

/** An exchange in virtual time, without other participants unless the config names some. */
export function virtualExchange(
  input: Partial<ExchangeConfigInput> = {},
  options: ExchangeOptions = {},
) {
  const clock = new VirtualClock(START_MS);
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      markets: { btcusdc: { perp: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0" } },
      ...input,
    }),
    { clock, random: seededRandom("exchange") },
    options,
  );
  exchange.start();
  return { exchange, clock };
}

/** Replaces ECDSA where signatures are not under test: the signature contains its signer. */
export const namedSignatures: SignatureScheme = {
  name: "named",
  signer: () => {
    throw new Error("clients of the tests sign for themselves");
  },
  recover: (_digest, signature) =>
    /^0x[0-9a-fA-F]{130}$/.test(signature) ? signature.slice(0, 42).toLowerCase() : null,
};

/** Registered clients of one exchange in virtual time, with cheap signatures. */
export function traders(config: Partial<ExchangeConfigInput> = {}, options: ExchangeOptions = {}) {
  const { exchange, clock } = virtualExchange(config, { scheme: namedSignatures, ...options });
  const [alice, bob, carol] = KEYS.map((key, place) =>
    new ReferenceClient(exchange, () => clock.nowMs(), key, `10.0.0.${place + 1}`, true).register(),
  ) as [ReferenceClient, ReferenceClient, ReferenceClient];
  return { exchange, clock, alice, bob, carol };
}

/** A client written only with ethers, so that it shares no signing code with the exchange. */
export class ReferenceClient {
  readonly wallet: Wallet;
  #nonce = 1n;

  constructor(
    public exchange: EmbeddedExchange,
    readonly nowMs: () => number,
    key: string = KEYS[0],
    readonly ip = "10.0.0.1",
    /** Signs like {@link namedSignatures}, a thousand times faster. */
    readonly named = false,
    /** The account whose operator the key is; its own account when left out. */
    readonly actsFor?: string,
  ) {
    this.wallet = new Wallet(key);
  }

  get address(): string {
    return this.wallet.address;
  }

  /** The account that requests and orders are for. */
  get account(): string {
    return this.actsFor ?? this.address;
  }

  /** Any request, unsigned. */
  raw(
    method: string,
    path: string,
    parameters: Readonly<Record<string, string>> = {},
    where: "query" | "form" | "json" = "query",
  ): Answer {
    const form = encode(parameters);
    const answer = this.exchange.handle({
      method,
      path,
      query: where === "query" ? form : "",
      body: where === "form" ? form : where === "json" ? JSON.stringify(parameters) : "",
      ...(where === "form" ? { contentType: "application/x-www-form-urlencoded" } : {}),
      ...(where === "json" ? { contentType: "application/json" } : {}),
      ip: this.ip,
    });
    return {
      status: answer.status,
      body: answer.body,
      json: answer.body === "" ? undefined : JSON.parse(answer.body),
      headers: answer.headers ?? {},
    };
  }

  /** Adds account, timestamp and signature to the parameters. */
  signed(parameters: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
    const all: Record<string, string> = { account: this.account, timestamp: String(this.nowMs()) };
    for (const [key, value] of Object.entries(parameters)) {
      if (value !== undefined) {
        all[key] = value;
      }
    }
    const signature = this.named ? this.#name() : this.wallet.signMessageSync(encode(all));
    return { ...all, signature };
  }

  call(
    method: string,
    path: string,
    parameters: Readonly<Record<string, string | undefined>> = {},
  ): Answer {
    return this.raw(method, path, this.signed(parameters), method === "POST" ? "form" : "query");
  }

  register(): this {
    const answer = this.call("POST", "/v1/account");
    if (answer.status !== 200) {
      throw new Error(answer.body);
    }
    return this;
  }

  /** The parameters of a locally built and signed order. */
  order(
    side: "BUY" | "SELL",
    price: string,
    amount: string,
    options: PlaceOptions = {},
  ): Record<string, string | undefined> {
    const market = this.exchange.market(options.marketId ?? "btcusdc");
    const timeInForce = options.timeInForce ?? "GTC";
    const expirationSeconds =
      options.infoExpirationSeconds ??
      BigInt(Math.floor((options.expirationMs ?? this.nowMs() + 20 * 365 * 86_400_000) / 1000));
    const words = [
      options.makerRate ?? market.rules.makerRate,
      options.takerRate ?? market.rules.takerRate,
      expirationSeconds,
      options.nonce ?? this.#nonce,
    ];
    this.#nonce += 1n;
    const info = `0x${words.map((word) => BigInt.asUintN(64, word).toString(16).padStart(16, "0")).join("")}`;
    const paper = scaled(amount, 18);
    const product = scaled(price, 18) * paper;
    const unit = 10n ** 30n;
    const credit = side === "BUY" ? (product + unit - 1n) / unit : product / unit;
    const message = {
      perp: market.rules.perp,
      signer: this.account,
      paperAmount: side === "BUY" ? paper : -paper,
      creditAmount: side === "BUY" ? -credit : credit,
      info,
    };
    return {
      marketId: market.id,
      side,
      orderType: options.type ?? "LIMIT",
      amount,
      price,
      timeInForce,
      ...(options.expirationMs === undefined ? {} : { expiration: String(options.expirationMs) }),
      orderSignature: this.named
        ? this.#name()
        : Signature.from(this.wallet.signingKey.sign(this.hashOf(message))).serialized,
      info,
      ...options.overrides,
    };
  }

  /** The hash of an order in its JSON form, by ethers' own typed-data encoder. */
  hashOf(order: Readonly<Record<string, string | bigint>>): string {
    const { verifyingContract } = this.exchange.config.domain;
    return TypedDataEncoder.hash({ ...DOMAIN, verifyingContract }, ORDER_TYPES, order);
  }

  #name(): string {
    return `${this.address}${"00".repeat(44)}1b`;
  }

  place(side: "BUY" | "SELL", price: string, amount: string, options: PlaceOptions = {}): Answer {
    return this.call("POST", "/v1/order", this.order(side, price, amount, options));
  }

  cancel(id: number | string, marketId = "btcusdc"): Answer {
    return this.call("DELETE", "/v1/order", { marketId, orderId: String(id) });
  }

  openOrders(): Answer["json"] {
    return this.call("GET", "/v1/openOrders").json;
  }

  balances(): Answer["json"] {
    return this.call("GET", "/v1/balances").json;
  }
}

/** Python's urlencode over sorted parameters. */
export function encode(parameters: Readonly<Record<string, string>>): string {
  const quote = (text: string) =>
    encodeURIComponent(text)
      .replace(/%20/g, "+")
      .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return Object.keys(parameters)
    .sort()
    .map((key) => `${quote(key)}=${quote(parameters[key] as string)}`)
    .join("&");
}

function scaled(text: string, decimals: number): bigint {
  const [whole, fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
