import { distinctUntilChanged, map } from "rxjs";
import { expect } from "vitest";
import { z } from "zod";
import type { BotEvent, StopResult } from "#bot/bot-event.js";
import type { BotConfig } from "#bot/config.js";
import { nonceTagFor } from "#bot/nonce-tag.js";
import { MemoryStateStore, type StateStore } from "#bot/state-dir.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import {
  type CreditUnits,
  type Hex,
  type Lots,
  type Ms,
  type Side,
  sideSign,
  type Ticks,
} from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { readInfoTag } from "#exchange/order-info.js";
import type { HedgeVenue } from "#hedge/hedge-venue.js";
import { BotRig } from "#simulation/bot-rig.js";
import { MachineClock } from "#simulation/machine-clock.js";
import type { Order } from "#simulator/account.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { orderFlowFactory } from "#simulator/flow-config.js";
import type { Quote } from "#strategies/intent.js";
import { type BoundStrategy, defineStrategy, type Strategy } from "#strategies/strategy.js";
import { botConfig } from "../simulation/bot-config.js";
import { type HandOrder, HandTrader } from "./hand-trader.js";
import { ScriptedNetwork } from "./scripted-network.js";

export const MARKET = "btcusdc";
export const START_MS: Ms = 1_760_000_000_000;
/**
 * The bot's own quotes unless the story says otherwise: 59,999.0 and 60,001.0 at a tick of 0.1,
 * 0.01 each.
 */
export const BID: Ticks = 599_990;
export const ASK: Ticks = 600_010;
const SIZE: Lots = 10;
/** Changes of the market's rules: prices five times as coarse, and amounts twice. */
export const COARSER_TICK = { tickSize: "0.5", priceQuote: { min: "0.5" } };
export const COARSER_STEP = {
  stepSize: "0.002",
  amountBase: { min: "0.002" },
  marketAmountBase: { min: "0.002" },
};
/** Where the neighbours rest, far behind: the book is never empty without the bot. */
const FAR_BID: Ticks = 590_000;
const FAR_ASK: Ticks = 610_000;

/** The settings that a story may change. */
export interface StageOptions {
  /** Keys of the bot file, merged over the stage's own. */
  readonly bot?: Record<string, unknown>;
  /** Keys of the exchange's configuration. */
  readonly exchange?: Record<string, unknown>;
  /** Keys of the market's configuration. */
  readonly market?: Record<string, unknown>;
  /** The account is unknown to the exchange when false. */
  readonly registered?: boolean;
  /**
   * The strategy returns its intent once, as those of the package do, and not at each view anew.
   */
  readonly saysOnce?: boolean;
  /** The strategy of the bot, in place of the one whose quotes the story sets. */
  readonly strategy?: BoundStrategy;
}

/** The key of the bot's account. */
export const BOT_KEY: Hex = `0x${"42".repeat(32)}`;
const COUNTERPARTY_KEY: Hex = `0x${"43".repeat(32)}`;
const NEIGHBOUR_KEY: Hex = `0x${"44".repeat(32)}`;

/**
 * The real exchange and the real bot in virtual time, a network that follows the story, a
 * counterparty who trades by hand, and a strategy whose quotes the story sets.
 */
export class Stage {
  readonly clock = new VirtualClock(START_MS);
  readonly machine = new MachineClock(this.clock);
  readonly exchange: EmbeddedExchange;
  readonly counterparty: HandTrader;
  /** The bot's account, used by hand. */
  readonly owner: HandTrader;
  readonly address: Hex;
  readonly config: BotConfig;
  store: StateStore = new MemoryStateStore();
  readonly notices: BotEvent[] = [];
  /** Any other listener of the bot. */
  readonly listeners: ((notice: BotEvent) => void)[] = [];
  network: ScriptedNetwork;
  /** Where the bot lays positions off, by name. */
  hedgeVenues: ReadonlyMap<string, HedgeVenue> = new Map();
  readonly #neighbour: HandTrader;
  readonly #far: Record<Side, HandOrder>;
  #rig: BotRig | undefined;
  #wanted: readonly Quote[] = [];
  readonly #saysOnce: boolean;
  readonly #given: BoundStrategy | undefined;
  #starts = 0;
  #most: Record<Side, Lots> = { BUY: 0, SELL: 0 };

  constructor(options: StageOptions = {}) {
    const config = parseExchangeConfig({
      markets: { [MARKET]: { ...options.market } },
      ...options.exchange,
    });
    const flowOf = orderFlowFactory(config, { baseFolder: ".", onReplayEnd: () => {} });
    this.exchange = new EmbeddedExchange(
      config,
      { clock: this.clock, random: seededRandom("exchange") },
      { createFlow: flowOf },
    );
    this.exchange.start();
    const signer = ecdsaScheme.signer(BOT_KEY);
    this.address = signer.address;
    const trader = (key: Hex, ip: string) =>
      new HandTrader(this.exchange, this.clock, ecdsaScheme.signer(key), MARKET, ip);
    this.counterparty = trader(COUNTERPARTY_KEY, "10.0.0.8");
    this.#neighbour = trader(NEIGHBOUR_KEY, "10.0.0.9");
    this.#far = {
      BUY: this.#neighbour.rests("BUY", 500, FAR_BID),
      SELL: this.#neighbour.rests("SELL", 500, FAR_ASK),
    };
    this.config = botConfig({
      markets: {
        [MARKET]: {
          strategy: "ladder",
          limits: { maxPositionBase: "0.1", maxOrderBase: "0.05", maxOpenOrders: 12 },
        },
      },
      ...options.bot,
    });
    this.network = new ScriptedNetwork(this.exchange, this.clock, "10.0.0.1");
    this.#saysOnce = options.saysOnce ?? false;
    this.#given = options.strategy;
    this.owner = options.registered === false ? this.counterparty : trader(BOT_KEY, "10.0.0.7");
    this.wants();
  }

  /** One side of the book is left to the others. */
  neighbourLeaves(side: Side): void {
    this.#neighbour.cancels(this.#far[side]);
  }

  /** Sets the quotes of the strategy from now on: one a side, or a side without any (null). */
  wants(quotes: { bid?: Ticks | null; ask?: Ticks | null; lots?: Lots } = {}): void {
    const { bid = BID, ask = ASK, lots = SIZE } = quotes;
    this.#wanted = [
      ...(bid === null ? [] : [{ side: "BUY" as const, level: 0, ticks: bid, lots }]),
      ...(ask === null ? [] : [{ side: "SELL" as const, level: 0, ticks: ask, lots }]),
    ];
  }

  /** Sets any quotes of the strategy from now on. */
  wantsQuotes(quotes: readonly Quote[]): void {
    this.#wanted = quotes;
  }

  /**
   * Starts a bot on the state directory. Each bot after the first gets its own network, scripted by
   * `script`.
   */
  async botStarts(
    runMs: Ms = 3_000,
    script: (network: ScriptedNetwork) => void = () => {},
  ): Promise<void> {
    this.#starts++;
    if (this.#starts > 1) this.network = new ScriptedNetwork(this.exchange, this.clock, "10.0.0.1");
    script(this.network);
    this.network.afterEvent = () => this.#noteMost();
    const given: BoundStrategy | Strategy = this.#given ?? this.#strategy();
    this.#rig = new BotRig({
      door: this.network.door,
      transport: this.network,
      clock: this.machine,
      random: seededRandom(`bot ${this.#starts}`),
      scheme: ecdsaScheme,
      privateKey: BOT_KEY,
      config: this.config,
      store: this.store,
      hedgeVenues: this.hedgeVenues,
      strategies: new Map([[MARKET, given]]),
      observe: (notice) => {
        this.notices.push(notice);
        for (const listener of this.listeners) listener(notice);
      },
    });
    this.#rig.start();
    await this.passes(runMs);
  }

  /** Ends the bot as `kill -9` does: no peer is notified. */
  botIsKilled(): void {
    this.rig.kill();
    this.network.cut();
  }

  /** Ctrl-C; returns how the end came out. */
  async botStops(withinMs: Ms = 40_000): Promise<StopResult> {
    this.rig.bot.command({ command: "stop", reason: "SIGINT" });
    for (let waited = 0; waited < withinMs && this.rig.bot.phase !== "stopped"; waited += 100)
      await this.passes(100);
    const told = this.notices.find((notice) => notice.kind === "stopped");
    if (told?.kind !== "stopped") throw new Error(`the bot has not stopped within ${withinMs} ms`);
    return told.result;
  }

  /** Time passes. */
  passes(forMs: Ms): Promise<void> {
    return this.clock.runFor(forMs);
  }

  get rig(): BotRig {
    if (this.#rig === undefined) throw new Error("no bot was started");
    return this.#rig;
  }

  /** The bot's own open orders, as the exchange has them. */
  resting(): readonly Order[] {
    return this.exchange
      .openOrders(this.address)
      .filter((order) => order.openLots > 0 && this.isTheBots(order));
  }

  /** The same in short: `BUY 10 @ 599990`, in order of side and price. */
  quotes(): readonly string[] {
    return inShort(this.resting());
  }

  /**
   * The same of every open order of the account: manual ones, and those whose nonce the exchange
   * made.
   */
  allQuotes(): readonly string[] {
    return inShort(this.exchange.openOrders(this.address).filter(({ openLots }) => openLots > 0));
  }

  isTheBots(order: Order): boolean {
    return readInfoTag(order.terms.info) === nonceTagFor(this.address);
  }

  /** Every order of the bot's that the exchange ever took. */
  ordersEver(): number {
    const account = this.exchange.account(this.address);
    const open = [...(account?.activeOrders.values() ?? [])];
    const over = account?.inMarket(MARKET).history.page({ limit: 500 }) ?? [];
    return [...open, ...over].filter((order) => this.isTheBots(order)).length;
  }

  /** The most lots that the bot ever had open on a side at once. */
  get mostAtOnce(): Readonly<Record<Side, Lots>> {
    return this.#most;
  }

  /** Signed, as the exchange matched it. */
  positionLots(): Lots {
    return this.exchange.positionLots(this.address, MARKET);
  }

  netValue(): CreditUnits {
    return decimal(this.exchange.balances(this.address).balances.netValue);
  }

  /** Reasons for which the bot does not quote now. */
  halts(): readonly string[] {
    return [...new Set(this.rig.bot.tradingGuards.haltsFor(MARKET).map(({ name }) => name))].sort();
  }

  /** The bot's message when it halted for a reason; undefined when it never did. */
  saidOfHalt(reason: string): string | undefined {
    for (const notice of this.notices) {
      if (notice.kind === "halted" && notice.on && notice.reason === reason) return notice.why;
    }
    return undefined;
  }

  /** Kinds of difference that reconciliations found. */
  differences(): readonly string[] {
    return this.notices.flatMap((notice) =>
      notice.kind === "account" && notice.change.kind === "difference"
        ? [notice.change.difference.kind]
        : [],
    );
  }

  /** Phases that the bot's orders went to, in order of time. */
  phases(): readonly string[] {
    return this.notices.flatMap((notice) =>
      notice.kind === "account" &&
      notice.change.kind === "order" &&
      notice.change.change.change === "phase"
        ? [notice.change.change.to]
        : [],
    );
  }

  /**
   * The bot's table, its position and its profit are the exchange's, to the lot and to the unit.
   */
  expectAgreement(): void {
    this.expectOrdersAndPosition();
    const { account } = this.rig.bot.context;
    const { total, transfers, decimals } = account.profit();
    const scale = 10n ** BigInt(decimals - this.rig.rules.creditDecimals);
    expect(account.equity, "the bot's net value").toBe(this.netValue());
    expect(total + transfers, "profit by its parts").toBe(
      (this.netValue() - (account.startEquity ?? 0n)) * scale,
    );
  }

  /** The bot's table and its position are the exchange's, to the lot. */
  expectOrdersAndPosition(): void {
    const { account } = this.rig.bot.context;
    const open = (order: { readonly phase: string }) =>
      order.phase === "open" || order.phase === "partly-filled";
    const table = account.orders
      .mayStillFill(MARKET)
      .map((order) => [order.hash, order.side, open(order) ? order.availableLots : order.phase]);
    const exchange = this.resting().map(({ terms, side, openLots }) => [
      terms.hash,
      side,
      openLots,
    ]);
    expect(sorted(table), "the bot's orders").toEqual(sorted(exchange));
    expect(account.positionLots(MARKET), "the bot's position").toBe(this.positionLots());
    expect(this.exchange.audit().isConserved, "money at the exchange").toBe(true);
  }

  #noteMost(): void {
    const open: Record<Side, Lots> = { BUY: 0, SELL: 0 };
    for (const { side, openLots } of this.resting()) open[side] += openLots;
    for (const side of ["BUY", "SELL"] as const)
      this.#most[side] = Math.max(this.#most[side], open[side]);
  }

  #strategy() {
    const wanted = () => this.#wanted;
    return defineStrategy({
      params: z.object({}),
      create: () => (view$) =>
        view$.pipe(
          map((view) => ({
            kind: "quotes" as const,
            marketId: view.marketId,
            viewSequence: view.sequence,
            quotes: wanted(),
            reason: {
              fairTicks: view.midTicks,
              reservationTicks: view.midTicks,
              halfSpreadTicks: 10,
              terms: {},
              clamps: [],
            },
          })),
          distinctUntilChanged((said, now) => this.#saysOnce && said.quotes === now.quotes),
        ),
    });
  }
}

/**
 * Credit that a fill exchanges: price times amount, in units of 10^-6 (a tick of 0.1 and a lot of
 * 0.001 are 100 units).
 */
export function creditOf(side: Side, lots: Lots, ticks: Ticks): CreditUnits {
  return BigInt(-sideSign(side) * lots * ticks * 100);
}

function inShort(orders: readonly Order[]): readonly string[] {
  return orders.map(({ side, ticks, openLots }) => `${side} ${openLots} @ ${ticks}`).sort();
}

function decimal(text: string): CreditUnits {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
}

function sorted(rows: readonly (readonly unknown[])[]): readonly string[] {
  return rows.map((row) => row.join(" ")).sort();
}
