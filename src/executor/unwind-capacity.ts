import type { Lots, Side, Ticks } from "../core/units.js";
import type { TargetIntent, UnwindPart } from "../strategies/intent.js";
import { mayBecomePosition, type WorkingOrder } from "./working-order.js";

/** Whether an order of `side` at `ticks` is no worse than a bound. */
export function bears(side: Side, worstTicks: Ticks, ticks: Ticks): boolean {
  return side === "SELL" ? ticks >= worstTicks : ticks <= worstTicks;
}

/** Those of the positions that bear a price. */
export function bearingParts(
  parts: readonly UnwindPart[],
  side: Side,
  ticks: Ticks,
): readonly UnwindPart[] {
  return parts.filter(({ worstTicks }) => bears(side, worstTicks, ticks));
}

/** What each of them bears, and the intent too. */
export function boundOf(
  { intent }: { readonly intent: TargetIntent },
  parts: readonly UnwindPart[],
  side: Side,
): Ticks {
  const worst = [intent.worstTicks, ...parts.map(({ worstTicks }) => worstTicks)];
  return side === "SELL" ? Math.max(...worst) : Math.min(...worst);
}

/** What remains of them together, without sign. */
export function leftOf(parts: readonly UnwindPart[]): Lots {
  return parts.reduce((sum, { leftLots }) => sum + leftLots, 0);
}

/**
 * What remains beside everything that may still fill, at full size: of all the positions, and of those that bear a price. An order that
 * others bear as well is theirs to fill, and takes only of the whole.
 */
export class UnwindRoom {
  readonly #parts: readonly UnwindPart[];
  readonly #side: Side;
  readonly #restLots: Lots;
  readonly #underWay: { readonly ticks: Ticks; readonly lots: Lots }[] = [];

  constructor(
    parts: readonly UnwindPart[],
    side: Side,
    restLots: Lots,
    working: readonly WorkingOrder[],
  ) {
    this.#parts = parts;
    this.#side = side;
    this.#restLots = restLots;
    for (const order of working)
      if (order.side === side) this.take({ ticks: order.ticks, lots: mayBecomePosition(order) });
  }

  /** An order more is under way. */
  take({ ticks, lots }: { readonly ticks: Ticks; readonly lots: Lots }): void {
    if (lots > 0) this.#underWay.push({ ticks, lots });
  }

  /** Of the whole. */
  get left(): Lots {
    return this.#underWay.reduce((left, { lots }) => left - lots, this.#restLots);
  }

  /** Of those that bear a price. */
  at(ticks: Ticks): Lots {
    return this.of(bearingParts(this.#parts, this.#side, ticks));
  }

  /** Of some that bear more than the others. */
  of(group: readonly UnwindPart[]): Lots {
    const others = this.#parts.filter((part) => !group.includes(part));
    const left = this.#underWay
      .filter(({ ticks }) => bearingParts(others, this.#side, ticks).length === 0)
      .reduce((sum, { lots }) => sum - lots, leftOf(group));
    return Math.min(left, this.left);
  }
}
