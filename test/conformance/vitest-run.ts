import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { type ConformanceRecord, RECORD_VARIABLE, readRecord } from "./record.js";

/**
 * The result of a run of vitest; the record is null when the run died before it could write one.
 */
export interface VitestRun {
  readonly record: ConformanceRecord | null;
  readonly output: string;
}

/** The test files that hold rules, in any folder. */
export function conformanceFiles(root: string): string[] {
  return readdirSync(join(root, "test"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => /^\s*conforms\(/m.test(readFileSync(file, "utf8")))
    .map((file) => relative(root, file).split(sep).join("/"))
    .sort();
}

/**
 * Far above what any of these tests takes; a broken rule may leave one waiting for what never
 * comes.
 */
const LONGEST_TEST_MS = 30_000;

/**
 * Runs those tests of some files whose name a pattern finds.
 * @param print receives the output as it is written.
 */
export async function runVitest(
  root: string,
  files: readonly string[],
  pattern: string,
  print: (text: string) => void = () => {},
): Promise<VitestRun> {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-conformance-"));
  const path = join(folder, "record.json");
  try {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = [
      "run",
      "--root",
      root,
      "--testTimeout",
      String(LONGEST_TEST_MS),
      "--testNamePattern",
      pattern,
      "--reporter",
      "dot",
      "--reporter",
      join(root, "test/conformance/record-reporter.ts"),
      ...files,
    ];
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: root,
      env: { ...process.env, [RECORD_VARIABLE]: path, NO_COLOR: "1" },
    });
    let output = "";
    const take = (chunk: Buffer) => {
      output += chunk.toString("utf8");
      print(chunk.toString("utf8"));
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    await new Promise<void>((resolve, reject) =>
      child.on("close", () => resolve()).on("error", reject),
    );
    return { record: recordAt(path), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function recordAt(path: string): ConformanceRecord | null {
  try {
    return readRecord(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
