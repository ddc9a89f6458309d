import { scaledToDecimal } from "../../../core/instrument.js";
import type { MarketId } from "../../../core/units.js";
import type { LedgerCounts } from "../../../liquidator/ledger/ledger-counts.js";
import type { Bot } from "../../engine/bot.js";
import type { HedgeAtEnd, UnsettledHedge } from "../../engine/bot-event.js";
import type { LeftoverOrder } from "../../execution/leftover-order.js";
import { computeEarnings } from "../../status/earnings.js";
import { type HedgeStatus, readHedge } from "../../status/hedge-status.js";
import { type LiquidationSummary, summariseLiquidations } from "../../status/liquidator-status.js";
import { listOpenPositions, type OpenPosition, quoteAssetOf } from "../../status/open-position.js";
import type { RunMonitor } from "./run-monitor.js";

/**
 * Result of a run: the object that `run --json` prints. Amounts are decimal strings, quote in the
 * quote asset.
 */
export interface RunSummary {
  readonly ordersPlaced: number;
  readonly ordersCancelled: number;
  readonly ordersRejected: number;
  readonly ordersUnknown: number;
  readonly ordersUnknownResolved: number;
  readonly fills: number;
  readonly failedTrades: number;
  /**
   * null if the run ended before the exchange had reported the account: the position is unknown.
   */
  readonly positionBase: Readonly<Record<MarketId, string | null>>;
  /** The positions that stay open, by market; empty where all are flat, or none is known. */
  readonly openPositions: readonly OpenPosition[];
  /** Name of the asset of all quote amounts, such as USDC; null if the exchange names none. */
  readonly quoteAsset: string | null;
  /** Net value at the start plus all profit and transfers since, at the last known marks. */
  readonly equityQuote: string | null;
  /**
   * The profit of the run: `equityQuote` less the net value at the start, without deposits and
   * withdrawals. Equals `pnlQuote.total`.
   */
  readonly equityChangeQuote: string | null;
  /** Deposits less withdrawals since the start. */
  readonly transfersQuote: string;
  /**
   * Excess of the exchange's net value at our marks over `equityQuote`: trades, incomes and
   * transfers that were still in transit at the end, so that only one side had them. 0 once both
   * have all.
   */
  readonly underWayQuote: string | null;
  /**
   * The exchange's own figure, as last reported: at a mark that may be a second older or newer than
   * ours.
   */
  readonly netValueToldQuote: string | null;
  /**
   * The parts of the profit since the start, which sum to `total`, and beside them the `transfers`.
   * All are exact to the last digit.
   */
  readonly pnlQuote: Readonly<
    Record<
      | "spread"
      | "inventory"
      | "fees"
      | "funding"
      | "basis"
      | "failed"
      | "liquidation"
      | "other"
      | "transfers"
      | "total",
      string
    >
  >;
  /**
   * The hedges at other venues, by market; absent without any. Their profit is in no figure above:
   * those are of the exchange's account.
   */
  readonly hedges?: Readonly<Record<MarketId, HedgeStatus>>;
  /** Hedges with an open order or too much unhedged at the end; absent if there are none. */
  readonly hedgesLeft?: readonly HedgeAtEnd[];
  /** Hedged fills whose settlement was still pending; absent if there are none. */
  readonly unsettledHedges?: readonly UnsettledHedge[];
  readonly streamGaps: number;
  readonly malformedFrames: number;
  readonly reconcileDifferences: number;
  /** Our open orders, as the exchange last reported them; null if it could not be queried. */
  readonly openOrdersLeft: number | null;
  /** Our orders that may still fill. */
  readonly ordersLeft: readonly LeftoverOrder[];
  /**
   * Markets whose position at the exchange differs from `positionBase`, or that it has not reported
   * (null); absent if there are none.
   */
  readonly positionsApart?: readonly {
    readonly marketId: MarketId;
    readonly positionBase: string;
    readonly exchangeBase: string | null;
  }[];
  /**
   * Takeovers that were sent and whose outcome is unknown: each may still bring a position. Absent
   * if there are none.
   */
  readonly takeoversUnderWay?: readonly {
    readonly marketId: MarketId;
    /** Its id in `transactions.jsonl` and `liquidations.jsonl`. */
    readonly jobId: string;
    /** Signed: the most that it brings. */
    readonly amountBase: string;
    /** The exchange's position, and so `positionBase`, contains it: only its receipt is missing. */
    readonly isHeld: boolean;
  }[];
  /**
   * Markets with takeovers that are still to be sold, or bought back (negative); absent if there
   * are none.
   */
  readonly takeoversInSale?: readonly {
    readonly marketId: MarketId;
    readonly remainingBase: string;
  }[];
  readonly manualOrders: number;
  /**
   * From the start of the process until both sides rested in every market; null if they never did.
   */
  readonly secondsToFirstQuote: number | null;
  readonly stopReason: string | null;
  /**
   * Why the bot had to stop by itself, such as a state file that cannot be written: the command
   * then exits with 1.
   */
  readonly fault?: string;
  /**
   * Only for a dry run whose orders were filled here and sent nowhere: fills, positions and profit
   * are paper, by these models.
   */
  readonly paper?: {
    readonly queue: string;
    readonly orderLatencyMs: number;
    readonly responseLatencyMs: number;
    readonly creditQuote: string;
  };
  /**
   * Only for a bot that liquidates: positions of accounts in danger, by the stage that they
   * reached.
   */
  readonly liquidations?: LiquidationSummary;
}

/** Summarises a run. */
export function buildRunSummary(
  bot: Bot,
  monitor: RunMonitor,
  secondsToFirstQuote: number | null,
  liquidations?: LedgerCounts,
): RunSummary {
  const { account, traders, rules, reservations } = bot.context;
  const { counts } = account;
  const { creditDecimals } = rules;
  const { parts, inTransit } = computeEarnings(bot);
  const decimal = (value: bigint): string => scaledToDecimal(value, parts.decimals);
  const { startEquity } = account;
  const unit = 10n ** BigInt(parts.decimals - creditDecimals);
  const netValue = account.balances?.balances.netValue;
  let manualOrders = 0;
  const positionBase: Record<MarketId, string | null> = {};
  for (const trader of traders.values()) {
    positionBase[trader.marketId] = account.confirmed
      ? account.positionBase(trader.marketId)
      : null;
    manualOrders += account.orders.foreign(trader.marketId).length;
  }
  const positionsApart = (monitor.stopResult?.positionsApart ?? []).map(
    ({ exchangeBase = null, ...one }) => ({ ...one, exchangeBase }),
  );
  const takeoversUnderWay = reservations.all.map(({ jobId, marketId, paper, isHeld = false }) => ({
    marketId,
    jobId,
    amountBase: scaledToDecimal(paper, rules.paperDecimals),
    isHeld,
  }));
  const takeoversInSale = [...traders.values()].flatMap(({ marketId, instrument }) => {
    const lots = bot.liquidatedInventory.openLots(marketId);
    return lots === 0 ? [] : [{ marketId, remainingBase: instrument.formatAmount(lots) }];
  });
  const hedges: Record<MarketId, HedgeStatus> = {};
  for (const marketId of traders.keys()) {
    const hedge = readHedge(bot, marketId);
    if (hedge !== undefined) hedges[marketId] = hedge;
  }
  return {
    ordersPlaced: counts.placed,
    ordersCancelled: counts.cancelled,
    ordersRejected: counts.rejected,
    ordersUnknown: counts.unknown,
    ordersUnknownResolved: counts.unknownResolved,
    // Before the account is confirmed, reported trades belong to earlier runs.
    fills: account.confirmed ? counts.fills : 0,
    failedTrades: counts.failedTrades,
    positionBase,
    openPositions: listOpenPositions(bot),
    quoteAsset: quoteAssetOf(bot),
    equityQuote:
      startEquity === undefined
        ? null
        : decimal(startEquity * unit + parts.total + parts.transfers),
    equityChangeQuote: startEquity === undefined ? null : decimal(parts.total),
    transfersQuote: decimal(parts.transfers),
    underWayQuote: inTransit === undefined ? null : decimal(inTransit),
    netValueToldQuote: netValue === undefined ? null : scaledToDecimal(netValue, creditDecimals),
    pnlQuote: {
      spread: decimal(parts.spread),
      inventory: decimal(parts.inventory),
      fees: decimal(parts.fees),
      funding: decimal(parts.funding),
      basis: decimal(parts.basis),
      failed: decimal(parts.failed),
      liquidation: decimal(parts.liquidation),
      other: decimal(parts.other),
      transfers: decimal(parts.transfers),
      total: decimal(parts.total),
    },
    ...(Object.keys(hedges).length === 0 ? {} : { hedges }),
    ...(monitor.stopResult?.hedgesLeft === undefined
      ? {}
      : { hedgesLeft: monitor.stopResult.hedgesLeft }),
    ...(monitor.stopResult?.unsettledHedges === undefined
      ? {}
      : { unsettledHedges: monitor.stopResult.unsettledHedges }),
    streamGaps: monitor.streamGaps,
    malformedFrames: monitor.malformed,
    reconcileDifferences: counts.differences,
    openOrdersLeft: monitor.stopResult?.openOrdersLeft ?? null,
    ordersLeft: monitor.stopResult?.ordersLeft ?? [],
    ...(positionsApart.length === 0 ? {} : { positionsApart }),
    ...(takeoversUnderWay.length === 0 ? {} : { takeoversUnderWay }),
    ...(takeoversInSale.length === 0 ? {} : { takeoversInSale }),
    manualOrders,
    secondsToFirstQuote,
    stopReason: monitor.stopResult?.reason ?? null,
    ...(liquidations === undefined
      ? {}
      : { liquidations: summariseLiquidations(liquidations, creditDecimals) }),
  };
}
