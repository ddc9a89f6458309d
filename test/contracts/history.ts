import { expect } from "vitest";
import type { Signer } from "#core/signing.js";
import { type Receipt, Revert } from "./evm.js";
import { abs, Model, ModelMarket } from "./model.js";
import { DEPOSITS, MAX_POSITIONS, START_PRICES } from "./opening.js";
import type { Operation } from "./operations.js";
import { match, orderInfo, sorted, tradeData } from "./signed-orders.js";
import { order, TRADERS, trader } from "./traders.js";
import { COIN, HEARTBEAT, type Market, type Ratios, USD, type World } from "./world.js";

/** A market on the chain and in the model. */
interface Both {
  readonly chain: Market;
  readonly model: ModelMarket;
}

/** The events of all runs, counted: a property would also hold if nothing happened. */
export const seen = {
  trades: 0,
  liquidations: 0,
  badDebts: 0,
  withdrawals: 0,
  refusals: new Set<string>(),
};

/** The same history on the chain and in the model, compared as it goes. */
export class History {
  readonly model: Model;
  readonly #both: readonly Both[];
  readonly #everybody: readonly Signer[];
  /** The credit that came in and has not gone out, less any that funding cut off. */
  #total: bigint;
  /** The tokens that the dealer should hold. */
  #tokens: bigint;

  constructor(
    readonly world: World,
    markets: readonly { chain: Market; ratios: Ratios }[],
  ) {
    this.model = new Model(world.owner.address, world.insurance.address, MAX_POSITIONS);
    this.#everybody = [...TRADERS, world.owner, world.insurance];
    this.#both = markets.map(({ chain, ratios }) => ({
      chain,
      model: new ModelMarket(
        chain.perp.address.toLowerCase(),
        ratios.maintenance,
        ratios.initial,
        ratios.discount,
        ratios.insuranceFee,
      ),
    }));
    for (const [i, price] of START_PRICES.entries()) this.#market(i).model.price = price;
    for (const [i, { address }] of TRADERS.entries()) {
      Object.assign(this.model.account(address), {
        primary: (DEPOSITS[i] ?? 0n) * USD,
        secondary: 1_000n * USD,
      });
    }
    this.model.account(world.owner.address).primary = 5n * USD;
    this.#total = DEPOSITS.reduce((sum, dollars) => sum + (dollars + 1_000n) * USD, 5n * USD);
    this.#tokens = this.#total;
  }

  async step(next: Operation, nonce: bigint): Promise<void> {
    switch (next.type) {
      case "trade":
        await this.#trade(next, nonce);
        break;
      case "liquidate":
        await this.#liquidate(next);
        break;
      case "price":
        await this.#price(next);
        break;
      case "funding":
        await this.#funding(next);
        break;
      case "withdraw":
        await this.#withdraw(next);
        break;
      case "deposit":
        await this.#deposit(next);
        break;
      case "handleBadDebt": {
        const { address } = trader(next.trader);
        const refusal = this.#attempt(() => this.model.handleBadDebt(address));
        await this.#agrees(
          refusal,
          this.world.dealer.send(this.world.owner, "handleBadDebt", address),
        );
        break;
      }
      case "stale": {
        const { chain, model } = this.#market(next.market);
        model.isStale = true;
        await this.world.makeStale(chain);
        break;
      }
    }
    // A difference stays: the comparison need not run after each.
    if (nonce % 4n === 3n) await this.#compare();
  }

  async #trade(next: Extract<Operation, { type: "trade" }>, nonce: bigint): Promise<void> {
    const { chain, model } = this.#market(next.market);
    const sign = next.isLong ? 1n : -1n;
    const scaled = (coins: bigint) => (coins * START_PRICES[0]) / this.#startPrice(next.market);
    const total = next.makers.reduce((sum, maker) => sum + scaled(maker.size), 0n);
    // The taker's bound is generous, the makers' prices lie around the mark.
    const taker = order(
      next.taker,
      sign * (scaled(next.taker.size) + total),
      model.price,
      next.isLong ? 500 : -500,
      total,
    );
    const makers = next.makers.map((maker) =>
      order(
        // Others than the taker, but for one in twelve.
        {
          ...maker,
          trader:
            maker.trader === 11 ? next.taker.trader : next.taker.trader + 1 + (maker.trader % 3),
        },
        -sign * scaled(maker.size),
        model.price,
        0,
        scaled(maker.size),
      ),
    );
    const signed = [taker, ...makers].map((one, i) => ({
      one,
      matched: match(
        this.world.domainSeparator,
        {
          signer: one.signer,
          perp: chain.perp.address,
          paper: one.paper,
          credit: one.credit,
          info: orderInfo(
            one.makerFeeRate,
            one.takerFeeRate,
            2_051_222_400,
            nonce * 16n + BigInt(i),
          ),
        },
        one.amount,
      ),
    }));
    const [first, ...rest] = signed;
    if (first === undefined) throw new Error("no taker");
    const sequence = sorted(
      first.matched,
      rest.map(({ matched }) => matched),
    );
    const inSequence = sequence
      .map((matched) => signed.find((entry) => entry.matched === matched)?.one)
      .filter((one) => one !== undefined);
    const refusal = this.#attempt(() => this.model.trade(model, taker, inSequence.slice(1)));
    const receipt = await this.#agrees(
      refusal,
      chain.perp.send(this.world.owner, "trade", tradeData(sequence)),
    );
    if (receipt === null) return;
    seen.trades += 1;
    const filled = receipt.events.filter(({ name }) => name === "OrderFilled");
    for (const [i, one] of [...inSequence.slice(1), taker].entries()) {
      const [, , , paper, net, , fee] = (filled[i]?.args ?? []) as unknown as [
        string,
        string,
        string,
        bigint,
        bigint,
        bigint,
        bigint,
      ];
      const credit = net + fee;
      const makerRate = one === taker ? one.takerFeeRate : one.makerFeeRate;
      // Cut off by less than one unit: of a maker's price, and of anybody's fee.
      if (one !== taker)
        expect(abs(credit * one.paper - paper * one.credit)).toBeLessThan(abs(one.paper));
      expect(abs(fee * COIN - abs(credit) * makerRate)).toBeLessThan(COIN);
    }
  }

  async #liquidate(next: Extract<Operation, { type: "liquidate" }>): Promise<void> {
    const unsafe = TRADERS.filter(({ address }) => this.#isUnsafe(address));
    const victim = unsafe[next.victim % Math.max(unsafe.length, 1)] ?? trader(next.victim);
    const held = this.model.account(victim.address).positions;
    const perp = held[next.market % Math.max(held.length, 1)]?.perp;
    const { chain, model } =
      this.#both.find((one) => one.model.perp === perp) ?? this.#market(next.market);
    const liquidator = trader(next.by);
    const [position] = model.balanceOf(victim.address);
    const request = (position * BigInt(next.share)) / 1_000n;
    // Around the mark price: some are too tight, most are not.
    const price =
      (model.price * BigInt(position > 0n ? 990 + next.slack : 1_010 - next.slack)) / 1_000n;
    const expectCredit = (-request * price) / COIN;
    const refusal = this.#attempt(() =>
      this.model.liquidate(model, liquidator.address, victim.address, request, expectCredit),
    );
    const done = await this.#agrees(
      refusal,
      this.world.liquidate(chain, liquidator, victim, request, expectCredit),
    );
    if (done === null) return;
    seen.liquidations += 1;
    const joined = done.events.find(({ name }) => name === "JoinLiquidation")?.args ?? [];
    const [, , , paper, credit] = joined as [string, string, string, bigint, bigint];
    // Less than one unit better for the liquidator than the exact price.
    const exactPrice = model.price * (paper > 0n ? COIN - model.discount : COIN + model.discount);
    expect(credit * COIN * COIN + paper * exactPrice).toBeLessThan(COIN * COIN);
  }

  async #price(next: Extract<Operation, { type: "price" }>): Promise<void> {
    const { chain, model } = this.#market(next.market);
    const price = (model.price * BigInt(next.share)) / 1_000n;
    if (price < 1_000_000n) return;
    if (model.isStale) await chain.source.send(this.world.owner, "setHeartbeat", HEARTBEAT);
    model.isStale = false;
    model.price = price;
    await this.world.setPrice(chain, price);
  }

  async #funding(next: Extract<Operation, { type: "funding" }>): Promise<void> {
    const { chain, model } = this.#market(next.market);
    const holders = [...model.balances.values()].filter(({ paper }) => paper !== 0n).length;
    const before = this.#credit();
    model.funding += (model.price * BigInt(next.share)) / 1_000n;
    await this.world.dealer.send(
      this.world.owner,
      "updateFundingRate",
      [chain.perp.address],
      [model.funding],
    );
    // Each holder's funding is cut off by less than a unit, before and after.
    const drift = this.#credit() - before;
    expect(abs(drift)).toBeLessThanOrEqual(BigInt(2 * holders));
    this.#total += drift;
  }

  async #withdraw(next: Extract<Operation, { type: "withdraw" }>): Promise<void> {
    const [from, to] = [trader(next.trader), trader(next.to)];
    const account = this.model.account(from.address);
    const primary =
      account.primary > 0n ? (account.primary * BigInt(next.share)) / 10_000n : BigInt(next.share);
    const secondary = (account.secondary * BigInt(next.secondary)) / 1_000n;
    const wasUnsafe = this.#isUnsafe(from.address);
    const refusal = this.#attempt(() =>
      this.model.withdraw(from.address, to.address, primary, secondary, next.isInternal),
    );
    const data = [from.address, to.address, primary, secondary, next.isInternal, "0x"];
    const done = await this.#agrees(refusal, this.world.dealer.send(from, "fastWithdraw", ...data));
    if (done === null) return;
    seen.withdrawals += 1;
    // An unsafe account withdraws nothing: only moving credit to oneself is allowed, as it is no
    // withdrawal.
    if (!(next.isInternal && from === to))
      expect(wasUnsafe && primary + secondary > 0n).toBe(false);
    if (next.isInternal) return;
    this.#total -= primary + secondary;
    this.#tokens -= primary + secondary;
  }

  async #deposit(next: Extract<Operation, { type: "deposit" }>): Promise<void> {
    const to = trader(next.trader);
    const [primary, secondary] = [BigInt(next.primary), BigInt(next.secondary)];
    await this.world.deposit(to, primary, secondary);
    this.model.account(to.address).primary += primary * USD;
    this.model.account(to.address).secondary += secondary * USD;
    this.#total += (primary + secondary) * USD;
    this.#tokens += (primary + secondary) * USD;
  }

  /**
   * True when the model knows the account to be unsafe; never while a price that it needs is stale.
   */
  #isUnsafe(address: string): boolean {
    let isUnsafe = false;
    this.#attempt(() => {
      isUnsafe = !this.model.isSafe(address);
    });
    return isUnsafe;
  }

  #attempt(action: () => void): string | null {
    return this.model.attempt(
      this.#both.map(({ model }) => model),
      action,
    );
  }

  async #agrees(refusal: string | null, sent: Promise<Receipt>): Promise<Receipt | null> {
    const answer = await sent.catch((error: unknown) => {
      if (error instanceof Revert) return error.reason;
      throw error;
    });
    expect(typeof answer === "string" ? answer : null).toBe(refusal);
    if (refusal !== null) seen.refusals.add(refusal);
    return typeof answer === "string" ? null : answer;
  }

  /** Every account's credit, positions in their order, and the sum of all. */
  async #compare(): Promise<void> {
    const everybody = this.#everybody.map(({ address }) => address);
    const { list } = (await this.world.lens.read(
      "holdings",
      this.world.dealer.address,
      everybody,
      1_000_000,
    )) as {
      list: {
        primaryCredit: bigint;
        secondaryCredit: bigint;
        positions: { perp: string; paper: bigint; credit: bigint }[];
      }[];
    };
    const chain = list.map(({ primaryCredit, secondaryCredit, positions }) => [
      primaryCredit,
      secondaryCredit,
      ...[...positions].flatMap(({ perp, paper, credit }) => [perp.toLowerCase(), paper, credit]),
    ]);
    const model = everybody.map((address) => {
      const { primary, secondary, positions } = this.model.account(address);
      return [
        primary,
        secondary,
        ...positions.flatMap((market) => [market.perp, ...market.balanceOf(address)]),
      ];
    });
    expect(chain).toEqual(model);
    expect(this.#credit()).toBe(this.#total);
    for (const { model: market } of this.#both) {
      expect([...market.balances.values()].reduce((sum, { paper }) => sum + paper, 0n)).toBe(0n);
    }
  }

  /** All credit, of accounts and of positions. */
  #credit(): bigint {
    let sum = 0n;
    for (const { address } of this.#everybody) {
      const { primary, secondary, positions } = this.model.account(address);
      sum += primary + secondary;
      for (const market of positions) sum += market.balanceOf(address)[1];
    }
    return sum;
  }

  /** Tokens that back the credit, and everybody's risk and liquidation prices at fresh prices. */
  async compareEnd(): Promise<void> {
    const held = await Promise.all(
      [this.world.usdc, this.world.jusd].map((token) =>
        token.read("balanceOf", this.world.dealer.address),
      ),
    );
    expect((held as bigint[]).reduce((sum, amount) => sum + amount, 0n)).toBe(this.#tokens);
    for (const { chain, model } of this.#both) {
      if (model.isStale) await chain.source.send(this.world.owner, "setHeartbeat", HEARTBEAT);
      model.isStale = false;
    }
    for (const { address } of this.#everybody) {
      const { netValue, exposure, initial, maintenance } = this.model.risk(address);
      const risk = (await this.world.dealer.read("getTraderRisk", address)) as bigint[];
      expect([...risk]).toEqual([netValue, exposure, initial, maintenance]);
      expect(await this.world.dealer.read("isSafe", address)).toBe(netValue >= maintenance);
      expect(await this.world.dealer.read("isIMSafe", address)).toBe(netValue >= initial);
      for (const { chain, model } of this.#both) {
        const price = await this.world.dealer.read(
          "getLiquidationPrice",
          address,
          chain.perp.address,
        );
        expect(price).toBe(this.model.liquidationPrice(address, model));
      }
    }
  }

  #startPrice(market: number): bigint {
    return START_PRICES[market % START_PRICES.length] ?? START_PRICES[0];
  }

  #market(i: number): Both {
    const both = this.#both[i % this.#both.length];
    if (both === undefined) throw new Error("no market");
    return both;
  }
}
