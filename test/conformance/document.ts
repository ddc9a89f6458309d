import { BREAKS } from "./breaks.js";
import type { Proof } from "./proof.js";
import type { ConformanceRecord, RecordedTest } from "./record.js";
import { type Rule, type Side, sidesOf } from "./rules.js";

const FOLDER = "test/conformance/";

/**
 * docs/reference/conformance.md: every rule with the tests that hold it, and the proof that they
 * would notice.
 */
export function conformanceDocument(
  rules: readonly Rule[],
  record: ConformanceRecord,
  proof: Proof | null,
): string {
  const both = rules.filter(({ only }) => only === undefined).length;
  const assertions = record.tests.reduce((sum, test) => sum + test.assertions, 0);
  return [
    "# Conformance",
    "",
    "For whoever relies on the client or on the embedded exchange: every rule of the exchange's",
    "specification, one a row, and the tests that hold it on both sides.",
    "",
    "```",
    "$ npm run conformance -- --check",
    `${rules.length} rules, ${record.tests.length} tests, ${BREAKS.length} breaks: 0 problems`,
    "```",
    "",
    "That runs these tests and fails if a rule lacks one, or if this page is not what the run gives.",
    "`npm run conformance` writes the page. `npm run conformance -- --break 30` switches 30 rules off and",
    "shows that their tests fail.",
    "",
    "- The client is tested against wire text and the embedded exchange.",
    "- The embedded exchange is tested against raw requests over real HTTP and websockets, signed by a",
    "  reference client that shares no code with either.",
    "- An asterisk marks a rule that is adopted from what else is known of the protocol.",
    "- The number behind a test is how often it asserts.",
    "",
    `${rules.length} rules, ${both} of them on both sides; ${record.tests.length} tests with ${assertions} assertions.`,
    `Files are under \`${FOLDER}\` unless a path says otherwise.`,
    "",
    "| id | rule | client | exchange |",
    "|---|---|---|---|",
    ...rules.map((rule) => row(rule, record)),
    "",
    ...(proof === null ? [] : proofSection(proof)),
  ].join("\n");
}

function row(rule: Rule, record: ConformanceRecord): string {
  const id = rule.adopted ? `${rule.id}\\*` : rule.id;
  return `| ${id} | ${cell(rule.rule)} | ${sideCell(rule, "client", record)} | ${sideCell(rule, "exchange", record)} |`;
}

function sideCell(rule: Rule, side: Side, record: ConformanceRecord): string {
  if (!sidesOf(rule).includes(side)) return `one side only: ${cell(rule.only?.[1] ?? "")}`;
  const files = new Map<string, RecordedTest[]>();
  for (const test of record.tests) {
    if (test.rule === rule.id && test.side === side)
      files.set(test.file, [...(files.get(test.file) ?? []), test]);
  }
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, tests]) => {
      const titles = tests.map(({ title, assertions }) => `${cell(title)} (${assertions})`).sort();
      return `\`${file.startsWith(FOLDER) ? file.slice(FOLDER.length) : file}\`: ${titles.join("; ")}`;
    })
    .join("<br>");
}

function proofSection({ seed, rules, breaks }: Proof): string[] {
  return [
    "## Proof",
    "",
    `${rules} rules, drawn by seed ${seed}, are switched off one at a time in a copy of the sources. Each has`,
    "to make a test of its row fail, on the side where it is broken.",
    "",
    "| rule | side | switched off | test that failed |",
    "|---|---|---|---|",
    ...breaks.map(({ rule, side, what, place, failed }) => {
      const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
      return `| ${rule} | ${side} | ${cell(what)} (\`${place}\`) | ${cell(failed[0] ?? "")}${more} |`;
    }),
    "",
  ];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
