import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT_ROOT } from "./checkout.js";

/** The public entries, by the name under which a program imports them. */
export const ENTRIES = {
  marketwright: "src/index.ts",
  "marketwright/exchange": "src/exchange/index.ts",
  "marketwright/testing": "src/testing/index.ts",
} as const;

/** A name that a public entry exports. */
export interface PublicExport {
  readonly name: string;
  /** The file that declares it, from the project's root. */
  readonly path: string;
  /** The text of its doc comment, without the stars; empty where it has none. */
  readonly doc: string;
  /** The text from `export` to the end of the declaration. */
  readonly declaration: string;
}

/** The names that both entries export from files by name, types included, each once. */
export function publicExports(): readonly PublicExport[] {
  const exports = new Map<string, PublicExport>();
  for (const entry of Object.values(ENTRIES)) {
    for (const { names, path } of clausesOf(entry)) {
      const text = read(path);
      for (const name of names ?? declaredIn(text)) {
        exports.set(`${path} ${name}`, { name, path, ...declarationOf(text, name, path) });
      }
    }
  }
  return [...exports.values()];
}

/** The programs of a doc comment's `@example` tags, each a fenced block of TypeScript. */
export function examplesOf(doc: string): readonly string[] {
  return [...doc.matchAll(/^@example\n```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? "");
}

/** The number of `@example` tags in the files of a folder. */
export function countExampleTags(folder: string): number {
  return readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .reduce((sum, name) => sum + (read(join(folder, name)).match(/\* @example/g)?.length ?? 0), 0);
}

/**
 * The program with its comments made checks: `EXPRESSION; // => VALUE` compares the two, and
 * `EXPRESSION; // throws NAME` expects an error of this name.
 * @throws Error for a comment of either form that does not follow a statement on one line.
 */
export function withChecks(program: string): string {
  const lines = program.split("\n").map((line) => {
    const match = /^ *(\S.*); \/\/ (?:=> (.+)|throws (\w+))$/.exec(line);
    if (match === null) {
      if (/\/\/ (=>|throws )/.test(line)) throw new Error(`not a statement with a result: ${line}`);
      return line;
    }
    const [, statement, value, error] = match;
    return error === undefined
      ? `__assert.deepStrictEqual((${statement}), (${value}));`
      : `await __assert.rejects(async () => (${statement}), { name: "${error}" });`;
  });
  return ['import __assert from "node:assert";', ...lines].join("\n");
}

interface Clause {
  /** Undefined for all that the file exports. */
  readonly names: readonly string[] | undefined;
  readonly path: string;
}

function* clausesOf(entry: string): Generator<Clause> {
  const clauses = /^export (?:type )?(?:\{([^}]*)\}|\*) from "([^"]+)";/gm;
  for (const [, listed, specifier = ""] of read(entry).matchAll(clauses)) {
    const names = listed
      ?.split(",")
      .map((part) => part.trim().replace(/^type /, ""))
      .filter((part) => part !== "");
    yield { names, path: join(dirname(entry), specifier.replace(/\.js$/, ".ts")) };
  }
}

const DECLARATION =
  /^export (?:abstract |async )?(?:class|interface|function|const|type)\*? (\w+)/gm;

function declaredIn(text: string): readonly string[] {
  return [...text.matchAll(DECLARATION)].map((match) => match[1] ?? "");
}

function declarationOf(
  text: string,
  name: string,
  path: string,
): Pick<PublicExport, "doc" | "declaration"> {
  const found = [...text.matchAll(DECLARATION)].find((match) => match[1] === name);
  if (found === undefined) throw new Error(`${path} does not declare ${name}`);
  const before = text.slice(0, found.index);
  const after = text.slice(found.index);
  const isBlock = /^export (?:abstract )?(?:class|interface)/.test(after);
  const end = (isBlock ? /^\}/m : /;\n(?! )/).exec(after)?.index ?? after.length;
  const doc = before.endsWith("*/\n")
    ? before
        .slice(before.lastIndexOf("/**") + 3, -3)
        .split("\n")
        .map((line) => line.replace(/^ \* ?/, "").trimEnd())
        .join("\n")
        .trim()
    : "";
  return { doc, declaration: after.slice(0, end) };
}

function read(path: string): string {
  return readFileSync(join(PROJECT_ROOT, path), "utf8");
}
