import type { ProfitParts } from "../../../account/profit/account-profit.js";
import { scaledToDecimal } from "../../../core/instrument.js";
import type { Lots, MarketId } from "../../../core/units.js";
import { PNL_PARTS, type PnlPart } from "../../../monitoring/metrics.js";
import type { Readiness } from "../../../monitoring/metrics-server.js";
import type { QuoteReason } from "../../../strategies/intent.js";
import type { Bot } from "../../engine/bot.js";
import {
  describeShedLoad,
  type MarketActivity,
  quotingStatusFor,
} from "../../market/quoting-status.js";
import { actionText } from "../../safety/ladder-text.js";
import type { UnwindReport, UnwindState } from "../../unwind/unwind-report.js";
import type { RunningLiquidator } from "../run-liquidator.js";
import { type ActiveHalt, listActiveHalts } from "./active-halt.js";
import { computeEarnings } from "./earnings.js";
import { buildLiquidatorStatus, type LiquidatorStatus } from "./liquidator-status.js";
import { listOpenPositions, type OpenPosition, quoteAssetOf } from "./open-position.js";

/** Decimal strings of quote by the parts of profit. */
export type PnlQuote = Readonly<Record<PnlPart, string>>;

/** One market of {@link BotStatus}. */
export interface MarketStatus {
  readonly state: MarketActivity;
  /** Why it does not quote, or not everything that its strategy wants. */
  readonly reasons: readonly string[];
  readonly strategy: string;
  /** null until the exchange has reported the account. */
  readonly positionBase: string | null;
  /**
   * For how long the position has been unknown: nothing is quoted meanwhile. Undefined while it is
   * known.
   */
  readonly positionUnknownSeconds: number | undefined;
  readonly pnlQuote: PnlQuote;
  readonly pnlTotalQuote: string;
  readonly openBids: number;
  readonly openAsks: number;
  readonly unknownOrders: number;
  readonly manualOrders: number;
  readonly bestBid: string | undefined;
  readonly bestAsk: string | undefined;
  readonly markQuote: string | undefined;
  /** True while an operator's flatten, or the risk ladder's, trades the position to zero. */
  readonly isFlattening: boolean;
  /** Our orders that ended cancelled, since the start. */
  readonly ordersCancelled: number;
  /** Smallest order of the market. */
  readonly minOrderBase: string | undefined;
  /** Names of the assets, such as BTC and USDC; null if the exchange does not name them. */
  readonly baseAsset: string | null;
  readonly quoteAsset: string | null;
  readonly lastReason: QuoteReason | undefined;
}

/** A takeover and its unwinding, in base and quote. */
export interface UnwindStatus {
  readonly takeoverId: string;
  readonly marketId: MarketId;
  readonly state: UnwindState;
  readonly inheritedBase: string;
  readonly soldBase: string;
  readonly remainingBase: string;
  /**
   * Takeover, fills and fees so far, plus the remainder at its mark; undefined while that is not
   * known.
   */
  readonly earnedQuote: string | undefined;
  /**
   * Whose mark that is: for a bot that liquidates, the worse of the exchange's and the chain's.
   * Undefined if nothing remains.
   */
  readonly restBy: "exchange" | "chain" | undefined;
  readonly deadlineMs: number;
  /**
   * Only for an open one: the amount that may be held now, signed, the worst price of its orders,
   * and when less may be held.
   */
  readonly trajectory?: {
    readonly allowedBase: string;
    readonly worstPrice: string;
    readonly nextStepAtMs: number | undefined;
  };
}

/** Output of `marketwright status`: plain JSON. */
export interface BotStatus {
  readonly config: string;
  readonly account: string;
  readonly phase: string;
  /** Nothing is sent to the exchange. */
  readonly dryRun: boolean;
  /** Orders, position and equity belong to a dry run that fills here; the account's own differ. */
  readonly paper: boolean;
  readonly equityQuote: string | undefined;
  /** The change of equity since the start, without deposits and withdrawals: `earnedQuote`. */
  readonly equityChangeQuote: string | undefined;
  /** Deposits less withdrawals since the start. */
  readonly transfersQuote: string;
  /**
   * The earnings of the run: the change of equity without transfers. Equals `pnlTotalQuote` plus
   * `underWayQuote` to the last digit.
   */
  readonly earnedQuote: string | undefined;
  /** The same by its parts, from our records: all markets, and other income. */
  readonly pnlQuote: PnlQuote;
  readonly pnlTotalQuote: string;
  /**
   * Amounts that only the exchange's balances have, or only our records: trades, incomes and
   * transfers in transit. 0 once both have all.
   */
  readonly underWayQuote: string | undefined;
  readonly peakEquityQuote: string | undefined;
  /** The open positions, as in the summary of a run. */
  readonly openPositions: readonly OpenPosition[];
  /** Name of the asset of all quote amounts, such as USDC; null if the exchange names none. */
  readonly quoteAsset: string | null;
  /** Halts of the whole account, in words. */
  readonly halts: readonly string[];
  /** All halts in force, those of single markets too. */
  readonly activeHalts: readonly ActiveHalt[];
  /**
   * Loss since midnight UTC, without deposits and withdrawals; undefined before the account is
   * known.
   */
  readonly dailyLossQuote: string | undefined;
  /** Active rungs of the risk ladder, in words. */
  readonly ladder: readonly string[];
  readonly tokens: Readonly<Record<string, { readonly left: number; readonly limit: number }>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly clockOffsetMs: number | undefined;
  readonly markets: Readonly<Record<MarketId, MarketStatus>>;
  /** Takeovers that are being sold, preceded by the last few that are done. */
  readonly unwinding: readonly UnwindStatus[];
  /** All takeovers of the last day, by the state of their unwinding. */
  readonly unwindCounts: Readonly<Partial<Record<UnwindState, number>>>;
  /** Only for a bot that liquidates. */
  readonly liquidator?: LiquidatorStatus;
}

/** Most finished takeovers in a status. */
const ENDED_TOLD = 5;

function countsOf(unwinds: readonly UnwindReport[]): Partial<Record<UnwindState, number>> {
  const counts: Partial<Record<UnwindState, number>> = {};
  for (const { state } of unwinds) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The present status of the bot. */
export function buildBotStatus(bot: Bot, running?: RunningLiquidator): BotStatus {
  const { config, account, traders, accountAddress, budget, exchangeTime, dryRun, isPaper, rules } =
    bot.context;
  const { equity, transfers, earned, parts, inTransit } = computeEarnings(bot);
  const pnl = pnlText(parts);
  const unwinds = bot.liquidatedInventory.reports();
  const baseOf = (marketId: MarketId, lots: Lots): string =>
    traders.get(marketId)?.instrument.formatAmount(lots) ?? String(lots);
  const quote = (units: bigint | undefined): string | undefined =>
    units === undefined ? undefined : quoteText(bot, units);
  return {
    config: config.path,
    account: accountAddress,
    phase: bot.phase,
    dryRun: dryRun || isPaper,
    paper: isPaper,
    equityQuote: quote(equity),
    equityChangeQuote: quote(earned),
    transfersQuote: quoteText(bot, transfers),
    earnedQuote: quote(earned),
    pnlQuote: pnl.parts,
    pnlTotalQuote: pnl.total,
    underWayQuote: inTransit === undefined ? undefined : scaledToDecimal(inTransit, parts.decimals),
    peakEquityQuote: quote(bot.tradingGuards.peak),
    openPositions: listOpenPositions(bot),
    quoteAsset: quoteAssetOf(bot),
    halts: accountHalts(bot),
    activeHalts: listActiveHalts(bot),
    dailyLossQuote: quote(bot.tradingGuards.losses?.dailyLoss),
    ladder: ladderTexts(bot),
    tokens: {
      ORDER: { left: budget.available("ORDER"), limit: budget.limit("ORDER") },
      COMMON: { left: budget.available("COMMON"), limit: budget.limit("COMMON") },
    },
    counts: { ...account.counts },
    clockOffsetMs: exchangeTime.isKnown ? exchangeTime.offsetMs : undefined,
    ...(running === undefined
      ? {}
      : {
          liquidator: buildLiquidatorStatus(running, {
            creditDecimals: rules.creditDecimals,
            baseOf,
          }),
        }),
    markets: Object.fromEntries(
      [...traders.keys()].map((marketId) => [marketId, marketStatus(bot, marketId)]),
    ),
    unwinding: [
      ...unwinds.filter(({ state }) => state !== "open").slice(-ENDED_TOLD),
      ...unwinds.filter(({ state }) => state === "open"),
    ].map((report) => unwindStatus(bot, report, running)),
    unwindCounts: countsOf(unwinds),
  };
}

/** Ready: every market that has a strategy quotes both sides, and a liquidator sees the chain. */
export function buildReadiness(bot: Bot, running?: RunningLiquidator): Readiness {
  const quoted = [...bot.context.traders.values()].filter(({ hasStrategy }) => hasStrategy);
  const blind =
    running?.rpc.report().every(({ distrustReason }) => distrustReason !== undefined) === true
      ? ["liquidator: no RPC is usable"]
      : [];
  const paused = running === undefined ? undefined : running.liquidator.view().paused;
  const reasons = quoted.flatMap(({ marketId }) => {
    const { state, reasons: why } = marketStatus(bot, marketId);
    return state === "quoting"
      ? []
      : [`${marketId}: ${state}${why.length === 0 ? "" : `: ${why.join("; ")}`}`];
  });
  const all = [...reasons, ...blind, ...(paused === undefined ? [] : [`liquidator: ${paused}`])];
  // A bot that sheds load quotes, and the page reports the shedding all the same.
  return { ready: all.length === 0, reasons: [...all, ...describeShedLoad(bot.context)] };
}

/** Profit by its parts as decimal strings of quote. */
function pnlText(profit: ProfitParts): { readonly parts: PnlQuote; readonly total: string } {
  const text = (scaled: bigint): string => scaledToDecimal(scaled, profit.decimals);
  const parts = Object.fromEntries(PNL_PARTS.map((part) => [part, text(profit[part])])) as Record<
    PnlPart,
    string
  >;
  return { parts, total: text(profit.total) };
}

/** For how long the position of a market has been unknown; undefined while it is known. */
export function positionUnknownSeconds(
  { tradingGuards, context }: Bot,
  marketId: MarketId,
): number | undefined {
  const halt = tradingGuards.haltsFor(marketId).find(({ name }) => name === "position-unknown");
  return halt === undefined
    ? undefined
    : Math.round(context.clock.monotonicMs() - halt.sinceMs) / 1000;
}

/** Credit units as a decimal string of quote. */
export function quoteText(bot: Bot, units: bigint): string {
  return scaledToDecimal(units, bot.context.rules.creditDecimals);
}

/** Halts of the whole account, in words. */
export function accountHalts(bot: Bot): readonly string[] {
  return bot.tradingGuards.halts
    .filter(({ scope }) => scope === "account")
    .map(({ name, why }) => `${name}: ${why}`);
}

/** Active rungs of the risk ladder, in words: those of a market with its name. */
export function ladderTexts({ tradingGuards }: Bot): readonly string[] {
  return tradingGuards.ladder.acting.map(
    (rung) =>
      `${rung.measure}${rung.marketId === undefined ? "" : ` of ${rung.marketId}`}: ${actionText(rung)}: ${rung.why}`,
  );
}

function unwindStatus(
  bot: Bot,
  report: UnwindReport,
  running: RunningLiquidator | undefined,
): UnwindStatus {
  const {
    takeoverId,
    marketId,
    state,
    acquiredCredit,
    proceedsCredit,
    feesCredit,
    markCredit,
    remainingLots,
    deadlineMs,
  } = report;
  const rest = remainingLots === 0 ? undefined : running?.unsoldValue(marketId, remainingLots);
  const restCredit = rest?.credit ?? markCredit;
  const trader = bot.context.traders.get(marketId);
  const base = (lots: Lots): string => trader?.instrument.formatAmount(lots) ?? String(lots);
  const at = bot.liquidatedInventory
    .trajectories(marketId)
    .find((one) => one.takeoverId === takeoverId);
  const trajectory =
    at === undefined || trader === undefined
      ? undefined
      : {
          allowedBase: base(at.allowedLots),
          worstPrice: trader.instrument.formatPrice(at.worstTicks),
          nextStepAtMs: at.nextStepAtMs,
        };
  return {
    takeoverId,
    marketId,
    state,
    inheritedBase: base(report.acquiredLots),
    soldBase: base(report.soldLots),
    remainingBase: base(remainingLots),
    earnedQuote:
      restCredit === undefined
        ? undefined
        : quoteText(bot, acquiredCredit + proceedsCredit - feesCredit + restCredit),
    restBy: rest?.by,
    deadlineMs,
    ...(trajectory === undefined ? {} : { trajectory }),
  };
}

function marketStatus(bot: Bot, marketId: MarketId): MarketStatus {
  const { account, traders, config } = bot.context;
  const trader = traders.get(marketId);
  const open = account.orders.mayStillFill(marketId);
  const { parts, total } = pnlText(account.profit(marketId));
  const { state, reasons } =
    trader === undefined
      ? { state: "halted" as const, reasons: [] }
      : quotingStatusFor(bot.context, bot.tradingGuards, trader);
  const touching = trader?.midHalfTicks === undefined ? undefined : trader;
  const mark = trader?.state.mark;
  return {
    state,
    reasons,
    strategy: config.markets[marketId]?.strategy ?? "no strategy",
    positionBase: account.confirmed ? account.positionBase(marketId) : null,
    positionUnknownSeconds: positionUnknownSeconds(bot, marketId),
    pnlQuote: parts,
    pnlTotalQuote: total,
    openBids: open.filter(({ side }) => side === "BUY").length,
    openAsks: open.filter(({ side }) => side === "SELL").length,
    unknownOrders: open.filter(({ phase }) => phase === "unknown").length,
    manualOrders: account.orders.foreign(marketId).length,
    bestBid: touching?.instrument.formatPrice(touching.book.bids.bestTicks),
    bestAsk: touching?.instrument.formatPrice(touching.book.asks.bestTicks),
    markQuote: mark === undefined ? undefined : quoteText(bot, mark),
    isFlattening: trader?.target?.byOperator === true && trader.target.intent.targetLots === 0,
    ordersCancelled: account.cancelledIn(marketId),
    minOrderBase: trader?.instrument.formatAmount(trader.rules.minLots),
    baseAsset: trader?.rules.baseAsset ?? null,
    quoteAsset: trader?.rules.quoteAsset ?? null,
    lastReason: trader?.target?.intent.reason ?? trader?.unwind?.reason ?? trader?.quotes?.reason,
  };
}
