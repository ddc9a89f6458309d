import type { Pool } from "undici";
import { RunError } from "#core/errors.js";
import { bytesToHex, hexToBytes } from "#core/hex.js";
import { decimalToScaled } from "#core/instrument.js";
import { ecdsaScheme, type Signer } from "#core/signing.js";
import { VenueOrderHasher, venueDomainSeparator } from "#simulator/order-hash.js";
import { writeOrderInfo } from "#simulator/order-info.js";
import { signedString, venueRequestDigest } from "#simulator/request-digest.js";

const TWENTY_YEARS_SECONDS = 630_720_000;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

interface SourceMarket {
  readonly id: string;
  readonly perp: Uint8Array;
}

/**
 * Presigned orders of one or many accounts, in turn in one or many markets: on both sides of books
 * that never cross, or in matching pairs.
 */
export class OrderSource {
  readonly #signers: readonly Signer[];
  readonly #hasher: VenueOrderHasher;
  readonly #markets: readonly SourceMarket[];
  #count = 0;
  #pairsCount = 0;

  private constructor(
    signers: readonly Signer[],
    hasher: VenueOrderHasher,
    markets: readonly SourceMarket[],
  ) {
    this.#signers = signers;
    this.#hasher = hasher;
    this.#markets = markets;
  }

  /**
   * Registers `accounts` accounts, and reads the domain and the markets' contracts from the
   * exchange itself.
   */
  static async open(pool: Pool, accounts = 1): Promise<OrderSource> {
    const answer = await pool.request({ method: "GET", path: "/v1/exchangeInfo" });
    const info = (await answer.body.json()) as {
      eip712: {
        chainId: number;
        domainName: string;
        domainVersion: string;
        verifyingContract: string;
      };
      markets: { id: string; perpetualContractAddress: string }[];
    };
    const { domainName: name, domainVersion: version, chainId, verifyingContract } = info.eip712;
    const source = new OrderSource(
      Array.from({ length: accounts }, (_, place) =>
        ecdsaScheme.signer(`0x${(0x4c00 + place).toString(16).padStart(64, "0")}`),
      ),
      new VenueOrderHasher(venueDomainSeparator({ name, version, chainId, verifyingContract })),
      info.markets.map(({ id, perpetualContractAddress }) => ({
        id,
        perp: hexToBytes(perpetualContractAddress),
      })),
    );
    for (const signer of source.#signers) {
      await post(pool, "/v1/account", signedBy(signer, new Map()));
    }
    return source;
  }

  /** `count` bodies of POST /v1/order. */
  take(count: number): string[] {
    return Array.from({ length: count }, () => this.#next());
  }

  /**
   * `count` bodies to buy and as many to sell, alternating, all at one price: each pair is a trade
   * between the first two accounts. The next call swaps them, so that no position grows.
   */
  pairs(count: number): string[] {
    const [market] = this.#markets;
    const [one, other] = this.#signers;
    if (market === undefined || one === undefined || other === undefined)
      throw new RunError("a pair needs two accounts", { value: this.#signers.length });
    this.#pairsCount += 1;
    const [buyer, seller] = this.#pairsCount % 2 === 1 ? [one, other] : [other, one];
    return Array.from({ length: 2 * count }, (_, i) =>
      this.#order(i % 2 === 0 ? buyer : seller, market, i % 2 === 0, 600_000),
    );
  }

  /** For every account, the query of DELETE /v1/allOpenOrders. */
  cancelAll(): string[] {
    return this.#signers.map((signer) => signedBy(signer, new Map()));
  }

  #next(): string {
    const count = this.#count + 1;
    const signer = this.#signers[count % this.#signers.length] as Signer;
    // Counted separately from the accounts, so that every account reaches every market.
    const market = this.#markets[
      Math.floor(count / this.#signers.length) % this.#markets.length
    ] as SourceMarket;
    const buys = count % 2 === 0;
    return this.#order(
      signer,
      market,
      buys,
      buys ? 590_000 - (count % 4001) : 610_000 + (count % 4001),
    );
  }

  #order(signer: Signer, market: SourceMarket, buys: boolean, ticks: number): string {
    this.#count += 1;
    const amount = "0.001";
    const paper = decimalToScaled(amount, 18);
    const credit = BigInt(ticks) * 100n;
    const expiration = BigInt(Math.floor(Date.now() / 1000) + TWENTY_YEARS_SECONDS);
    const info = writeOrderInfo(-(10n ** 14n), 3n * 10n ** 14n, expiration, BigInt(this.#count));
    const digest = this.#hasher.hash(
      market.perp,
      hexToBytes(signer.address),
      buys ? paper : -paper,
      buys ? -credit : credit,
      info,
    );
    return signedBy(
      signer,
      new Map([
        ["marketId", market.id],
        ["side", buys ? "BUY" : "SELL"],
        ["orderType", "LIMIT"],
        ["amount", amount],
        ["price", `${Math.floor(ticks / 10)}.${ticks % 10}`],
        ["timeInForce", "GTC"],
        ["orderSignature", signer.sign(digest)],
        ["info", bytesToHex(info)],
      ]),
    );
  }
}

function signedBy(signer: Signer, parameters: Map<string, string>): string {
  parameters.set("account", signer.address).set("timestamp", String(Date.now()));
  const message = signedString(parameters);
  return `${message}&signature=${signer.sign(venueRequestDigest(message))}`;
}

/** Sends a form. @returns the response's text. */
export async function post(pool: Pool, path: string, body: string): Promise<string> {
  const answer = await pool.request({ method: "POST", path, body, headers: FORM });
  return answer.body.text();
}

/**
 * Sends every body to POST /v1/order, `connections` of them at once.
 * @returns responses per second.
 * @throws RunError for a response that does not contain `expected`.
 */
export async function rateOf(
  pool: Pool,
  bodies: readonly string[],
  connections: number,
  expected: string,
): Promise<number> {
  const start = performance.now();
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < bodies.length) {
      const body = bodies[next] as string;
      next += 1;
      const answer = await post(pool, "/v1/order", body);
      if (!answer.includes(expected)) {
        throw new RunError("a request of the benchmark was refused", { value: answer, expected });
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  return (bodies.length * 1000) / (performance.now() - start);
}
