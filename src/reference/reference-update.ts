import type { Ms } from "../core/units.js";

/**
 * One message of a source of reference prices, as it enters the bot. Prices are in quote units for
 * one base unit: an estimate for quotes, never money.
 */
export type ReferenceUpdate =
  | {
      readonly type: "price";
      /** Name of the source in `references`. */
      readonly source: string;
      /** Best price to sell at; NaN if the source has no bid. A trade or an index has one price. */
      readonly bid: number;
      /** Best price to buy at; NaN if the source has no ask. */
      readonly ask: number;
      /** The source's own time of the price; absent if it sends none. */
      readonly timeMs?: Ms;
      /** Time that the price waited in the conflation after it was received. */
      readonly heldMs: Ms;
    }
  /** The source cannot be reached, or sends what cannot be read. Its last price is void. */
  | { readonly type: "down"; readonly source: string; readonly reason: string };
