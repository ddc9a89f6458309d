import { expect } from "vitest";
import type { Takeover } from "#account/takeover.js";
import type { CreditUnits, Lots, Side } from "#core/units.js";
import type { VenueIncome } from "#exchange/records.js";
import { INSTRUMENT, MARKET, T0, venueTrade } from "./exchange-story.js";
import { Story } from "./scripted-exchange.js";

/** 60,000 per base, in credit units. A lot of 0.001 is worth 60,000,000 of them. */
export const MARK = 60_000_000_000n;
export const LOT_VALUE = 60_000_000n;

/** A long position acquired one per cent below the mark, or a short one that much above it. */
export function takeover(lots: Lots, id = "tx 1", atMs = T0): Takeover {
  return { id, marketId: MARKET, lots, credit: creditOf(lots), atMs };
}

export function creditOf(lots: Lots): CreditUnits {
  return (-BigInt(lots) * LOT_VALUE * (lots > 0 ? 99n : 101n)) / 100n;
}

/** Value of the discount of one per cent. */
export function discount(lots: Lots): CreditUnits {
  return (BigInt(Math.abs(lots)) * LOT_VALUE) / 100n;
}

let incomes = 0;

export function newIncomeId(): string {
  incomes += 1;
  return String(incomes);
}

/**
 * An account with a book, a mark and a position of 5, and its exchange's reaction to a liquidation.
 */
export class Scene extends Story {
  #trades = 0;
  readonly startNetValue: CreditUnits;

  constructor(options: ConstructorParameters<typeof Story>[0] = { previousTakeovers: [] }) {
    super(options);
    this.exchange.basePosition = 5;
    this.startNetValue = this.exchange.netValue;
    this.take(
      this.account.onEvent(
        { type: "market-state", marketId: MARKET, mark: MARK } as never,
        this.nowMs,
      ),
    );
    this.account.onMid(MARKET, 1_200_000, 0);
  }

  says(said: Takeover): this {
    return this.take(this.account.acquireTakeover(said, this.nowMs));
  }

  undoes(id: string): this {
    return this.take(this.account.revertTakeover(id, this.nowMs));
  }

  /** The exchange applies the liquidation and reports nothing yet. */
  applies({ lots, credit }: Pick<Takeover, "lots" | "credit">, type = "LIQUIDATE"): VenueIncome {
    this.exchange.basePosition += lots;
    this.exchange.netValue += credit + BigInt(lots) * LOT_VALUE;
    const income = {
      id: newIncomeId(),
      type,
      amount: credit,
      timeMs: this.exchange.timeMs,
      marketId: MARKET,
    };
    this.exchange.incomes.push(income);
    return income;
  }

  streams(income: VenueIncome): this {
    return this.take(
      this.account.onEvent(
        { type: "income-update", incomes: [income], timestampMs: this.nowMs } as never,
        this.nowMs,
      ),
    );
  }

  mark = MARK;

  /** The mark moves, and the exchange's valuation with it. */
  marks(mark: CreditUnits): this {
    const value = (at: CreditUnits) => (this.exchange.paper * at) / 10n ** 18n;
    const moved = value(mark) - value(this.mark);
    this.exchange.netValue += moved;
    this.exchange.valuation += moved;
    this.mark = mark;
    return this.take(
      this.account.onEvent({ type: "market-state", marketId: MARKET, mark } as never, this.nowMs),
    );
  }

  /** The account trades at the mark, without a fee. */
  trades(lots: Lots, side: Side): this {
    const quote = BigInt(lots) * 60_000_000n;
    const before = (this.exchange.paper * this.mark) / 10n ** 18n;
    const trade = venueTrade(++this.#trades, side, lots, {
      quote,
      commission: 0n,
      timeMs: this.exchange.timeMs,
      status: "SETTLED",
    });
    this.exchange.trades.push(trade);
    this.exchange.netValue +=
      (this.exchange.paper * this.mark) / 10n ** 18n - before + (side === "SELL" ? quote : -quote);
    return this.take(this.account.onEvent({ type: "trade-update", trade } as never, this.nowMs));
  }

  get position(): Lots {
    return this.account.positionLots(MARKET);
  }

  get liquidation(): CreditUnits {
    const { liquidation, decimals } = this.account.profit();
    return liquidation / 10n ** BigInt(decimals - 6);
  }

  /**
   * Checks that position and profit equal the exchange's, to the lot and to the unit, and that no
   * difference was ever reported.
   */
  agrees(startNetValue = this.startNetValue): this {
    this.wait(40_000);
    const { paper } = this.exchange;
    const beyond = paper - BigInt(this.position) * INSTRUMENT.paperPerLot;
    const isWhole = paper % INSTRUMENT.paperPerLot === 0n;
    expect(
      isWhole ? beyond === 0n : beyond ** 2n < INSTRUMENT.paperPerLot ** 2n,
      `${beyond} beyond ${this.position} lots`,
    ).toBe(true);
    const { total, transfers, decimals } = this.account.profit();
    expect(total + transfers).toBe(
      (this.exchange.netValue - startNetValue) * 10n ** BigInt(decimals - 6),
    );
    expect(this.account.equity).toBe(this.exchange.netValue);
    expect(this.differences).toEqual([]);
    return this;
  }
}
