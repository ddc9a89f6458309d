import type { Takeover } from "../../src/account/takeover.js";
import type { Bot } from "../../src/bot/bot.js";
import type { UnwindReport } from "../../src/bot/unwind/unwind-report.js";
import type { Random } from "../../src/core/seam.js";
import { seededRandom } from "../../src/core/seeded-random.js";
import type { Hex, MarketId, Ms, Ticks } from "../../src/core/units.js";
import type { PlaceAction } from "../../src/exchange/venue.js";
import type { EmbeddedExchange } from "../../src/simulator/exchange.js";
import { type BotRig, botConfig, type RigOptions } from "./bot-rig.js";
import { CALM_AFTER_MS } from "./seed-plan.js";
import type { Break } from "./world.js";

const VICTIM: Hex = `0x${"51".repeat(20)}`;
const SLIPPAGE_BPS = 100;
const UNWIND = { makerFirstMs: 5_000, horizonMs: 30_000, slices: 6, maxSlippageBps: SLIPPAGE_BPS };
/** A takeover is through so long after its being told, and told so long before the end. */
const THROUGH_MS: Ms = UNWIND.makerFirstMs + UNWIND.horizonMs;
const LAST_MS: Ms = CALM_AFTER_MS + THROUGH_MS;

interface Told {
  readonly takeover: Takeover;
  readonly isTakenBack: boolean;
  /** Worst price of its sale, by the mark that the bot knew when it first heard; undefined where it knew none. */
  readonly worstTicks: Ticks | undefined;
}

/**
 * Gives the bot of a simulated hour positions that a liquidator has taken over, told again at every start as the liquidator does, some
 * of them taken back by the chain; and holds the sale of each to its bounds, whatever else befalls the bot.
 */
export class Inheritance {
  /** What must never be, and was. */
  readonly violations: string[] = [];
  readonly reports = new Map<string, UnwindReport>();
  slices = 0;
  readonly #random: Random;
  readonly #marketMs: Ms;
  readonly #told = new Map<string, Told>();
  #exchange: EmbeddedExchange | undefined;
  #bot: Bot | undefined;

  constructor(seed: number, marketMs: Ms) {
    this.#random = seededRandom(`inheritance ${seed}`);
    this.#marketMs = marketMs;
  }

  get takeovers(): number {
    return this.#told.size;
  }

  /** To be handed to a run. */
  get twist(): Break {
    const { chain, liquidator } = botConfig({
      chain: { rpc: ["http://chain.test"] },
      liquidator: { minProfitQuote: "1", unwind: UNWIND },
      markets: { btcusdc: { limits: { maxPositionBase: "1", maxOrderBase: "1", maxOpenOrders: 1 } } },
    });
    return {
      name: "inheritance",
      what: "positions are taken over",
      plan: (plan) => ({ ...plan, bot: { ...plan.bot, chain, liquidator } }),
      rig: (options) => this.#listening(options),
      bot: (rig) => this.#started(rig),
    };
  }

  #listening(options: RigOptions): RigOptions {
    const { clock, observe } = options;
    if (this.#exchange === undefined) {
      this.#exchange = options.door as EmbeddedExchange;
      this.#exchange.register(VICTIM);
      for (let count = 2 + Math.floor(this.#random.uniform() * 5); count > 0; count -= 1) {
        const atMs = 20_000 + this.#random.uniform() * (this.#marketMs - LAST_MS - 20_000);
        clock.setTimer(atMs, () => this.#happens(options));
      }
    }
    return {
      ...options,
      observe: (notice) => {
        if (notice.kind === "unwind") this.#heard(notice.unwind);
        if (notice.kind === "dispatched" && notice.action.kind === "place") this.#sent(notice.action);
        observe?.(notice);
      },
    };
  }

  /** The liquidator says everything again: it cannot know what a bot that died has heard. */
  #started({ bot }: BotRig): void {
    this.#bot = bot;
    for (const { takeover, isTakenBack } of this.#told.values()) {
      bot.command({ command: "inherit", takeover });
      if (isTakenBack) bot.command({ command: "disinherit", takeoverId: takeover.id });
    }
  }

  #happens({ clock, config, scheme, privateKey }: RigOptions): void {
    const markets = Object.keys(config.markets);
    const marketId = markets[Math.floor(this.#random.uniform() * markets.length)] as MarketId;
    const desk = this.#bot?.context.desks.get(marketId);
    const mark = desk?.state.mark;
    if (desk === undefined || mark === undefined) return;
    const isLong = this.#random.uniform() < 0.5;
    const most = marketId === "btcusdc" ? 40 : 400;
    const lots = (isLong ? 1 : -1) * (1 + Math.floor(this.#random.uniform() * most));
    // One per cent better than the mark.
    const price = (mark * (isLong ? 99n : 101n)) / 100n;
    const credit = (-BigInt(lots) * desk.instrument.paperPerLot * price) / 10n ** BigInt(desk.instrument.paperDecimals);
    const takeover: Takeover = { id: `tx ${this.#told.size + 1}`, marketId, lots, credit, atMs: clock.nowMs() };
    const address = scheme.signer(privateKey).address;
    const markTicks = desk.state.markTicks;
    const slip = SLIPPAGE_BPS / 10_000;
    const worstTicks = Number.isFinite(markTicks) ? markTicks * (isLong ? 1 - slip : 1 + slip) : undefined;
    this.#told.set(takeover.id, { takeover, isTakenBack: false, worstTicks });
    // In one instant: what the exchange has and the bot cannot know yet, no limit of the bot can hold.
    this.#apply(address, takeover, 1, clock.nowMs());
    this.#bot?.command({ command: "inherit", takeover });
    const undoAfterMs = 3_000 + 15_000 * this.#random.uniform();
    if (this.#random.uniform() >= 0.2) return;
    clock.setTimer(undoAfterMs, () => {
      this.#apply(address, takeover, -1, clock.nowMs());
      this.#told.set(takeover.id, { takeover, isTakenBack: true, worstTicks: undefined });
      this.#bot?.command({ command: "disinherit", takeoverId: takeover.id });
    });
  }

  /** As the exchange applies a block: to both sides, so that no money is made of nothing. */
  #apply(address: Hex, { marketId, lots, credit }: Takeover, sign: 1 | -1, timeMs: Ms): void {
    const perLot = this.#bot?.context.desks.get(marketId)?.instrument.paperPerLot ?? 10n ** 15n;
    const paper = BigInt(sign * lots) * perLot;
    const quote = credit < 0n ? -credit : credit;
    const change = (of: bigint) => ({ paper: of, quote, fee: 0n, timeMs });
    this.#exchange?.account(address)?.in(marketId).position.applySettled(change(paper));
    this.#exchange?.account(VICTIM)?.in(marketId).position.applySettled(change(-paper));
  }

  #heard(report: UnwindReport): void {
    this.reports.set(report.takeoverId, report);
    const { takeoverId, inheritedLots, soldLots, remainingLots } = report;
    if (soldLots + remainingLots !== inheritedLots)
      this.violations.push(`${takeoverId}: ${inheritedLots} inherited, ${soldLots} sold and ${remainingLots} left`);
  }

  /** A bot that only makes markets sends nothing that takes: what does is a slice of a sale. */
  #sent({ marketId, side, ticks, lots, timeInForce }: PlaceAction): void {
    if (timeInForce !== "IOC") return;
    this.slices += 1;
    const bounds = [...this.#told.values()].filter(({ takeover }) => takeover.marketId === marketId);
    // The bot has one bound for all; of those that are known here the loosest is one that no slice may pass.
    if (bounds.some(({ worstTicks, isTakenBack }) => worstTicks === undefined || isTakenBack)) return;
    const isWithin = bounds.some(({ worstTicks = 0 }) => (side === "SELL" ? ticks >= worstTicks - 1 : ticks <= worstTicks + 1));
    if (!isWithin) this.violations.push(`a slice of ${side} ${lots} at ${ticks} ticks is beyond every bound`);
  }

  /** When the hour is over: each takeover is through, and what was not sold is told at the mark. */
  judge(): void {
    for (const report of this.#bot?.unwinding.reports() ?? []) this.#heard(report);
    for (const { takeover, isTakenBack } of this.#told.values()) {
      const report = this.reports.get(takeover.id);
      if (report === undefined) {
        // One that the chain took back before any bot heard of it is none.
        if (!isTakenBack) this.violations.push(`${takeover.id} was told, and nothing is known of it`);
        continue;
      }
      if (report.state === "open") this.violations.push(`${takeover.id} is open still, its deadline was ${report.deadlineMs}`);
      if (report.remainingLots !== 0 && report.markCredit === undefined)
        this.violations.push(`${takeover.id} has ${report.remainingLots} lots left, at no mark`);
    }
  }
}
