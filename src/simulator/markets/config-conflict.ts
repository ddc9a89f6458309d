import { ConfigError } from "../../core/errors.js";

type Path = readonly (string | number)[];

/** The user's own configuration file, without defaults. */
export interface ConfigSource {
  readonly isWritten: (path: Path) => boolean;
  /** Returns the line of a path. */
  readonly locate: (path: Path) => string;
}

/** A value that contradicts others of the same configuration. */
export interface ConflictingValue {
  readonly path: Path;
  readonly value: unknown;
  /** The problem and what would be right. */
  readonly summary: string;
  readonly expected: string;
  /** The values that it contradicts, the likelier cause first. */
  readonly against: readonly { readonly path: Path; readonly value: unknown }[];
  readonly cause?: unknown;
}

/**
 * Returns the error of a value that contradicts another. A default is not in the user's file, so
 * the error then names the written value that it contradicts.
 * @param written left out if there is no file.
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
    `is incompatible with the default of ${name}, ${String(value)},${at(other.path)}`,
    {
      field: other.path.join("."),
      value: other.value,
      expected: `a setting of ${name}: ${expected}`,
      cause,
    },
  );
}

function sharedLength(a: Path, b: Path): number {
  const differs = a.findIndex((key, index) => key !== b[index]);
  return differs === -1 ? a.length : differs;
}
