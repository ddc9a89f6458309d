import { resolve } from "node:path";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import { builtInStrategies } from "../../strategies/built-in.js";
import { defineStrategy, isStrategy, type Strategy } from "../../strategies/strategy.js";
import { workPosition } from "../../strategies/work/work-position.js";
import { isStrategyPackage } from "../config/strategy-name.js";
import { type LoadedUserFile, loadUserFile, readExport } from "./load-user-file.js";

/**
 * The name of the strategy that works a position, which `marketwright work` runs. It is not among
 * those that files and templates choose from.
 */
export const WORK_STRATEGY = "work";

/** A loaded strategy, and the warnings about its source. */
export interface LoadedStrategy extends Omit<LoadedUserFile, "sha256" | "exported"> {
  /** The built-in's name, the absolute path of the file, or `npm:NAME` as it was written. */
  readonly name: string;
  readonly strategy: Strategy;
  /** As in {@link LoadedUserFile}; undefined for a built-in. */
  readonly sha256: string | undefined;
  /** Version of the package that it comes from; undefined for a built-in and for a file. */
  readonly version: string | undefined;
}

/**
 * Loads the strategy that a bot's YAML names: a built-in by its name, a file by its path, or an
 * installed package.
 * @param name as in the YAML: `ladder`, `./my-strategy.ts`, `npm:my-strategy`.
 * @param folder the YAML's own folder: paths are relative to it.
 * @param field path of the name in the YAML, for errors: `markets.btcusdc.strategy`.
 * @throws ConfigError for an unknown name, a missing file, one that does not parse or fails while
 * loading, and one whose export is not a strategy; for a package that is not installed, or not for
 * this version.
 */
export async function loadStrategy(
  name: string,
  folder: string,
  field: string,
): Promise<LoadedStrategy> {
  const ofPackage = name === WORK_STRATEGY ? workPosition : builtInStrategies[name];
  if (Object.hasOwn(builtInStrategies, name) || name === WORK_STRATEGY)
    return {
      name,
      strategy: ofPackage,
      sha256: undefined,
      version: undefined,
      warnings: [],
      redirectConsole: () => {},
    };
  if (!isStrategyPackage(name) && !/[./\\]/.test(name)) throw unknownName(name, field);
  const found = isStrategyPackage(name)
    ? await (await import("./strategy-package.js")).findStrategyPackage(name, folder, field)
    : undefined;
  const path = found?.entry ?? resolve(folder, name);
  const loaded = await loadUserFile(path, field, "strategy", found);
  // When run from source, the file has its own copy of this package. Defining the strategy again
  // with ours makes its errors ours.
  const strategy = readExport(loaded, field, "strategy", (exported) =>
    isStrategy(exported) ? defineStrategy(exported.definition) : undefined,
  );
  const version = found?.version;
  return { ...loaded, ...(found === undefined ? {} : { name }), strategy, version };
}

function unknownName(name: string, field: string): ConfigError {
  const near = findNearestName(name, Object.keys(builtInStrategies));
  return new ConfigError(
    `no built-in strategy has this name${near === undefined ? "" : `, did you mean ${near}?`}`,
    {
      field,
      value: name,
      expected: `one of ${Object.keys(builtInStrategies).join(", ")}, the path of a file such as ./${name}.ts, or npm:${name} for a package`,
    },
  );
}
