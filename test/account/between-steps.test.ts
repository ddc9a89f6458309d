import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccountUpdater } from "#account/account-updater.js";
import { isFinalPhase } from "#account/order.js";
import { advance, createAdoptedOrder } from "#account/order-machine.js";
import { Instrument } from "#core/instrument.js";
import { sideSign } from "#core/units.js";
import { decodeUserTrade } from "#exchange/decode-account.js";
import { gridCount } from "#exchange/wire-parse.js";
import { MARKET, venueOrder } from "./exchange-story.js";
import { AT } from "./order-events.js";

/** The exchange matched in thousandths; the market has these steps now. */
const stepThousandths = fc.constantFrom(2, 3, 5, 7, 10);
const decimal = (thousandths: number): string => (thousandths / 1000).toFixed(3);
const PAPER = 10n ** 15n;

describe("an order placed under an earlier step size", () => {
  const parts = fc.record({
    matched: fc.nat(40),
    settled: fc.nat(40),
    failed: fc.nat(40),
    left: fc.nat(40),
    end: fc.constantFrom("CANCELED", "EXPIRED"),
  });

  it("is whole lots at each report, never too small in the worst case, and final when the exchange says so, whatever the order of reports", () => {
    fc.assert(
      fc.property(
        stepThousandths,
        parts,
        fc.array(fc.nat(), { maxLength: 5 }),
        (step, { matched, settled, failed, left, end }, order) => {
          const amount = matched + settled + failed + left;
          fc.pre(amount > 0);
          const told = (
            pending: number,
            filled: number,
            lost: number,
            gone: number,
            status: string,
          ) => {
            const lots = (thousandths: number): number =>
              gridCount(decimal(thousandths), decimal(step), "amount");
            const over =
              end === "CANCELED" ? { canceledLots: lots(gone) } : { expiredLots: lots(gone) };
            const amounts = {
              lots: lots(amount),
              pendingLots: lots(pending),
              filledLots: lots(filled),
              failedLots: lots(lost),
              ...over,
            };
            return {
              report: venueOrder(1, { ...amounts, status }),
              available: amount - pending - filled - lost - gone,
            };
          };
          const over = left > 0 ? end : "FILLED";
          const life = [
            told(0, 0, 0, 0, "NEW"),
            told(matched, 0, 0, 0, left + settled + failed > 0 ? "PARTIALLY_FILLED" : over),
            told(matched + settled + failed, 0, 0, left, over),
            told(matched + failed, settled, 0, left, over),
            told(matched, settled, failed, left, over),
            told(0, matched + settled, failed, left, over),
          ];
          const first = createAdoptedOrder(life[0]?.report ?? venueOrder(1), AT, false);
          if (first === undefined) throw new Error("not taken over");
          let own = first;
          const steps = [
            ...order.map((at) => life[at % life.length] as (typeof life)[0]),
            life.at(-1) as (typeof life)[0],
          ];
          let least = amount;
          for (const { report, available } of steps) {
            least = Math.min(least, available);
            const next = advance(own, {
              kind: "report",
              atMs: AT,
              source: "stream",
              order: report,
            });
            expect(next.changes.filter(({ change }) => change === "contradiction")).toEqual([]);
            own = next.order;
            const {
              availableLots,
              pendingLots,
              filledLots,
              failedLots,
              canceledLots,
              expiredLots,
            } = own;
            for (const part of [
              availableLots,
              pendingLots,
              filledLots,
              failedLots,
              canceledLots,
              expiredLots,
            ]) {
              expect(Number.isSafeInteger(part) && part >= 0).toBe(true);
            }
            expect(
              availableLots + pendingLots + filledLots + failedLots + canceledLots + expiredLots,
            ).toBe(Math.ceil(amount / step));
            expect(own.mayFillLots * step, "the worst case").toBeGreaterThanOrEqual(least);
          }
          expect(isFinalPhase(own.phase)).toBe(true);
          expect(own.pendingLots, "nothing waits for a settlement that has been told").toBe(0);
          expect(Math.abs(own.filledLots * step - matched - settled)).toBeLessThan(2 * step);
        },
      ),
    );
  });
});

describe("trades off the market's step", () => {
  const trade = fc.record({
    side: fc.constantFrom("BUY" as const, "SELL" as const),
    thousandths: fc.integer({ min: 1, max: 40 }),
    ticks: fc.integer({ min: 590_000, max: 610_000 }),
    fails: fc.boolean(),
  });
  const moves = fc.record({
    mid: fc.integer({ min: 1_180_000, max: 1_220_000 }),
    mark: fc.bigInt({ min: 59_000_000_000n, max: 61_000_000_000n }),
  });

  it("are in the position to the unit of paper and in the profit to the unit of credit, even if settlements fail", () => {
    fc.assert(
      fc.property(
        stepThousandths,
        fc.nat(30),
        fc.array(fc.tuple(trade, moves), { maxLength: 15 }),
        (step, begunWith, told) => {
          const instrument = new Instrument({
            marketId: MARKET,
            tickSize: "0.1",
            stepSize: decimal(step),
            creditDecimals: 6,
            paperDecimals: 18,
          });
          const intake = new AccountUpdater({
            instruments: new Map([[MARKET, instrument]]),
            nonceTag: 1,
            finalOrderRetentionMs: 1_000,
            streamLagMs: 1_000,
          });
          intake.begin(0);
          intake.profit.mid(MARKET, 1_200_000);
          let mark = 60_000_000_000n;
          intake.profit.mark(MARKET, mark);
          let paper = BigInt(begunWith) * PAPER;
          intake.setBase(MARKET, Math.floor(begunWith / step), 0, paper % instrument.paperPerLot);
          const value = () => (paper * mark) / 10n ** 18n;
          const valueThen = value();
          let credit = 0n;
          const failing: { amount: bigint; quote: bigint; wire: Record<string, unknown> }[] = [];
          const agrees = (): void => {
            expect(
              BigInt(intake.trades.positionLots(MARKET)) * instrument.paperPerLot +
                intake.subLotBalances.get(MARKET),
            ).toBe(paper);
            const { total, decimals } = intake.profit.parts();
            expect(total).toBe((credit + value() - valueThen) * 10n ** BigInt(decimals - 6));
          };
          const tell = (wire: Record<string, unknown>): void => {
            const context = { creditDecimals: 6, instruments: new Map([[MARKET, instrument]]) };
            const decoded = decodeUserTrade(wire, context);
            if (decoded === undefined) throw new Error("no trade");
            intake.applyTrade(decoded, "stream", 10);
          };
          for (const [at, [{ side, thousandths, ticks, fails }, next]] of told.entries()) {
            const quote = BigInt(ticks) * BigInt(thousandths) * 100n;
            const amount = BigInt(sideSign(side) * thousandths) * PAPER;
            const quoteAmount = `${quote / 1_000_000n}.${String(quote % 1_000_000n).padStart(6, "0")}`;
            const wire = {
              ...{
                id: String(at + 1),
                orderId: "1",
                marketId: MARKET,
                symbol: MARKET,
                isBuyer: side === "BUY",
                isMaker: true,
                commissionAsset: "usdc",
              },
              ...{
                price: (ticks / 10).toFixed(1),
                amount: decimal(thousandths),
                quoteAmount,
                commission: "0.000001",
                time: 5,
                status: "CREATED",
              },
            };
            tell(wire);
            paper += amount;
            credit -= BigInt(sideSign(side)) * quote + 1n;
            if (fails) failing.push({ amount, quote: BigInt(sideSign(side)) * quote + 1n, wire });
            agrees();
            mark = next.mark;
            intake.profit.mark(MARKET, mark);
            intake.profit.mid(MARKET, next.mid);
            agrees();
          }
          for (const { amount, quote, wire } of failing) {
            tell({ ...wire, status: "FAILED" });
            paper -= amount;
            credit += quote;
            agrees();
          }
          const { liquidation, other } = intake.profit.parts();
          expect([liquidation, other]).toEqual([0n, 0n]);
          expect(
            intake.subLotBalances.get(MARKET) < instrument.paperPerLot &&
              intake.subLotBalances.get(MARKET) > -instrument.paperPerLot,
          ).toBe(true);
        },
      ),
    );
  });
});
