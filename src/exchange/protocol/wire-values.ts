/**
 * What every record of the exchange's JSON is made of, as it stands on the wire (specification, "Resources and their fields").
 * Types only, here and in the records: what a server writes and a client reads, shared by nothing else than their shape.
 */

/** Price, amount, fee or rate as a JSON string: plain, no exponent. */
export type WireDecimal = string;

/** A 64-bit identifier: a JSON integer that may pass 2^53, so that a careful reader holds it as decimal digits in a string. */
export type WireInt64 = number | string;

/** Milliseconds since the epoch. */
export type WireMs = number;

/** The body of every refused request. */
export interface WireError {
  readonly code: number;
  readonly codeText: string;
  readonly message: string;
}
