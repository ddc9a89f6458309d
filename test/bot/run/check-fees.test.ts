import { describe, expect, it } from "vitest";
import { checkFees } from "#bot/check-fees.js";
import type { VenueRules, VenueTrade } from "#exchange/records.js";
import { botConfig } from "../../simulation/bot-config.js";

/**
 * exchangeInfo: a rebate of a basis point for makers, takers pay three; orders below 10 quote pay
 * for their gas.
 */
const RULES = {
  markets: { btcusdc: { makerFeeRate: -100_000_000_000_000n, takerFeeRate: 300_000_000_000_000n } },
  waiveGasFeeMinimumQuote: 10_000_000n,
} as unknown as VenueRules;

const QUOTE = {
  exchange: { rest: "http://x/v1", stream: "ws://x/v1" },
  markets: { btcusdc: { strategy: "ladder" } },
};
const AS_TOLD = botConfig(QUOTE);
const AGREED = botConfig({
  ...QUOTE,
  exchange: { ...QUOTE.exchange, makerFeeRate: "0", takerFeeRate: "0.0002" },
});

/** A trade of 1,000 quote. */
function trade(
  id: string,
  isMaker: boolean,
  commission: bigint,
  changes: Partial<VenueTrade> = {},
): VenueTrade {
  const terms = {
    marketId: "btcusdc",
    side: "BUY",
    ticks: 600_000,
    lots: 17,
    timeMs: 0,
    status: "SETTLED",
  } as const;
  return {
    id: id as VenueTrade["id"],
    isMaker,
    quote: 1_000_000_000n,
    commission,
    ...terms,
    ...changes,
  };
}

const found = (config: typeof AS_TOLD, trades: readonly VenueTrade[] = []) =>
  checkFees(config, RULES, new Map([["btcusdc", trades]])).map(
    ({ level, text }) => `${level}: ${text}`,
  );

describe("the fee rates that a bot will sign", () => {
  it("are ok if exchangeInfo and the account's trades agree, to the rounding of the contract", () => {
    const ok = ["ok: maker -0.0001, taker 0.0003, as in exchangeInfo"];
    expect(found(AS_TOLD)).toEqual(ok);
    expect(found(AS_TOLD, [trade("1", true, -100_001n), trade("2", false, 299_998n)])).toEqual(ok);
  });

  it("cause a warning if the file differs from exchangeInfo", () => {
    expect(found(AGREED)).toEqual([
      "warning: orders are signed with maker 0, taker 0.0002 (exchange.makerFeeRate and takerFeeRate). exchangeInfo has maker -0.0001, taker 0.0003: the exchange drops the orders unless it has agreed to these rates",
    ]);
  });

  it("cause a warning if the account's newest trades were charged others: an account may have its own rates", () => {
    expect(
      found(AS_TOLD, [
        trade("1", true, -100_000n),
        trade("2", true, 200_000n),
        trade("3", false, 450_000n),
      ]),
    ).toEqual([
      "warning: the account's newest trade as maker (2) was charged 0.0002 of its value, orders are signed with -0.0001",
      "warning: the account's newest trade as taker (3) was charged 0.00045 of its value, orders are signed with 0.0003",
    ]);
    expect(found(AGREED, [trade("1", true, 0n), trade("2", false, 200_000n)])).toHaveLength(1);
  });

  it("ignore a trade that paid for its gas, was reversed, or had no value", () => {
    const small = trade("2", true, 5_000n, { quote: 9_999_999n });
    const reversed = trade("3", true, 900_000n, { status: "FAILED" });
    const empty = trade("4", true, 0n, { quote: 0n });
    expect(found(AS_TOLD, [trade("1", true, -100_000n), small, reversed, empty])).toEqual(
      found(AS_TOLD),
    );
  });
});
