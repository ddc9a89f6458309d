import type { Int64Id } from "../../../core/units.js";

/** Identifiers up to half of the safe range are shown as they are. */
const SHOWN_BELOW = 2n ** 52n;

/**
 * The exchange's identifiers as numbers below 2^53, which clients read them as. They are the
 * exchange's own, counted from its first one if that is large.
 */
export class UsdmIds {
  readonly #offset: bigint;

  /** @param firstId the exchange's first identifier */
  constructor(firstId: string) {
    const first = BigInt(firstId);
    this.#offset = first < SHOWN_BELOW ? 0n : first - 1n;
  }

  toNumber(id: Int64Id): number {
    return Number(BigInt(id) - this.#offset);
  }

  toId(number: number): Int64Id {
    return (BigInt(number) + this.#offset).toString();
  }
}
