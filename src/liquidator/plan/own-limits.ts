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

/** Amount by which a state of the own account exceeds a limit; above zero is a breach. */
type Excess = (after: MarginAccount, lossCredit: CreditUnits) => bigint;

/** Inputs of the own account's limits. */
export type LimitsInput = Pick<PlanInput, "own" | "markets" | "rules">;

/**
 * Margin and limits of the own account in one market. Finds the one that a takeover would breach.
 */
export class OwnLimits {
  readonly #own: MarginAccount;
  readonly #limits: readonly (readonly [bound: TakeoverBound, excess: Excess])[];

  /** @param sign the sign of the acquired paper. */
  constructor(input: LimitsInput, market: TakeoverMarket, sign: bigint) {
    this.#own = input.own.margin;
    this.#limits = limitsOf(input, market, sign);
  }

  /**
   * Finds the first limit that the account would breach afterwards. A limit that is already
   * breached does not prevent a takeover that makes it no worse. An account that would become
   * unsafe prevents any.
   * @param lossCredit remaining cost of gas and of the worst-case unwind.
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
   * The largest position that the market may reach on the side that the takeover adds to; below
   * zero if it stays on the other side. An excess on the other side only shrinks, and permits
   * nothing on this one.
   */
  const worst = (after: MarginAccount): PaperUnits =>
    worstPaper(market, sign, paperIn(after), paperIn(after) - heldPaper);
  const worstNotional = (after: MarginAccount): CreditUnits => mulFixed(worst(after), markPrice);
  const elsewhere = offChainExposureElsewhere(markets.values(), perp, own.margin);
  const list: [TakeoverBound, Excess][] = [];
  const { maxPositionLots, maxNotional } = limits;
  if (maxPositionLots !== undefined)
    list.push(["max-position", (after) => worst(after) - instrument.lotsToPaper(maxPositionLots)]);
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
  // Checked twice: with the chain's position on the other side, and without it. A takeover reduces
  // that side, and the reduction must not hide a breach on this one.
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
