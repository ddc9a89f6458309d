import { writeInt64Json } from "../../core/int64-json.js";

const IDS: ReadonlySet<string> = new Set(["id"]);

/** Records as JSON text, their ids as int64 digits. For records alone: markets, whose `id` is a word, go by JSON.stringify. */
export function writeRecords(value: unknown): string {
  return writeInt64Json(value, IDS);
}
