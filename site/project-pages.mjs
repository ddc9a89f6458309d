// The pages of the project as VitePress takes them: each file is copied into site/pages, with its
// links leading to the copies. A file that a page links to and that is no page itself (a schema, a
// module) becomes a page that shows it.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, extname, join, posix } from "node:path";
import { PAGES, PROJECT_ROOT } from "./folders.mjs";

/** Pages outside the shelves, by their path in the project, with their path on the site. */
const SINGLE_PAGES = {
  "README.md": "index.md",
  "docs/README.md": "all-pages.md",
  "CONTRIBUTING.md": "project/contributing.md",
  "CHANGELOG.md": "project/changelog.md",
  "SECURITY.md": "project/security.md",
};
const PICTURES = new Set([".svg", ".png"]);
/** Languages of shown files that are not called by their extension. */
const LANGUAGES = { "": "text", ".mjs": "js" };
/** A fenced block, which has no links, or a link or picture with its target and anchor. */
const BLOCK_OR_LINK = /^```[\s\S]*?^```$|\]\(([^)\s#]*)(#[^)\s]*)?\)/gm;

/** Writes all pages, and all files that they show. */
export function writeProjectPages() {
  const docs = readdirSync(join(PROJECT_ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join("docs", name));
  const shown = new Set();
  for (const path of new Set([...Object.keys(SINGLE_PAGES), ...docs])) {
    write(sitePathFor(path), relinked(path, shown));
  }
  for (const path of shown) writeShownFile(path);
}

/** The text of a page with links to site paths; adds to `shown` each file that is no page. */
function relinked(path, shown) {
  const from = posix.dirname(sitePathFor(path));
  return readFileSync(join(PROJECT_ROOT, path), "utf8").replace(
    BLOCK_OR_LINK,
    (all, target, anchor = "") => {
      if (!target || /^[a-z]+:/.test(target)) return all;
      const linked = posix.join(posix.dirname(path), target);
      if (!statSync(join(PROJECT_ROOT, linked), { throwIfNoEntry: false })?.isFile())
        throw new Error(`${path} links to ${target}: expected a file of the project`);
      if (extname(linked) !== ".md") shown.add(linked);
      return `](${relativeLink(from, sitePathFor(linked))}${anchor})`;
    },
  );
}

/** Where a file of the project stands on the site. */
function sitePathFor(path) {
  if (SINGLE_PAGES[path] !== undefined) return SINGLE_PAGES[path];
  if (extname(path) === ".md") return posix.relative("docs", path);
  return PICTURES.has(extname(path)) ? `files/${path}` : `files/${path}.md`;
}

function relativeLink(from, to) {
  const link = posix.relative(from, to);
  return link.startsWith(".") ? link : `./${link}`;
}

function writeShownFile(path) {
  if (PICTURES.has(extname(path))) {
    const to = join(PAGES, sitePathFor(path));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(PROJECT_ROOT, path), to);
    return;
  }
  const language = LANGUAGES[extname(path)] ?? extname(path).slice(1);
  const text = readFileSync(join(PROJECT_ROOT, path), "utf8").trimEnd();
  write(sitePathFor(path), `# ${path}\n\n\`\`\`\`${language}\n${text}\n\`\`\`\`\n`);
}

function write(sitePath, text) {
  const to = join(PAGES, sitePath);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text);
}
