import { ConfigError } from "../../core/errors.js";

type Path = readonly (string | number)[];

/** What a file says itself: the rest of its configuration is defaults. */
export interface ConfigSource {
  readonly isWritten: (path: Path) => boolean;
  /** The line of a path. */
  readonly locate: (path: Path) => string;
}

/** A value that does not go with others of the same configuration. */
export interface ConflictingValue {
  readonly path: Path;
  readonly value: unknown;
  /** What is wrong with it, and what would be right, in words. */
  readonly summary: string;
  readonly expected: string;
  /** What it does not go with, the likelier cause first. */
  readonly against: readonly { readonly path: Path; readonly value: unknown }[];
  readonly cause?: unknown;
}

/**
 * The error of a value that contradicts another. When the value is a default, nobody can find it in
 * their file: then what was written against it is named.
 * @param written left out where nothing is known of a file.
 */
export function configConflict(
  { path, value, summary, expected, against, cause }: ConflictingValue,
  written?: ConfigSource,
): ConfigError {
  const byDefault = written !== undefined && !written.isWritten(path);
  const other = byDefault ? against.find((key) => written.isWritten(key.path)) : undefined;
  const at = (place: Path): string => (written === undefined ? "" : ` in ${written.locate(place)}`);
  if (other === undefined)
    return new ConfigError(`${summary}${byDefault ? "" : at(path)}`, {
      field: path.join("."),
      value,
      expected,
      cause,
    });
  const name = path.slice(sharedLength(path, other.path)).join(".");
  return new ConfigError(
    `does not go with the default of ${name}, ${String(value)},${at(other.path)}`,
    {
      field: other.path.join("."),
      value: other.value,
      expected: `${name} written beside it: ${expected}`,
      cause,
    },
  );
}

function sharedLength(a: Path, b: Path): number {
  const differs = a.findIndex((key, index) => key !== b[index]);
  return differs === -1 ? a.length : differs;
}
