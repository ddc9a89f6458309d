// Checks rules that keep src readable. No folder has more than twenty files of its own. No exported
// class, interface or function name stands for two things, and no export is unused. Names of tests
// have one form, and imports from outside src name room and file. Prints the faults and exits with
// status 1. An optional argument is the project's root.
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { roomFiles, roomsConfig } from "./room-files.mjs";
import { exportsOf, namesTakenBy, readModules, resolved, specifiersOf } from "./source-modules.mjs";

const MOST_FILES = 20;
/** Public entries: other programs use their exports. */
const ENTRIES = new Set(["src/index.ts", "src/exchange/index.ts", "src/testing/index.ts"]);
/** Written by scripts/contracts.ts with all members of a contract, used or not. */
const isGenerated = (path) => path.endsWith(".generated.ts");

const ROOT = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const sources = readModules(ROOT, "src");
const others = ["test", "bench", "scripts", "assets"].flatMap((folder) =>
  readModules(ROOT, folder),
);
const problems = [
  ...crowdedFolders(),
  ...namesOfTwoThings(),
  ...importsOfRooms(),
  ...oddNamesOfTests(),
];
if (problems.length === 0) problems.push(...deadExports());
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

/**
 * Below test: `order-book.test.ts`, `order-book.verify.ts`, and `order-book.ts` for shared code.
 */
function oddNamesOfTests() {
  const form = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|verify))?\.(ts|mts|mjs)$/;
  return others
    .filter(({ path }) => path.startsWith("test/") && !form.test(posix.basename(path)))
    .map(
      ({ path }) =>
        `${path} has a name of another form: expected words with hyphens, then .test.ts or .verify.ts`,
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

/** Every file outside src imports a file of src by its room and name, not by its folder. */
function importsOfRooms() {
  const found = [];
  const config = join(ROOT, "tsconfig.rooms.json");
  if (existsSync(config) && readFileSync(config, "utf8") !== roomsConfig(ROOT)) {
    found.push('tsconfig.rooms.json has other folders than src: run "npm run docs"');
  }
  const names = new Map([...roomFiles(ROOT)].map(([name, path]) => [path, name]));
  for (const { path, text } of others) {
    // Assets are bundled for a browser, by relative paths.
    if (path.startsWith("assets/")) continue;
    for (const { specifier, line } of specifiersOf(text)) {
      const name = specifier.startsWith(".") ? names.get(resolved(path, specifier)) : undefined;
      if (name !== undefined) found.push(`${path}:${line} imports ${specifier}: expected ${name}`);
    }
  }
  return found;
}

/**
 * Exports that no other file imports, tests included. Callers need a name for the type of a
 * parameter or result of an exported function, so a type that its own file uses does not count as
 * dead.
 */
function deadExports() {
  const taken = new Set();
  const files = roomFiles(ROOT);
  for (const { path, text } of [...sources, ...others]) {
    for (const { specifier, name } of namesTakenBy(text)) {
      const target = resolved(path, specifier, files);
      if (target !== undefined) taken.add(`${target}#${name}`);
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
