import { ConfigError } from "../errors.js";
import type { Lots } from "../units.js";
import type { QueueModel, QueuePlace } from "./queue-models.js";

/**
 * The share of a level's cancels that is assumed to be behind an order, from the lots ahead of it
 * and behind it: 1 with nothing ahead, 0 with nothing behind. Both are lots, not negative and not
 * both 0.
 */
export type ShareBehind = (frontLots: number, backLots: number) => number;

/**
 * `b^n / (b^n + f^n)`: hftbacktest's PowerProbQueueFunc. @throws ConfigError for an exponent that
 * is not above 0
 */
export function powerShare(exponent: number): ShareBehind {
  const n = requireExponent(exponent);
  // As a power of the quotient: large amounts to a large power would exceed the range of a float.
  return (front, back) => 1 / (1 + (front / back) ** n);
}

/**
 * `b^n / (b + f)^n`: hftbacktest's PowerProbQueueFunc2. @throws ConfigError for an exponent that is
 * not above 0
 */
export function power2Share(exponent: number): ShareBehind {
  const n = requireExponent(exponent);
  return (front, back) => (back / (back + front)) ** n;
}

/**
 * `1 - (f / (f + b))^n`: hftbacktest's PowerProbQueueFunc3. @throws ConfigError for an exponent
 * that is not above 0
 */
export function power3Share(exponent: number): ShareBehind {
  const n = requireExponent(exponent);
  return (front, back) => 1 - (front / (front + back)) ** n;
}

/**
 * `ln(1 + b) / (ln(1 + b) + ln(1 + f))`: hftbacktest's LogProbQueueFunc. A logarithm depends on the
 * unit of its amounts.
 * @param lotUnits value of one lot: the lot in base for amounts in base.
 */
export function logShare(lotUnits: number): ShareBehind {
  return (front, back) => {
    const behind = Math.log1p(back * lotUnits);
    return behind / (behind + Math.log1p(front * lotUnits));
  };
}

/**
 * `ln(1 + b) / ln(1 + b + f)`: hftbacktest's LogProbQueueFunc2. @param lotUnits as in
 * {@link logShare}
 */
export function log2Share(lotUnits: number): ShareBehind {
  return (front, back) => Math.log1p(back * lotUnits) / Math.log1p((back + front) * lotUnits);
}

/**
 * A queue in which cancels come from both sides of the order, by a share that depends on the lots
 * ahead and behind. Volume traded since the level's last change does not count as cancelled too.
 * Rules restated from hftbacktest's ProbQueueModel; amounts ahead are clamped to zero and above
 * before a power or a logarithm, where the original gives no number. `frontLots` is fractional
 * here.
 */
export function probabilisticQueue(name: string, shareBehind: ShareBehind): QueueModel<QueuePlace> {
  return {
    name,

    onAccept: (displayedLots) => ({ frontLots: displayedLots, tradedLots: 0 }),

    onTrade: ({ frontLots, tradedLots }, lots) => ({
      frontLots: frontLots - lots,
      tradedLots: tradedLots + lots,
    }),

    onDepth({ frontLots, tradedLots }, oldLots, newLots) {
      const cancelledLots = oldLots - newLots - tradedLots;
      if (cancelledLots < 0) return { frontLots: Math.min(frontLots, newLots), tradedLots: 0 };
      const front = Math.max(0, frontLots);
      const back = Math.max(0, oldLots - frontLots);
      const behind = share(shareBehind, front, back);
      const left =
        frontLots -
        (1 - behind) * cancelledLots +
        Math.min(oldLots - frontLots - behind * cancelledLots, 0);
      return { frontLots: Math.min(left, newLots), tradedLots: 0 };
    },

    // Half a lot below zero rounds to a lot.
    executableLots: ({ frontLots }) => (frontLots < 0 ? Math.round(-frontLots) : 0),

    onTaken: (place) =>
      Math.round(-place.frontLots) > 0 ? { frontLots: 0, tradedLots: place.tradedLots } : place,
  };
}

function share(shareBehind: ShareBehind, front: Lots, back: Lots): number {
  if (front === 0) return 1;
  return back === 0 ? 0 : shareBehind(front, back);
}

function requireExponent(exponent: number): number {
  if (Number.isFinite(exponent) && exponent > 0) return exponent;
  throw new ConfigError("not an exponent of a queue model", {
    field: "exponent",
    value: exponent,
    expected: "a number above 0",
  });
}
