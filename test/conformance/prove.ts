import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "#core/seeded-random.js";
import type { Break } from "./break.js";
import type { Proof, ProvenBreak } from "./proof.js";
import type { ConformanceRecord } from "./record.js";
import { runVitest } from "./vitest-run.js";

/** The files that the tests may read besides their own folder. */
const COPIED = [
  "src",
  "test",
  "config",
  "docs",
  "bin",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];

/** The result of a proof: the breaks that were noticed, and in words those that were not. */
export interface ProofRun {
  readonly proof: Proof;
  readonly problems: readonly string[];
}

/**
 * Switches off `count` rules that have a break, drawn by a seed, one break at a time, in a copy of
 * the checkout; the tests that the record names for that rule and side must fail.
 */
export async function prove(
  root: string,
  breaks: readonly Break[],
  record: ConformanceRecord,
  {
    count,
    seed,
    report,
  }: { readonly count: number; readonly seed: number; readonly report: (line: string) => void },
): Promise<ProofRun> {
  const drawn = drawRules(breaks, count, seed);
  const chosen = drawn.flatMap((rule) => breaks.filter((one) => one.rule === rule));
  const copy = copyOf(root);
  const proven: ProvenBreak[] = [];
  const problems: string[] = [];
  try {
    for (const [place, one] of chosen.entries()) {
      const result = await proveOne(copy, one, record);
      if (typeof result === "string")
        problems.push(`${one.rule} on the ${one.side}, ${one.what}: ${result}`);
      else proven.push(result);
      report(
        `${place + 1}/${chosen.length} ${one.rule} ${one.side}: ${typeof result === "string" ? result : `noticed by ${result.failed.length}`}`,
      );
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return { proof: { seed, rules: drawn.length, breaks: proven }, problems };
}

/** So many of the rules that have a break, in the order of the table. */
export function drawRules(breaks: readonly Break[], count: number, seed: number): string[] {
  const rules = [...new Set(breaks.map(({ rule }) => rule))];
  const random = seededRandom(`conformance ${seed}`);
  const shuffled = rules
    .map((rule) => ({ rule, draw: random.uniform() }))
    .sort((a, b) => a.draw - b.draw);
  const chosen = new Set(shuffled.slice(0, count).map(({ rule }) => rule));
  return rules.filter((rule) => chosen.has(rule));
}

function copyOf(root: string): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-broken-")));
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function proveOne(
  copy: string,
  one: Break,
  record: ConformanceRecord,
): Promise<ProvenBreak | string> {
  const { rule, side, what } = one;
  const path = join(copy, one.file);
  const whole = readFileSync(path, "utf8");
  const files = [
    ...new Set(
      record.tests
        .filter((test) => test.rule === rule && test.side === side)
        .map((test) => test.file),
    ),
  ];
  if (files.length === 0) return "its row names no test";
  writeFileSync(path, one.change(whole));
  try {
    const run = await runVitest(copy, files, `\\[${rule} ${side}\\]`);
    const ran = (run.record?.tests ?? []).filter(
      (test) => test.rule === rule && test.side === side,
    );
    if (run.record === null || run.record.brokenFiles.length > 0)
      return `the broken sources do not run: ${run.output.slice(0, 2000)}`;
    const failed = ran.filter(({ state }) => state === "failed").map(({ title }) => title);
    return failed.length === 0
      ? `no test noticed (${ran.length} ran)`
      : { rule, side, what, place: one.place, failed };
  } finally {
    writeFileSync(path, whole);
  }
}
