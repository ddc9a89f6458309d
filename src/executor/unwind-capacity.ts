import type { Lots, Side, Ticks } from "../core/units.js";
import type { TargetIntent, UnwindPart } from "../strategies/intent.js";
import { maxNewPositionLots, type WorkingOrder } from "./working-order.js";

/** Returns true if a price of `side` is no worse than a bound. */
export function isWithinBound(side: Side, worstTicks: Ticks, ticks: Ticks): boolean {
  return side === "SELL" ? ticks >= worstTicks : ticks <= worstTicks;
}

/** The parts whose worst price allows a price. */
export function selectPartsAtPrice(
  parts: readonly UnwindPart[],
  side: Side,
  ticks: Ticks,
): readonly UnwindPart[] {
  return parts.filter(({ worstTicks }) => isWithinBound(side, worstTicks, ticks));
}

/** The tightest of the parts' worst prices and the intent's. */
export function tightestBound(
  { intent }: { readonly intent: TargetIntent },
  parts: readonly UnwindPart[],
  side: Side,
): Ticks {
  const worst = [intent.worstTicks, ...parts.map(({ worstTicks }) => worstTicks)];
  return side === "SELL" ? Math.max(...worst) : Math.min(...worst);
}

/** The total remaining lots of the parts, without sign. */
export function sumLeftLots(parts: readonly UnwindPart[]): Lots {
  return parts.reduce((sum, { leftLots }) => sum + leftLots, 0);
}

/**
 * The lots that remain to be unwound after everything that may still fill, at full size: of all
 * parts, or of the parts that allow a price. An order at a price that other parts allow as well
 * counts as theirs, and reduces only the total.
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

  /** Reserves the lots of one more order. */
  take({ ticks, lots }: { readonly ticks: Ticks; readonly lots: Lots }): void {
    if (lots > 0) this.#reserved.push({ ticks, lots });
  }

  /** Remaining lots of all parts. */
  get left(): Lots {
    return this.#reserved.reduce((left, { lots }) => left - lots, this.#restLots);
  }

  /** Remaining lots of the parts that allow a price. */
  at(ticks: Ticks): Lots {
    return this.of(selectPartsAtPrice(this.#parts, this.#side, ticks));
  }

  /** Remaining lots of a group of parts that allow worse prices than the others. */
  of(group: readonly UnwindPart[]): Lots {
    const others = this.#parts.filter((part) => !group.includes(part));
    const left = this.#reserved
      .filter(({ ticks }) => selectPartsAtPrice(others, this.#side, ticks).length === 0)
      .reduce((sum, { lots }) => sum - lots, sumLeftLots(group));
    return Math.min(left, this.left);
  }
}
