import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Int64Id, MarketId } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";
import type { VenueEvent } from "../../exchange/venue.js";
import { ONE } from "../../perpetual/fixed-point.js";
import type { RunObserver } from "../record/run-observer.js";
import { RecentRecords } from "./answer-query.js";
import type { OwnLiquidation, ReplayAccount } from "./replay-account.js";
import type { ReplayMarket } from "./replay-market.js";

/** Dependencies of {@link ReplayIncomes}. */
export interface ReplayIncomesDeps {
  readonly account: ReplayAccount;
  readonly markets: ReadonlyMap<MarketId, ReplayMarket>;
  readonly observer: RunObserver;
  /** Shared by trades and incomes. */
  readonly nextId: () => Int64Id;
  /** Publishes events to the bot, after the delay of its streams. */
  readonly publish: (events: readonly VenueEvent[], atUs: number) => void;
}

/** Credits and debits of a replayed account without a trade: funding, and its own liquidations. */
export class ReplayIncomes {
  readonly recent = new RecentRecords<VenueIncome>();
  readonly #options: ReplayIncomesDeps;
  #isLiquidated = false;

  constructor(options: ReplayIncomesDeps) {
    this.#options = options;
  }

  /** True if the account was liquidated, partly or completely. */
  get isLiquidated(): boolean {
    return this.#isLiquidated;
  }

  /** Pays funding on a position, at the mark of this instant. */
  payFunding(marketId: MarketId, rateE18: bigint, atUs: number): void {
    const { account, observer, nextId, publish } = this.#options;
    const positionLots = account.positionLots(marketId);
    const mark = account.markOf(marketId);
    if (positionLots === 0 || mark === undefined) return;
    const timeMs = Math.floor(atUs / 1000);
    const income = { id: nextId(), type: "FUNDING_FEE", timeMs, marketId };
    const amount = account.payFunding(income, rateE18);
    const { instrument } = this.#marketOf(marketId).terms;
    const markTicks = Number(mark) / (10 ** instrument.creditDecimals * instrument.tickQuote);
    observer.funding({
      marketId,
      atUs,
      positionLots,
      markTicks,
      rate: Number(rateE18) / Number(ONE),
      amount,
    });
    this.recent.add({ ...income, amount });
    publish([{ type: "income-update", incomes: [{ ...income, amount }] }, account.update()], atUs);
  }

  /** Cancels every order and liquidates positions, until the account is safe. */
  liquidate(atUs: number): void {
    const { account, markets, observer, nextId, publish } = this.#options;
    for (const market of markets.values())
      for (const { order } of [...market.openOrders]) market.cancel(order.id, atUs);
    const timeMs = Math.floor(atUs / 1000);
    const taken = account.liquidate();
    this.#isLiquidated ||= taken.length > 0;
    const incomes = taken.flatMap(({ marketId, credit, insuranceFee }): readonly VenueIncome[] => [
      { id: nextId(), type: "LIQUIDATED", amount: credit, timeMs, marketId },
      { id: nextId(), type: "INSURANCE_FEE", amount: -insuranceFee, timeMs, marketId },
    ]);
    for (const income of incomes) this.recent.add(income);
    if (taken.length > 0) publish([{ type: "income-update", incomes }, account.update()], atUs);
    for (const one of taken)
      observer.note(
        atUs,
        "error",
        liquidationNote(one, this.#marketOf(one.marketId).terms.instrument),
      );
    const last = taken.at(-1);
    const { netValue } = account;
    if (last !== undefined && netValue < 0n)
      observer.note(
        atUs,
        "error",
        debtNote(netValue, this.#marketOf(last.marketId).terms.instrument),
      );
  }

  #marketOf(marketId: MarketId): ReplayMarket {
    return this.#options.markets.get(marketId) as ReplayMarket;
  }
}

/** The report's note on a liquidated position. */
function liquidationNote(
  { marketId, lots, credit, insuranceFee }: OwnLiquidation,
  instrument: Instrument,
): string {
  const quote = (units: CreditUnits): string => instrument.creditToDecimal(units);
  const held = `${instrument.formatAmount(Math.abs(lots))} ${lots > 0 ? "long" : "short"}`;
  return `the account was unsafe: ${held} in ${marketId} liquidated for ${quote(credit)}, insurance fee ${quote(insuranceFee)}`;
}

/**
 * The report's note on an account that was left below zero, which the exchange's insurance takes
 * over (docs/reference/protocol.md#bad-debt). The figures keep the debt: a result equal to the lost
 * deposit would not show how far the position fell.
 */
function debtNote(netValue: CreditUnits, instrument: Instrument): string {
  const debt = instrument.creditToDecimal(-netValue);
  return `the account is ${debt} below zero: the exchange's insurance would take that over, and the loss in these figures is larger by it than what the account held`;
}
