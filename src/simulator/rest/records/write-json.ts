import type { WireInt64 } from "../../../exchange/protocol/values.js";

/**
 * Writes a record with an identifier as JSON whose id is int64 digits: the exchange holds ids as
 * decimal strings.
 */
export function writeRecord(record: { readonly id: WireInt64 }): string {
  const { id } = record;
  return `{"id":${id},${membersBut(record)}`;
}

/** The JSON after the id, including the closing brace. */
function membersBut(record: { readonly id: WireInt64 }): string {
  const quoted = `{"id":"${record.id}",`;
  const text = JSON.stringify(record);
  // The id is first in nearly every record; then only its quotes have to be removed.
  if (text.startsWith(quoted)) return text.slice(quoted.length);
  const { id: _, ...rest } = record;
  return JSON.stringify(rest).slice(1);
}

/** Writes a list of such records. */
export function writeRecords(records: readonly { readonly id: WireInt64 }[]): string {
  return `[${records.map(writeRecord).join(",")}]`;
}
