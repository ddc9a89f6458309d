import { isDeepStrictEqual } from "node:util";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { PartedParams } from "../../strategies/parts/parted-params.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";
import { changeConfig, type DifferentValue, type ValueChange } from "../config/config-change.js";
import { formatConfigPath, valueAtPath } from "../config/config-path.js";
import { isSameJson } from "../config/running-values.js";
import { rebindStrategy } from "../engine/configuration.js";

/** A config, and by market the strategy that was bound to its parameters. */
export interface BoundConfig {
  readonly config: BotConfig;
  readonly traders: ReadonlyMap<MarketId, { readonly strategy: BoundStrategy | undefined }>;
}

type Running = BoundConfig;

/**
 * The config of a running bot with changed values. A key of a parameter that is an object by
 * default, and not written, is changed in the default.
 * @throws ConfigError as {@link changeConfig} does; and for such an object whose default cannot be
 * written, if the changed keys alone do not make one
 */
export function changeRunningConfig(running: Running, changes: readonly ValueChange[]): BotConfig {
  const { config } = running;
  const plain = changeConfig(config, changes);
  const defaults = changes.flatMap((change) => defaultAround(running, change) ?? []);
  const usable = distinct(defaults.filter((one) => isWritable(running, one)));
  const whole = changeConfig(config, changes, usable);
  // A key may also choose another form of the object, which the default's keys do not fit.
  for (const candidate of [whole, plain])
    if (defaults.every((one) => isBound(running, candidate, one))) return candidate;
  const refused = defaults.find((one) => !isWritable(running, one));
  if (refused === undefined) return whole;
  const field = formatConfigPath(refused.path);
  throw new ConfigError("is not in the file, and one key of its default cannot be changed alone", {
    field,
    expected: `the whole object, such as ${field}={ KEY: VALUE, ... }`,
  });
}

/**
 * Differences with the defaults in force as the values before. Parts of a default that only become
 * written are left out, unless there is nothing else.
 */
export function withDefaultsBefore(
  running: Pick<Running, "traders">,
  differences: readonly DifferentValue[],
): readonly DifferentValue[] {
  const shown = differences
    .map((one) => ({ ...one, before: one.before ?? paramInForce(running, one.path) }))
    .filter(({ before, after }) => !isSameJson(before, after));
  return shown.length === 0 ? differences : shown;
}

/** The outermost object around a change that only a default gives. */
function defaultAround(running: Running, { path, value }: ValueChange): ValueChange | undefined {
  if (value === null) return undefined;
  for (let length = 4; length < path.length; length++) {
    const around = path.slice(0, length);
    if (valueAtPath(running.config, around) !== undefined) continue;
    const held = paramInForce(running, around);
    const isMap = typeof held === "object" && held !== null && !Array.isArray(held);
    return isMap ? { path: around, value: held } : undefined;
  }
  return undefined;
}

/** The JSON of a parameter in force; undefined if it has none. */
function paramInForce(running: Pick<Running, "traders">, path: DifferentValue["path"]): unknown {
  const [section, , params, ...rest] = path;
  if (section !== "markets" || params !== "params") return undefined;
  const held = valueAtPath(paramsOf(strategyAt(running, path)), rest);
  try {
    return held === undefined ? undefined : JSON.parse(JSON.stringify(held));
  } catch (error) {
    // A schema may make values that JSON does not have, such as bigints.
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function paramsOf(strategy: BoundStrategy | undefined): unknown {
  const params = strategy?.params;
  return params instanceof PartedParams
    ? { ...(params.own as object), parts: params.parts }
    : params;
}

/** True if a default that is written out is the same to its strategy. */
function isWritable(running: Running, unwritten: ValueChange): boolean {
  const strategy = strategyAt(running, unwritten.path);
  const written = changeConfig(running.config, [], [unwritten]);
  return isDeepStrictEqual(boundAt(running, written, unwritten)?.params, strategy?.params);
}

function isBound(running: Running, config: BotConfig, at: ValueChange): boolean {
  return boundAt(running, config, at) !== undefined;
}

/** The strategy with the parameters of a config; undefined if it does not take them. */
function boundAt(
  running: Running,
  { markets }: BotConfig,
  { path }: ValueChange,
): BoundStrategy | undefined {
  const strategy = strategyAt(running, path);
  const marketId = String(path[1]);
  if (strategy === undefined) return undefined;
  try {
    return rebindStrategy(strategy, marketId, markets[marketId]?.params);
  } catch (error) {
    if (error instanceof MarketwrightError) return undefined;
    throw error;
  }
}

function strategyAt(
  { traders }: Pick<Running, "traders">,
  [, marketId]: DifferentValue["path"],
): BoundStrategy | undefined {
  return traders.get(String(marketId))?.strategy;
}

function distinct(changes: readonly ValueChange[]): readonly ValueChange[] {
  return changes.filter(
    ({ path }, at) => changes.findIndex((other) => isSameJson(other.path, path)) === at,
  );
}
