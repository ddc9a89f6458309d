import type { Lots, Side, Ticks } from "../core/units.js";
import type { Quote } from "../strategies/intent.js";
import type { WorkingOrder } from "./working-order.js";

/** A desired order that is not placed now. */
export interface Withheld {
  readonly side: Side;
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly why: string;
}

/** A quote that is not placed now, with the price at which it would be placed, and the reason. */
export function withhold({ side, level, lots }: Quote, ticks: Ticks, why: string): Withheld {
  return { side, level, ticks, lots, why };
}

/**
 * A quote that waits for the order in its slot, the most frequent reason for withholding. The text
 * is created only when it is read.
 */
export class ClosedSlot implements Withheld {
  readonly side: Side;
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly #occupant: WorkingOrder;

  constructor({ side, level, lots }: Quote, ticks: Ticks, occupant: WorkingOrder) {
    this.side = side;
    this.level = level;
    this.ticks = ticks;
    this.lots = lots;
    this.#occupant = occupant;
  }

  get why(): string {
    switch (this.#occupant.phase) {
      case "cancelling":
        return "waiting for the cancel of the order before it";
      case "unknown":
        return "waiting for the exchange to report what became of the order before it";
      case "intended":
      case "sent":
        return "waiting for the answer to the order before it";
      default:
        return "waiting for the end of the order before it";
    }
  }
}
