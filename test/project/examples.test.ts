import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import * as exchangeEntry from "#exchange/index.js";
import * as testingEntry from "#testing/index.js";
import * as strategyEntry from "../../src/index.js";
import { KEYS, startEmbedded } from "../exchange/client/embedded.js";
import { PROJECT_ROOT } from "./checkout.js";
import { createProgramFolder } from "./program-folder.js";
import { countExampleTags, examplesOf, publicExports, withChecks } from "./public-exports.js";

const run = promisify(execFile);

const documented = publicExports();
const former = new Set(
  documented.filter(({ doc }) => doc.startsWith("@deprecated")).map(({ name }) => name),
);

/** The functions and classes that a program gets from any entry, by their current names. */
const callables = Object.entries({ ...strategyEntry, ...exchangeEntry, ...testingEntry })
  .filter(([name, value]) => typeof value === "function" && !former.has(name))
  .map(([name]) => name)
  .sort();
const examples = documented.flatMap(({ name, doc }) =>
  examplesOf(doc).map((program, place) => ({
    title: place === 0 ? name : `${name} ${place + 1}`,
    program,
  })),
);

const { path: folder, tsconfig, nodeArguments } = createProgramFolder();
const writtenAs = (title: string): string => join(folder, `${title.replace(" ", "-")}.ts`);
const runAs = (title: string): string => join(folder, "run", `${title.replace(" ", "-")}.ts`);

beforeAll(() => {
  mkdirSync(join(folder, "run"));
  for (const { title, program } of examples) {
    writeFileSync(writtenAs(title), program);
    writeFileSync(runAs(title), withChecks(program));
  }
});

describe("the examples of the public functions and classes", () => {
  it("are there for each", () => {
    const withExample = documented
      .filter(({ doc }) => examplesOf(doc).length > 0)
      .map(({ name }) => name);
    expect(callables.filter((name) => !withExample.includes(name))).toEqual([]);
  });

  it("are all of the @example tags in src, so that none is left out here", () => {
    expect(countExampleTags("src")).toBe(examples.length);
  });

  it("use the current names", () => {
    const dated = examples.filter(({ program }) =>
      program
        .match(/\w+/g)
        ?.some((word) => former.has(word) || /^(ticks|lots|price|amount)Of$/.test(word)),
    );
    expect(dated.map(({ title }) => title)).toEqual([]);
  });

  it("import from the public entries and state a result", () => {
    const lacking = examples.filter(
      ({ program }) =>
        !/ from "marketwright(\/(exchange|testing))?";/.test(program) ||
        !/; \/\/ (=>|throws) /.test(program),
    );
    expect(lacking.map(({ title }) => title)).toEqual([]);
  });

  it("compile in strict mode", async () => {
    const tsc = join(PROJECT_ROOT, "node_modules/.bin/tsc");
    const output = await run(tsc, ["-p", folder]).then(
      ({ stdout }) => stdout,
      (error: { readonly stdout: string }) => error.stdout,
    );
    expect(output).toBe("");
  });

  describe("give the results that they state", () => {
    const errors = new Map<string, unknown>();

    beforeAll(async () => {
      const embedded = await startEmbedded();
      try {
        await embedded.trader(KEYS[0]);
        const { stdout } = await run(
          process.execPath,
          [
            ...nodeArguments,
            join(PROJECT_ROOT, "test/project/run-examples.ts"),
            ...examples.map(({ title }) => runAs(title)),
          ],
          {
            cwd: folder,
            env: {
              ...process.env,
              TSX_TSCONFIG_PATH: tsconfig,
              EXCHANGE_URL: embedded.server.restUrl,
              MARKETWRIGHT_KEY: KEYS[0],
            },
          },
        );
        for (const line of stdout.trim().split("\n")) {
          const [path, error] = JSON.parse(line) as [string, unknown];
          errors.set(path, error);
        }
      } finally {
        await embedded.close();
      }
    });

    it.each(examples)("$title", ({ title }) => {
      expect(errors.get(runAs(title))).toBeNull();
    });
  });
});
