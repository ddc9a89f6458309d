import type { WireInt64 } from "../../exchange/wire-types.js";

/** A record with an identifier, as JSON whose id is int64 digits: the exchange holds ids as decimal strings. */
export function writeRecord({ id, ...rest }: { readonly id: WireInt64 }): string {
  return `{"id":${id},${JSON.stringify(rest).slice(1)}`;
}

/** A list of such records. */
export function writeRecords(records: readonly { readonly id: WireInt64 }[]): string {
  return `[${records.map(writeRecord).join(",")}]`;
}
