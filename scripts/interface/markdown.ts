const COLUMNS = 100;

/** A table of Markdown; its cells are phrases. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** A paragraph at 100 columns, or at fewer. */
export function wrapped(text: string, columns = COLUMNS): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join("\n");
}

/** A page with the part between the two marks of a name replaced. @param by the writing command */
export function between(page: string, name: string, part: string, by = "npm run docs"): string {
  const begin = `<!-- ${name}: written by ${by} -->\n`;
  const end = `<!-- end of ${name} -->`;
  const start = page.indexOf(begin);
  const stop = page.indexOf(end);
  if (start < 0 || stop < start) throw new Error(`the page has no marks "${begin.trim()}"`);
  return `${page.slice(0, start + begin.length)}\n${part}\n\n${page.slice(stop)}`;
}
