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
    "What the exchange's specification says, one rule a row, and the tests that hold it: of the client against wire text and the embedded exchange, of the embedded exchange against raw requests over real HTTP and websockets, signed by a reference client that shares no code with either. An asterisk marks a rule that is not in the specification itself but adopted from what else is known of the protocol. The number behind a test is how often it asserts.",
    "",
    "`npm run conformance` writes this page from a run of those tests, `npm run conformance -- --check` fails where it is not what a run gives or a rule lacks a test, and `npm run conformance -- --break 30` switches rules off to see their tests fail.",
    "",
    `${rules.length} rules, ${both} of them on both sides; ${record.tests.length} tests with ${assertions} assertions. Files are under \`${FOLDER}\` unless a path says otherwise.`,
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
    `${rules} rules, drawn by seed ${seed}, switched off one at a time in a copy of the sources; each has to make a test of its row fail on the side where it was broken.`,
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
