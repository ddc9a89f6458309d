import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPlaceRefusal } from "#backtest/find-place-refusal.js";
import { marketTerms } from "#backtest/market-terms.js";
import { ReplayAccount } from "#backtest/replay-account.js";
import { Instrument } from "#core/instrument.js";
import type { MarketRules } from "#exchange/records.js";
import type { PlaceAction } from "#exchange/venue.js";
import { marked } from "../../simulator/marked-market.js";
import { GRID, MARKET, stageRules } from "../engine/replay-stage.js";

const QUOTE = 1_000_000n;
/**
 * Margin for 39,000 by a leverage that leaves fractions of a unit, slightly above the allowed
 * exposure: either may bind.
 */
const CREDIT = 1_300;
const LEVERAGE = 30;
const MOST_EXPOSURE = 38_000;

const side = fc.constantFrom("BUY" as const, "SELL" as const);
const lots = fc.integer({ min: 1, max: 1300 });
const step = fc.oneof(
  fc.record({ what: fc.constant("rest" as const), side, lots }),
  fc.record({
    what: fc.constant("trade" as const),
    side,
    lots,
    quote: fc.integer({ min: 29_000, max: 31_000 }),
  }),
  fc.record({
    what: fc.constant("mark" as const),
    quote: fc.integer({ min: 29_200, max: 30_800 }),
  }),
);

/**
 * An account of the replayed exchange in one market, and an account of the embedded one with the
 * same events.
 */
class TwoAccounts {
  readonly #terms = marketTerms(
    {
      ...(stageRules([MARKET], { maker: "0", taker: "0" }).markets[MARKET] as MarketRules),
      maxExposure: BigInt(MOST_EXPOSURE) * QUOTE,
      maxLeverage: LEVERAGE,
      liquidationLeverage: "50",
    },
    new Instrument({ marketId: MARKET, ...GRID, creditDecimals: 6, paperDecimals: 18 }),
    { priceOff: 0n, insuranceFeeRate: 0n },
  );
  readonly #replayed = new ReplayAccount(new Map([[MARKET, this.#terms]]), BigInt(CREDIT) * QUOTE);
  readonly #embedded = marked({
    creditOnRegistration: String(CREDIT),
    markets: {
      btcusdc: {
        takerFeeRate: "0",
        makerFeeRate: "0",
        liquidationThreshold: "0.02",
        maxLeverage: LEVERAGE,
        maxExposureQuote: String(MOST_EXPOSURE),
      },
    },
  });
  #openCount = 0;
  #fills = 0;

  constructor() {
    this.mark(30_000);
  }

  mark(quote: number): void {
    this.#embedded.setMark(quote);
    this.#replayed.mark(MARKET, BigInt(quote) * QUOTE);
  }

  /** Places an order in both, and compares their answers. True when it was accepted. */
  isTaken(of: "BUY" | "SELL", quote: number, amount: number, timeInForce: "GTC" | "IOC"): boolean {
    const { json, status } = this.#embedded.alice.place(of, String(quote), this.#base(amount), {
      timeInForce,
    });
    const order = {
      kind: "place",
      marketId: MARKET,
      type: "LIMIT",
      expirationMs: 0,
      side: of,
      timeInForce,
      ticks: quote * 10,
      lots: amount,
    };
    const market = { terms: this.#terms, openCount: this.#openCount };
    const refusal = findPlaceRefusal(order as PlaceAction, market, this.#replayed, 0);
    const code = status === 200 ? undefined : (json as { readonly code: number }).code;
    expect(refusal?.result === "rejected" ? refusal.code : undefined).toBe(code);
    return code === undefined;
  }

  rest(of: "BUY" | "SELL", amount: number): void {
    const quote = of === "BUY" ? 25_000 : 35_000;
    if (!this.isTaken(of, quote, amount, "GTC")) return;
    this.#openCount += 1;
    this.#replayed.open(MARKET, of, quote * 10, 0, amount);
  }

  /** Trades as a taker, where the other side can offer that. */
  trade(of: "BUY" | "SELL", quote: number, amount: number): void {
    if (!this.isTaken(of, quote, amount, "IOC")) return;
    const { alice, bob } = this.#embedded;
    if (bob.place(of === "BUY" ? "SELL" : "BUY", String(quote), this.#base(amount)).status !== 200)
      return;
    expect(alice.place(of, String(quote), this.#base(amount), { timeInForce: "IOC" }).status).toBe(
      200,
    );
    this.#fills += 1;
    const fill = {
      id: String(this.#fills),
      marketId: MARKET,
      side: of,
      isMaker: false,
      ticks: quote * 10,
      lots: amount,
      timeMs: 0,
    };
    this.#replayed.fill(fill, 0n);
  }

  /**
   * Compares the reports of both.
   * @returns true if they are safe
   */
  agree(): boolean {
    const told = this.#embedded.alice.balances().balances;
    const { availableCredit, exposure, netValue, positionMargin, frozenMargin, isSafe } =
      this.#replayed.balances();
    const quote = (units: bigint) => this.#terms.instrument.creditToDecimal(units);
    const { buy, sell } = availableCredit[MARKET] as {
      readonly buy: bigint;
      readonly sell: bigint;
    };
    // An unsafe account has lost its orders at the one, and the venue liquidates it at the other.
    if (told.isSafe && isSafe) {
      expect({
        available: { buy: quote(buy), sell: quote(sell) },
        exposure: quote(exposure),
        netValue: quote(netValue),
        positionMargin: quote(positionMargin),
        frozenMargin: quote(frozenMargin),
      }).toEqual({
        available: told.availableCreditAmounts.btcusdc,
        exposure: told.exposure,
        netValue: told.netValue,
        positionMargin: told.positionMargin,
        frozenMargin: told.frozenMargin,
      });
    }
    expect(isSafe).toBe(told.isSafe);
    return isSafe;
  }

  #base(amount: number): string {
    return this.#terms.instrument.formatAmount(amount);
  }
}

// Two programs of one exchange: wherever they differ, a backtest makes trades that live would
// refuse, or misses trades that it would accept.
describe("the replayed exchange beside the embedded one", () => {
  it("accepts and refuses the same orders with the same codes, and computes the same margin, after any events", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) => {
        const accounts = new TwoAccounts();
        for (const each of steps) {
          if (each.what === "mark") accounts.mark(each.quote);
          else if (each.what === "rest") accounts.rest(each.side, each.lots);
          else accounts.trade(each.side, each.quote, each.lots);
          if (!accounts.agree()) return;
        }
      }),
      { numRuns: 120, seed: 20_261_122 },
    );
  });
});
