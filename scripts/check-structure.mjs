// Holds what keeps src readable: no folder with more than twenty files of its own, no exported class, interface or function
// name that stands for two things, and no export that nothing uses. Prints what is wrong and exits 1. An optional argument is
// the project's root.
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { exportsOf, namesTakenBy, readModules, resolved } from "./source-modules.mjs";

const MOST_FILES = 20;
/** Public entries: what they export is used by other programs. */
const ENTRIES = new Set(["src/index.ts", "src/exchange/index.ts"]);
/** Written by scripts/contracts.ts, all that a contract has, whether it is used or not. */
const isGenerated = (path) => path.endsWith(".generated.ts");

const ROOT = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const sources = readModules(ROOT, "src");
const problems = [...crowdedFolders(), ...namesOfTwoThings(), ...deadExports()];
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exitCode = 1;
}

function crowdedFolders() {
  const counts = new Map();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(
      ([folder, count]) =>
        `${folder} has ${count} files of its own: expected at most ${MOST_FILES}; give its parts folders`,
    );
}

function namesOfTwoThings() {
  const places = new Map();
  for (const { path, text } of sources) {
    for (const { name, kind } of exportsOf(text)) {
      if (!["class", "interface", "function"].includes(kind)) continue;
      const known = places.get(name) ?? new Set();
      places.set(name, known.add(path));
    }
  }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name} stands for ${paths.size} things: ${[...paths].join(", ")}`);
}

/**
 * Exports that no other file takes, tests included. The type of a parameter or result of an exported function has to have a
 * name for whoever calls it, so a type that its own file uses is not dead.
 */
function deadExports() {
  const taken = new Set();
  for (const folder of ["src", "test", "bench", "scripts", "assets"]) {
    for (const { path, text } of folder === "src" ? sources : readModules(ROOT, folder)) {
      for (const { specifier, name } of namesTakenBy(text)) {
        const target = resolved(path, specifier);
        if (target !== undefined) taken.add(`${target}#${name}`);
      }
    }
  }
  const dead = [];
  for (const { path, text } of sources) {
    if (ENTRIES.has(path) || isGenerated(path) || taken.has(`${path}#*`)) continue;
    for (const { name, kind, line } of exportsOf(text)) {
      if (taken.has(`${path}#${name}`)) continue;
      const isType = kind === "type" || kind === "interface";
      if (isType && text.match(new RegExp(`\\b${name}\\b`, "g")).length > 1) continue;
      dead.push(
        `${path}:${line} exports ${name}, which nothing imports: remove it, or only its export`,
      );
    }
  }
  return dead;
}
