import type { Instrument } from "../core/instrument.js";
import type { Hex, MarketId, Ms, PaperUnits } from "../core/units.js";
import type {
  VenueBalances,
  VenueIncome,
  VenueOrder,
  VenuePosition,
  VenueTrade,
} from "../exchange/records.js";
import type { AccountChange, Difference } from "./account-change.js";
import { MidHistory } from "./markouts/mid-history.js";
import type { OwnOrder, ReportSource } from "./orders/order.js";
import { areSameAmounts, readReportedAmounts } from "./orders/order-amounts.js";
import { OwnOrders } from "./orders/own-orders.js";
import { FillMatcher } from "./positions/fill-matcher.js";
import { isLiquidation } from "./positions/reported-liquidations.js";
import { SubLotBalances } from "./positions/sub-lot-balances.js";
import type { Takeover } from "./positions/takeover.js";
import { TakeoverLedger } from "./positions/takeover-ledger.js";
import { TradeLedger } from "./positions/trade-ledger.js";
import { AccountProfit } from "./profit/account-profit.js";
import { IncomeLedger } from "./profit/income-ledger.js";
import { NetValue } from "./profit/net-value.js";
import { StartEquity } from "./profit/start-equity.js";
import { type CountedTransfers, isTransfer, TransferLedger } from "./profit/transfer-ledger.js";
import { PendingDiscrepancies } from "./reconciliation/pending-discrepancies.js";
import { PositionCountingMode } from "./reconciliation/position-counting-mode.js";
import { StreamedPositions } from "./reconciliation/streamed-positions.js";

/** Dependencies of the {@link AccountUpdater}. */
export interface AccountUpdaterDeps {
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  readonly nonceTag: number;
  readonly builtHashes?: readonly Hex[];
  readonly finalOrderRetentionMs: Ms;
  readonly streamLagMs: Ms;
  readonly previousTransfers?: CountedTransfers;
}

/** The source of a record. A record that REST reports first may have been lost by the stream. */
export type RecordSource = "stream" | "rest";

/** Changes of a mid that are kept for trades that are reported late. */
const KEPT_MIDS = 1_024;

/** Applies all records of the exchange to the account's books, whatever their source. */
export class AccountUpdater {
  readonly trades = new TradeLedger();
  readonly incomes = new IncomeLedger();
  readonly fillMatcher = new FillMatcher(this.trades);
  readonly orders: OwnOrders;
  readonly profit: AccountProfit;
  readonly netValue: NetValue;
  readonly startValue: StartEquity;
  readonly transfers: TransferLedger;
  readonly takeovers = new TakeoverLedger();
  readonly countingMode = new PositionCountingMode();
  readonly subLotBalances: SubLotBalances;
  /** Records that REST reported before the stream. */
  readonly pendingDiscrepancies = new PendingDiscrepancies();
  readonly #streamLagMs: Ms;
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  /** Mids by the exchange's time. */
  readonly #mids: ReadonlyMap<MarketId, MidHistory>;
  readonly #positions = new Map<MarketId, VenuePosition>();
  /** Positions as last reported by the stream, whatever REST has reported since. */
  readonly streamed = new StreamedPositions(this);
  #begunAtMs: Ms = Number.NEGATIVE_INFINITY;
  #reportsDiscrepancies = false;
  #moneySerial = 0;
  #streamBalancesSerial = 0;
  #balancesMoneySerial = 0;

  constructor(options: AccountUpdaterDeps) {
    const { instruments, nonceTag, builtHashes, finalOrderRetentionMs } = options;
    this.orders = new OwnOrders({
      instruments,
      nonceTag,
      rememberMs: finalOrderRetentionMs,
      fillMatcher: this.fillMatcher,
      ...(builtHashes === undefined ? {} : { builtHashes }),
    });
    this.subLotBalances = new SubLotBalances(instruments);
    this.profit = new AccountProfit(instruments);
    this.#mids = new Map([...instruments.keys()].map((id) => [id, new MidHistory(KEPT_MIDS)]));
    this.netValue = new NetValue(this.profit, instruments);
    this.startValue = new StartEquity(this.profit, this.netValue);
    this.transfers = new TransferLedger(options.previousTransfers);
    this.#streamLagMs = options.streamLagMs;
    this.#instruments = instruments;
  }

  /** Starts this run: later trades are its fills. */
  begin(nowMs: Ms): void {
    this.#begunAtMs = nowMs;
    this.orders.begin(nowMs);
  }

  /**
   * Called when the start is reconciled. The profit counts from here, and a record that the stream
   * did not report is a difference.
   */
  startReportingDiscrepancies(): void {
    this.#reportsDiscrepancies = true;
    const { reported } = this.netValue;
    if (reported === undefined) return;
    this.startValue.begin(reported);
    this.transfers.begin(reported.atMs);
  }

  /** Grows with every trade, settlement, failure, income and corrected position. */
  get moneySerial(): number {
    return this.#moneySerial;
  }

  /** Grows with every ACCOUNT_UPDATE. */
  get streamBalancesSerial(): number {
    return this.#streamBalancesSerial;
  }

  /** Value of `moneySerial` at the last report of balances. */
  get balancesMoneySerial(): number {
    return this.#balancesMoneySerial;
  }

  get positions(): ReadonlyMap<MarketId, VenuePosition> {
    return this.#positions;
  }

  /** Our position, signed, with the sub-lot balance. */
  positionPaper(marketId: MarketId): PaperUnits {
    return this.subLotBalances.toPaper(marketId, this.trades.positionLots(marketId));
  }

  /**
   * Average entry price of the exchange's own record, in quote for one base. Undefined for a flat
   * position, and while the exchange has not reported a position of the same sign.
   */
  entryPrice(marketId: MarketId): string | undefined {
    const paper = this.positionPaper(marketId);
    const reported = this.#positions.get(marketId);
    const instrument = this.#instruments.get(marketId);
    if (paper === 0n || reported === undefined || instrument === undefined) return undefined;
    const { lots, restPaper = 0n, entryPrice } = reported;
    const reportedPaper = instrument.lotsToPaper(lots) + restPaper;
    return reportedPaper !== 0n && reportedPaper > 0n === paper > 0n ? entryPrice : undefined;
  }

  applyOrder(
    report: VenueOrder,
    source: ReportSource,
    nowMs: Ms,
    queriedAtMs?: Ms,
  ): readonly AccountChange[] {
    const before = this.orders.recognise(report);
    const changes = this.orders.report(report, source, nowMs, queriedAtMs, before);
    const own = before === undefined ? this.orders.recognise(report) : this.orders.get(before.hash);
    if (own === undefined) return changes;
    if (source === "stream") {
      const reportedAmounts = this.pendingDiscrepancies.isEmpty
        ? undefined
        : readReportedAmounts(report);
      if (reportedAmounts !== undefined && areSameAmounts(reportedAmounts, own))
        this.pendingDiscrepancies.clear(own.hash);
    } else if (source !== "answer" && before?.place === "seen" && !areSameAmounts(before, own)) {
      const missing = own.finalAtMs !== undefined && source === "history";
      this.addPendingDiscrepancy(own.hash, nowMs, {
        kind: missing ? "order-missing" : "amount",
        marketId: own.marketId,
        subject: own.hash,
        ours: describeOrder(before),
        theirs: describeOrder(own),
      });
    }
    return changes;
  }

  /** Applies the mid of a market; undefined if it is not known any more. */
  applyMid(marketId: MarketId, midHalfTicks: number | undefined, exchangeMs: Ms): void {
    if (midHalfTicks !== undefined) this.profit.mid(marketId, midHalfTicks);
    this.#mids.get(marketId)?.add(exchangeMs * 1000, midHalfTicks ?? Number.NaN);
  }

  /**
   * The mid just before a trade matched, in half ticks, as the bot knew it then; undefined if it
   * did not. A trade is reported after the book has moved by it.
   */
  midAtMatch({ marketId, timeMs }: Pick<VenueTrade, "marketId" | "timeMs">): number | undefined {
    const mid = this.#mids.get(marketId)?.midAt(timeMs * 1000 - 1) ?? Number.NaN;
    return Number.isNaN(mid) ? undefined : mid;
  }

  applyTrade(trade: VenueTrade, source: RecordSource, nowMs: Ms): readonly AccountChange[] {
    const news = this.trades.trade(trade);
    if (source === "stream" && !this.pendingDiscrepancies.isEmpty)
      this.pendingDiscrepancies.clear(subjectOf(trade));
    if (news === undefined) return [];
    this.#moneySerial += 1;
    if (source === "rest" && (news.news === "fill" || news.news === "failed")) {
      this.addPendingDiscrepancy(subjectOf(trade), nowMs, {
        kind: "trade-missed",
        marketId: trade.marketId,
        subject: trade.id,
        ours: news.news === "fill" ? "unknown" : "not failed",
        theirs: `${trade.side} ${trade.lots} lots, ${trade.status}`,
      });
    }
    const based = this.trades.hasBase(trade.marketId);
    switch (news.news) {
      case "fill":
        if (based) this.profit.fill(trade, this.midAtMatch(trade));
        this.#applySubLots(trade, 1);
        // Trades before this run are in the opening position, and in an earlier run's log.
        return based || trade.timeMs >= this.#begunAtMs
          ? [{ kind: "fill", trade }]
          : [{ kind: "earlier-trade", trade }];
      case "settled":
        return [{ kind: "settled", trade }];
      case "failed":
        // This run never counts a failure that was final before it, and does not report it again at
        // each start.
        if (news.counted === undefined && trade.timeMs < this.#begunAtMs)
          return [{ kind: "earlier-trade", trade }];
        if (based && news.counted !== undefined) this.profit.failed(news.counted);
        if (news.counted !== undefined) this.#applySubLots(news.counted, -1);
        return [{ kind: "trade-failed", trade, lots: news.lots }];
    }
  }

  applyIncome(income: VenueIncome, source: RecordSource, nowMs: Ms): readonly AccountChange[] {
    const subject = `income ${income.id}`;
    if (source === "stream") this.pendingDiscrepancies.clear(subject);
    if (isTransfer(income) && (!this.#reportsDiscrepancies || this.incomes.isEarlier(income)))
      this.transfers.noteEarlier(income);
    const isOurLiquidation = isLiquidation(income) && this.#instruments.has(income.marketId);
    if (isOurLiquidation && !this.#reportsDiscrepancies && this.incomes.isEarlier(income))
      this.takeovers.recordEarlier(income);
    if (!this.incomes.income(income)) return [];
    this.#moneySerial += 1;
    if (isOurLiquidation) this.takeovers.applyIncome(income, nowMs);
    // Other incomes repeat the trades, and not every exchange streams them.
    if (source === "rest" && income.type === "FUNDING_FEE") {
      this.addPendingDiscrepancy(subject, nowMs, {
        kind: "income-missed",
        marketId: income.marketId,
        subject: income.id,
        ours: "unknown",
        theirs: `${income.type} ${income.amount}`,
      });
    }
    if (this.#reportsDiscrepancies) {
      this.profit.income(income);
      if (isTransfer(income)) {
        this.transfers.note(income);
        this.startValue.transferred(income);
      }
    }
    return [{ kind: "income", income }];
  }

  applyAccount(
    balances: VenueBalances,
    positions: readonly VenuePosition[],
    source: RecordSource,
    nowMs: Ms,
  ): readonly AccountChange[] {
    if (source === "stream") this.#streamBalancesSerial += 1;
    this.netValue.applyBalances(balances, positions, nowMs);
    this.#balancesMoneySerial = this.#moneySerial;
    if (this.startValue.hasUncertainTransfers) this.startValue.settle();
    // A list is complete: an absent position is gone. An update may contain only changes.
    if (source === "rest") this.#positions.clear();
    for (const position of positions) {
      this.#positions.set(position.marketId, position);
      if (source === "stream") this.streamed.update(position, nowMs);
    }
    return [{ kind: "balances", balances, atMs: nowMs }];
  }

  /**
   * Sets the first opening position of a market: its profit begins here. Returns the takeovers that
   * the position does not include.
   */
  setBase(
    marketId: MarketId,
    lots: number,
    exchangeTimeMs: Ms,
    restPaper = 0n,
  ): readonly AccountChange[] {
    this.trades.setPosition(marketId, lots);
    this.fillMatcher.setAside(marketId);
    this.subLotBalances.set(marketId, restPaper);
    this.profit.begin(marketId, lots, restPaper, this.entryPrice(marketId));
    return this.takeovers
      .onBaseSet(marketId, exchangeTimeMs)
      .map((takeover) => this.#countTakeover(takeover));
  }

  /** Applies a takeover, or the opposite of one that a reorg has reverted. */
  acquireTakeover(takeover: Takeover, nowMs: Ms): readonly AccountChange[] {
    const { marketId, lots, credit, id } = takeover;
    switch (this.takeovers.record(takeover, this.trades.hasBase(marketId), nowMs)) {
      case "count":
        return [this.#countTakeover(takeover)];
      case "counted":
        return [{ kind: "liquidation", marketId, lots: 0, credit: 0n, takeoverId: id }];
      case "rename":
        this.profit.setPosition(marketId, this.trades.positionLots(marketId) - lots);
        this.profit.liquidation(marketId, lots, credit);
        return [{ kind: "liquidation", marketId, lots: 0, credit, takeoverId: id }];
      case "nothing":
        return [];
    }
  }

  #countTakeover({ marketId, lots, credit, id }: Takeover): AccountChange {
    this.trades.acquire(marketId, lots);
    this.profit.liquidation(marketId, lots, credit);
    this.#moneySerial += 1;
    return { kind: "liquidation", marketId, lots, credit, takeoverId: id };
  }

  /**
   * Applies a move of the exchange's position by so many lots that reported liquidations explain.
   */
  applyLiquidation(marketId: MarketId, lots: number, nowMs: Ms): AccountChange {
    const isTakenOver = this.takeovers.liquidations.areTakenOver(marketId);
    const credit = this.takeovers.claimWaiting(marketId, lots, nowMs);
    if (lots !== 0) this.trades.acquire(marketId, lots);
    this.profit.liquidation(marketId, lots, credit);
    this.#moneySerial += 1;
    return { kind: "liquidation", marketId, lots, credit, takeoverId: undefined, isTakenOver };
  }

  #applySubLots(trade: VenueTrade, times: 1 | -1): void {
    const { marketId, side, restPaper } = trade;
    if (restPaper === undefined || !this.#instruments.has(marketId)) return;
    this.fillMatcher.addSubLots(
      marketId,
      side,
      times * this.subLotBalances.toLots(marketId, restPaper),
    );
    if (!this.trades.hasBase(marketId)) return;
    const carried = this.subLotBalances.applyTrade(
      trade,
      times,
      this.trades.positionLots(marketId),
    );
    if (carried === 0) return;
    this.trades.carrySubLots(marketId, carried);
    this.profit.carrySubLots(marketId, carried);
  }

  /** Sets the sub-lot balance that a liquidation left. */
  setSubLotBalance(marketId: MarketId, restPaper: bigint): void {
    if (restPaper === this.subLotBalances.get(marketId)) return;
    this.subLotBalances.set(marketId, restPaper);
    this.profit.rest(marketId, restPaper);
    this.#moneySerial += 1;
  }

  /** The value of one lot at the mark, in credit units; undefined before the first mark. */
  lotValue(marketId: MarketId): number | undefined {
    const mark = this.netValue.markOf(marketId);
    const instrument = this.#instruments.get(marketId);
    if (mark === undefined || instrument === undefined) return undefined;
    return (Number(mark) * Number(instrument.paperPerLot)) / 10 ** instrument.paperDecimals;
  }

  /** Replaces our position by the exchange's, because nothing known explains the difference. */
  correctPosition(marketId: MarketId, lots: number, nowMs: Ms): AccountChange {
    const was = this.trades.positionLots(marketId);
    this.trades.setPosition(marketId, lots);
    this.profit.setPosition(marketId, lots);
    // Incomes of liquidations without a plausible price still change the credit.
    this.profit.liquidation(marketId, 0, this.takeovers.claimWaiting(marketId, lots - was, nowMs));
    this.takeovers.settleReverts(marketId);
    this.#moneySerial += 1;
    return { kind: "position-set", marketId, lots, was };
  }

  /**
   * Records a fact that REST reported before the stream. It becomes a difference unless the stream
   * reports it within its lag.
   */
  addPendingDiscrepancy(subject: string, nowMs: Ms, difference: Difference): void {
    if (this.#reportsDiscrepancies)
      this.pendingDiscrepancies.add(subject, difference, nowMs + this.#streamLagMs);
  }
}

function subjectOf({ marketId, id }: VenueTrade): string {
  return `trade ${marketId} ${id}`;
}

function describeOrder({ phase, matchedLots, lots, pendingLots }: OwnOrder): string {
  return `${phase}, ${matchedLots} of ${lots} lots matched${pendingLots > 0 ? `, ${pendingLots} not settled` : ""}`;
}
