// The checks of scripts/ read TypeScript as text, without a compiler, so that they take a second.
// They rely on the formatter: an exported declaration begins a line.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

/**
 * The files of a folder that may import or be imported, as `{ path, text }`: paths from the
 * project's root, comments blanked.
 */
export function readModules(root, folder) {
  let entries;
  try {
    entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mts|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: relative(root, file).split(sep).join("/"),
      text: withoutComments(readFileSync(file, "utf8")),
    }));
}

/** Every specifier that a text imports, in every form, types included, each with its line. */
export function* specifiersOf(text) {
  const forms = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^"'\n]+)\1/g;
  for (const match of text.matchAll(forms)) {
    yield { specifier: match[2], line: text.slice(0, match.index).split("\n").length };
  }
}

/**
 * The names that a text imports from other modules, as `{ specifier, name, isReExport }`; `*` is
 * everything that a module exports, for a namespace or a dynamic import.
 */
export function* namesTakenBy(text) {
  const clauses = /\b(import|export)\s+(?:type\s+)?([^"';]*?)\bfrom\s*(["'])([^"'\n]+)\3/g;
  for (const [, word, clause, , specifier] of text.matchAll(clauses)) {
    const isReExport = word === "export";
    const named = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
    for (const part of named.split(",")) {
      const name = part
        .trim()
        .replace(/^type\s+/, "")
        .split(/\s+as\s+/)[0];
      if (name !== "") yield { specifier, name, isReExport };
    }
    if (clause.includes("*")) yield { specifier, name: "*", isReExport };
  }
  for (const [, , specifier] of text.matchAll(/\bimport\s*\(\s*(["'])([^"'\n]+)\1/g)) {
    yield { specifier, name: "*", isReExport: false };
  }
}

/** The exported declarations of a text, as `{ name, kind, line }`. */
export function* exportsOf(text) {
  const declarations =
    /^export (?:declare )?(?:async )?(?:abstract )?(class|interface|function|const|let|type|enum)\*? (\w+)/gm;
  for (const match of text.matchAll(declarations)) {
    yield { name: match[2], kind: match[1], line: text.slice(0, match.index).split("\n").length };
  }
}

/**
 * The path of a specifier, from the project's root; undefined for a package. `files`: those of the
 * rooms, of room-files.mjs.
 */
export function resolved(from, specifier, files) {
  if (specifier.startsWith("#")) return files?.get(specifier);
  return specifier.startsWith(".")
    ? posix.join(posix.dirname(from), specifier).replace(/\.js$/, ".ts")
    : undefined;
}

/** Comments blanked, line breaks kept. Strings stay, even if they contain text like a comment. */
function withoutComments(text) {
  return text.replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (token) => (token.startsWith("/") ? token.replace(/[^\n]/g, " ") : token),
  );
}
