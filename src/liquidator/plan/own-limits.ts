import type { CreditUnits } from "../../core/units.js";
import { absolute, BPS, ceilDivide, larger, mulFixed } from "../margin/fixed-point.js";
import type { MarginAccount, Paper } from "../margin/margin-account.js";
import { isSafe, liquidationPriceOf } from "../margin/margin-rules.js";
import type { OwnAccount, PlanRules, TakeoverMarket } from "./plan-input.js";
import type { TakeoverBound } from "./takeover-plan.js";

const MILLION = 1_000_000n;

/** How far above a limit a state of the own account is: above zero breaks it. */
type Excess = (after: MarginAccount, lossCredit: CreditUnits) => bigint;

/** The own account's margin and limits in one market: which of them a takeover would break. */
export class OwnLimits {
  readonly #own: OwnAccount;
  readonly #limits: readonly (readonly [bound: TakeoverBound, excess: Excess])[];

  /** @param sign of the paper that is taken. */
  constructor(own: OwnAccount, market: TakeoverMarket, sign: bigint, rules: PlanRules) {
    this.#own = own;
    this.#limits = limitsOf(own, market, sign, rules);
  }

  /**
   * The first limit that the account would break afterwards. One that is broken already is no reason against a takeover that makes
   * it no worse; an account that would be unsafe is one against any.
   * @param lossCredit what gas and the unwind at its worst still take away.
   */
  broken(after: MarginAccount, lossCredit: CreditUnits): TakeoverBound | undefined {
    if (!isSafe({ ...after, netValueCredit: after.netValueCredit - lossCredit })) return "margin";
    const found = this.#limits.find(([, excess]) => {
      const over = excess(after, lossCredit);
      return over > 0n && over > excess(this.#own.margin, 0n);
    });
    return found?.[0];
  }
}

function limitsOf({ limits: account }: OwnAccount, market: TakeoverMarket, sign: bigint, rules: PlanRules) {
  const { limits, instrument, markPrice, workingLots, perp } = market;
  const working = BigInt(sign > 0n ? workingLots.buy : workingLots.sell) * instrument.paperPerLot;
  /** The largest position that the market may come to on the side that the takeover adds to, and no less than there is. Without sign. */
  const worstPaper = ({ papers }: MarginAccount): Paper => {
    const paper = papers.get(perp) ?? 0n;
    return larger(absolute(paper), sign * paper + working);
  };
  const worstNotional = (after: MarginAccount): CreditUnits => mulFixed(worstPaper(after), markPrice);
  const worstExposure = (after: MarginAccount): CreditUnits =>
    after.exposureCredit - absolute(mulFixed(after.papers.get(perp) ?? 0n, markPrice)) + worstNotional(after);
  const list: [TakeoverBound, Excess][] = [
    [
      "margin",
      ({ netValueCredit, maintenanceMarginCredit }, loss) =>
        maintenanceMarginCredit + ceilDivide(maintenanceMarginCredit * BigInt(rules.marginBufferBps), BPS) - (netValueCredit - loss),
    ],
  ];
  const { maxPositionLots, maxNotional } = limits;
  if (maxPositionLots !== undefined)
    list.push(["max-position", (after) => worstPaper(after) - BigInt(maxPositionLots) * instrument.paperPerLot]);
  if (maxNotional !== undefined) list.push(["market-notional", (after) => worstNotional(after) - maxNotional]);
  const { maxNotional: mostOfAccount, maxLeverage, maxMarginUseFraction, minLiquidationDistanceBps } = account;
  if (mostOfAccount !== undefined) list.push(["account-notional", (after) => worstExposure(after) - mostOfAccount]);
  if (maxLeverage !== undefined) {
    const millionths = BigInt(Math.floor(maxLeverage * Number(MILLION)));
    list.push(["leverage", (after, loss) => worstExposure(after) * MILLION - (after.netValueCredit - loss) * millionths]);
  }
  if (maxMarginUseFraction !== undefined) {
    const millionths = BigInt(Math.floor(maxMarginUseFraction * Number(MILLION)));
    list.push(["margin-use", (after, loss) => after.initialMarginCredit * MILLION - (after.netValueCredit - loss) * millionths]);
  }
  if (minLiquidationDistanceBps !== undefined) {
    const least = BigInt(Math.ceil(minLiquidationDistanceBps));
    list.push([
      "liquidation-distance",
      (after, loss) => {
        const edge = liquidationPriceOf({ ...after, netValueCredit: after.netValueCredit - loss }, market);
        return edge === 0n ? -markPrice * BPS : least * markPrice - absolute(markPrice - edge) * BPS;
      },
    ]);
  }
  return list;
}
