import { writeSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

const STDOUT = 1;

/**
 * Ends the output with `N passed, N failed`. Failed are failing tests, files that could not be run,
 * and errors outside any test; skipped tests are neither. The exit code is the verdict, this line
 * its summary. Written as the process exits, since other reporters and coverage print after the run
 * has ended.
 */
export default class LastLineReporter implements Reporter {
  #line = "0 passed, 0 failed";

  onInit(): void {
    process.on("exit", () => writeSync(STDOUT, `${this.#line}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        passed += state === "passed" ? 1 : 0;
        failed += state === "failed" ? 1 : 0;
      }
      for (const suite of module.children.allSuites()) {
        failed += suite.errors().length;
      }
    }
    this.#line = `${passed} passed, ${failed} failed`;
  }
}
