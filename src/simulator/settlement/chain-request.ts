import type { Hex } from "../../core/units.js";

/** The subject of a request, as plain values for a record. */
export type RequestDetails = Readonly<Record<string, string | number | boolean>>;

/**
 * A transaction that the exchange has decided on. It is kept until a block contains it, so that a
 * restart knows what is still to be sent.
 */
export interface ChainRequest {
  /** The number of the request; requests are sent in this order. */
  readonly id: number;
  /** The kind, which selects the handler of its outcome. */
  readonly kind: string;
  /** Addresses in lower case. */
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  /** Wei, as a decimal text. */
  readonly value: string;
  readonly gas: number;
  readonly details: RequestDetails;
}

/** A request as its author writes it. */
export type RequestDraft = Omit<ChainRequest, "id" | "value"> & { readonly valueWei?: bigint };
