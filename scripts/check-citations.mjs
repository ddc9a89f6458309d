// Checks that comments cite pages that readers have. A path below docs must name an existing page,
// and its #anchor an existing heading. No comment or page may cite a source that does not ship with
// the project. Prints the faults and exits 1. An optional argument is the project's root.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["src", "test", "bench", "scripts", "assets", "contracts"];
const HEADINGS = new Map();

/** Citations of sources that readers do not have: a name, and the units that divide it. */
const FOREIGN = [
  /\((?:the )?(?:design|protocol|specification|conformance|backtest rules),? (?:rules?|section|note|step)\b/,
  /\((?:the )?(?:design|protocol|specification|conformance|backtest rules),? (?:"|`|[A-Z]{0,2}\d)/,
  /\b(?:design|protocol|specification|conformance), (?:rules?|section|note) [\w"`]/,
  /\b(?:design|protocol|specification|backtest rules),? "[^"]+"/,
  /\bprotocol \d/,
  /\(specification: /,
  /\bshared\/docs\b/,
];

const problems = [
  ...FOLDERS.flatMap((folder) => filesBelow(folder, /\.(ts|mts|mjs|js|css|sol)$/)).flatMap(inCode),
  ...filesBelow("docs", /\.md$/).flatMap(inPage),
];
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exitCode = 1;
}

function inCode(path) {
  const text = readFileSync(join(ROOT, path), "utf8");
  const comments = commentsOf(text);
  // A message may name a page too. A test may name a missing one.
  const naming = path.startsWith("test/") ? comments : linesOf(text);
  return [
    ...naming.flatMap(({ line, text: held }) => located(path, line, deadPages(held))),
    ...comments.flatMap(({ line, text: held }) =>
      located(path, line, [...foreignPages(held), ...lonePages(held)]),
    ),
  ];
}

function inPage(path) {
  return paragraphsOf(readFileSync(join(ROOT, path), "utf8")).flatMap(({ line, text }) =>
    located(path, line, foreignPages(text)),
  );
}

function located(path, line, found) {
  return found.map((problem) => `${path}:${line} ${problem}`);
}

function linesOf(text) {
  return text.split("\n").map((line, at) => ({ line: at + 1, text: line }));
}

function filesBelow(folder, ending) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

/** The comments of a text, one line each, with their first line's number. */
function commentsOf(text) {
  // Blocks and lines that begin a line, and comments after code.
  const forms =
    /^[ \t]*\/\*[\s\S]*?\*\/|^[ \t]*\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|(?<=[;,{}()[\]] )\/\/ [^\n]*/gm;
  const found = [...text.matchAll(forms)].filter(({ index }) => !isInString(text, index));
  return found.map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    text: match[0]
      .replace(/^[ \t]*(?:\/\*+|\*+\/|\*|\/\/+)/gm, "")
      .replace(/\*\/$/, "")
      .replace(/\s+/g, " "),
  }));
}

/** True if a string of the line has begun and not ended. */
function isInString(text, index) {
  const before = text.slice(text.lastIndexOf("\n", index - 1) + 1, index);
  return ['"', "'", "`"].some((quote) => before.split(quote).length % 2 === 0);
}

/** The paragraphs of a page, each a line of its own. */
function paragraphsOf(page) {
  return [...page.matchAll(/(?:^.+\n?)+/gm)].map((match) => ({
    line: page.slice(0, match.index).split("\n").length,
    text: match[0].replace(/\s+/g, " "),
  }));
}

/** Pages below docs that are not there, and headings that they do not have. */
function deadPages(text) {
  return [...text.matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)].flatMap(([citation]) => {
    const [page = "", heading] = citation.split("#");
    if (!existsSync(join(ROOT, page))) return [`cites ${page}, which does not exist`];
    if (heading === undefined || headingsOf(page).has(heading)) return [];
    return [`cites ${citation}: ${page} has no such heading`];
  });
}

/** The anchors of a page's headings; a heading that comes again has a number behind it. */
function headingsOf(page) {
  const known = HEADINGS.get(page);
  if (known !== undefined) return known;
  const anchors = new Set();
  const text = readFileSync(join(ROOT, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  for (const [, heading = ""] of text.matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-");
    let numbered = anchor;
    for (let count = 1; anchors.has(numbered); count += 1) numbered = `${anchor}-${count}`;
    anchors.add(numbered);
  }
  HEADINGS.set(page, anchors);
  return anchors;
}

/** The first citation of what is not in the project. */
function foreignPages(text) {
  const found = FOREIGN.map((form) => form.exec(text)?.[0]).find((form) => form !== undefined);
  return found === undefined ? [] : [`cites "${found}": name a page of docs by its heading`];
}

/** Pages by a name that leads nowhere from the project's root. */
function lonePages(text) {
  return [...text.matchAll(/(?<![\w./-])(?:[\w.-]+\/)*[\w-]+\.md\b/g)]
    .map(([page]) => page)
    .filter((page) => !page.startsWith("docs/") && !existsSync(join(ROOT, posix.normalize(page))))
    .map((page) => `cites ${page}, which is not in the project`);
}
