import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BuildFailure, OnResolveResult, Plugin, ResolveResult } from "esbuild";
import { ConfigError, RunError } from "../../core/errors.js";
import { installOptionalText } from "../../core/optional-part.js";
import { bundleAddress } from "./strategy-stack.js";
import type { UserFileKind } from "./strategy-warnings.js";

/**
 * Packages that a strategy file always gets from us: two copies of them would not recognise each
 * other's values.
 */
const OURS = /^(marketwright|rxjs|zod)(\/.*)?$/;

/**
 * The package's public entries (`exports` of its package.json), by their files under `dist` or
 * `src`.
 */
const ENTRIES: Readonly<Record<string, string>> = {
  marketwright: "index",
  "marketwright/exchange": "exchange/index",
  "marketwright/testing": "testing/index",
};

/** The export of a bundle that routes its console. */
export const ROUTE_EXPORT = "marketwrightRoute";

/**
 * A console of the bundle's own replaces the global one, since stdout belongs to the command's
 * data. Output goes to stderr until it is routed. The exit throws: a process that ended there would
 * leave its orders behind.
 */
const GLOBALS = `import { Console as marketwrightConsoleClass } from "node:console";
import { Writable as marketwrightWritable } from "node:stream";
let marketwrightPrinted = (text) => process.stderr.write(text);
const marketwrightStream = (isError) => new marketwrightWritable({
  decodeStrings: false,
  write(text, _encoding, done) { marketwrightPrinted(String(text), isError); done(); },
});
const marketwrightConsole = new marketwrightConsoleClass(marketwrightStream(false), marketwrightStream(true));
const marketwrightExit = (code) => { throw new Error("process.exit(" + (code ?? "") + ") in a strategy: a strategy that wants to end throws, or completes"); };
export const ${ROUTE_EXPORT} = (printed) => { marketwrightPrinted = printed; };`;

/** A strategy file with the files it imports, as one module. */
export interface StrategyBundle {
  /** ECMAScript module text. Packages are imported by absolute file address. */
  readonly code: string;
  /** The user's own files in the bundle, including the strategy file; absolute. */
  readonly sources: readonly string[];
  /** True if the strategy file itself is a CommonJS module. */
  readonly isCommonJs: boolean;
}

/**
 * Bundles a strategy or source file (JavaScript or TypeScript) and its relative imports into one
 * module.
 * `marketwright`, `rxjs` and `zod` become this package's own copies; other packages are resolved
 * from the file's own folder.
 * @param packageFolder of a strategy in a package, whose own files are the user's
 * @throws ConfigError if the file does not parse, or an import does not exist. RunError if the
 * bundler's program is not installed.
 */
export async function bundleStrategy(
  path: string,
  field: string,
  kind: UserFileKind = "strategy",
  packageFolder?: string,
): Promise<StrategyBundle> {
  const sources = new Set<string>();
  // Loading the bundler takes time and memory, in every thread of a sweep: runs without a strategy
  // file skip it.
  const { build } = await import("esbuild");
  try {
    const result = await build({
      entryPoints: [path],
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      target: "node20",
      // A folder's compiler settings are for its own tools: the same file has to load the same way
      // anywhere.
      tsconfigRaw: {},
      logLevel: "silent",
      sourcemap: "inline",
      define: {
        "import.meta.url": JSON.stringify(pathToFileURL(path).href),
        console: "marketwrightConsole",
        "process.exit": "marketwrightExit",
      },
      banner: { js: GLOBALS },
      metafile: true,
      plugins: [packages(sources, packageFolder)],
    });
    const { text } = result.outputFiles[0];
    const [output] = Object.values(result.metafile.outputs);
    return {
      code: `${text}\n//# sourceURL=${bundleAddress(path, text, field)}`,
      sources: [...sources],
      isCommonJs: result.metafile.inputs[output?.entryPoint ?? ""]?.format === "cjs",
    };
  } catch (error) {
    if (isWithoutProgram(error))
      throw new RunError(
        `a ${kind} file needs the program of the package esbuild, which is not installed for this platform: ${installOptionalText()}`,
        { field, cause: error },
      );
    throw unreadable(error, path, field, kind);
  }
}

/**
 * The program of the bundler comes with an optional package for each platform, or with the
 * bundler's install script. With neither, the bundler throws when it starts.
 */
function isWithoutProgram(error: unknown): boolean {
  return error instanceof Error && /needed by esbuild|for another platform/.test(error.message);
}

/**
 * Finds the file that an import would read, by Node's rules and the conditions of an ES module.
 * @param folder of the importing file
 * @returns `path` without symbolic links; or `why` there is none, empty if nothing is known
 */
export async function resolveImport(
  specifier: string,
  folder: string,
): Promise<{ readonly path?: string; readonly why: string }> {
  const { build } = await import("esbuild");
  let found: ResolveResult | undefined;
  await build({
    stdin: { contents: "", resolveDir: folder },
    write: false,
    platform: "node",
    logLevel: "silent",
    plugins: [
      {
        name: "resolve-import",
        setup(builder) {
          builder.onStart(async () => {
            const kind = "import-statement";
            found = await builder.resolve(specifier, { kind, resolveDir: folder });
          });
        },
      },
    ],
  });
  const [error] = found?.errors ?? [];
  if (found !== undefined && error === undefined && isAbsolute(found.path))
    return { path: found.path, why: "" };
  return { why: error?.notes[0]?.text ?? error?.text ?? "" };
}

function packages(sources: Set<string>, packageFolder: string | undefined): Plugin {
  const root = packageRoot();
  return {
    name: "strategy-packages",
    setup(builder) {
      builder.onResolve({ filter: OURS }, ({ path }) => ownModule(path));
      builder.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind, resolveDir }) => {
        if (kind === "entry-point" || isAbsolute(path) || path.startsWith("node:"))
          return undefined;
        return foreignModule(path, importer, resolveDir);
      });
      builder.onLoad({ filter: /.*/ }, ({ path }) => {
        const isOwn =
          packageFolder === undefined
            ? !path.startsWith(root) && !path.includes("/node_modules/")
            : isPackageFile(path, packageFolder);
        if (isOwn) sources.add(path);
        return undefined;
      });
    },
  };
}

/** The folder of `src` or `dist`: two above this file's. */
export function packageRoot(): string {
  return resolve(dirname(fileURLToPath(import.meta.url)), "../..");
}

/** True for a file of a package itself, and not of the packages that it depends on. */
function isPackageFile(path: string, folder: string): boolean {
  if (!path.startsWith(`${folder}${sep}`)) return false;
  return !path.slice(folder.length).includes(`${sep}node_modules${sep}`);
}

function ownModule(specifier: string): OnResolveResult {
  if (!specifier.startsWith("marketwright"))
    return { path: import.meta.resolve(specifier), external: true };
  const entry = ENTRIES[specifier];
  if (entry === undefined)
    return { errors: [{ text: `marketwright has no entry "${specifier}"` }] };
  const built = join(packageRoot(), `${entry}.js`);
  // When run from source there is no built file to import: the entry becomes part of the bundle.
  return existsSync(built)
    ? { path: pathToFileURL(built).href, external: true }
    : { path: join(packageRoot(), `${entry}.ts`) };
}

function foreignModule(
  specifier: string,
  importer: string,
  resolveDir: string,
): OnResolveResult | undefined {
  const from = importer === "" ? join(resolveDir, "strategy.js") : importer;
  try {
    const found = createRequire(from).resolve(specifier);
    return isAbsolute(found)
      ? { path: pathToFileURL(found).href, external: true }
      : { path: found, external: true };
  } catch {
    // Left to the bundler: it knows packages that can only be imported, and names the line if there
    // is none.
    return undefined;
  }
}

function unreadable(error: unknown, path: string, field: string, kind: UserFileKind): ConfigError {
  const message = (error as Partial<BuildFailure>).errors?.[0];
  const where = message?.location
    ? `${message.location.file}:${message.location.line}:${message.location.column + 1}: `
    : "";
  return new ConfigError(
    `the ${kind} file cannot be read: ${where}${message?.text ?? String(error)}`,
    {
      field,
      value: path,
      expected: "a file that parses, all of whose imports are there",
      cause: error,
    },
  );
}
