import { agrees, type Comparison, type PublishedNumbers, shown } from "./published.js";

const TITLE = `# Published numbers, ours beside theirs

For a trader or researcher who wants to check our models, fills and funding: figures that papers and
other programs published, beside what this program computes.
`;

const RULES = `Without a stated difference, ours rounded to the digits of theirs equals theirs. The tests compute
the figures again (\`npx vitest run test/validation\`, the last two sections in \`npm run verify\`) and
fail if one is not as printed here. \`npm run docs\` writes the page.
`;

const MAX_COLUMNS = 100;

/** One source's part of the page. */
export function sectionText(
  published: PublishedNumbers,
  comparisons: readonly Comparison[],
): string {
  const hasDifference = comparisons.some(({ within }) => within !== undefined);
  const lines = comparisons.map((row) => {
    const cells = [row.what, row.theirs, shown(row)];
    if (hasDifference)
      cells.push(
        row.within === undefined ? "" : `${row.within.toPrecision(2)}: ${row.because ?? ""}`,
      );
    return `| ${cells.join(" | ")} |${agrees(row) ? "" : " **differs**"}`;
  });
  const head = hasDifference ? ["", "theirs", "ours", "agrees within"] : ["", "theirs", "ours"];
  return [
    `## ${published.title}`,
    "",
    wrap(`${published.source}.`),
    "",
    wrap(published.how),
    "",
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---|").join("")}`,
    ...lines,
    "",
  ].join("\n");
}

/** A few rows of a section as the page's first example. */
function exampleText({ title }: PublishedNumbers, rows: readonly Comparison[]): string {
  const lines = [
    [title, "theirs", "ours"],
    ...rows.map((row) => [row.what, row.theirs, shown(row)]),
  ].map(([what = "", theirs = "", ours = ""]) => `${what.padEnd(50)}${theirs.padEnd(10)}${ours}`);
  return ["```", ...lines, "```", ""].join("\n");
}

/** The text in lines. A line never begins with what Markdown reads as an item of a list. */
function wrap(text: string): string {
  const lines: string[][] = [[]];
  let columns = 0;
  for (const word of text.match(/(?:[^\s`]|`[^`]*`)+/g) ?? []) {
    columns += word.length + 1;
    const line = lines.at(-1) ?? [];
    if (columns > MAX_COLUMNS + 1 && line.length > 0) {
      const before = /^(?:[-+*]|\d+[.)])$/.test(word) ? line.splice(-1) : [];
      lines.push([...before, word]);
      columns = [...before, word].join(" ").length + 1;
    } else line.push(word);
  }
  return lines.map((line) => line.join(" ")).join("\n");
}

/** The whole page. @throws Error where a capture that it needs is not on this machine. */
export async function validationPage(all: readonly PublishedNumbers[]): Promise<string> {
  const parts: string[] = [];
  for (const [at, published] of all.entries()) {
    if (!published.isAvailable)
      throw new Error(
        `"${published.title}" needs recorded data that is not here (MARKETWRIGHT_DATA)`,
      );
    const comparisons = await published.compare();
    if (at === 0) parts.push(TITLE, exampleText(published, comparisons.slice(0, 2)), RULES);
    parts.push(sectionText(published, comparisons));
  }
  return parts.join("\n");
}
