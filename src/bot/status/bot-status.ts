import { scaledToDecimal } from "../../core/instrument.js";
import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { Readiness } from "../../monitoring/metrics-server.js";
import type { DifferentFromFile } from "../configure/config-difference.js";
import type { FileComparison } from "../configure/config-file.js";
import type { Bot } from "../engine/bot.js";
import { describeShedLoad } from "../market/quoting-status.js";
import type { RunningLiquidator } from "../run/run-liquidator.js";
import { totalEquity } from "../safety/equity-monitor.js";
import { actionText } from "../safety/ladder-text.js";
import type { UnwindReport, UnwindState } from "../unwind/unwind-report.js";
import { type ActiveHalt, listActiveHalts } from "./active-halt.js";
import { computeEarnings } from "./earnings.js";
import { type EventLoopDelay, readEventLoopDelay } from "./event-loop-delay.js";
import { type GuardStatus, readGuardStatus } from "./guard-status.js";
import { type LadderRungStatus, listLadderRungs } from "./ladder-rung-status.js";
import { buildLiquidatorStatus, type LiquidatorStatus } from "./liquidator-status.js";
import { buildMarketStatus, isPositionKnown, type MarketStatus } from "./market-status.js";
import { listOpenPositions, type OpenPosition, quoteAssetOf } from "./open-position.js";
import { type PnlQuote, pnlText, quoteText } from "./quote-text.js";
import { listStreams, type StreamStatus } from "./stream-status.js";
import { buildUnwindStatus, type UnwindStatus } from "./unwind-status.js";

/** Output of `marketwright status`: plain JSON. */
export interface BotStatus {
  readonly config: string;
  readonly account: string;
  readonly phase: string;
  /** Number of turns so far: one for each line of a journal. */
  readonly turn: number;
  /** When the newest turn ran, and when the bot was created, by this machine's clock. */
  readonly atMs: Ms;
  readonly startedAtMs: Ms;
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
  /**
   * `peakEquityQuote` less `equityQuote` with the profit of hedges; undefined before the account is
   * known.
   */
  readonly drawdownQuote: string | undefined;
  /**
   * Value of all positions at their marks less their value at their entry prices. Undefined while
   * one of them is not known.
   */
  readonly unrealisedQuote: string | undefined;
  /**
   * `pnlTotalQuote` less the change of `unrealisedQuote` since the start. Undefined while a
   * position is not known.
   */
  readonly realisedQuote: string | undefined;
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
  /** Every configured rung of the risk ladder, the loss limits included. */
  readonly ladderRungs: readonly LadderRungStatus[];
  /** The guard that cancels the orders if the bot dies. */
  readonly guard: GuardStatus;
  readonly eventLoopDelayMs: EventLoopDelay;
  readonly streams: readonly StreamStatus[];
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
  /**
   * Values that differ from the bot's file as it is now: by `set`, or because the file was edited.
   * A restart takes the file's.
   */
  readonly differsFromFile: readonly DifferentFromFile[];
  /** Why the file cannot be compared: it is gone, or not valid. Absent if it can. */
  readonly fileProblem?: string;
}

/** Most finished takeovers in a status. */
const ENDED_TOLD = 5;

function countsOf(unwinds: readonly UnwindReport[]): Partial<Record<UnwindState, number>> {
  const counts: Partial<Record<UnwindState, number>> = {};
  for (const { state } of unwinds) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The present status of the bot. @param file how it differs from its file, if that is known */
export function buildBotStatus(
  bot: Bot,
  running?: RunningLiquidator,
  file: FileComparison = { differences: [], problem: undefined },
): BotStatus {
  const { config, account, traders, accountAddress, budget, exchangeTime, dryRun, isPaper, rules } =
    bot.context;
  const { equity, transfers, earned, parts, inTransit } = computeEarnings(bot);
  const pnl = pnlText(parts);
  const { peak } = bot.tradingGuards;
  const worth = totalEquity(bot.context);
  const split = [...traders.keys()].every((marketId) => isPositionKnown(bot, marketId))
    ? account.profitSplit()
    : undefined;
  const unwinds = bot.liquidatedInventory.reports();
  const baseOf = (marketId: MarketId, lots: Lots): string =>
    traders.get(marketId)?.instrument.formatAmount(lots) ?? String(lots);
  const quote = (units: bigint | undefined): string | undefined =>
    units === undefined ? undefined : quoteText(bot, units);
  return {
    config: config.path,
    account: accountAddress,
    phase: bot.phase,
    turn: bot.turns,
    atMs: bot.context.clock.nowMs(),
    startedAtMs: bot.startedAt.atMs,
    dryRun: dryRun || isPaper,
    paper: isPaper,
    equityQuote: quote(equity),
    equityChangeQuote: quote(earned),
    transfersQuote: quoteText(bot, transfers),
    earnedQuote: quote(earned),
    pnlQuote: pnl.parts,
    pnlTotalQuote: pnl.total,
    underWayQuote: inTransit === undefined ? undefined : scaledToDecimal(inTransit, parts.decimals),
    peakEquityQuote: quote(peak),
    drawdownQuote: peak === undefined || worth === undefined ? undefined : quote(peak - worth),
    unrealisedQuote: quote(split?.unrealised),
    realisedQuote:
      split === undefined ? undefined : scaledToDecimal(split.realised, split.decimals),
    openPositions: listOpenPositions(bot),
    quoteAsset: quoteAssetOf(bot),
    halts: accountHalts(bot),
    activeHalts: listActiveHalts(bot),
    dailyLossQuote: quote(bot.tradingGuards.losses?.dailyLoss),
    ladder: ladderTexts(bot),
    ladderRungs: listLadderRungs(bot),
    guard: readGuardStatus(bot),
    eventLoopDelayMs: readEventLoopDelay(bot),
    streams: listStreams(bot),
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
      [...traders.keys()].map((marketId) => [marketId, buildMarketStatus(bot, marketId)]),
    ),
    unwinding: [
      ...unwinds.filter(({ state }) => state !== "open").slice(-ENDED_TOLD),
      ...unwinds.filter(({ state }) => state === "open"),
    ].map((report) => buildUnwindStatus(bot, report, running)),
    unwindCounts: countsOf(unwinds),
    differsFromFile: file.differences,
    ...(file.problem === undefined ? {} : { fileProblem: file.problem }),
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
    const { state, reasons: why } = buildMarketStatus(bot, marketId);
    return state === "quoting"
      ? []
      : [`${marketId}: ${state}${why.length === 0 ? "" : `: ${why.join("; ")}`}`];
  });
  const all = [...reasons, ...blind, ...(paused === undefined ? [] : [`liquidator: ${paused}`])];
  // A bot that sheds load quotes, and the page reports the shedding all the same.
  return { ready: all.length === 0, reasons: [...all, ...describeShedLoad(bot.context)] };
}

/** Halts of the whole account, in words. */
export function accountHalts(bot: Bot): readonly string[] {
  return bot.tradingGuards.halts
    .filter(({ scope }) => scope === "account")
    .map(({ name, why }) => `${name}: ${why}`);
}

/** Active rungs of the risk ladder, in words: those of a market with its name. */
function ladderTexts({ tradingGuards }: Bot): readonly string[] {
  return tradingGuards.ladder.acting.map(
    (rung) =>
      `${rung.measure}${rung.marketId === undefined ? "" : ` of ${rung.marketId}`}: ${actionText(rung)}: ${rung.why}`,
  );
}
