import type { Takeover } from "#account/takeover.js";
import type { Bot } from "#bot/bot.js";
import type { MarketTrader } from "#bot/market-trader.js";
import type { UnwindReport } from "#bot/unwind-report.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms, Side, Ticks } from "#core/units.js";
import type { PlaceAction } from "#exchange/venue.js";
import type { BotRig, RigOptions } from "#simulation/bot-rig.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { botConfig } from "./bot-config.js";
import type { Break } from "./break.js";
import type { PlanRunOptions } from "./plan-run.js";
import { CALM_AFTER_MS, planOf, type SeedPlan, START_MS } from "./seed-plan.js";
import type { Violation } from "./violation.js";
import { runPlan, type SeedResult } from "./world.js";

const VICTIM: Hex = `0x${"51".repeat(20)}`;
interface Sales {
  readonly slippageBps: number;
  /** How much better than the mark the takeovers are. */
  readonly discountBps: bigint;
}

/** Price bounds of the sales: tight enough to delay them, or too wide to matter. */
const SALES: Readonly<Record<AcquiredPositionsPlan["sales"], Sales>> = {
  tight: { slippageBps: 2, discountBps: 1n },
  wide: { slippageBps: 100, discountBps: 100n },
};
const UNWIND = { makerFirstMs: 5_000, horizonMs: 30_000, slices: 6 };
/** A takeover is unwound within this time after its report. */
const THROUGH_MS: Ms = UNWIND.makerFirstMs + UNWIND.horizonMs;
const LAST_MS: Ms = CALM_AFTER_MS + THROUGH_MS;
const FIRST_MS: Ms = 20_000;
/** Time from a takeover to its revert by a reorganisation. In half of them the sale is over. */
const FIRST_UNDO_MS: Ms = 3_000;
const LAST_UNDO_MS: Ms = 2 * THROUGH_MS;
/**
 * Largest takeover as a multiple of the market's position limit. Above 1 the account exceeds its
 * limit and may only reduce.
 */
const MOST_OF_LIMIT = 1.4;

/** A takeover that the bot acquires. */
export interface PlannedAcquisition {
  readonly atMs: Ms;
  /** Which of the markets, in [0, 1). */
  readonly marketShare: number;
  readonly isLong: boolean;
  /** Its size as a share of the market's position limit. */
  readonly limitShare: number;
  /** Time to its revert by a reorganisation; null if the chain keeps it. */
  readonly revertedAfterMs: Ms | null;
}

/** The plan of a run with acquired positions. */
export interface AcquiredPositionsPlan extends SeedPlan {
  readonly sales: "tight" | "wide";
  readonly takeovers: readonly PlannedAcquisition[];
}

/** The result of one seed, with the number of its takeovers. */
export interface AcquiredPositionsResult extends SeedResult {
  readonly takeovers: number;
  /** Taker orders. */
  readonly slices: number;
  /** Orders sent while the position exceeded its limit: they only reduce. */
  readonly pastLimit: number;
}

/** Runs the simulated market of a seed in which the bot acquires liquidated positions. */
export async function runAcquiredPositions(
  seed: number,
  marketMs: Ms,
  broken?: Break,
  trace?: PlanRunOptions["trace"],
): Promise<AcquiredPositionsResult> {
  const drawn = acquiredPositionsPlanOf(seed, marketMs);
  return runAcquiredPositionsPlan({ ...drawn, ...broken?.plan?.(drawn) }, broken, {
    ...(broken === undefined ? {} : { stopsAtViolation: true }),
    ...(trace === undefined ? {} : { trace }),
  });
}

/** The same for a plan, which a break does not change any more. */
export async function runAcquiredPositionsPlan(
  plan: AcquiredPositionsPlan,
  broken: Break | undefined,
  options: PlanRunOptions = {},
): Promise<AcquiredPositionsResult> {
  const acquisitions = new Acquisitions(plan);
  const endMs = START_MS + plan.marketMs;
  const result = await runPlan(acquisitions.botsPlan, acquisitions.changes(broken), {
    ...options,
    alsoFound: () => acquisitions.violations,
  });
  const { takeovers, slices, pastLimit } = acquisitions;
  const counts = { takeovers, slices, pastLimit };
  const isCut = options.stopsAtViolation === true && result.violations.length > 0;
  if (isCut || (options.untilMs ?? endMs) < endMs) return { ...result, ...counts };
  const before = acquisitions.violations.length;
  acquisitions.checkEnd();
  const atEnd = acquisitions.violations.slice(before).map((found) => ({ ...found, atMs: endMs }));
  return { ...result, ...counts, violations: [...result.violations, ...atEnd] };
}

/** The plan of a seed: a market maker's, with the takeovers. */
export function acquiredPositionsPlanOf(seed: number, marketMs: Ms): AcquiredPositionsPlan {
  const random = seededRandom(`takeovers ${seed}`);
  const sales = random.uniform() < 0.5 ? "tight" : "wide";
  const count = 2 + Math.floor(random.uniform() * 5);
  const spanMs = marketMs - LAST_MS - FIRST_MS;
  return {
    ...planOf(seed, marketMs),
    sales,
    takeovers: Array.from({ length: count }, () => ({
      atMs: START_MS + FIRST_MS + Math.floor(random.uniform() * spanMs),
      marketShare: random.uniform(),
      isLong: random.uniform() < 0.5,
      limitShare: random.uniform() * MOST_OF_LIMIT,
      revertedAfterMs:
        random.uniform() < 0.2
          ? FIRST_UNDO_MS + Math.floor((LAST_UNDO_MS - FIRST_UNDO_MS) * random.uniform())
          : null,
    })).sort((one, other) => one.atMs - other.atMs),
  };
}

interface KnownTakeover {
  readonly takeover: Takeover;
  isReverted: boolean;
}

/**
 * Gives the bot of a simulated run positions that a liquidator has acquired, and checks that each
 * is sold within its price bounds under all other faults. The chain reverts some of them. As a real
 * liquidator does, it reports all of them again at every start of the bot.
 */
class Acquisitions {
  readonly violations: Violation[] = [];
  readonly reports = new Map<string, UnwindReport>();
  /** Taker orders, and orders placed while the position exceeded its limit. */
  slices = 0;
  pastLimit = 0;
  readonly #random: Random;
  readonly #sales: Sales;
  readonly #plan: AcquiredPositionsPlan;
  readonly #takeovers = new Map<string, KnownTakeover>();
  /**
   * Worst price of each takeover's sale. Its reference is the takeover's own price or the bot's
   * mark at the bot's first report of it, whichever is worse.
   */
  readonly #bounds = new Map<string, Ticks>();
  #nowMs: () => Ms = () => START_MS;
  #exchange: EmbeddedExchange | undefined;
  #address: Hex | undefined;
  #bot: Bot | undefined;

  constructor(plan: AcquiredPositionsPlan) {
    this.#random = seededRandom(`reports of takeovers ${plan.seed}`);
    this.#sales = SALES[plan.sales];
    this.#plan = plan;
  }

  /** The plan with a bot that sells acquired positions. */
  get botsPlan(): SeedPlan {
    const { chain, liquidator } = botConfig({
      chain: { rpc: ["http://chain.test"] },
      liquidator: {
        minProfitQuote: "1",
        unwind: { ...UNWIND, maxSlippageBps: this.#sales.slippageBps },
      },
      markets: {
        btcusdc: { limits: { maxPositionBase: "1", maxOrderBase: "1", maxOpenOrders: 1 } },
      },
    });
    return { ...this.#plan, bot: { ...this.#plan.bot, chain, liquidator } };
  }

  get takeovers(): number {
    return this.#takeovers.size;
  }

  /**
   * The changes to a run that add the takeovers.
   * @param broken another rule that is switched off in the same run
   */
  changes(broken?: Break): Break {
    return {
      name: "acquired-positions",
      what: "the bot acquires positions",
      rig: (options, context) => this.#observed(broken?.rig?.(options, context) ?? options),
      bot: (rig) => {
        broken?.bot?.(rig);
        this.#onStart(rig);
      },
    };
  }

  #observed(options: RigOptions): RigOptions {
    const { clock, observe, scheme, privateKey } = options;
    if (this.#exchange === undefined) {
      this.#nowMs = () => clock.nowMs();
      this.#exchange = options.door as EmbeddedExchange;
      this.#exchange.register(VICTIM);
      this.#address = scheme.signer(privateKey).address;
      for (const planned of this.#plan.takeovers)
        clock.setTimer(planned.atMs - clock.nowMs(), () => this.#acquire(planned, options));
    }
    return {
      ...options,
      observe: (notice) => {
        if (notice.kind === "unwind") this.#onReport(notice.unwind);
        if (notice.kind === "dispatched" && notice.action.kind === "place")
          this.#onPlace(notice.action);
        observe?.(notice);
      },
    };
  }

  /** The liquidator reports everything again: it does not know what a killed bot has received. */
  #onStart({ bot }: BotRig): void {
    this.#bot = bot;
    const known = new Map(
      bot.liquidatedInventory.reports().map((report) => [report.takeoverId, report]),
    );
    for (const [takeoverId, { soldLots, nettedLots }] of this.reports) {
      const now = known.get(takeoverId);
      if (now?.soldLots !== soldLots || now.nettedLots !== nettedLots)
        this.#violate(
          `${takeoverId}: ${soldLots} lots were reported as sold, the next run reports ${now?.soldLots}`,
        );
    }
    for (const { takeover, isReverted } of this.#takeovers.values()) {
      // If a reverted takeover were only acquired again, it would count.
      bot.command(
        isReverted
          ? { command: "disinherit", takeoverId: takeover.id }
          : { command: "inherit", takeover },
      );
    }
  }

  #acquire(
    { marketShare, isLong, limitShare, revertedAfterMs }: PlannedAcquisition,
    { clock, config }: RigOptions,
  ): void {
    const markets = Object.keys(config.markets);
    const marketId = markets[Math.floor(marketShare * markets.length)] as MarketId;
    const trader = this.#bot?.context.traders.get(marketId);
    const mark = trader?.state.mark;
    const limit = this.#bot?.context.marketLimits.get(marketId)?.maxPositionLots;
    if (trader === undefined || mark === undefined || limit === undefined) return;
    const lots = (isLong ? 1 : -1) * (1 + Math.floor(limit * limitShare));
    const price = (mark * (10_000n + (isLong ? -1n : 1n) * this.#sales.discountBps)) / 10_000n;
    const credit =
      (-BigInt(lots) * trader.instrument.paperPerLot * price) /
      10n ** BigInt(trader.instrument.paperDecimals);
    const known: KnownTakeover = {
      takeover: {
        id: `tx ${this.#takeovers.size + 1}`,
        marketId,
        lots,
        credit,
        atMs: clock.nowMs(),
      },
      isReverted: false,
    };
    const { takeover } = known;
    this.#takeovers.set(takeover.id, known);
    // The bot learns of it in the same instant: its limits cannot cover an unknown position.
    this.#apply(trader, takeover, 1, clock.nowMs());
    this.#bot?.command({ command: "inherit", takeover });
    if (revertedAfterMs === null) return;
    clock.setTimer(revertedAfterMs, () => {
      this.#apply(trader, takeover, -1, clock.nowMs());
      known.isReverted = true;
      this.#bot?.command({ command: "disinherit", takeoverId: takeover.id });
    });
  }

  /**
   * Applies a takeover to both accounts, as the exchange does with a block, so that money is
   * conserved. It is listed among the incomes, which the stream sometimes reports too late.
   */
  #apply(
    { instrument }: MarketTrader,
    { marketId, lots, credit }: Takeover,
    sign: 1 | -1,
    timeMs: Ms,
  ): void {
    const exchange = this.#exchange;
    if (exchange === undefined || this.#address === undefined) return;
    const paper = BigInt(sign * lots) * instrument.paperPerLot;
    const quote = credit < 0n ? -credit : credit;
    const change = (of: bigint) => ({ paper: of, quote, fee: 0n, timeMs });
    const own = exchange.account(this.#address);
    own?.inMarket(marketId).position.applySettled(change(paper));
    exchange.account(VICTIM)?.inMarket(marketId).position.applySettled(change(-paper));
    // The exchange assigns the id of an income. A deposit of the victim, which no other account
    // sees, provides one.
    exchange.deposit(VICTIM, "0.000001");
    const id = exchange.account(VICTIM)?.incomes.page({ limit: 1 })[0]?.id;
    if (id === undefined) return;
    const income = {
      id,
      type: "LIQUIDATE",
      amount: BigInt(sign) * credit,
      timeMs,
      marketId,
    } as const;
    own?.incomes.add(income);
    if (exchange.isRunning && this.#random.uniform() < 0.7)
      this.#bot?.accept({ kind: "event", event: { type: "income-update", incomes: [income] } });
  }

  #onReport(report: UnwindReport): void {
    const { takeoverId, marketId, acquiredLots, soldLots, remainingLots, markCredit } = report;
    const trader = this.#bot?.context.traders.get(marketId);
    const takeover = this.#takeovers.get(takeoverId)?.takeover;
    if (trader === undefined || takeover === undefined) {
      this.#violate(`${takeoverId} is unwound, but was never reported to the bot`);
      return;
    }
    const { markTicks } = trader.state;
    // A bot that has just started has no mark yet: then only the takeover's price counts.
    const { creditDenominator, creditNumerator } = trader.instrument;
    const paidTicks =
      Number(-takeover.credit * creditDenominator) / Number(creditNumerator) / takeover.lots;
    const worse = takeover.lots > 0 ? Math.min : Math.max;
    const referenceTicks = Number.isFinite(markTicks) ? worse(markTicks, paidTicks) : paidTicks;
    if (!this.#bounds.has(takeoverId))
      this.#bounds.set(
        takeoverId,
        referenceTicks * (1 - (Math.sign(takeover.lots) * this.#sales.slippageBps) / 10_000),
      );
    this.reports.set(takeoverId, report);
    if (
      soldLots + remainingLots !== acquiredLots ||
      (acquiredLots !== 0 && acquiredLots !== takeover.lots)
    )
      this.#violate(
        `${takeoverId}: ${acquiredLots} of ${takeover.lots} lots acquired, ${soldLots} sold and ${remainingLots} left`,
      );
    if (remainingLots !== 0 && markCredit !== creditOf(trader, remainingLots))
      this.#violate(
        `${takeoverId}: ${remainingLots} lots are reported at a value of ${markCredit}`,
      );
  }

  #onPlace({ marketId, side, ticks, lots, timeInForce }: PlaceAction): void {
    const positionLots = this.#exchange?.positionLots(this.#address ?? VICTIM, marketId) ?? 0;
    const limit =
      this.#bot?.context.marketLimits.get(marketId)?.maxPositionLots ?? Number.POSITIVE_INFINITY;
    if (
      Math.abs(positionLots) > limit &&
      this.#bot?.liquidatedInventory.isOpen(marketId) === true
    ) {
      this.pastLimit += 1;
      if (side === sideOf(positionLots))
        this.#violate(
          `${side} ${lots} was sent while the position of ${positionLots} exceeds its limit of ${limit}`,
        );
    }
    if (this.#exchange?.balances(this.#address ?? VICTIM).balances.isSafe === false)
      this.#violate(`${side} ${lots} was sent while the account is unsafe`);
    const leftLots = this.#openReports(marketId).reduce(
      (sum, { remainingLots }) => sum + remainingLots,
      0,
    );
    if (leftLots !== 0 && side === sideOf(leftLots))
      this.#violate(`${side} ${lots} was sent while ${leftLots} lots are being sold`);
    // A bot that only makes markets sends no taker orders. A taker order is a slice of a sale, or
    // of a repurchase after a revert.
    if (timeInForce !== "IOC") return;
    this.slices += 1;
    const ofSide = this.#openReports(marketId).filter(
      (report) => report.remainingLots !== 0 && side !== sideOf(report.remainingLots),
    );
    if (ofSide.length === 0)
      this.#violate(`a slice of ${side} ${lots} belongs to no open takeover`);
    const isWithin = ofSide.some(({ takeoverId }) => {
      const bound = this.#bounds.get(takeoverId);
      // A repurchase after a revert is bounded by the mark at the moment of the revert.
      if (bound === undefined || this.#takeovers.get(takeoverId)?.isReverted === true) return true;
      return side === "SELL" ? ticks >= bound - 1 : ticks <= bound + 1;
    });
    if (ofSide.length > 0 && !isWithin)
      this.#violate(`a slice of ${side} ${lots} at ${ticks} ticks is worse than every bound`);
  }

  #violate(text: string): void {
    this.violations.push({ atMs: this.#nowMs(), rule: "unwind", text });
  }

  #openReports(marketId: MarketId): readonly UnwindReport[] {
    return [...this.reports.values()].filter(
      (report) => report.marketId === marketId && report.state === "open",
    );
  }

  /**
   * Checks the end of the run: each takeover is finished, its unsold remainder is valued at the
   * mark, and the exchange has traded the sold lots.
   */
  checkEnd(): void {
    for (const report of this.#bot?.liquidatedInventory.reports() ?? []) this.#onReport(report);
    for (const { takeover, isReverted } of this.#takeovers.values()) {
      const report = this.reports.get(takeover.id);
      // A takeover that the chain reverted before any bot received it does not count.
      if (report === undefined && !isReverted)
        this.#violate(`${takeover.id} was reported, and the bot does not know it`);
      if (report?.state === "open")
        this.#violate(`${takeover.id} is still open, its deadline was ${report.deadlineMs}`);
    }
    for (const marketId of this.#bot?.context.traders.keys() ?? [])
      for (const side of ["BUY", "SELL"] as const) this.#checkSide(marketId, side);
  }

  #checkSide(marketId: MarketId, side: Side): void {
    const ofMarket = [...this.#takeovers.values()].filter(
      ({ takeover }) => takeover.marketId === marketId,
    );
    const since = Math.min(...ofMarket.map(({ takeover }) => takeover.atMs));
    if (!Number.isFinite(since)) return;
    let sold = 0;
    for (const { takeover, isReverted } of ofMarket) {
      if (isReverted) continue;
      const report = this.reports.get(takeover.id);
      if (report !== undefined && sideOf(takeover.lots) !== side)
        sold += Math.abs(report.soldLots - report.nettedLots);
    }
    const trades =
      this.#exchange
        ?.account(this.#address ?? VICTIM)
        ?.inMarket(marketId)
        .trades.page({ startMs: since, limit: 1_000_000 }) ?? [];
    const traded = trades
      .filter(
        ({ isBuyer, trade }) =>
          isBuyer === (side === "BUY") &&
          (trade.status === "CREATED" || trade.status === "SETTLED"),
      )
      .reduce((sum, { trade }) => sum + trade.lots, 0);
    if (sold > traded)
      this.#violate(
        `${side} ${sold} lots are reported as sold in ${marketId}, the exchange has traded ${traded}`,
      );
  }
}

/** The side that increases such a position. */
function sideOf(lots: Lots): Side {
  return lots > 0 ? "BUY" : "SELL";
}

function creditOf({ state, instrument }: MarketTrader, lots: Lots): CreditUnits | undefined {
  if (state.mark === undefined) return undefined;
  return (
    (BigInt(lots) * instrument.paperPerLot * state.mark) / 10n ** BigInt(instrument.paperDecimals)
  );
}
