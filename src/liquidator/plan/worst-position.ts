import { absolute, larger, smaller } from "../../core/bigints.js";
import type { CreditUnits, Lots, PaperUnits, SideLots } from "../../core/units.js";
import { computePositionMargin, type MarginAccount } from "../../perpetual/margin-account.js";
import type { TakeoverMarket } from "./plan-input.js";

/**
 * The largest position that the own account may reach in a market on one side, in paper of that
 * side: by the chain or by the exchange, whichever is more. Unsettled trades count if they add to
 * the side, and not if they reduce it, because each may fail. The exchange may have reported a
 * takeover later than the chain.
 * @param sign the side: 1n long, -1n short.
 * @param onChain the position by the chain, including everything in flight and the current plan.
 * @param planned the part of it in the current plan, signed.
 */
export function worstPaper(
  market: TakeoverMarket,
  sign: bigint,
  onChain: PaperUnits,
  planned: PaperUnits,
): PaperUnits {
  return (
    heldPaper(market, sign, onChain, planned) +
    market.instrument.lotsToPaper(towards(market.workingLots, sign))
  );
}

/** The same, without own orders that may still fill. */
function heldPaper(
  market: TakeoverMarket,
  sign: bigint,
  onChain: PaperUnits,
  planned: PaperUnits,
): PaperUnits {
  const { positionLots, reservedLots, unsettledLots } = market;
  if (positionLots === undefined) return sign * onChain;
  const byChain = sign * onChain + market.instrument.lotsToPaper(towards(unsettledLots, sign));
  const failing = towards(unsettledLots, -sign);
  return larger(
    byChain,
    sign * (market.instrument.lotsToPaper(positionLots) + planned) +
      market.instrument.lotsToPaper(towards(reservedLots, sign) + failing),
  );
}

/**
 * The part of the own position that is certain by the chain and by the exchange, whichever trades
 * fail. Only that part can be reduced. Signed.
 */
export function computeCertainPaper(market: TakeoverMarket, onChain: PaperUnits): PaperUnits {
  const { positionLots, unsettledLots } = market;
  if (positionLots === undefined) return onChain;
  const byExchange = market.instrument.lotsToPaper(leastOf(positionLots, unsettledLots));
  // Only the chain knows a fraction of a lot.
  if (absolute(byExchange - onChain) < market.instrument.paperPerLot) return onChain;
  if (byExchange === 0n || onChain === 0n || byExchange > 0n !== onChain > 0n) return 0n;
  return onChain > 0n ? smaller(onChain, byExchange) : larger(onChain, byExchange);
}

/** Exposure of positions beyond those on the chain. Credit units, unsigned. */
export interface OffChainExposure {
  readonly notional: CreditUnits;
  readonly initial: CreditUnits;
  /** Without own orders that may still fill. */
  readonly maintenance: CreditUnits;
}

/**
 * The exposure that the markets other than `perp` may reach beyond the chain's figures of the
 * account.
 */
export function offChainExposureElsewhere(
  markets: Iterable<TakeoverMarket>,
  perp: string,
  { papers }: MarginAccount,
): OffChainExposure {
  let [notional, initial, maintenance] = [0n, 0n, 0n];
  for (const market of markets) {
    if (market.perp === perp) continue;
    const beyond = computeOffChainExposure(market, [1n, -1n], papers.get(market.perp) ?? 0n, 0n);
    notional += beyond.notional;
    initial += beyond.initial;
    maintenance += beyond.maintenance;
  }
  return { notional, initial, maintenance };
}

/**
 * The same for one market, on these sides.
 * @param least the smallest position assumed: the chain's; or 0 for these sides alone, which may be
 * less than the chain's.
 */
export function computeOffChainExposure(
  market: TakeoverMarket,
  signs: readonly bigint[],
  onChain: PaperUnits,
  planned: PaperUnits,
  least: PaperUnits = absolute(onChain),
): OffChainExposure {
  const now = computePositionMargin(market, onChain);
  let [worst, held] = [least, least];
  for (const sign of signs) {
    worst = larger(worst, worstPaper(market, sign, onChain, planned));
    held = larger(held, heldPaper(market, sign, onChain, planned));
  }
  const most = computePositionMargin(market, worst);
  return {
    notional: most.notional - now.notional,
    initial: most.initial - now.initial,
    maintenance: computePositionMargin(market, held).maintenance - now.maintenance,
  };
}

/** The position, towards zero, if every unsettled trade that adds to it fails. Signed. */
function leastOf(positionLots: Lots, unsettledLots: SideLots): Lots {
  return positionLots > 0
    ? Math.max(0, positionLots - unsettledLots.buy)
    : Math.min(0, positionLots + unsettledLots.sell);
}

function towards({ buy, sell }: SideLots, sign: bigint): Lots {
  return sign > 0n ? buy : sell;
}
