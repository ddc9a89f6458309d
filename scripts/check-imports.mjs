// Holds the direction of imports: which room of src may know which other. Prints each import that goes the wrong way and
// exits 1. An optional argument is the project's root.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const SRC = join(ROOT, "src");

/** Of `exchange`, what a room that knows no network may import: what orders and events are and cost, not how they travel. */
const RECORDS = [
  "exchange/records",
  "exchange/venue",
  "exchange/rate-buckets",
  "exchange/protocol/errors",
];

/** The one decision what the answer to a place or a cancel proves. */
const FATE = "exchange/fate";

/** The rooms that every other may import: units, and the arithmetic that the contracts do. */
const GROUND = ["core", "perpetual"];

/**
 * For each room, the rooms or single modules that it may import besides itself; `/*` at the end of a name is every module of a
 * folder, `*` alone is everything. A room that is not named here may not exist. A folder of a room that is named too is a room
 * within it: whoever may import the outer one may import it.
 */
const ALLOWED = {
  core: [],
  perpetual: ["core"],
  // A book is kept wherever a market is heard, recorded or played: one side and one book for all of them, which know nothing
  // but units.
  "market/book": ["core"],
  exchange: [...GROUND, "market/book"],
  market: [...GROUND, ...RECORDS],
  account: [...GROUND, "market", ...RECORDS, FATE],
  strategies: [...GROUND, "market", "account", ...RECORDS],
  risk: [...GROUND, "market", "account", "strategies/intent", ...RECORDS],
  executor: [...GROUND, "market", "account", "risk", "strategies/intent", ...RECORDS],
  // The protocol's schemas are the contract that both sides keep, so both take them from one place: the simulator writes what
  // they describe and publishes them. It hashes orders and checks requests by its own hand, as an independent witness. The
  // contracts it deploys are everybody's, and so is the plain book that it keeps of a recording.
  simulator: [...GROUND, "market/book", "exchange/records", "exchange/protocol/*", "chain/abi/*"],
  history: [...GROUND, "market/book", "exchange"],
  chain: GROUND,
  liquidator: [
    ...GROUND,
    "chain",
    "market",
    "account",
    "risk",
    "executor",
    "strategies/intent",
    ...RECORDS,
  ],
  monitoring: [...GROUND, "exchange", "market", "account", "strategies", "risk", "executor"],
  bot: [
    ...GROUND,
    "exchange",
    "market",
    "account",
    "strategies",
    "risk",
    "executor",
    "chain",
    "liquidator",
    "monitoring",
  ],
  backtest: [
    ...GROUND,
    "exchange",
    "market",
    "account",
    "strategies",
    "risk",
    "executor",
    "history",
    "monitoring",
    "bot",
  ],
  cli: ["*"],
};

/** The public entries: they put together what others may import. */
const ENTRIES = new Set(["index"]);

const problems = [];
let imports = 0;
for (const file of sourceFiles()) {
  const module = posixPath(relative(SRC, file)).replace(/\.tsx?$/, "");
  const room = roomOf(module);
  for (const { specifier, line } of importsOf(readFileSync(file, "utf8"))) {
    if (!specifier.startsWith(".")) {
      continue;
    }
    imports += 1;
    const target = posix
      .normalize(posix.join(posix.dirname(module), specifier))
      .replace(/\.[jt]sx?$/, "");
    const reason = whyForbidden(module, room, target);
    if (reason !== undefined) {
      problems.push(`src/${module}.ts:${line} imports ${specifier}: ${reason}`);
    }
  }
}

if (problems.length > 0) {
  process.stderr.write(
    `${problems.join("\n")}\ncheck-imports: ${problems.length} of ${imports} imports go the wrong way\n`,
  );
  process.exitCode = 1;
}

function whyForbidden(module, room, target) {
  if (target.startsWith("../")) {
    return "it leaves src";
  }
  if (ENTRIES.has(module)) {
    return undefined;
  }
  if (room === undefined || !Object.hasOwn(ALLOWED, room)) {
    return `${room ?? module} is no room that scripts/check-imports.mjs knows`;
  }
  const targetRoom = roomOf(target);
  if (roomsOf(target).includes(room)) {
    return undefined;
  }
  if (targetRoom === undefined) {
    return "a room does not import a public entry";
  }
  const allowed = ALLOWED[room];
  const folder = `${posix.dirname(target)}/*`;
  return ["*", ...roomsOf(target), target, folder].some((name) => allowed.includes(name))
    ? undefined
    : `${room} may import ${allowed.length === 0 ? "nothing of ours" : allowed.join(", ")}`;
}

/** The room that a module is in, the innermost; undefined of a public entry. */
function roomOf(module) {
  return roomsOf(module).at(-1);
}

/** The rooms that a module is in, the outermost first. */
function roomsOf(module) {
  const folders = posix.dirname(module).split("/");
  return module.includes("/")
    ? folders
        .map((_folder, at) => folders.slice(0, at + 1).join("/"))
        .filter((name, at) => at === 0 || Object.hasOwn(ALLOWED, name))
    : [];
}

function sourceFiles() {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Every specifier that the text imports, in all the forms that name one, types included. */
function* importsOf(text) {
  const code = withoutComments(text);
  const forms = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^"'\n]+)\1/g;
  for (const match of code.matchAll(forms)) {
    yield { specifier: match[2], line: code.slice(0, match.index).split("\n").length };
  }
}

/** Comments blanked, line breaks kept; strings stay, and what looks like a comment inside one is none. */
function withoutComments(text) {
  return text.replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (token) => (token.startsWith("/") ? token.replace(/[^\n]/g, " ") : token),
  );
}

function posixPath(path) {
  return dirname(path) === "." ? path : path.split(sep).join("/");
}
