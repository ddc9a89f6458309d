import type { ConfigPath } from "../../core/config/config-yaml.js";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import { findChangeableKey } from "./changeable-keys.js";
import { type BotConfig, checkBotValues } from "./config.js";
import { formatConfigPath } from "./config-path.js";
import { isSameJson } from "./running-values.js";

/** A new value for a key of a bot's file. */
export interface ValueChange {
  readonly path: readonly string[];
  /** As the file would have it; null removes the key, so that its default applies. */
  readonly value: unknown;
}

/** A value that two configs do not share; undefined where one has none. */
export interface DifferentValue {
  readonly path: ConfigPath;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * A config with changed values, checked as a file is: each value, the rules between keys, and the
 * sizes. The strategies check their own parameters.
 * @throws ConfigError for a key that cannot change while the bot runs, an unknown key, a value that
 * is not allowed, and two changes of the same key
 * @param unwritten values in force that the config does not write: the changes are parts of them
 */
export function changeConfig(
  config: BotConfig,
  changes: readonly ValueChange[],
  unwritten: readonly ValueChange[] = [],
): BotConfig {
  checkPaths(config, changes);
  const { path: file, statesDir, ...written } = structuredClone(config);
  for (const change of [...unwritten, ...changes]) setValue(written, change);
  const values = checkBotValues(written, () => "the changed values");
  return { ...values, path: file, ...(statesDir === undefined ? {} : { statesDir }) };
}

/**
 * Checks that every path may change while the bot runs. The value is not shown: it may be a secret
 * at the wrong place.
 * @throws ConfigError
 */
function checkPaths(config: BotConfig, changes: readonly ValueChange[]): void {
  for (const [index, { path }] of changes.entries()) {
    const field = formatConfigPath(path);
    const twice = changes
      .slice(0, index)
      .find(({ path: other }) =>
        Array.from({ length: Math.min(path.length, other.length) }).every(
          (_, at) => path[at] === other[at],
        ),
      );
    if (twice !== undefined)
      throw new ConfigError("is changed twice", {
        field,
        expected: `one change of ${formatConfigPath(twice.path)}`,
      });
    const [section, marketId] = path;
    if (section === "markets" && marketId !== undefined)
      requireMarket(config, marketId, findChangeableKey(path)?.whileRunning === true);
    const key = findChangeableKey(path);
    // In other words than the schema's only where the key exists: some keys of a market may change.
    if (key?.whileRunning === false && !(section === "markets" && key.path.length === 1))
      throw restartNeeded(field, key.note, config);
  }
}

/**
 * Checks that two configs differ in nothing that needs a restart. @throws ConfigError naming the
 * first such key, and how many more there are
 */
export function checkRestartKeys(config: BotConfig, next: BotConfig): void {
  const [before, after] = [config, next].map(({ path: _, statesDir: __, ...values }) => values);
  const found = findDifferentValues(before, after).flatMap(({ path }) => {
    const [section, marketId] = path.map(String);
    const isOther =
      section === "markets" &&
      (config.markets[marketId] === undefined) !== (next.markets[marketId] === undefined);
    const key = findChangeableKey(isOther ? ["markets"] : path);
    return key?.whileRunning === true
      ? []
      : [{ field: formatConfigPath(isOther ? path.slice(0, 2) : path), note: key?.note ?? "" }];
  });
  const [first] = found;
  if (first === undefined) return;
  const others = new Set(found.map(({ field }) => field));
  others.delete(first.field);
  const more = others.size === 0 ? "" : `; the same holds for ${[...others].join(", ")}`;
  throw restartNeeded(first.field, `${first.note}${more}`, config);
}

function requireMarket(config: BotConfig, marketId: string, isKnownKey: boolean): void {
  const known = Object.keys(config.markets);
  if (known.includes(marketId)) return;
  const near = findNearestName(marketId, known);
  const hint = near === undefined ? "" : `, did you mean ${near}?`;
  throw new ConfigError(
    `is not a market of this bot${hint}${isKnownKey ? "" : ", and a running bot adds none"}`,
    {
      field: `markets.${marketId}`,
      expected: `one of ${known.join(", ")}; a new market needs a restart`,
    },
  );
}

/** The error for a key that cannot change while the bot runs. */
function restartNeeded(field: string, reason: string, { path }: BotConfig): ConfigError {
  return new ConfigError(`cannot change while the bot runs: ${reason}`, {
    field,
    expected: `the change in ${path}, and a restart of the bot`,
  });
}

function setValue(root: unknown, { path, value }: ValueChange): void {
  let held = root;
  for (const [at, key] of path.entries()) {
    const field = formatConfigPath(path.slice(0, at));
    if (typeof held !== "object" || held === null)
      throw new ConfigError("holds no keys", {
        field,
        value: held,
        expected: "a mapping or a list there",
      });
    if (Array.isArray(held)) checkIndex(held, key, field);
    const map = held as Record<string, unknown>;
    if (at < path.length - 1) {
      if (map[key] === undefined) {
        if (value === null) return;
        map[key] = {};
      }
      held = map[key];
    } else if (value !== null) {
      requireKeys(path, map[key], value);
      map[key] = value;
    } else if (Array.isArray(held)) held.splice(Number(key), 1);
    else delete map[key];
  }
}

/**
 * A mapping in place of one would drop the keys that it does not repeat, such as a limit. Only
 * parameters may be replaced as a whole, since some of them have several forms.
 */
function requireKeys(path: ConfigPath, before: unknown, after: unknown): void {
  const isMap = [before, after].every(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  );
  if (!isMap || (path[2] === "params" && path.length > 3)) return;
  const field = formatConfigPath(path);
  const [key = "key"] = Object.keys(after as object);
  throw new ConfigError("has keys of its own, and a mapping in its place would drop the others", {
    field,
    value: after,
    expected: `each key by its own path, such as ${field}.${key}`,
  });
}

function checkIndex(list: readonly unknown[], key: string, field: string): void {
  if (/^\d+$/.test(key) && Number(key) < list.length) return;
  throw new ConfigError("is not an entry of the list", {
    field: `${field}.${key}`,
    expected: `an index from 0 to ${list.length - 1}, or the whole list as the value of ${field}`,
  });
}

/** The values in which two configs differ. A list of another length is one value. */
export function findDifferentValues(
  before: unknown,
  after: unknown,
  path: ConfigPath = [],
): readonly DifferentValue[] {
  if (Object.is(before, after)) return [];
  const keys = sharedKeys(before, after);
  if (keys === undefined) return isSameJson(before, after) ? [] : [{ path, before, after }];
  return keys.flatMap((key) =>
    findDifferentValues(
      (before as Record<string, unknown> | undefined)?.[key],
      (after as Record<string, unknown> | undefined)?.[key],
      [...path, key],
    ),
  );
}

/** Keys of two mappings, or indices of two lists of one length; undefined for anything else. */
function sharedKeys(before: unknown, after: unknown): readonly string[] | undefined {
  if (Array.isArray(before) || Array.isArray(after)) {
    const isShared =
      Array.isArray(before) && Array.isArray(after) && before.length === after.length;
    return isShared ? Object.keys(before) : undefined;
  }
  // An absent mapping counts as an empty one, so that each of its keys is a difference of its own.
  const isAbsent = (value: unknown): boolean => value === undefined;
  const isMap = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (!((isMap(before) || isAbsent(before)) && (isMap(after) || isAbsent(after)))) return undefined;
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return keys.length === 0 ? undefined : keys;
}
