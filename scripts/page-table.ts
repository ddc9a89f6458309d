import { readFileSync, writeFileSync } from "node:fs";
import { ConfigError } from "#core/errors.js";

/**
 * Replaces tables of a page in docs/reference, each between the two comments of its name.
 * @param name of the page, and of the command that writes it
 * @throws ConfigError if the page lacks the comments around a table
 */
export function writePageTables(name: string, tables: Readonly<Record<string, string>>): void {
  const file = new URL(`../docs/reference/${name}.md`, import.meta.url);
  let page = readFileSync(file, "utf8");
  for (const [table, text] of Object.entries(tables)) page = withTable(name, page, table, text);
  writeFileSync(file, page);
}

function withTable(name: string, page: string, table: string, text: string): string {
  const begin = `<!-- ${table}: written by npm run ${name} -- --write -->\n`;
  const end = `<!-- end of ${table} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from)
    throw new ConfigError("lacks the comments around a table", {
      field: `docs/reference/${name}.md`,
      value: table,
      expected: `${begin.trim()} and ${end}`,
    });
  return `${page.slice(0, from + begin.length)}\n${text}\n\n${page.slice(to)}`;
}
