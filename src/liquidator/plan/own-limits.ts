import { absolute, ceilDivide } from "../../core/bigints.js";
import type { CreditUnits, PaperUnits } from "../../core/units.js";
import { BPS, mulFixed } from "../../perpetual/fixed-point.js";
import { liquidationPriceOnChain } from "../../perpetual/liquidation.js";
import { isSafe } from "../../perpetual/margin.js";
import type { MarginAccount } from "../../perpetual/margin-account.js";
import { MILLION, toMillionths } from "../../risk/limits.js";
import type { PlanInput, TakeoverMarket } from "./plan-input.js";
import type { TakeoverBound } from "./takeover-plan.js";
import {
  computeOffChainExposure,
  offChainExposureElsewhere,
  worstPaper,
} from "./worst-position.js";

/** How far above a limit a state of the own account is: above zero breaks it. */
type Excess = (after: MarginAccount, lossCredit: CreditUnits) => bigint;

/** What the limits of the own account depend on. */
export type LimitsInput = Pick<PlanInput, "own" | "markets" | "rules">;

/** The own account's margin and limits in one market: which of them a takeover would break. */
export class OwnLimits {
  readonly #own: MarginAccount;
  readonly #limits: readonly (readonly [bound: TakeoverBound, excess: Excess])[];

  /** @param sign of the paper that is taken. */
  constructor(input: LimitsInput, market: TakeoverMarket, sign: bigint) {
    this.#own = input.own.margin;
    this.#limits = limitsOf(input, market, sign);
  }

  /**
   * The first limit that the account would break afterwards. One that is broken already is no reason against a takeover that makes
   * it no worse; an account that would be unsafe is one against any.
   * @param lossCredit what gas and the unwind at its worst still take away.
   */
  findBreached(after: MarginAccount, lossCredit: CreditUnits): TakeoverBound | undefined {
    if (!isSafe({ ...after, netValueCredit: after.netValueCredit - lossCredit })) return "margin";
    const found = this.#limits.find(([, excess]) => {
      const over = excess(after, lossCredit);
      return over > 0n && over > excess(this.#own, 0n);
    });
    return found?.[0];
  }
}

function limitsOf({ own, markets, rules }: LimitsInput, market: TakeoverMarket, sign: bigint) {
  const { limits, instrument, markPrice, perp } = market;
  const account = own.limits;
  const heldPaper = own.margin.papers.get(perp) ?? 0n;
  const paperIn = ({ papers }: MarginAccount): PaperUnits => papers.get(perp) ?? 0n;
  /**
   * The largest position that the market may come to on the side that the takeover adds to, below zero where it stays on the other. What is beyond
   * a limit on that other side only becomes less, and excuses nothing on this one.
   */
  const worst = (after: MarginAccount): PaperUnits =>
    worstPaper(market, sign, paperIn(after), paperIn(after) - heldPaper);
  const worstNotional = (after: MarginAccount): CreditUnits => mulFixed(worst(after), markPrice);
  const elsewhere = offChainExposureElsewhere(markets.values(), perp, own.margin);
  const list: [TakeoverBound, Excess][] = [];
  const { maxPositionLots, maxNotional } = limits;
  if (maxPositionLots !== undefined)
    list.push(["max-position", (after) => worst(after) - instrument.paperOf(maxPositionLots)]);
  if (maxNotional !== undefined)
    list.push(["market-notional", (after) => worstNotional(after) - maxNotional]);
  const {
    maxNotional: mostOfAccount,
    maxLeverage,
    maxMarginUseFraction,
    minLiquidationDistanceBps,
  } = account;
  const { maxExposureCredit } = own;
  if (maxExposureCredit !== undefined)
    list.push(["account-notional", (after) => after.exposureCredit - maxExposureCredit]);
  // Twice: with what the chain has on the other side, and without it. A takeover only lessens that side, and the lessening would excuse going
  // beyond a limit on this one.
  for (const least of [undefined, 0n]) {
    const here = (after: MarginAccount) =>
      computeOffChainExposure(market, [sign], paperIn(after), paperIn(after) - heldPaper, least);
    const worstExposure = (after: MarginAccount): CreditUnits =>
      after.exposureCredit + here(after).notional + elsewhere.notional;
    list.push([
      "margin",
      (after, loss) => {
        const maintenance =
          after.maintenanceMarginCredit + here(after).maintenance + elsewhere.maintenance;
        return (
          maintenance +
          ceilDivide(maintenance * BigInt(rules.marginBufferBps), BPS) -
          (after.netValueCredit - loss)
        );
      },
    ]);
    if (mostOfAccount !== undefined)
      list.push(["account-notional", (after) => worstExposure(after) - mostOfAccount]);
    if (maxLeverage !== undefined) {
      const most = toMillionths(maxLeverage);
      list.push([
        "leverage",
        (after, loss) => worstExposure(after) * MILLION - (after.netValueCredit - loss) * most,
      ]);
    }
    if (maxMarginUseFraction !== undefined) {
      const most = toMillionths(maxMarginUseFraction);
      list.push([
        "margin-use",
        (after, loss) => {
          const initial = after.initialMarginCredit + here(after).initial + elsewhere.initial;
          return initial * MILLION - (after.netValueCredit - loss) * most;
        },
      ]);
    }
  }
  if (minLiquidationDistanceBps !== undefined) {
    const least = BigInt(Math.ceil(minLiquidationDistanceBps));
    list.push([
      "liquidation-distance",
      (after, loss) => {
        const edge = liquidationPriceOnChain(
          { ...after, netValueCredit: after.netValueCredit - loss },
          market,
        );
        return edge === 0n
          ? -markPrice * BPS
          : least * markPrice - absolute(markPrice - edge) * BPS;
      },
    ]);
  }
  return list;
}
