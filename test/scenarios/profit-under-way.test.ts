import { expect, it } from "vitest";
import { type BotStatus, buildBotStatus } from "#bot/bot-status.js";
import { decimalToScaled } from "#core/instrument.js";
import { ASK, BID, Stage } from "./stage.js";

const DECIMALS = 18;
const scaled = (quote: string | undefined): bigint => decimalToScaled(quote ?? "0", DECIMALS);

/** The parts of all markets, of the account, and the account's total. */
function sumsOf({ markets, pnlQuote, pnlTotalQuote }: BotStatus): readonly bigint[] {
  const ofParts = (parts: BotStatus["pnlQuote"]): bigint =>
    Object.values(parts).reduce((sum, part) => sum + scaled(part), 0n);
  const ofMarkets = Object.values(markets).reduce(
    (sum, market) => sum + ofParts(market.pnlQuote),
    0n,
  );
  return [ofMarkets, ofParts(pnlQuote), scaled(pnlTotalQuote)];
}

it("amid trades the parts of the profit and what is under way are what was earned, to the last digit, at each moment", async () => {
  const stage = new Stage({
    exchange: { settlement: { delayMs: 700 } },
    market: { funding: { mode: "fixed", intervalMs: 10_000 } },
  });
  const readings: BotStatus[] = [];
  stage.listeners.push(() => {
    if (stage.rig.bot.phase === "running") readings.push(buildBotStatus(stage.rig.bot));
  });
  await stage.botStarts();
  for (let round = 0; round < 20; round++) {
    stage.wants({ bid: BID - 10 * round, ask: ASK + 10 * round });
    await stage.passes(400);
    if (round === 5) stage.network.stall("account");
    if (round === 9) stage.network.restore("account");
    stage.counterparty.sells(2, BID - 10 * round);
    stage.counterparty.buys(1, ASK + 10 * round);
    await stage.passes(600);
  }

  expect(readings.length).toBeGreaterThan(100);
  expect(
    readings.some(({ underWayQuote }) => scaled(underWayQuote) !== 0n),
    "something was under way",
  ).toBe(true);
  for (const status of readings) {
    const [ofMarkets, ofAccount, total] = sumsOf(status);
    expect([ofMarkets, ofAccount]).toEqual([total, total]);
    expect(scaled(status.earnedQuote)).toBe((total ?? 0n) + scaled(status.underWayQuote));
    expect(status.equityChangeQuote).toBe(status.earnedQuote);
  }

  await stage.passes(40_000);
  const settled = buildBotStatus(stage.rig.bot);
  expect(settled.underWayQuote).toBe("0");
  expect(scaled(settled.earnedQuote)).not.toBe(0n);
  stage.expectAgreement();
});
