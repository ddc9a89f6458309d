import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Interface } from "ethers";
import { perpetualAbi } from "#chain/perpetual.generated.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { type OpenExchange, openConfiguredExchange } from "#simulator/configured-exchange.js";
import type { FlowMarket } from "#simulator/flow-market.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { ReferenceClient } from "../simulator/reference-client.js";

const PERPETUAL = new Interface(perpetualAbi);
const { clock } = createLiveRuntime();

/** Settings of a liquidator that polls from the first block on. */
export const WATCH = "{ minProfitQuote: 1, watchFromBlock: 0 }";

/**
 * Coins that the victims hold long from 60,000 on, 100,000 dollars each: the first is unsafe from
 * 56,700 down, the second from 58,300.
 */
const HOLDS = ["20", "29"] as const;

/**
 * An exchange on a chain, over real HTTP, with a book around its mark and accounts that may get in
 * danger. Every transaction is a block, and nothing happens by itself.
 */
export class LiquidationExchange {
  readonly folder = mkdtempSync(join(tmpdir(), "mw-"));
  readonly victims: readonly ReferenceClient[];
  #bots = 0;

  private constructor(
    readonly open: OpenExchange,
    readonly server: ExchangeServer,
    readonly flow: FlowMarket,
  ) {
    this.victims = HOLDS.map((_, i) => this.#client(`0x${String(i + 1).repeat(64)}`));
  }

  static async start(): Promise<LiquidationExchange> {
    const config = parseExchangeConfig({
      port: 0,
      markets: { btcusdc: { maxExposureQuote: "50000000" } },
      // A mark within an interval of the previous one would wait for a timer, and the request would
      // proceed without it.
      chain: { rpc: { port: 0 }, accounts: { count: 0 }, oracle: { minIntervalMs: 0 } },
    });
    let flow: FlowMarket | undefined;
    const open = await openConfiguredExchange(
      config,
      { clock, random: seededRandom("exchange") },
      {
        createFlow: () => ({
          start: (market: FlowMarket) => {
            flow = market;
          },
          stop: () => {},
        }),
        onChainFault: (error) => {
          throw error;
        },
      },
    );
    const server = await serveExchange(open.exchange);
    if (flow === undefined) throw new Error("the market has not begun");
    const world = new LiquidationExchange(open, server, flow);
    await world.#begin();
    return world;
  }

  get chain(): OpenChain {
    return this.open.chain as OpenChain;
  }

  get rpcUrl(): string {
    return this.chain.server?.url ?? "";
  }

  /** The mark, with the book moved along. */
  async mark(quote: number): Promise<void> {
    const ticks = quote * 10;
    this.flow.setReference(ticks, ticks);
    for (const sign of [-1, 1] as const)
      for (let level = 1; level <= 5; level += 1)
        this.flow.place({
          agent: "maker",
          side: sign < 0 ? "BUY" : "SELL",
          ticks: ticks + sign * level * 50,
          lots: 20_000,
          timeInForce: "GTC",
        });
    await this.open.waitUntilSettled();
  }

  /**
   * A bot's file that liquidates alone, and the environment of its user. @param parts lines in
   * place of the usual ones.
   */
  bot({ key = this.freshKey(), account, chain, liquidator, extra = "" }: BotParts = {}) {
    this.#bots += 1;
    const own = mkdtempSync(join(this.folder, `bot-${this.#bots}-`));
    const file = join(own, "bot.yaml");
    writeFileSync(
      file,
      `exchange: { rest: "${this.server.restUrl}", stream: "${this.server.streamUrl}" }
account: ${account ?? "{ keyEnv: BOT_KEY }"}
quotes: { timeInForce: POST_ONLY }
chain: ${chain ?? `{ rpc: ["${this.rpcUrl}"], pollMs: 50, maxHeadAgeMs: 3600000 }`}
liquidator: ${liquidator ?? "{ minProfitQuote: 1, pollMs: 1000 }"}
markets: { btcusdc: { limits: { maxPositionBase: 100, maxOrderBase: 50 } } }
risk: { maxDrawdownQuote: 50000 }
${extra}
`,
    );
    return {
      file,
      own,
      key,
      env: { BOT_KEY: key, XDG_RUNTIME_DIR: own },
      address: ecdsaScheme.signer(key).address,
    };
  }

  /** A new key. */
  freshKey(): Hex {
    const { random } = createLiveRuntime();
    return `0x${Array.from({ length: 4 }, () => random.uint64().toString(16).padStart(16, "0")).join("")}`;
  }

  /** The account of a key, with its dollars on the chain. */
  async registers(key: Hex): Promise<void> {
    this.#client(key).register();
    await this.open.waitUntilSettled();
  }

  async nonce(address: string): Promise<number> {
    return Number(await this.chain.chain.request("eth_getTransactionCount", address, "latest"));
  }

  async paper(address: string): Promise<bigint> {
    const perp = this.chain.addresses.markets.get("btcusdc")?.perp ?? "";
    const [paper] = PERPETUAL.decodeFunctionResult(
      "balanceOf",
      await this.chain.chain.call(
        perp,
        PERPETUAL.encodeFunctionData("balanceOf", [address]) as Hex,
      ),
    );
    return paper;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.open.close();
  }

  async #begin(): Promise<void> {
    await this.mark(60_000);
    for (const [i, victim] of this.victims.entries()) {
      victim.register();
      await this.open.waitUntilSettled();
      const { status, body } = victim.place("BUY", "60100", HOLDS[i] ?? "0");
      if (status !== 200) throw new Error(body);
      await this.open.waitUntilSettled();
    }
  }

  #client(key: string): ReferenceClient {
    return new ReferenceClient(this.open.exchange, () => clock.nowMs(), key, "10.0.0.9");
  }
}

/** Replacements for the usual parts of a bot's file. */
export interface BotParts {
  readonly key?: Hex;
  readonly account?: string;
  readonly chain?: string;
  readonly liquidator?: string;
  readonly extra?: string;
}
