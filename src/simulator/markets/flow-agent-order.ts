import type { Lots, Side, Ticks } from "../../core/units.js";
import type { FlowOrderRef } from "../flow/flow-market.js";
import { BookOrder } from "../matching/book-order.js";

/** A house agent: what it has resting. Its money and its position are the house account's. */
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

  /** Agents may trade with each other and with themselves: it is all one house. */
  get selfMatchKey(): null {
    return null;
  }

  /** Keeps its agent's sums: `lots` of it rest now, or no longer do when negative. */
  rests(lots: Lots): void {
    if (this.side === "BUY") {
      this.owner.openBuyLots += lots;
    } else {
      this.owner.openSellLots += lots;
    }
  }
}
