import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname, extname, relative, resolve } from "node:path";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { withDefaultSignals } from "../../core/default-signals.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { ConfigError } from "../../core/errors.js";
import { builtInStrategies } from "../../strategies/built-in.js";
import { defineStrategy, isStrategy, type Strategy } from "../../strategies/strategy.js";
import { bundleStrategy, ROUTE_EXPORT } from "./strategy-bundle.js";
import { findStrategyLocation } from "./strategy-stack.js";
import type { StrategyWarning } from "./strategy-warnings.js";

/** A loaded strategy, and the warnings about its source. */
export interface LoadedStrategy {
  /** The built-in's name, or the absolute path of the file. */
  readonly name: string;
  readonly strategy: Strategy;
  /**
   * Of the file and the user's own files that it imports, 64 hex digits; undefined for a built-in.
   */
  readonly sha256: string | undefined;
  /**
   * Uses of real time, timers and randomness, in the order of files and lines. Empty for a
   * built-in.
   */
  readonly warnings: readonly StrategyWarning[];
  /**
   * Redirects the file's `console` output, text by text; `isError` for `console.error` and
   * `console.warn`. Before the call it goes to stderr. A built-in prints nothing.
   */
  readonly redirectConsole: (printed: (text: string, isError: boolean) => void) => void;
}

/** File extensions of strategies. */
export const STRATEGY_FILE_ENDINGS = [".ts", ".mts", ".js", ".mjs"];

/**
 * Loads the strategy that a bot's YAML names: a built-in by its name, or a file by its path.
 * @param name as in the YAML: `ladder`, `./my-strategy.ts`.
 * @param folder the YAML's own folder: paths are relative to it.
 * @param field path of the name in the YAML, for errors: `markets.btcusdc.strategy`.
 * @throws ConfigError for an unknown name, a missing file, one that does not parse or fails while
 * loading, and one whose default export is not a strategy.
 */
export async function loadStrategy(
  name: string,
  folder: string,
  field: string,
): Promise<LoadedStrategy> {
  if (Object.hasOwn(builtInStrategies, name))
    return {
      name,
      strategy: builtInStrategies[name],
      sha256: undefined,
      warnings: [],
      redirectConsole: () => {},
    };
  if (!/[./\\]/.test(name)) throw unknownName(name, field);
  const path = resolve(folder, name);
  await assertFile(path, field);
  const { code, sources } = await bundleStrategy(path, field);
  const texts = await Promise.all(
    [...sources].sort().map(async (source) => ({ source, text: await readFile(source, "utf8") })),
  );
  // The parser, like the bundler, is loaded only for a strategy file.
  const { findStrategyWarnings } = await import("./strategy-warnings.js");
  const warnings = texts.flatMap(({ source, text }) => findStrategyWarnings(text, source));
  return {
    name: path,
    ...(await loadedModule(code, path, field)),
    sha256: digest(texts, path),
    warnings,
  };
}

/**
 * A digest that does not depend on the folder's location. It changes if any file changes its text
 * or its place relative to the others.
 */
function digest(
  texts: readonly { readonly source: string; readonly text: string }[],
  path: string,
): string {
  const hash = createHash("sha256");
  for (const { source, text } of texts)
    hash.update(JSON.stringify([relative(dirname(path), source), text]));
  return hash.digest("hex");
}

function unknownName(name: string, field: string): ConfigError {
  const near = findNearestName(name, Object.keys(builtInStrategies));
  return new ConfigError(
    `no built-in strategy has this name${near === undefined ? "" : `, did you mean ${near}?`}`,
    {
      field,
      value: name,
      expected: `one of ${Object.keys(builtInStrategies).join(", ")}, or the path of a file such as ./${name}.ts`,
    },
  );
}

async function assertFile(path: string, field: string): Promise<void> {
  if (!STRATEGY_FILE_ENDINGS.includes(extname(path))) {
    throw new ConfigError("not a type of file that strategies have", {
      field,
      value: path,
      expected: `a file ending in ${STRATEGY_FILE_ENDINGS.join(", ")}`,
    });
  }
  const found = await stat(path).catch((error: unknown) => {
    throw new ConfigError("the strategy file does not exist", {
      field,
      value: path,
      expected: "an existing file, relative to the YAML",
      cause: error,
    });
  });
  if (!found.isFile())
    throw new ConfigError("the strategy is not a file", { field, value: path, expected: "a file" });
}

async function loadedModule(
  code: string,
  path: string,
  field: string,
): Promise<Pick<LoadedStrategy, "strategy" | "redirectConsole">> {
  let loaded: {
    readonly default?: unknown;
    readonly [ROUTE_EXPORT]: LoadedStrategy["redirectConsole"];
  };
  try {
    const address = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
    // The top level of the file may never end, in a loop or in an await. Then no listener of ours
    // would receive a signal, or act on it.
    loaded = (await withDefaultSignals(() => import(/* @vite-ignore */ address))) as typeof loaded;
  } catch (error) {
    const place = findStrategyLocation(error, dirname(path));
    throw new ConfigError(
      `the strategy file fails as it loads: ${describeThrown(error)}${place === undefined ? "" : ` (${place})`}`,
      {
        field,
        value: path,
        expected: "a module whose top level does not throw",
        cause: error,
      },
    );
  }
  if (loaded.default === undefined) {
    throw new ConfigError("the strategy file has no default export", {
      field,
      value: path,
      expected: "export default defineStrategy({ ... })",
    });
  }
  return {
    strategy: strategyIn(loaded.default, path, field),
    redirectConsole: loaded[ROUTE_EXPORT],
  };
}

/** The strategy that a file exports. Even reading the export runs code of the file. */
function strategyIn(exported: unknown, path: string, field: string): Strategy {
  const expected = "export default defineStrategy({ params, create })";
  try {
    // When run from source, the file has its own copy of this package. Defining the strategy again
    // with ours makes its errors ours.
    if (isStrategy(exported)) return defineStrategy(exported.definition);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `the default export of the strategy file cannot be read: ${describeThrown(error)}`,
      {
        field,
        value: path,
        expected,
        cause: error,
      },
    );
  }
  throw new ConfigError("the default export of the strategy file is not a strategy", {
    field,
    value: path,
    expected,
  });
}
