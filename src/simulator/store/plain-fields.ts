/** A value of a record's field. */
export type PlainValue = string | number | bigint | boolean | null;

/** An object's own fields that are plain values; in a written record a `bigint` is a text. */
export type WrittenFields = Readonly<Record<string, string | number | boolean | null>>;

/** The prefix of a text that is a `bigint`; other texts that begin with it get a second one. */
const BIGINT = "#";

/**
 * Returns an object's own public fields with plain values, for a record. New fields of a class are
 * stored automatically. Numbers are finite.
 */
export function writeFields(source: object): WrittenFields {
  const written: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(source) as [string, unknown][]) {
    if (typeof value === "bigint") {
      written[name] = BIGINT + value.toString();
    } else if (typeof value === "string") {
      written[name] = value.startsWith(BIGINT) ? BIGINT + value : value;
    } else if (typeof value === "number" || typeof value === "boolean" || value === null) {
      written[name] = value;
    }
  }
  return written;
}

/**
 * Reads the fields that {@link writeFields} wrote. The record's key says to which object they
 * belong.
 */
export function readFields<Fields extends object>(written: WrittenFields): Fields {
  const fields: Record<string, PlainValue> = {};
  for (const [name, value] of Object.entries(written)) {
    fields[name] =
      typeof value !== "string" || !value.startsWith(BIGINT)
        ? value
        : value.startsWith(BIGINT, 1)
          ? value.slice(1)
          : BigInt(value.slice(1));
  }
  return fields as Fields;
}
