import type { Hex } from "../../core/units.js";

/** What a request is about, as it goes into a record. */
export type RequestDetails = Readonly<Record<string, string | number | boolean>>;

/**
 * A transaction that the exchange has decided on. It stays until a block has it, so that a restart
 * knows what is still to be sent.
 */
export interface ChainRequest {
  /** Numbers the requests; they are sent in this order. */
  readonly id: number;
  /** Whose handler hears of its fate. */
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

/** A request as whoever wants it writes it. */
export type RequestDraft = Omit<ChainRequest, "id" | "value"> & { readonly valueWei?: bigint };
