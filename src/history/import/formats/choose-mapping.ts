import { basename } from "node:path";
import { ConfigError } from "../../../core/errors.js";
import type { PlainFile } from "../plain-file.js";
import { isPlaceOf } from "../text/header.js";
import type { Mapping } from "./mapping.js";
import { readHeader, recogniseHeader } from "./recognise.js";

/**
 * Chooses the mapping of each file of a command; undefined for a file that its shape reads.
 *
 * Files of one capture share a clock, so they belong in one command, even if several need a
 * mapping. A mapping reads the files that it names. A mapping without names reads all other files.
 * If another file has its columns, it skips files of a known shape that lack them.
 * @throws ConfigError for ambiguous mappings, or mappings that read no file
 */
export function chooseMappings(
  files: readonly PlainFile[],
  mappings: readonly Mapping[],
): readonly (Mapping | undefined)[] {
  const [general, second] = mappings.filter((mapping) => mapping.files === undefined);
  if (second !== undefined)
    throw new ConfigError("may be missing in only one mapping", {
      field: "mapping.files",
      expected: "files: [...] in all mappings of a command but one",
    });
  const chosen = files.map((file) => namedMapping(file, mappings));
  for (const mapping of mappings) {
    if (mapping.files === undefined || chosen.includes(mapping)) continue;
    throw new ConfigError("matches no file of this command", {
      field: "mapping.files",
      value: mapping.files.join(", "),
      expected: `one of ${files.map(({ name }) => name).join(", ")}, where * matches any text`,
    });
  }
  if (general === undefined) return chosen;
  const open = files.filter((_, index) => chosen[index] === undefined);
  const isMapped = open.length > 1 && open.some((file) => hasColumns(file, general));
  return files.map((file, index) => {
    if (chosen[index] !== undefined) return chosen[index];
    return isMapped &&
      !hasColumns(file, general) &&
      recogniseHeader(readHeader(file) ?? []) !== undefined
      ? undefined
      : general;
  });
}

function namedMapping(file: PlainFile, mappings: readonly Mapping[]): Mapping | undefined {
  const [first, second] = mappings.filter(({ files = [] }) =>
    files.some((pattern) => isNamed(file, pattern)),
  );
  if (second === undefined) return first;
  throw new ConfigError(`${file.file} matches two mappings`, {
    field: "mapping.files",
    value: second.files?.join(", "),
    expected: "one mapping for each file",
  });
}

/**
 * True if a pattern matches a file's name, as given or in its archive, with or without its folders.
 */
function isNamed({ file, name }: PlainFile, pattern: string): boolean {
  const literal = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const whole = new RegExp(`^${literal.join(".*")}$`);
  return [file, basename(file), name, basename(name)].some((each) => whole.test(each));
}

/**
 * True if a file has all columns of a mapping. A file whose columns only the database can read
 * counts as having them.
 */
function hasColumns(file: PlainFile, { columns }: Mapping): boolean {
  const names = readHeader(file);
  return (
    names === undefined ||
    Object.values(columns).every((column) => names.includes(column) || isPlaceOf(column, names))
  );
}
