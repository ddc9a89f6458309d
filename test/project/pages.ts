import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT_ROOT } from "./checkout.js";

/** A page for readers, by its path from the project's root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(PROJECT_ROOT, path), "utf8") };
}

/** The sections of the pages, in the order of the index. */
export const SHELVES = ["start", "guides", "reference", "ideas"] as const;

/** The pages of `docs`, by their paths below it. */
export function docsPages(): readonly string[] {
  return readdirSync(join(PROJECT_ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .sort();
}

/** Every page for readers. */
export function allPages(): readonly Page[] {
  return [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    ...docsPages().map((name) => `docs/${name}`),
  ].map(readPage);
}

/** The fenced blocks of a page, in their order; of one language, or all. */
export function blocksOf(page: Page, language?: string): readonly Block[] {
  const blocks = [...page.text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? "",
    text: match[2] ?? "",
  }));
  return blocks.filter((block) => language === undefined || block.language === language);
}

/** The rows of the table whose first heading is this one: cells without the bars. */
export function tableOf(page: Page, firstHeading: string): readonly (readonly string[])[] {
  const lines = page.text.split("\n");
  const head = lines.findIndex((line) => cellsOf(line)[0] === firstHeading);
  if (head < 0) throw new Error(`${page.path} has no table that begins with ${firstHeading}`);
  const rest = lines.slice(head + 2);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  return rest.slice(0, end < 0 ? rest.length : end).map(cellsOf);
}

/** The parts of a text that are in backticks. */
export function codesOf(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
}

/**
 * Links and pictures of a page that lead to nothing: files of ours that are not there, headings
 * that a page does not have.
 */
export function deadLinksOf(page: Page): readonly string[] {
  const prose = page.text.replace(/^```[\s\S]*?^```$/gm, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  return targets.filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target));
}

/**
 * Links of a page to files of ours that are not in the npm package: with the package alone they
 * lead nowhere.
 */
export function unpackedLinksOf(page: Page, packed: readonly string[]): readonly string[] {
  const prose = page.text.replace(/^```[\s\S]*?^```$/gm, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  return targets.filter((target) => {
    const [file = ""] = target.split("#");
    if (/^https?:/.test(target) || file === "") return false;
    const path = join(dirname(page.path), file).replace(/\/$/, "");
    return !packed.some((name) => name === path || name.startsWith(`${path}/`));
  });
}

function leadsSomewhere(page: Page, target: string): boolean {
  const [file, heading] = target.split("#");
  const path = file === "" || file === undefined ? page.path : join(dirname(page.path), file);
  if (!existsSync(join(PROJECT_ROOT, path))) return false;
  return heading === undefined || headingsOf(readPage(path)).includes(heading);
}

function headingsOf({ text }: Page): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? "")
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function cellsOf(line: string): readonly string[] {
  if (!line.startsWith("|")) return [];
  return line
    .slice(1, line.trimEnd().lastIndexOf("|"))
    .split("|")
    .map((cell) => cell.trim());
}
