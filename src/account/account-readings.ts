import type { CreditUnits, Lots, MarketId, Ms, PaperUnits, SideLots } from "../core/units.js";
import type { VenueBalances, VenuePosition } from "../exchange/records.js";
import type { AccountUpdater } from "./account-updater.js";
import type { StoredTakeover } from "./positions/takeover.js";
import type { ProfitParts, RealisedSplit } from "./profit/account-profit.js";
import type { TransferLedger } from "./profit/transfer-ledger.js";

/** The money and positions of the account as known now. Reading changes nothing. */
export abstract class AccountReadings {
  readonly #updater: AccountUpdater;

  protected constructor(intake: AccountUpdater) {
    this.#updater = intake;
  }

  /**
   * Signed: opening position and every trade that did not fail
   * (docs/ideas/design.md#matched-is-not-filled).
   */
  positionLots(marketId: MarketId): Lots {
    return this.#updater.trades.positionLots(marketId);
  }

  /**
   * Trades in {@link positionLots} that are neither settled nor failed, by side, rounded up to
   * lots.
   */
  unsettledLots(marketId: MarketId): SideLots {
    return this.#updater.trades.unsettledBySide(marketId);
  }

  /**
   * {@link positionLots} in base with the sub-lot balance, exact, for display. Liquidations leave a
   * sub-lot balance, and so do fills of orders off the market's step.
   */
  positionBase(marketId: MarketId): string {
    return this.#updater.subLotBalances.formatBase(marketId, this.positionLots(marketId));
  }

  /** The same, signed, in units of paper. */
  positionPaper(marketId: MarketId): PaperUnits {
    return this.#updater.positionPaper(marketId);
  }

  /**
   * Average entry price of the exchange's own record, in quote for one base. Undefined for a flat
   * position, and while the exchange has not reported a position of the same sign.
   */
  entryPrice(marketId: MarketId): string | undefined {
    return this.#updater.entryPrice(marketId);
  }

  /** The latest reported balances; undefined before the first. */
  get balances(): { readonly balances: VenueBalances; readonly atMs: Ms } | undefined {
    return this.#updater.netValue.reported;
  }

  /** The exchange's own positions, as last reported. */
  get venuePositions(): ReadonlyMap<MarketId, VenuePosition> {
    return this.#updater.positions;
  }

  /** The last reported net value, moved by the marks since; undefined before the first. */
  get equity(): CreditUnits | undefined {
    return this.#updater.netValue.now;
  }

  /**
   * Net value at the end of the start reconciliation, without the transfers that {@link profit}
   * counts; undefined before.
   */
  get startEquity(): CreditUnits | undefined {
    return this.#updater.startValue.value;
  }

  /**
   * {@link equity} less {@link startEquity}, profit and transfers: earnings that no trade or income
   * has reported yet.
   */
  get unexplainedEquity(): CreditUnits {
    return this.#updater.startValue.unexplainedEquity;
  }

  /** Exchange time up to which the exchange has listed its incomes. */
  get incomesListedToMs(): Ms {
    return this.#updater.incomes.listedToMs;
  }

  /** Profit by its parts since the start, of one market or of all. */
  profit(marketId?: MarketId): ProfitParts {
    return this.#updater.profit.parts(marketId);
  }

  /**
   * The profit of one market or of all, split by what is still open. Undefined while a mark or the
   * entry price of a position is not known.
   */
  profitSplit(marketId?: MarketId): RealisedSplit | undefined {
    return this.#updater.profit.split((id) => this.entryPrice(id), marketId);
  }

  /** Grows whenever {@link unexplainedEquity} changes for another cause than marks. */
  get moneySerial(): number {
    return this.#updater.moneySerial + this.#updater.netValue.serial;
  }

  /**
   * Deposits and withdrawals within {@link profit}, without computing its other parts: this is read
   * a few times a second.
   */
  get transferred(): CreditUnits {
    return this.#updater.profit.transfers;
  }

  /** Deposits and withdrawals: those before this run's profit, and those that are counted. */
  get transfers(): Pick<TransferLedger, "earlier" | "counted" | "areAllReported"> {
    return this.#updater.transfers;
  }

  /**
   * Every takeover that was counted, and a reversal of each that a reorg reverted. They are saved
   * for the next run.
   */
  get takeovers(): readonly StoredTakeover[] {
    return this.#updater.takeovers.recorded;
  }

  /** Grows with every change of `takeovers`. */
  get takeoversSerial(): number {
    return this.#updater.takeovers.serial;
  }
}
