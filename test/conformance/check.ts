import type { Break } from "./break.js";
import type { Proof } from "./proof.js";
import type { ConformanceRecord } from "./record.js";
import { type Rule, sidesOf } from "./rules.js";

/** The facts that {@link problemsOf} examines. */
export interface Checked {
  readonly rules: readonly Rule[];
  readonly record: ConformanceRecord;
  readonly breaks: readonly Break[];
  readonly proof: Proof | null;
  /** The document as it should be, and as it is; null when there is none. */
  readonly document: { readonly expected: string; readonly found: string | null };
  /** The text of a file of the project; null when it does not exist. */
  readonly textOf: (file: string) => string | null;
}

/** Everything that is not as it must be, in words; empty when the table holds. */
export function problemsOf(checked: Checked): string[] {
  return [
    ...ruleProblems(checked),
    ...testProblems(checked),
    ...breakProblems(checked),
    ...documentProblems(checked),
  ];
}

function ruleProblems({ rules, record }: Checked): string[] {
  return rules.flatMap((rule) =>
    sidesOf(rule)
      .filter(
        (side) =>
          !record.tests.some(
            (test) => test.rule === rule.id && test.side === side && test.state === "passed",
          ),
      )
      .map((side) => `rule ${rule.id} has no passing test of the ${side}`),
  );
}

function testProblems({ rules, record }: Checked): string[] {
  const ids = new Set(rules.map(({ id }) => id));
  const seen = new Set<string>();
  const problems = record.brokenFiles.map((file) => `${file} could not be run`);
  for (const { rule, side, title, file, state, assertions } of record.tests) {
    const name = `${file}: [${rule} ${side}] ${title}`;
    if (state !== "passed") problems.push(`${name} ${state === "failed" ? "fails" : "is skipped"}`);
    else if (assertions === 0) problems.push(`${name} asserts nothing`);
    if (!ids.has(rule)) problems.push(`${name} names no rule`);
    if (seen.has(name)) problems.push(`${name} is there twice`);
    seen.add(name);
  }
  return problems;
}

/** The breaks that cannot be made, or break nothing; empty when each changes what it names. */
export function breakProblems({
  rules,
  breaks,
  textOf,
}: Pick<Checked, "rules" | "breaks" | "textOf">): string[] {
  const problems: string[] = [];
  for (const one of breaks) {
    const { rule, side, what, file } = one;
    const text = textOf(file);
    const name = `the break of ${rule} on the ${side} ("${what}")`;
    if (text === null) problems.push(`${name} names ${file}, which does not exist`);
    else {
      const changed = changedOr(one, text);
      if (changed instanceof Error)
        problems.push(`${name} is nowhere to be made: ${changed.message}. Name what keeps it now`);
      else if (changed === text) problems.push(`${name} changes nothing`);
    }
    const known = rules.find(({ id }) => id === rule);
    if (known === undefined || !sidesOf(known).includes(side))
      problems.push(`${name} breaks no rule of that side`);
  }
  return problems;
}

function changedOr(one: Break, text: string): string | Error {
  try {
    return one.change(text);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function documentProblems({ record, breaks, proof, document }: Checked): string[] {
  const problems: string[] = [];
  if (document.found === null)
    problems.push("docs/reference/conformance.md does not exist: npm run conformance writes it");
  else if (document.found !== document.expected)
    problems.push(
      `docs/reference/conformance.md is stale: npm run conformance writes it${difference(document.found, document.expected)}`,
    );
  for (const { rule, side, what, failed } of proof?.breaks ?? []) {
    if (
      !breaks.some((known) => known.rule === rule && known.side === side && known.what === what)
    ) {
      problems.push(`the proof switches off what no break does: ${rule}, ${what}`);
    }
    for (const title of failed) {
      if (
        !record.tests.some(
          (test) => test.rule === rule && test.side === side && test.title === title,
        )
      ) {
        problems.push(`the proof of ${rule} names a test that does not exist: ${title}`);
      }
    }
  }
  return problems;
}

/** The first line that is not the same. */
function difference(found: string, expected: string): string {
  const lines = found.split("\n");
  const wanted = expected.split("\n");
  const at = wanted.findIndex((line, place) => line !== lines[place]);
  return at < 0
    ? ""
    : ` (line ${at + 1}: ${JSON.stringify(lines[at] ?? "")} should be ${JSON.stringify(wanted[at])})`;
}
