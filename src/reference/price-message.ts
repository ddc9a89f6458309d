import type { Ms } from "../core/units.js";

/** A price that a source sends: quote units for one base unit. */
export interface SourcePrice {
  /** Best price to sell at; NaN without one. A trade or an index has one price. */
  readonly bid: number;
  /** Best price to buy at; NaN without one. */
  readonly ask: number;
  /** The source's own time of the price; absent if it sends none. */
  readonly timeMs?: Ms;
}

/** The source cannot be reached, or sends what cannot be read. Its last price is void. */
export interface SourceDown {
  readonly type: "down";
  readonly reason: string;
}

/** A message of a source, at the moment at which it is received. */
export type PriceMessage = (SourcePrice & { readonly type: "price" }) | SourceDown;

/** A message after the conflation. */
export type ConflatedMessage =
  | (SourcePrice & {
      readonly type: "price";
      /** Time that the price waited after it was received. */
      readonly heldMs: Ms;
    })
  | SourceDown;
