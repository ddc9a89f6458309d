import type { Lots, Side, Ticks } from "../core/units.js";
import type { TargetIntent, UnwindPart } from "../strategies/intent.js";
import { maxNewPositionLots, type WorkingOrder } from "./working-order.js";

/** Whether an order of `side` at `ticks` is no worse than a bound. */
export function isWithinBound(side: Side, worstTicks: Ticks, ticks: Ticks): boolean {
  return side === "SELL" ? ticks >= worstTicks : ticks <= worstTicks;
}

/** Those of the positions that bear a price. */
export function selectPartsAtPrice(
  parts: readonly UnwindPart[],
  side: Side,
  ticks: Ticks,
): readonly UnwindPart[] {
  return parts.filter(({ worstTicks }) => isWithinBound(side, worstTicks, ticks));
}

/** What each of them bears, and the intent too. */
export function tightestBound(
  { intent }: { readonly intent: TargetIntent },
  parts: readonly UnwindPart[],
  side: Side,
): Ticks {
  const worst = [intent.worstTicks, ...parts.map(({ worstTicks }) => worstTicks)];
  return side === "SELL" ? Math.max(...worst) : Math.min(...worst);
}

/** What remains of them together, without sign. */
export function sumLeftLots(parts: readonly UnwindPart[]): Lots {
  return parts.reduce((sum, { leftLots }) => sum + leftLots, 0);
}

/**
 * What remains beside everything that may still fill, at full size: of all the positions, and of those that bear a price. An order that
 * others bear as well is theirs to fill, and takes only of the whole.
 */
export class UnwindCapacity {
  readonly #parts: readonly UnwindPart[];
  readonly #side: Side;
  readonly #restLots: Lots;
  readonly #reserved: { readonly ticks: Ticks; readonly lots: Lots }[] = [];

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
      if (order.side === side) this.take({ ticks: order.ticks, lots: maxNewPositionLots(order) });
  }

  /** An order more is under way. */
  take({ ticks, lots }: { readonly ticks: Ticks; readonly lots: Lots }): void {
    if (lots > 0) this.#reserved.push({ ticks, lots });
  }

  /** Of the whole. */
  get left(): Lots {
    return this.#reserved.reduce((left, { lots }) => left - lots, this.#restLots);
  }

  /** Of those that bear a price. */
  at(ticks: Ticks): Lots {
    return this.of(selectPartsAtPrice(this.#parts, this.#side, ticks));
  }

  /** Of some that bear more than the others. */
  of(group: readonly UnwindPart[]): Lots {
    const others = this.#parts.filter((part) => !group.includes(part));
    const left = this.#reserved
      .filter(({ ticks }) => selectPartsAtPrice(others, this.#side, ticks).length === 0)
      .reduce((sum, { lots }) => sum - lots, sumLeftLots(group));
    return Math.min(left, this.left);
  }
}
