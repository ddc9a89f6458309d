import { scaledToDecimal } from "#core/instrument.js";
import type { Random } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { KEYS, type ReferenceClient } from "../reference-client.js";
import { type ChainWorld, DEALER, PERPETUAL } from "./chain-world.js";
import { expectEqualViews } from "./equal-views.js";
import { SOURCE, send, TOKEN, walletOf } from "./wallet.js";

/** The kinds of events, with their relative frequency. */
const KINDS = {
  trade: 14,
  house: 5,
  rest: 2,
  take: 3,
  cancel: 1,
  faucet: 1,
  withdraw: 3,
  "withdraw-on-chain": 2,
  "deposit-on-chain": 1,
  "transfer-on-chain": 1,
  "operator-on-chain": 1,
  reference: 3,
  "set-price": 2,
  crash: 4,
  liquidate: 6,
  "liquidate-part": 5,
  "bad-debt": 1,
  time: 2,
  funding: 1,
} as const;

type Kind = keyof typeof KINDS;

const DRAWN: readonly Kind[] = (Object.entries(KINDS) as [Kind, number][]).flatMap(
  ([kind, times]) => Array<Kind>(times).fill(kind),
);

export const MARKETS = ["btcusdc", "ethusdc"];
const FUNDING_MS = 3_600_000;

/** Two markets, little credit, and a liquidator with plenty. */
export const HISTORY_CONFIG = {
  creditOnRegistration: "2500",
  markets: {
    btcusdc: { funding: { mode: "fixed" as const, rate: "0.00037", intervalMs: FUNDING_MS } },
    ethusdc: {
      baseAsset: "ETH",
      tickSize: "0.01",
      priceQuote: { min: "1" },
      maxLeverage: 10,
      liquidationThreshold: "0.05",
    },
  },
};

/**
 * The actions of traders, wallets, prices and liquidators on an exchange and its chain, by a seed.
 */
export class RandomHistory {
  readonly #world: ChainWorld;
  readonly #random: Random;
  readonly #wallets: readonly Signer[] = KEYS.slice(0, 3).map((key) => walletOf(key));
  #clients: readonly ReferenceClient[] = [];
  #prices = [30_000, 2_000];

  constructor(world: ChainWorld, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Sets up the prices, the accounts, and the liquidator's credit. */
  async begin(): Promise<void> {
    this.#clients = await this.#world.clients();
    this.#clients[2]?.call("POST", "/faucet", { amount: "1000000" });
    for (const place of [0, 1]) this.#reference(place, this.#prices[place] as number);
    await this.rest();
  }

  /** Continues on an exchange that has been opened again. */
  async resume(): Promise<void> {
    this.#clients = await this.#world.clients();
  }

  /** Waits for a block and until everything has settled. */
  async rest(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.#world.clock.runFor(1000);
      await this.#world.open.waitUntilSettled();
    }
  }

  async check(): Promise<void> {
    await this.rest();
    await expectEqualViews(
      this.#world,
      this.#clients.map(({ address }) => address),
    );
  }

  /** Makes one more event happen; waits for it one time in two. */
  async step(): Promise<void> {
    await this.#play(DRAWN[this.#below(DRAWN.length)] as Kind);
    if (this.#below(2) === 0) await this.#world.open.waitUntilSettled();
  }

  async #play(kind: Kind): Promise<void> {
    const { chain, addresses, keys } = this.#world.chain;
    const who = this.#below(3);
    const other = (who + 1 + this.#below(2)) % 3;
    const [client, opposite] = [
      this.#clients[who] as ReferenceClient,
      this.#clients[other] as ReferenceClient,
    ];
    const [wallet, another] = [this.#wallets[who] as Signer, this.#wallets[other] as Signer];
    const place = this.#below(2);
    const marketId = MARKETS[place] as string;
    const price = this.#prices[place] as number;
    const share = this.#random.uniform();
    const side = share < 0.5 ? "BUY" : "SELL";
    const amount = this.#amount(place);
    const dealer = (name: string, ...args: readonly unknown[]) =>
      send(this.#world, wallet, addresses.dealer, DEALER, name, ...args);
    const units = BigInt(this.#below(1_500_000_000));
    switch (kind) {
      case "trade":
        opposite.place(side === "BUY" ? "SELL" : "BUY", this.#quote(place, price), amount, {
          marketId,
        });
        client.place(side, this.#quote(place, price * (side === "BUY" ? 1.001 : 0.999)), amount, {
          marketId,
          timeInForce: "IOC",
        });
        return;
      case "rest":
        client.place(
          side,
          this.#quote(place, price * (1 + (side === "BUY" ? -0.002 : 0.002) * share)),
          amount,
          { marketId },
        );
        return;
      case "take":
        client.place(side, this.#quote(place, price * (side === "BUY" ? 1.01 : 0.99)), amount, {
          marketId,
          timeInForce: "IOC",
        });
        return;
      case "house": {
        const flow = this.#world.flow(marketId);
        const ticks = flow.instrument.parsePrice(
          this.#quote(place, price * (1 + (side === "BUY" ? -0.0005 : 0.0005))),
        );
        const timeInForce = this.#below(3) === 0 ? "IOC" : "GTC";
        flow.place({
          agent: "maker",
          side,
          ticks,
          lots: flow.instrument.parseAmount(amount),
          timeInForce,
        });
        client.place(side === "BUY" ? "SELL" : "BUY", flow.instrument.formatPrice(ticks), amount, {
          marketId,
          timeInForce: "IOC",
        });
        return;
      }
      case "cancel":
        client.call("DELETE", "/v1/allOpenOrders");
        return;
      case "faucet":
        client.call("POST", "/faucet", { amount: scaledToDecimal(units, 6) });
        return;
      case "withdraw":
        client.call("POST", "/withdraw", { amount: scaledToDecimal(units, 6) });
        return;
      case "withdraw-on-chain":
        await dealer("fastWithdraw", wallet.address, wallet.address, units, 0, false, "0x");
        return;
      case "deposit-on-chain":
        await send(this.#world, wallet, addresses.token, TOKEN, "approve", addresses.dealer, units);
        await dealer("deposit", units / 2n, 0, another.address);
        return;
      case "transfer-on-chain":
        await dealer("fastWithdraw", wallet.address, another.address, units, 0, true, "0x");
        return;
      case "operator-on-chain":
        await dealer("setOperator", another.address, share < 0.5);
        return;
      case "reference":
        this.#reference(place, price * (1 + (share - 0.5) * 0.02));
        return;
      case "set-price":
      case "crash": {
        const moved = price * (1 + (share - 0.5) * (kind === "crash" ? 0.3 : 0.01));
        const source = addresses.markets.get(marketId)?.priceSource as Hex;
        const data = SOURCE.encodeFunctionData("setMarkPrice", [
          BigInt(Math.round(moved * 1e6)),
        ]) as Hex;
        // Ahead of pending transactions, as another sender's price may be.
        await chain.send({
          from: keys.market(marketId).signer,
          to: source,
          data,
          gas: 200_000,
          tipWei: 5_000_000_000n,
        });
        return;
      }
      case "liquidate":
      case "liquidate-part": {
        // Liquidates any account that allows it, by the account that can afford it.
        for (const victim of this.#wallets.slice(0, 2)) {
          for (const id of MARKETS) {
            const paper =
              this.#world.exchange.account(victim.address)?.inMarket(id).position.settled.paper ??
              0n;
            const asked =
              kind === "liquidate"
                ? paper
                : (paper * BigInt(1 + this.#below(999_983))) / 1_000_003n;
            const by = this.#wallets[2] as Signer;
            if (asked !== 0n) {
              const worst = asked > 0n ? -(10n ** 30n) : 0n;
              await send(
                this.#world,
                by,
                this.#world.perp(id),
                PERPETUAL,
                "liquidate",
                by.address,
                victim.address,
                asked,
                worst,
              );
            }
          }
        }
        return;
      }
      case "bad-debt":
        await dealer("handleBadDebt", another.address);
        return;
      case "time":
        await this.#world.clock.runFor(this.#below(3000));
        return;
      case "funding":
        await this.#world.clock.runFor(FUNDING_MS);
    }
  }

  #below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  #reference(place: number, quote: number): void {
    this.#prices[place] = quote;
    const flow = this.#world.flow(MARKETS[place]);
    const ticks = flow.instrument.parsePrice(this.#quote(place, quote));
    flow.setReference(ticks, ticks);
  }

  #quote(place: number, quote: number): string {
    return quote.toFixed(place === 0 ? 1 : 2);
  }

  #amount(place: number): string {
    return place === 0
      ? (0.001 + this.#below(900) / 1000).toFixed(3)
      : (0.01 + this.#below(900) / 100).toFixed(2);
  }
}
