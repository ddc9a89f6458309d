import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** The environment variable that names the file to add the failures of a run to. */
export const FAILURES_VARIABLE = "MARKETWRIGHT_FAILURES";

const MOST_FAILURES = 30;
const MOST_LINES = 20;
const MOST_COLUMNS = 240;

/** The part of an error that every runner's error has. */
interface ReportedError {
  readonly message?: string;
  readonly diff?: string | undefined;
  readonly stack?: string | undefined;
}

/**
 * Adds the names and the errors of failed tests to the file that an environment variable names, in
 * few lines each: a log of the whole run may be cut, and `.ci/run` ends with this file. Without
 * the variable it does nothing.
 */
export default class FailuresReporter implements Reporter {
  #root = process.cwd();
  readonly #failures: string[] = [];

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = process.env[FAILURES_VARIABLE];
    if (path === undefined || path === "") return;
    for (const module of modules) {
      const file = relative(this.#root, module.moduleId);
      this.#add(file, module.errors());
      for (const suite of module.children.allSuites())
        this.#add(`${file} > ${suite.fullName}`, suite.errors());
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === "failed") this.#add(`${file} > ${test.fullName}`, errors);
      }
    }
    this.#add("outside any test", unhandledErrors as readonly ReportedError[]);
    const left = this.#failures.length - MOST_FAILURES;
    const shown = this.#failures.slice(0, MOST_FAILURES);
    if (left > 0) shown.push(`and ${left} more`);
    if (shown.length > 0) appendFileSync(path, `${shown.join("\n")}\n`);
  }

  #add(name: string, errors: readonly ReportedError[]): void {
    for (const error of errors)
      this.#failures.push(
        [`FAILED on Node ${process.versions.node}: ${name}`, ...shortLines(error)].join("\n"),
      );
  }
}

/** The message, the difference and the place of an error, indented and cut. */
function shortLines({ message = "an error without a message", diff, stack = "" }: ReportedError) {
  const place = stack.split("\n").find((line) => /^\s+at .*\/test\//.test(line));
  const lines = stripVTControlCharacters([message, diff ?? ""].join("\n"))
    .split("\n")
    .filter((line) => line.trim() !== "");
  // A command that ended badly is quoted from its beginning, and its error is at the end.
  const half = MOST_LINES / 2;
  const cut =
    lines.length > MOST_LINES ? [...lines.slice(0, half), "...", ...lines.slice(-half)] : lines;
  if (place !== undefined) cut.push(place.trim());
  return cut.map((line) => `    ${line.slice(0, MOST_COLUMNS)}`);
}
