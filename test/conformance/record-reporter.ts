import { writeFileSync } from "node:fs";
import { relative, sep } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import "./conforms.js";
import { type ConformanceRecord, RECORD_VARIABLE, type RecordedTest } from "./record.js";

/**
 * Writes which tests of rules ran, to the file that an environment variable names; without one it
 * does nothing.
 */
export default class ConformanceReporter implements Reporter {
  #root = process.cwd();

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env[RECORD_VARIABLE];
    if (path === undefined || path === "") return;
    const record: ConformanceRecord = {
      tests: modules.flatMap((module) => this.#testsOf(module)),
      brokenFiles: modules
        .filter((module) => module.errors().length > 0)
        .map((module) => this.#fileOf(module)),
    };
    writeFileSync(path, `${JSON.stringify(record)}\n`);
  }

  #testsOf(module: TestModule): RecordedTest[] {
    const file = this.#fileOf(module);
    return [...module.children.allTests()].flatMap((test) => {
      const conformance = test.meta().conformance;
      return conformance === undefined
        ? []
        : [{ ...conformance, file, state: test.result().state }];
    });
  }

  #fileOf(module: TestModule): string {
    return relative(this.#root, module.moduleId).split(sep).join("/");
  }
}
