import { describe, expect, it } from "vitest";
import type { BotEvent } from "#bot/bot-event.js";
import { recordUnwind } from "#bot/record-unwind.js";
import type { UnwindReport } from "#bot/unwind-report.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { LiquidationLedger } from "#liquidator/liquidation-ledger.js";
import { pickWorseValue } from "#liquidator/unsold-value.js";

const USD = 1_000_000n;

/** A ledger with a takeover of a coin at 55,440, after the bot has reported its sale. */
function afterwards(
  remainingLots: number,
  proceedsCredit: bigint,
  marks: { readonly exchange?: bigint; readonly chain?: bigint },
  more: Partial<UnwindReport> = {},
) {
  const clock = new VirtualClock(0);
  const ledger = new LiquidationLedger({ read: () => undefined, append: () => {} }, clock);
  const { id } = ledger.recordSeen("0xa", "0xb", "btcusdc");
  const acquiredCredit = -55_440n * USD;
  ledger.update(id, {
    takenOver: {
      id: "t",
      hash: "0xaa",
      blockNumber: 9,
      paper: 10n ** 18n,
      credit: acquiredCredit,
      lots: 1_000,
    },
  });
  const notice: BotEvent = {
    kind: "unwind",
    unwind: {
      takeoverId: "t",
      marketId: "btcusdc",
      state: "open",
      acquiredLots: 1_000,
      acquiredCredit,
      soldLots: 1_000 - remainingLots,
      nettedLots: 0,
      laidOffLots: 0,
      proceedsCredit,
      feesCredit: 10n * USD,
      remainingLots,
      markCredit: undefined,
      deadlineMs: 0,
      ...more,
    },
  };
  const worth = (lots: number, mark: bigint | undefined) =>
    mark === undefined ? undefined : (BigInt(lots) * mark * USD) / 1_000n;
  recordUnwind(ledger, notice, (_, lots) =>
    pickWorseValue(worth(lots, marks.exchange), worth(lots, marks.chain)),
  );
  return ledger.get(id);
}

describe("the profit of a takeover with a remainder to be sold", () => {
  it("values it at the chain's mark while the exchange's still has the price from before the shock", () => {
    const { profitQuote, unwound } =
      afterwards(500, 28_000n * USD, { exchange: 60_000n, chain: 56_000n }) ?? {};
    expect(profitQuote, "and not the 2,550 that the stream's mark would show").toBe(
      (28_000n + 28_000n - 55_440n - 10n) * USD,
    );
    expect(unwound?.restBy).toBe("chain");
  });

  it("values it at the exchange's mark if that is the worse, or the only one", () => {
    for (const marks of [{ exchange: 55_000n, chain: 56_000n }, { exchange: 55_000n }]) {
      const { profitQuote, unwound } = afterwards(500, 28_000n * USD, marks) ?? {};
      expect(profitQuote).toBe((28_000n + 27_500n - 55_440n - 10n) * USD);
      expect(unwound?.restBy).toBe("exchange");
    }
  });

  it("of a short uses the higher mark", () => {
    expect(pickWorseValue(-60_000n, -56_000n)).toEqual({ credit: -60_000n, by: "exchange" });
    expect(pickWorseValue(-56_000n, -60_000n)).toEqual({ credit: -60_000n, by: "chain" });
  });

  it("is unknown before the first mark, and needs none if nothing remains", () => {
    expect(afterwards(500, 28_000n * USD, {})?.unwound).toBeUndefined();
    const sold = afterwards(0, 56_000n * USD, {});
    expect(sold?.profitQuote).toBe((56_000n - 55_440n - 10n) * USD);
    expect(sold?.unwound).not.toHaveProperty("restBy");
  });

  it("is final once it is laid off, and its line has both costs", () => {
    const decision = {
      way: "hedge",
      venue: "deep",
      why: "laying it off is cheaper",
      hereCost: 40n * USD,
      layOffCost: 12n * USD,
    } as const;
    const line = afterwards(0, 55_988n * USD, {}, { state: "laid-off", decision });
    expect(line?.unwound).toEqual({
      state: "laid-off",
      remainingLots: 0,
      earnedCredit: (55_988n - 55_440n - 10n) * USD,
      decision,
    });
    expect(line?.atMs.unwound, "it ends with the decision").toBeDefined();
  });
});
