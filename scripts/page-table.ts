import { readFileSync, writeFileSync } from "node:fs";
import { between } from "./interface/markdown.js";

/**
 * Replaces tables of a page in docs/reference, each between the two comments of its name.
 * @param command that writes them
 * @param name of the page, if not the command's
 */
export function writePageTables(
  command: string,
  tables: Readonly<Record<string, string>>,
  name = command,
): void {
  const file = new URL(`../docs/reference/${name}.md`, import.meta.url);
  let page = readFileSync(file, "utf8");
  for (const [table, text] of Object.entries(tables))
    page = between(page, table, text, `npm run ${command} -- --write`);
  writeFileSync(file, page);
}
