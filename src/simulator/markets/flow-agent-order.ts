import type { Lots, Side, Ticks } from "../../core/units.js";
import type { FlowOrderRef } from "../flow/flow-market.js";
import { BookOrder } from "../matching/book-order.js";

/** The resting amounts of a house agent. Its credit and its position are the house account's. */
export class AgentOrders {
  openBuyLots: Lots = 0;
  openSellLots: Lots = 0;

  constructor(readonly name: string) {}
}

/** A house agent's order in the book. */
export class FlowAgentOrder extends BookOrder implements FlowOrderRef {
  constructor(
    readonly owner: AgentOrders,
    side: Side,
    ticks: Ticks,
    lots: Lots,
  ) {
    super(side, ticks, lots);
  }

  get agent(): string {
    return this.owner.name;
  }

  /**
   * Always null: agents may trade with each other and with themselves, since all belong to one
   * house.
   */
  get selfMatchKey(): null {
    return null;
  }

  /** Updates its agent's sums by `lots` resting; negative when they no longer rest. */
  rests(lots: Lots): void {
    if (this.side === "BUY") {
      this.owner.openBuyLots += lots;
    } else {
      this.owner.openSellLots += lots;
    }
  }
}
