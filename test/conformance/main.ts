import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BREAKS } from "./breaks.js";
import { problemsOf } from "./check.js";
import { conformanceDocument } from "./document.js";
import { type Proof, readProof } from "./proof.js";
import { prove } from "./prove.js";
import { type ConformanceRecord, readRecord } from "./record.js";
import { RULES } from "./rules.js";
import { conformanceFiles, runVitest } from "./vitest-run.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOCUMENT = join(ROOT, "docs/reference/conformance.md");
const PROOF = join(ROOT, "test/conformance/proof.json");
const EVERY_RULE = "\\[[A-Z]+[0-9]+ (client|exchange)\\]";
const USAGE = `npm run conformance                       runs the tests of the rules and writes docs/reference/conformance.md
npm run conformance -- --check            writes nothing, and fails where the table does not hold
npm run conformance -- --check --record F the same from the record F of a run of all tests
npm run conformance -- --break N          switches N rules off (--seed S draws them, --rule ID names one), which tests must notice
`;

interface Options {
  readonly check: boolean;
  readonly record: string | undefined;
  readonly breaks: number;
  readonly seed: number;
  readonly rule: string | undefined;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(USAGE);
    return 0;
  }
  const options = optionsOf(args);
  const record = options.record === undefined ? await freshRecord() : readRecord(options.record);
  if (options.breaks > 0 || options.rule !== undefined) return switchOff(options, record);
  const document = conformanceDocument(RULES, record, readProof(PROOF));
  if (!options.check) writeFileSync(DOCUMENT, document);
  return report(problems(record, document, readProof(PROOF)), record);
}

function problems(record: ConformanceRecord, expected: string, proof: Proof | null): string[] {
  const textOf = (file: string) =>
    existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8") : null;
  const found = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, "utf8") : null;
  return problemsOf({
    rules: RULES,
    record,
    breaks: BREAKS,
    proof,
    document: { expected, found },
    textOf,
  });
}

async function freshRecord(): Promise<ConformanceRecord> {
  const { record, output } = await runVitest(ROOT, conformanceFiles(ROOT), EVERY_RULE, (text) =>
    process.stderr.write(text),
  );
  if (record === null) throw new Error(`vitest left no record:\n${output}`);
  return record;
}

async function switchOff(
  { breaks, seed, rule }: Options,
  record: ConformanceRecord,
): Promise<number> {
  const chosen = rule === undefined ? BREAKS : BREAKS.filter((one) => one.rule === rule);
  const count = rule === undefined ? breaks : 1;
  const run = await prove(ROOT, chosen, record, {
    count,
    seed,
    report: (line) => process.stderr.write(`${line}\n`),
  });
  if (rule === undefined && run.problems.length === 0) {
    writeFileSync(PROOF, `${JSON.stringify(run.proof, null, 2)}\n`);
    writeFileSync(DOCUMENT, conformanceDocument(RULES, record, run.proof));
  }
  for (const problem of run.problems) process.stdout.write(`${problem}\n`);
  process.stdout.write(
    `${run.proof.rules} rules switched off by ${run.proof.breaks.length + run.problems.length} breaks: ${run.problems.length} not noticed\n`,
  );
  return run.problems.length === 0 && run.proof.rules > 0 ? 0 : 1;
}

function report(found: readonly string[], record: ConformanceRecord): number {
  for (const problem of found) process.stdout.write(`${problem}\n`);
  process.stdout.write(
    `${RULES.length} rules, ${record.tests.length} tests, ${BREAKS.length} breaks: ${found.length} problems\n`,
  );
  return found.length === 0 ? 0 : 1;
}

function optionsOf(args: readonly string[]): Options {
  const values = new Map<string, string>();
  for (let place = 0; place < args.length; place += 1) {
    const name = args[place] as string;
    if (name === "--check") values.set(name, "");
    else if (["--record", "--break", "--seed", "--rule"].includes(name))
      values.set(name, args[++place] ?? "");
    else throw new Error(`unknown option ${name}\n${USAGE}`);
  }
  const whole = (name: string, otherwise: number): number => {
    const number = Number(values.get(name) ?? otherwise);
    if (!Number.isSafeInteger(number) || number < 0)
      throw new Error(`${name} takes a whole number, got ${values.get(name)}`);
    return number;
  };
  return {
    check: values.has("--check"),
    record: values.get("--record"),
    breaks: whole("--break", 0),
    seed: whole("--seed", 1),
    rule: values.get("--rule"),
  };
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
