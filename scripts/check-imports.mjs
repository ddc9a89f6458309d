// Checks the direction of imports: which room of src may import which other (rooms.mjs), and that
// no files import each other in a cycle. Prints the faults and exits 1. An optional argument is the
// project's root.
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { allowedText, ENTRIES, mayImport, ROOMS, roomsOf } from "./rooms.mjs";
import { readModules, specifiersOf } from "./source-modules.mjs";

const ROOT = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));

const problems = [];
const graph = new Map();
let imports = 0;
for (const { path, text } of readModules(ROOT, "src")) {
  const module = moduleOf(path);
  const targets = new Set();
  graph.set(module, targets);
  for (const { specifier, line } of specifiersOf(text)) {
    if (!specifier.startsWith(".")) {
      continue;
    }
    imports += 1;
    const target = posix
      .normalize(posix.join(posix.dirname(module), specifier))
      .replace(/\.[jt]sx?$/, "");
    targets.add(target);
    const reason = whyForbidden(module, target);
    if (reason !== undefined) {
      problems.push(`${path}:${line} imports ${specifier}: ${reason}`);
    }
  }
}
if (problems.length > 0) {
  problems.push(`check-imports: ${problems.length} of ${imports} imports go the wrong way`);
}
for (const circle of circles()) {
  problems.push(
    `check-imports: a circle of imports: ${circle.map((name) => `src/${name}.ts`).join(", ")}`,
  );
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exitCode = 1;
}

function moduleOf(path) {
  return path.replace(/^src\//, "").replace(/\.tsx?$/, "");
}

function whyForbidden(module, target) {
  if (target.startsWith("../")) {
    return "it leaves src";
  }
  if (ENTRIES.has(module)) {
    return undefined;
  }
  const room = roomsOf(module).at(-1);
  if (room === undefined || !Object.hasOwn(ROOMS, room)) {
    return `${room ?? module} is no room that scripts/rooms.mjs knows`;
  }
  const targetRooms = roomsOf(target);
  if (targetRooms.includes(room)) {
    return undefined;
  }
  if (targetRooms.length === 0) {
    return "a room does not import a public entry";
  }
  return mayImport(room, target) ? undefined : `${room} may import ${allowedText(room)}`;
}

/** The strongly connected components of the imports with more than one file (Tarjan 1972). */
function circles() {
  const found = [];
  const indices = new Map();
  const lowest = new Map();
  const stack = [];
  const onStack = new Set();
  const visit = (module) => {
    indices.set(module, indices.size);
    lowest.set(module, indices.get(module));
    stack.push(module);
    onStack.add(module);
    for (const target of graph.get(module) ?? []) {
      if (!graph.has(target)) continue;
      if (!indices.has(target)) visit(target);
      if (onStack.has(target)) {
        lowest.set(module, Math.min(lowest.get(module), lowest.get(target)));
      }
    }
    if (lowest.get(module) !== indices.get(module)) return;
    const part = stack.splice(stack.indexOf(module));
    for (const name of part) onStack.delete(name);
    if (part.length > 1) found.push(part.sort());
  };
  for (const module of graph.keys()) if (!indices.has(module)) visit(module);
  return found;
}
