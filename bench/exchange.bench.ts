import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { RunError } from "../src/core/errors.js";
import { bytesToHex, hexToBytes } from "../src/core/hex.js";
import { decimalToScaled } from "../src/core/instrument.js";
import { ecdsaScheme, initCrypto } from "../src/core/signing.js";
import { domainSeparator, OrderHasher } from "../src/simulator/signing/order-hash.js";
import { writeOrderInfo } from "../src/simulator/signing/order-info.js";
import { requestDigest, signedString } from "../src/simulator/signing/request-digest.js";
import type { Bench } from "./bench.js";
import type { BenchPorts } from "./exchange-server.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 5;
const ORDERS_A_ROUND = 3000;
const CONNECTIONS = 32;
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const PRIVATE_KEY = `0x${"4c".repeat(32)}`;
const TWENTY_YEARS_SECONDS = 630_720_000;

/** Presigned orders that rest, sent over loopback to the exchange, against the same bodies sent to an echo. */
export const bench: Bench = {
  about: "orders accepted over loopback with both signatures verified, against a bare fastify echo of the same body",
  floor: 0.12,
  async run() {
    const backends = await initCrypto();
    const servers = fork(fileURLToPath(new URL("./exchange-server.ts", import.meta.url)));
    const ports = await new Promise<BenchPorts>((resolve, reject) => {
      servers.once("message", (message) => resolve(message as BenchPorts));
      servers.once("exit", (code) => reject(new RunError("the servers of the benchmark ended early", { value: code })));
    });
    const exchange = new Pool(`http://127.0.0.1:${ports.exchange}`, { connections: CONNECTIONS, pipelining: 1 });
    const echo = new Pool(`http://127.0.0.1:${ports.echo}`, { connections: CONNECTIONS, pipelining: 1 });
    try {
      const orders = await OrderSource.open(exchange);
      const measured = await interleaved({
        rounds: ROUNDS,
        ours: () => rateOf(exchange, orders.take(ORDERS_A_ROUND), '"status":"NEW"'),
        reference: () => rateOf(echo, orders.take(ORDERS_A_ROUND), "orderSignature="),
      });
      return {
        ...measured,
        unit: "orders/s",
        referenceIs: `a bare fastify echo of the same body (ours: keccak ${backends.keccak}, curve ${backends.signing})`,
        details: { "connections, each with one request under way": CONNECTIONS },
      };
    } finally {
      await exchange.close();
      await echo.close();
      servers.removeAllListeners("exit").kill();
    }
  },
};

/** Sends every body, as many at once as there are connections. @returns answers a second; @throws RunError for a wrong one */
async function rateOf(pool: Pool, bodies: readonly string[], expected: string): Promise<number> {
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
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  return (bodies.length * 1000) / (performance.now() - start);
}

async function post(pool: Pool, path: string, body: string): Promise<string> {
  const answer = await pool.request({ method: "POST", path, body, headers: FORM });
  return answer.body.text();
}

/** Orders on both sides of a market that never meet, each with a nonce of its own and both signatures. */
class OrderSource {
  readonly #signer = ecdsaScheme.signer(PRIVATE_KEY);
  readonly #hasher: OrderHasher;
  readonly #perp: Uint8Array;
  #count = 0;

  private constructor(hasher: OrderHasher, perp: Uint8Array) {
    this.#hasher = hasher;
    this.#perp = perp;
  }

  /** Registers the account and takes the domain and the market's contract from the exchange itself. */
  static async open(pool: Pool): Promise<OrderSource> {
    const answer = await pool.request({ method: "GET", path: "/v1/exchangeInfo" });
    const info = (await answer.body.json()) as {
      eip712: { chainId: number; domainName: string; domainVersion: string; verifyingContract: string };
      markets: { perpetualContractAddress: string }[];
    };
    const { domainName: name, domainVersion: version, chainId, verifyingContract } = info.eip712;
    const hasher = new OrderHasher(domainSeparator({ name, version, chainId, verifyingContract }));
    const source = new OrderSource(hasher, hexToBytes(info.markets[0]?.perpetualContractAddress ?? ""));
    await post(pool, "/v1/account", source.#signed(new Map()));
    return source;
  }

  take(count: number): string[] {
    return Array.from({ length: count }, () => this.#next());
  }

  #next(): string {
    this.#count += 1;
    const buys = this.#count % 2 === 0;
    const ticks = buys ? 590_000 - (this.#count % 4001) : 610_000 + (this.#count % 4001);
    const price = `${Math.floor(ticks / 10)}.${ticks % 10}`;
    const amount = "0.001";
    const paper = decimalToScaled(amount, 18);
    const credit = BigInt(ticks) * 100n;
    const expiration = BigInt(Math.floor(Date.now() / 1000) + TWENTY_YEARS_SECONDS);
    const info = writeOrderInfo(-(10n ** 14n), 3n * 10n ** 14n, expiration, BigInt(this.#count));
    const signer = hexToBytes(this.#signer.address);
    const digest = this.#hasher.hash(this.#perp, signer, buys ? paper : -paper, buys ? -credit : credit, info);
    return this.#signed(
      new Map([
        ["marketId", "btcusdc"],
        ["side", buys ? "BUY" : "SELL"],
        ["orderType", "LIMIT"],
        ["amount", amount],
        ["price", price],
        ["timeInForce", "GTC"],
        ["orderSignature", this.#signer.sign(digest)],
        ["info", bytesToHex(info)],
      ]),
    );
  }

  #signed(parameters: Map<string, string>): string {
    parameters.set("account", this.#signer.address).set("timestamp", String(Date.now()));
    const message = signedString(parameters);
    return `${message}&signature=${this.#signer.sign(requestDigest(message))}`;
  }
}
