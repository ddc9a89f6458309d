import { SourceMap, type SourceMapPayload } from "node:module";
import { extname } from "node:path";
import {
  type Expression,
  type Node,
  type PrivateIdentifier,
  type Program,
  parse,
  type Super,
} from "acorn";
import { simple } from "acorn-walk";
import { type Loader, transformSync } from "esbuild";
import { analyze } from "eslint-scope";

/**
 * A use in a strategy's source that makes a backtest differ from the live run, or lets the strategy
 * read data that its history has not reached yet.
 */
export interface StrategyWarning {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** `Date`, `Math.random`, `setTimeout`, or one that reads data: `readFile`, `fetch` ... */
  readonly name: string;
  /** The replacement. */
  readonly advice: string;
}

const OWN_DATA =
  "a look-ahead check cuts only the history: make sure that this data has nothing from the replayed time";

/** Methods that read data, on any object: `fs`, `fs.promises`, a file handle. */
const READERS: Readonly<Record<string, string>> = {
  readFile: OWN_DATA,
  readFileSync: OWN_DATA,
  createReadStream: OWN_DATA,
};

const ADVICE: Readonly<Record<string, string>> = {
  ...READERS,
  Date: "use view.timeMs",
  performance: "use view.timeMs",
  "Math.random": "use context.random",
  setTimeout: "use an RxJS operator with context.scheduler",
  setInterval: "use an RxJS operator with context.scheduler",
  fetch: OWN_DATA,
};

/** A source reads data live, and is never replayed. A test still has to control its time. */
const SOURCE_ADVICE: Readonly<Record<string, string>> = {
  Date: "use context.runtime.clock",
  performance: "use context.runtime.clock",
  "Math.random": "use context.runtime.random",
  setTimeout: "use an RxJS operator with context.scheduler",
  setInterval: "use an RxJS operator with context.scheduler",
};

/** The kinds of files that users write. */
export type UserFileKind = "strategy" | "source";

/** The names of the global object. */
const GLOBALS = ["globalThis", "global", "window"];

const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

/**
 * Finds the uses of real time, timers, randomness and own data in a strategy's source, by its
 * syntax and scopes. A comment, a text, a type, a property or a variable of the same name does not
 * count.
 * @param source a text that the bundler has accepted.
 * @param file its extension names the language; a file without code has no warnings.
 */
export function findStrategyWarnings(
  source: string,
  file: string,
  kind: UserFileKind = "strategy",
): StrategyWarning[] {
  const advice = kind === "strategy" ? ADVICE : SOURCE_ADVICE;
  const loader = LOADERS[extname(file)];
  if (loader === undefined) return [];
  // Types are removed first: the parser reads JavaScript.
  const { code, map } = transformSync(source, {
    loader,
    target: "node20",
    sourcemap: "external",
    tsconfigRaw: {},
    logLevel: "silent",
  });
  const program = parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    allowReturnOutsideFunction: true,
    locations: true,
    ranges: true,
  });
  const lines = new SourceMap(JSON.parse(map) as SourceMapPayload);
  const found: { readonly line: number; readonly column: number; readonly name: string }[] = [];
  const tell = ({ loc }: Node, name: string): void => {
    if (loc == null || !Object.hasOwn(advice, name)) return;
    const entry = lines.findEntry(loc.start.line - 1, loc.start.column);
    if ("originalLine" in entry)
      found.push({ line: entry.originalLine + 1, column: entry.originalColumn, name });
  };
  const names = foreignNames(program);
  simple(program, {
    Identifier: (node) => tell(node, names.get(node) ?? ""),
    MemberExpression(node) {
      const name = nameIn(node.property, node.computed) ?? "";
      if (Object.hasOwn(READERS, name)) tell(node.property, name);
      else tell(node, pathOf(node, names) ?? "");
    },
    VariableDeclarator({ id, init }) {
      if (id.type !== "ObjectPattern" || init == null) return;
      for (const property of id.properties) {
        if (property.type !== "Property") continue;
        const name = nameIn(property.key, property.computed) ?? "";
        const isReader = Object.hasOwn(READERS, name);
        tell(property, isReader ? name : (joined(pathOf(init, names), name) ?? ""));
      }
    },
  });
  return found
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ line, name }) => ({ file, line, name, advice: advice[name] }));
}

/** The identifiers that refer to a global, or to a package's export, with its name there. */
function foreignNames(program: Program): ReadonlyMap<Node, string> {
  const scopes = analyze(program as Parameters<typeof analyze>[0], {
    ecmaVersion: 2022,
    sourceType: "module",
  });
  const names = new Map<unknown, string>();
  for (const { identifier } of scopes.globalScope?.through ?? [])
    names.set(identifier, identifier.name);
  for (const variable of scopes.scopes.flatMap((scope) => scope.variables)) {
    for (const { node, parent } of variable.defs) {
      if (parent?.type !== "ImportDeclaration" || node.type !== "ImportSpecifier") continue;
      // A file of the user's own is searched itself.
      if (String(parent.source.value).startsWith(".")) continue;
      const { imported } = node;
      const name = imported.type === "Identifier" ? imported.name : String(imported.value);
      for (const { identifier } of variable.references) names.set(identifier, name);
    }
  }
  return names as ReadonlyMap<Node, string>;
}

/** The path of an expression from a known name, such as `Math.random`. */
function pathOf(node: Expression | Super, names: ReadonlyMap<Node, string>): string | undefined {
  if (node.type !== "MemberExpression") return names.get(node);
  return joined(pathOf(node.object, names), nameIn(node.property, node.computed));
}

function joined(path: string | undefined, property: string | undefined): string | undefined {
  if (path === undefined || property === undefined) return undefined;
  return GLOBALS.includes(path) ? property : `${path}.${property}`;
}

/** The name of a property; undefined if an expression computes it. */
function nameIn(key: Expression | PrivateIdentifier, isComputed: boolean): string | undefined {
  if (key.type === "Literal") return String(key.value);
  return key.type === "Identifier" && !isComputed ? key.name : undefined;
}
