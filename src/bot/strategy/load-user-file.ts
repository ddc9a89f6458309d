import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname, extname, relative } from "node:path";
import { withDefaultSignals } from "../../core/default-signals.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { ConfigError } from "../../core/errors.js";
import { bundleStrategy, ROUTE_EXPORT } from "./strategy-bundle.js";
import { findStrategyLocation } from "./strategy-stack.js";
import type { StrategyWarning, UserFileKind } from "./strategy-warnings.js";

/** A file of the user's, loaded. */
export interface LoadedUserFile {
  /** Absolute path. */
  readonly name: string;
  /** Its default export, or the one that the YAML names of a package. */
  readonly exported: unknown;
  /** Of the file and the user's own files that it imports, 64 hex digits. */
  readonly sha256: string;
  /** Uses of real time, timers and randomness, in the order of files and lines. */
  readonly warnings: readonly StrategyWarning[];
  /**
   * Redirects the file's `console` output, text by text; `isError` for `console.error` and
   * `console.warn`. Before the call it goes to stderr.
   */
  readonly redirectConsole: (printed: (text: string, isError: boolean) => void) => void;
}

/** File extensions of strategies and sources. */
export const USER_FILE_ENDINGS = [".ts", ".mts", ".js", ".mjs"];

/** A package that a file is the entry of. */
export interface UserPackage {
  /** Absolute, without symbolic links. */
  readonly folder: string;
  readonly exportName: string;
}

/** The function whose result a file exports. */
const DEFINED_BY: Readonly<Record<UserFileKind, string>> = {
  strategy: "defineStrategy",
  source: "defineReferenceSource",
};

/**
 * Loads a file that a bot's YAML names, with the files that it imports.
 * @param path absolute
 * @param field path of the name in the YAML, for errors: `markets.btcusdc.strategy`
 * @param inPackage of a file that is the entry of a package
 * @throws ConfigError for a missing file, one that does not parse or fails while loading, and one
 * without the export
 */
export async function loadUserFile(
  path: string,
  field: string,
  kind: UserFileKind,
  inPackage?: UserPackage,
): Promise<LoadedUserFile> {
  await assertFile(path, field, kind);
  const bundle = await bundleStrategy(path, field, kind, inPackage?.folder);
  const { code, sources, isCommonJs } = bundle;
  if (isCommonJs && inPackage !== undefined)
    throw new ConfigError("the package is in CommonJS, which gets no copy of marketwright", {
      field,
      value: path,
      expected: 'an ES module: "type": "module", or the condition "import" in "exports"',
    });
  const texts = await Promise.all(
    [...sources].sort().map(async (source) => ({ source, text: await readFile(source, "utf8") })),
  );
  // The parser, like the bundler, is loaded only for a file of the user's.
  const { findStrategyWarnings } = await import("./strategy-warnings.js");
  const warnings = texts.flatMap(({ source, text }) => findStrategyWarnings(text, source, kind));
  return {
    name: path,
    ...(await loadedModule(code, path, field, kind, inPackage?.exportName)),
    sha256: digest(texts, path),
    warnings,
  };
}

/**
 * Reads the default export of a file. Even reading it runs code of the file.
 * @param read returns undefined if it is another kind of value
 * @throws ConfigError
 */
export function readExport<Value>(
  { exported, name }: Pick<LoadedUserFile, "exported" | "name">,
  field: string,
  kind: UserFileKind,
  read: (exported: unknown) => Value | undefined,
): Value {
  const expected = `export default ${DEFINED_BY[kind]}({ params, create })`;
  let value: Value | undefined;
  try {
    value = read(exported);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `the default export of the ${kind} file cannot be read: ${describeThrown(error)}`,
      { field, value: name, expected, cause: error },
    );
  }
  if (value !== undefined) return value;
  throw new ConfigError(`the default export of the ${kind} file is not a ${kind}`, {
    field,
    value: name,
    expected,
  });
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

async function assertFile(path: string, field: string, kind: UserFileKind): Promise<void> {
  if (!USER_FILE_ENDINGS.includes(extname(path))) {
    const plural = kind === "strategy" ? "strategies" : "sources";
    throw new ConfigError(`not a type of file that ${plural} have`, {
      field,
      value: path,
      expected: `a file ending in ${USER_FILE_ENDINGS.join(", ")}`,
    });
  }
  const found = await stat(path).catch((error: unknown) => {
    throw new ConfigError(`the ${kind} file does not exist`, {
      field,
      value: path,
      expected: "an existing file, relative to the YAML",
      cause: error,
    });
  });
  if (!found.isFile())
    throw new ConfigError(`the ${kind} is not a file`, { field, value: path, expected: "a file" });
}

async function loadedModule(
  code: string,
  path: string,
  field: string,
  kind: UserFileKind,
  exportName = "default",
): Promise<Pick<LoadedUserFile, "exported" | "redirectConsole">> {
  let loaded: {
    readonly [name: string]: unknown;
    readonly [ROUTE_EXPORT]: LoadedUserFile["redirectConsole"];
  };
  try {
    const address = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
    // The top level of the file may never end, in a loop or in an await. Then no listener of ours
    // would receive a signal, or act on it.
    loaded = (await withDefaultSignals(() => import(/* @vite-ignore */ address))) as typeof loaded;
  } catch (error) {
    const place = findStrategyLocation(error, dirname(path));
    throw new ConfigError(
      `the ${kind} file fails as it loads: ${describeThrown(error)}${place === undefined ? "" : ` (${place})`}`,
      {
        field,
        value: path,
        expected: "a module whose top level does not throw",
        cause: error,
      },
    );
  }
  const exported = loaded[exportName];
  if (exported !== undefined) return { exported, redirectConsole: loaded[ROUTE_EXPORT] };
  const isDefault = exportName === "default";
  throw new ConfigError(
    `the ${kind} file has no ${isDefault ? "default export" : `export "${exportName}"`}`,
    {
      field,
      value: path,
      expected: `export ${isDefault ? "default" : `const ${exportName} =`} ${DEFINED_BY[kind]}({ ... })`,
    },
  );
}
