import { expect } from "vitest";
import { RunMonitor } from "#bot/run-monitor.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Signer } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import { decodeLedger } from "#liquidator/ledger-lines.js";
import type { LiquidatorSettings } from "#liquidator/liquidator-settings.js";
import type { Opportunity } from "#liquidator/opportunity.js";
import { silentLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import { WaitingClock } from "#simulation/waiting-clock.js";
import { BlockBuilder } from "../liquidator/simulation/block-builder.js";
import { FAIR, faultyNode, type NodeWeather } from "../liquidator/simulation/faulty-node.js";
import {
  COIN,
  DEALER,
  Ground,
  MARKETS,
  type Opening,
  PERPETUAL,
  SOURCE,
  USD,
} from "../liquidator/simulation/ground.js";
import {
  Disk,
  LiquidatorProcess,
  type Parts,
  type ProcessPlan,
} from "../liquidator/simulation/process.js";
import { Sender } from "../liquidator/simulation/rivals.js";
import { judge } from "../liquidator/simulation/witness.js";
import { StoryDesk } from "./story-desk.js";

export const GWEI = 10n ** 9n;
const START_MS: Ms = 1_760_000_000_000;
/** From one block to the next. */
export const BLOCK_MS: Ms = 2_000;
/** The market of most stories, and the second one. */
const BTC = 0;
export const ETH = 1;

/** One coin long at 60,000 with 5,000 of margin: unsafe from 56,700 down. */
export const LONG: Opening = { victim: 0, market: BTC, paper: COIN, price: 60_000n * USD };
/** The price of one coin long at 56,000, less the discount of a hundredth; in credit. */
export const PRICE = 55_440n * USD;
/** The liquidator's money at the beginning, in credit. */
export const OWN = 500_000n * USD;
const VICTIM_QUOTE = 5_000n;
const BUFFER_BPS = 500;

/** The settings that a story may change. */
export interface LiquidatingOptions {
  /** Dollars of the liquidator. */
  readonly own?: bigint;
  readonly openings?: readonly Opening[];
  /** Dollars of each victim. */
  readonly victims?: readonly bigint[];
  readonly nodes?: number;
}

/** How a process is started. */
export interface LifeOptions {
  readonly settings?: Partial<LiquidatorSettings>;
  readonly plan?: Partial<ProcessPlan>;
  readonly signer?: Signer;
  readonly dryRun?: boolean;
  readonly rework?: (parts: Parts) => Parts;
  /** Receives each step at which the process may be killed. */
  readonly onStep?: (kind: string) => void;
}

let ground: Promise<Ground> | undefined;

/**
 * A liquidator on a real chain whose blocks the story makes, with rivals, an oracle and RPCs under
 * the story's control. Time is virtual, and waits for the EVM.
 */
export class LiquidatingStage {
  readonly clock = new WaitingClock(START_MS);
  readonly disk = new Disk();
  readonly metrics = new Metrics();
  /** The liquidator's messages, oldest first. */
  readonly said: {
    readonly level: string;
    readonly text: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }[] = [];
  /** How each RPC behaves from now on. */
  readonly weather: NodeWeather[];
  readonly builder: BlockBuilder;
  readonly desk: StoryDesk;
  readonly #monitor = new RunMonitor(this.metrics, silentLog, this.clock, () => {});
  readonly #rivals: readonly Sender[];
  readonly #setters: readonly Sender[];
  readonly #victims: readonly Sender[];
  #process: LiquidatorProcess | undefined;
  #lives = 0;
  #firstBlock = 0;
  #firstNonce = 0;

  private constructor(
    readonly ground: Ground,
    nodes: number,
  ) {
    this.weather = Array.from({ length: nodes }, () => FAIR);
    this.builder = new BlockBuilder(ground, this.clock, seededRandom("builder"));
    const prices = MARKETS.map(({ price }) => price);
    this.desk = new StoryDesk(ground, this.builder, this.clock, prices, Number.POSITIVE_INFINITY);
    const { cast, markets } = ground;
    const sender = (signer: Signer) => new Sender(signer, ground, this.builder);
    this.#rivals = cast.rivals.map(sender);
    this.#setters = markets.map(({ setter }) => sender(setter));
    this.#victims = cast.victims.map(sender);
    this.builder.onBlock = (_, reorgDepth) => {
      if (reorgDepth > 0)
        for (const one of [...this.#rivals, ...this.#setters, ...this.#victims]) one.forget();
      this.clock.hold(this.desk.onBlock(reorgDepth));
    };
  }

  static async open({
    own = OWN / USD,
    openings = [LONG],
    victims,
    nodes = 1,
  }: LiquidatingOptions = {}): Promise<LiquidatingStage> {
    ground ??= Ground.create(START_MS);
    const on = await ground;
    const stage = new LiquidatingStage(on, nodes);
    const { cast, chain } = on;
    const dangers = Array.from(
      { length: Math.max(...openings.map(({ victim }) => victim)) + 1 },
      (_, i) => victims?.[i] ?? VICTIM_QUOTE,
    );
    const deposits: (readonly [Signer, bigint])[] = [
      [cast.rivals[0], 5_000_000n],
      [cast.rivals[1], 5_000_000n],
      [cast.counterparty, 50_000_000n],
      ...dangers.map((quote, i) => [on.victim(i), quote] as const),
    ];
    await on.begin(
      stage.clock,
      own === 0n ? deposits : [[cast.liquidator, own], ...deposits],
      openings,
    );
    stage.#firstBlock = chain.head.number + 1;
    stage.#firstNonce = await stage.nonce();
    return stage;
  }

  /** A liquidator comes up with what its machine's disk holds. */
  starts({
    settings = {},
    plan = {},
    rework = (parts) => parts,
    onStep = () => {},
    ...life
  }: LifeOptions = {}): void {
    this.#lives += 1;
    const nodes = this.weather.map((_, i) =>
      faultyNode(
        `node ${i}`,
        this.builder,
        this.clock,
        seededRandom(`node ${i} ${this.#lives}`),
        () => this.weather[i] ?? FAIR,
      ),
    );
    this.#process = new LiquidatorProcess({
      plan: { confirmations: 1, marginBufferBps: BUFFER_BPS, quorum: 1, ...plan },
      ground: this.ground,
      clock: this.clock,
      random: seededRandom(`liquidator ${this.#lives}`),
      nodes,
      desk: this.desk,
      disk: this.disk,
      onStep,
      rework: (parts) => rework({ ...parts, settings: { ...parts.settings, ...settings } }),
      log: (level, text, fields) => this.said.push({ level, text, fields }),
      ...life,
    });
    this.#process.start();
    this.#process.ledger.listen((note) => this.#monitor.liquidation.onLedgerChange(note));
  }

  get process(): LiquidatorProcess {
    if (this.#process === undefined) throw new Error("no liquidator was started");
    return this.#process;
  }

  /** A power cut. */
  isKilled(): void {
    this.process.kill();
  }

  /** Ctrl-C; blocks go on. @returns how many takeovers are left to the next run. */
  stops(waitMs: Ms = 60_000): Promise<number> {
    this.builder.start(BLOCK_MS);
    return this.clock.runThrough(this.process.stop(waitMs), 2 * waitMs);
  }

  /** Time passes without a block. */
  passes(forMs: Ms): Promise<void> {
    return this.clock.runUntil(this.clock.nowMs() + forMs);
  }

  /** So many blocks, each with time before and after it. */
  async blocks(count = 1): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      await this.passes(BLOCK_MS / 2);
      this.clock.hold(this.builder.makeBlock());
      await this.passes(BLOCK_MS / 2);
    }
  }

  /** The newest blocks are replaced. */
  async reorg(depth: number): Promise<void> {
    this.builder.reorgNow = () => depth;
    await this.blocks();
    this.builder.reorgNow = () => 0;
  }

  /**
   * The oracle's price, and the exchange's, from the next block on: before everything else in it,
   * or after.
   */
  async price(quote: number, market = BTC, order: "first" | "last" = "first"): Promise<void> {
    const price = BigInt(quote) * USD;
    this.desk.setPrice(market, price);
    await this.oracleOnly(quote, market, order);
  }

  /** Changes the oracle's price alone: no other party has noticed yet. */
  async oracleOnly(quote: number, market = BTC, order: "first" | "last" = "first"): Promise<void> {
    const data = SOURCE.encodeFunctionData("setMarkPrice", [BigInt(quote) * USD]);
    const { source } = this.ground.market(market);
    await this.#setters[market]?.send(source, data, order === "first" ? 10_000n * GWEI : 1n);
  }

  /**
   * The longest that a price of a market counts; a second makes every one of an earlier block
   * stale.
   */
  async heartbeat(seconds: bigint, market = BTC): Promise<void> {
    const data = SOURCE.encodeFunctionData("setHeartbeat", [seconds]);
    await this.#setters[market]?.send(this.ground.market(market).source, data, 20_000n * GWEI);
  }

  /** A rival liquidates, at that tip. */
  async rivalTakes(
    paper: bigint,
    tipWei: bigint,
    { victim = 0, market = BTC } = {},
  ): Promise<void> {
    const [rival] = this.#rivals;
    const anyPrice = paper > 0n ? -(10n ** 30n) : 0n;
    const data = PERPETUAL.encodeFunctionData("liquidate", [
      this.rival,
      this.ground.victim(victim).address,
      paper,
      anyPrice,
    ]);
    await rival?.send(this.ground.market(market).perp, data, tipWei);
  }

  /** A victim brings dollars. */
  async victimDeposits(quote: bigint, tipWei: bigint, victim = 0): Promise<void> {
    const { address } = this.ground.victim(victim);
    const data = DEALER.encodeFunctionData("deposit", [quote * USD, 0n, address]);
    await this.#victims[victim]?.send(this.ground.open.addresses.dealer, data, tipWei);
  }

  get rival(): string {
    return this.ground.cast.rivals[0].address;
  }

  /** Every opportunity, as the ledger's file has it. */
  ledger(): readonly Opportunity[] {
    return decodeLedger(this.disk.ledger);
  }

  /** The only one. */
  opportunity(): Opportunity {
    const [only, ...others] = this.ledger();
    if (only === undefined || others.length > 0)
      throw new Error(`${this.ledger().length} opportunities`);
    return only;
  }

  /** The counters of the metrics page: the first two stages, and the outcomes. */
  async counted(): Promise<Readonly<Record<string, number>>> {
    const page = await this.metrics.page();
    const stages = page.matchAll(
      /^marketwright_liquidation_stages_total\{market="\w+",stage="(seen|confirmed)"\} (\d+)$/gm,
    );
    const outcomes = page.matchAll(
      /^marketwright_liquidations_total\{market="\w+",outcome="([\w-]+)"\} (\d+)$/gm,
    );
    const counts: Record<string, number> = {};
    for (const [, name = "", count] of [...stages, ...outcomes])
      counts[name] = (counts[name] ?? 0) + Number(count);
    return counts;
  }

  /** Transactions of the liquidator that are in blocks, since the beginning. */
  async nonces(): Promise<number> {
    return (await this.nonce()) - this.#firstNonce;
  }

  async nonce(who: Signer = this.ground.cast.liquidator): Promise<number> {
    return Number(
      await this.ground.chain.request("eth_getTransactionCount", who.address, "latest"),
    );
  }

  async wei(who: Signer = this.ground.cast.liquidator): Promise<bigint> {
    return BigInt(
      (await this.ground.chain.request("eth_getBalance", who.address, "latest")) as string,
    );
  }

  /** Paper of an account in a market, by the contract. */
  async paper(who: Signer = this.ground.cast.liquidator, market = BTC): Promise<bigint> {
    const [paper] = await this.ground.view(
      this.ground.market(market).perp,
      PERPETUAL,
      "balanceOf",
      [who.address],
    );
    return paper;
  }

  /**
   * Paper and credit that the liquidator has in a market and at the dealer, all in credit but for
   * the paper.
   */
  async held(market = BTC): Promise<{ readonly paper: bigint; readonly credit: bigint }> {
    const { address } = this.ground.cast.liquidator;
    const [paper, credit] = await this.ground.view(
      this.ground.market(market).perp,
      PERPETUAL,
      "balanceOf",
      [address],
    );
    const [primary] = await this.ground.view(
      this.ground.open.addresses.dealer,
      DEALER,
      "getCreditOf",
      [address],
    );
    return { paper, credit: credit + primary };
  }

  /** Warnings and errors, each once. */
  troubles(): readonly string[] {
    return [...new Set(this.said.flatMap(({ level, text }) => (level === "info" ? [] : [text])))];
  }

  /**
   * An independent reading of the chain finds nothing paid twice, no nonce astray, and the ledger
   * and the acquired positions as the chain has them.
   */
  async expectHonest(): Promise<void> {
    const violations = await judge(this.ground, {
      fromBlock: this.#firstBlock,
      endMs: this.clock.nowMs(),
      firstNonce: this.#firstNonce,
      records: this.disk.records,
      opportunities: this.ledger(),
      acquired: this.desk.acquired,
      toldTimes: this.desk.toldTimes,
      marginBufferBps: BigInt(BUFFER_BPS),
    });
    expect(violations).toEqual([]);
  }
}

/** The price of gas in credit at 3,000 a coin, rounded up. */
export function gasCredit(wei: bigint): bigint {
  return (wei * 3_000n * USD + COIN - 1n) / COIN;
}
