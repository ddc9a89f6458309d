import type { CreditUnits, Lots, MarketId, Ms, SideLots } from "../core/units.js";
import type { VenueBalances, VenuePosition } from "../exchange/records.js";
import type { Intake } from "./account-updater.js";
import type { SaidTakeover } from "./positions/takeover.js";
import type { ProfitParts } from "./profit/account-profit.js";
import type { Transfers } from "./profit/transfer-ledger.js";

/** The money and positions of the account as they are known now. Reading changes nothing. */
export abstract class AccountReadings {
  readonly #intake: Intake;

  protected constructor(intake: Intake) {
    this.#intake = intake;
  }

  /** Signed: base position and every trade that did not fail (design, rule 8). */
  positionLots(marketId: MarketId): Lots {
    return this.#intake.trades.positionLots(marketId);
  }

  /** Trades in {@link positionLots} that are neither settled nor failed, by side; a part of a lot counts as a whole one. */
  unsettledLots(marketId: MarketId): SideLots {
    return this.#intake.trades.unsettledBySide(marketId);
  }

  /** {@link positionLots} in base with what is held beyond whole lots, exact, for people: a liquidation leaves some, and a fill of an order of finer steps. */
  positionBase(marketId: MarketId): string {
    return this.#intake.rests.baseOf(marketId, this.positionLots(marketId));
  }

  /** The latest balances that the exchange told; undefined before the first. */
  get balances(): { readonly balances: VenueBalances; readonly atMs: Ms } | undefined {
    return this.#intake.netValue.told;
  }

  /** The exchange's own positions, as last told. */
  get venuePositions(): ReadonlyMap<MarketId, VenuePosition> {
    return this.#intake.positions;
  }

  /** The net value last told, moved by the marks since; undefined before the first. */
  get equity(): CreditUnits | undefined {
    return this.#intake.netValue.now;
  }

  /** Net value at the end of the start reconciliation, without the transfers that {@link profit} counts; undefined before. */
  get startEquity(): CreditUnits | undefined {
    return this.#intake.startValue.value;
  }

  /** {@link equity} less {@link startEquity}, profit and transfers: earnings that no trade or income has told yet. */
  get untold(): CreditUnits {
    return this.#intake.startValue.untold;
  }

  /** Up to when the exchange has listed its incomes, exchange time. */
  get incomesListedToMs(): Ms {
    return this.#intake.incomes.listedToMs;
  }

  /** Profit by its parts since the start: of one market, or of all. */
  profit(marketId?: MarketId): ProfitParts {
    return this.#intake.profit.parts(marketId);
  }

  /** A count that grows whenever {@link untold} changes for another cause than marks. */
  get moneySerial(): number {
    return this.#intake.moneySerial + this.#intake.netValue.serial;
  }

  /** Deposits and withdrawals within {@link profit}, without the work of its other parts: this is read a few times a second. */
  get transferred(): CreditUnits {
    return this.#intake.profit.transfers;
  }

  /** Deposits and withdrawals: those of the time before this run's profit, and which are counted. */
  get transfers(): Pick<Transfers, "earlier" | "counted" | "areTold"> {
    return this.#intake.transfers;
  }

  /** Every takeover that was counted, and a reversal of each that the chain undid. They are saved for the next run. */
  get takeovers(): readonly SaidTakeover[] {
    return this.#intake.takeovers.said;
  }

  /** Grows with every change of `takeovers`. */
  get takeoversSerial(): number {
    return this.#intake.takeovers.serial;
  }
}
