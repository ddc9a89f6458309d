/** A value that a record can hold. */
export type PlainValue = string | number | bigint | boolean | null;

/**
 * An object's own fields that are plain values; with those of a record written, a `bigint` is a
 * text.
 */
export type WrittenFields = Readonly<Record<string, string | number | boolean | null>>;

/** Begins a text that is a `bigint`; a text of ours that begins so is written with two of them. */
const BIGINT = "#";

/**
 * The own fields of an object that are plain values, public ones, as they go into a record: what a
 * class gains later is stored without further ado. Numbers are finite.
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

/** The fields that {@link writeFields} wrote. Whose they are, their record's key says. */
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
