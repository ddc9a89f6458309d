import { RunError } from "../core/errors.js";
import type { CreditUnits, Hex, Int64Id, Lots, MarketId, Side } from "../core/units.js";
import type { VenueOrder } from "../exchange/records.js";
import type { PlaceAction } from "../exchange/venue.js";
import type { OwnOrder } from "./order.js";

/** An order that is about to be made: its action, and the slot that it is for. */
export interface NewOrder {
  readonly action: PlaceAction;
  /** Slot level, 0 innermost. */
  readonly level: number;
  /** The strategy's reason, opaque here. */
  readonly reason?: unknown;
  /** True for a server-built order, whose hash must be on disk before it is sent. */
  readonly built?: boolean;
}

/** What may still trade in a market in the worst case, at full size. */
export interface WorstCase {
  /** Own orders: what may still fill, and what may have filled without our having been told. */
  readonly buyLots: Lots;
  readonly sellLots: Lots;
  /** The same at each order's own price, in credit units, rounded up. */
  readonly buyCredit: CreditUnits;
  readonly sellCredit: CreditUnits;
  /** Own orders that may still fill. */
  readonly count: number;
  /** Orders of the account that are not the bot's. */
  readonly foreignBuyLots: Lots;
  readonly foreignSellLots: Lots;
  readonly foreignCount: number;
  /** Matched by orders, but not yet in any trade that we know. */
  readonly unseenBuyLots: Lots;
  readonly unseenSellLots: Lots;
}

/**
 * Every order of the account that is known: the bot's own by hash, id and info, and the others apart.
 * Read it; the account alone writes it.
 */
export class OwnOrders {
  /** By hash. */
  get(hash: Hex): OwnOrder | undefined {
    throw new RunError("not built", { value: hash });
  }
  byId(orderId: Int64Id): OwnOrder | undefined {
    throw new RunError("not built", { value: orderId });
  }
  /** Own orders of a market that may still fill (intended, sent and unknown included), oldest first. */
  mayStillFill(marketId: MarketId): readonly OwnOrder[] {
    throw new RunError("not built", { value: marketId });
  }
  /** Own orders that are not final, all markets. */
  unresolved(): readonly OwnOrder[] {
    throw new RunError("not built");
  }
  openHashes(marketId?: MarketId): readonly Hex[] {
    throw new RunError("not built", { value: marketId });
  }
  /** Open orders of the account that are not the bot's. */
  foreign(marketId: MarketId): readonly VenueOrder[] {
    throw new RunError("not built", { value: marketId });
  }
  worst(marketId: MarketId, exceptHash?: Hex): WorstCase {
    throw new RunError("not built", { value: [marketId, exceptHash] });
  }
  /** Whether an order that may still fill (and is not `exceptHash`) lives in the slot. */
  slotOccupied(marketId: MarketId, side: Side, level: number, exceptHash?: Hex): boolean {
    throw new RunError("not built", { value: [marketId, side, level, exceptHash] });
  }
  /** Hashes of server-built orders to keep in the state directory: not final, or final so lately that an update may come. */
  builtHashes(): readonly Hex[] {
    throw new RunError("not built");
  }
}
