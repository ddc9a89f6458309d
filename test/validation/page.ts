import { agrees, type Comparison, type PublishedNumbers, shown } from "./published.js";

const HEAD = `# Published numbers, ours beside theirs

\`npm run docs\` writes this page from the computations that the tests hold (\`test/validation\`): a number that is not what is printed here fails them.
Where no difference is stated, ours rounded to the digits of theirs is theirs.
`;

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
    `${published.source}.`,
    "",
    published.how,
    "",
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---|").join("")}`,
    ...lines,
    "",
  ].join("\n");
}

/** The whole page. @throws Error where a capture that it needs is not on this machine. */
export async function validationPage(all: readonly PublishedNumbers[]): Promise<string> {
  const parts: string[] = [HEAD];
  for (const published of all) {
    if (!published.isAvailable)
      throw new Error(
        `"${published.title}" needs recorded data that is not here (MARKETWRIGHT_DATA)`,
      );
    parts.push(sectionText(published, await published.compare()));
  }
  return parts.join("\n");
}
