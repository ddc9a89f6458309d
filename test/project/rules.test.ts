import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FAILURES_VARIABLE } from "../support/failures-reporter.js";
import { Checkout, PROJECT_ROOT } from "./checkout.js";

describe("the direction of imports", () => {
  const check = (files: Readonly<Record<string, string>>) => runScript("check-imports.mjs", files);

  const wrong = [
    ["core knowing a room", "src/core/a.ts", 'import { b } from "../exchange/records.js";'],
    [
      "a venue knowing a strategy",
      "src/exchange/a.ts",
      'import type { Intent } from "../strategies/intent.js";',
    ],
    [
      "a market knowing the network",
      "src/market/a.ts",
      'import { send } from "../exchange/http.js";',
    ],
    [
      "the plain book knowing its market",
      "src/market/book/a.ts",
      'import type { MarketView } from "../view.js";',
    ],
    [
      "the venue knowing more of a market than the plain book",
      "src/exchange/a.ts",
      'import { a } from "../market/view.js";',
    ],
    ["a strategy knowing the network", "src/strategies/a.ts", 'import "../exchange/http.js";'],
    ["risk knowing the executor", "src/risk/a.ts", 'export * from "../executor/plan.js";'],
    [
      "the executor knowing the bot",
      "src/executor/deep/a.ts",
      'import { bot } from "../../bot/bot.js";',
    ],
    [
      "the witness borrowing the client's hashing",
      "src/simulator/a.ts",
      'import { hash } from "../exchange/order-signing.js";',
    ],
    [
      "the witness borrowing the client's way to the chain",
      "src/simulator/a.ts",
      'import { a } from "../chain/abi/deep/a.js";',
    ],
    [
      "the witness borrowing a provider",
      "src/simulator/a.ts",
      'import { a } from "../chain/provider.js";',
    ],
    [
      "the witness knowing the bot, lazily",
      "src/simulator/a.ts",
      'const bot = await import("../bot/bot.js");',
    ],
    [
      "a type by import()",
      "src/core/a.ts",
      'export type A = import("../market/view.js").MarketView;',
    ],
    ["an import over several lines", "src/core/a.ts", 'import { a,\n  b\n} from "../bot/bot.js";'],
    ["a room knowing the public entry", "src/strategies/a.ts", 'import { a } from "../index.js";'],
    ["src knowing the tests", "src/cli/a.ts", 'import { a } from "../../test/a.js";'],
    ["a room that nobody has placed", "src/utils/a.ts", 'import { a } from "../core/a.js";'],
  ] as const;
  /** One project with each in a file of its own. */
  const planted = wrong.map(
    ([what, path, text], index) => [what, numbered(path, index), `${text}\n`] as const,
  );
  let found: ReturnType<typeof runScript>;
  beforeAll(() => {
    found = check({
      "src/core/fine.ts": 'import { b } from "./b.js";\n',
      ...Object.fromEntries(planted.map(([, path, text]) => [path, text])),
    });
  });

  it.each(planted)("does not let through %s", (_what, path) => {
    expect(found.status).toBe(1);
    expect(linesOf(found.stderr, path)).toEqual([
      expect.stringMatching(new RegExp(`^${path}:[1-3] imports `)),
    ]);
  });

  it("is counted: how many go the wrong way, and of how many", () => {
    const { length } = planted;
    expect(found.stderr).toContain(`${length} of ${length + 1} imports go the wrong way`);
  });

  it("lets through what goes the right way, packages, and what only stands in a comment", () => {
    const { status, stderr } = check({
      "src/index.ts": 'export { a } from "./strategies/a.js";\n',
      "src/strategies/a.ts":
        'import { map } from "rxjs";\nimport type { MarketView } from "../market/view.js";\n// import "../bot/bot.js";\n',
      "src/simulator/deep/a.ts":
        'import type { Order } from "../../exchange/records.js";\nimport { b } from "./b.js";\n/* from "../../bot/bot.js" */\n',
      "src/simulator/deep/c.ts":
        'import { dealerAbi } from "../../chain/abi/dealer.generated.js";\n',
      "src/exchange/a.ts": 'import { BookSide } from "../market/book/book-side.js";\n',
      "src/market/a.ts": 'import { BookSide } from "./book/book-side.js";\n',
      "src/risk/a.ts": 'import { BookSide } from "../market/book/book-side.js";\n',
      "src/cli/run.ts":
        'import { run } from "../bot/run.js";\nimport { exchange } from "../simulator/exchange.js";\n',
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("is kept to by this project", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(PROJECT_ROOT, "scripts/check-imports.mjs")],
      { encoding: "utf8" },
    );
    expect([stderr, status]).toEqual(["", 0]);
  });
});

describe("circles of imports", () => {
  it("are refused, of types as well, naming every file", () => {
    const { status, stderr } = runScript("check-imports.mjs", {
      "src/core/a.ts": 'import { b } from "./b.js";\nexport const a = b;\n',
      "src/core/b.ts": 'import { c } from "./deep/c.js";\nexport const b = c;\n',
      "src/core/deep/c.ts": 'import type { a } from "../a.js";\nexport const c = 1;\n',
      "src/core/d.ts": 'import { a } from "./a.js";\nexport const d = a;\n',
    });
    expect(status).toBe(1);
    expect(stderr).toBe(
      "check-imports: a circle of imports: src/core/a.ts, src/core/b.ts, src/core/deep/c.ts\n",
    );
  });

  it("are not seen where two files import a third", () => {
    const { status, stderr } = runScript("check-imports.mjs", {
      "src/core/a.ts": 'import { c } from "./c.js";\nimport { b } from "./b.js";\n',
      "src/core/b.ts": 'import { c } from "./c.js";\n',
      "src/core/c.ts": "export const c = 1;\n",
    });
    expect([stderr, status]).toEqual(["", 0]);
  });
});

/** In two parts, since the rule holds for this file too. */
const RETIRED = ["Order", "Desk"].join("");

describe("the words of the code", () => {
  const wrong = [
    [
      "a comment that begins with a question word",
      "/** Whether it is open. */\nexport const a = 1;\n",
      "question word",
    ],
    [
      "such a comment of several lines",
      "/**\n * What it holds.\n */\nexport const a = 1;\n",
      "question word",
    ],
    ["such a comment in a function", "// Who asks\nexport const a = 1;\n", "question word"],
    ["a comment that is too wide", `// ${"wide ".repeat(20)}x\nexport const a = 1;\n`, "columns"],
    [
      "a name that was given up",
      `export class ${RETIRED} {}\n`,
      `names ${RETIRED}: expected OrderManager`,
    ],
  ] as const;
  const planted = wrong.map(
    ([what, text, problem], index) =>
      [what, problem, numbered("src/core/a.ts", index), text] as const,
  );
  let found: ReturnType<typeof runScript>;
  beforeAll(() => {
    found = runScript(
      "check-words.mjs",
      Object.fromEntries(planted.map(([, , path, text]) => [path, text])),
    );
  });

  it.each(planted)("do not let through %s", (_what, problem, path) => {
    expect(found.status).toBe(1);
    expect(linesOf(found.stderr, path)).toEqual([expect.stringContaining(problem)]);
  });

  it("refuse a line of a page that is too wide to read, in prose and in code", () => {
    const wide = `${"word ".repeat(20)}end`;
    const page = [wide, "```yaml", `key: ${wide}`, "```", "```", wide, "```", `| ${wide} |`].join(
      "\n",
    );
    const { status, stderr } = runScript("check-words.mjs", { "docs/a.md": page });
    expect(status).toBe(1);
    expect(stderr).toBe(
      "docs/a.md:1 has 103 columns: expected at most 100\n" +
        "docs/a.md:3 has 108 columns: expected at most 100\n",
    );
  });

  it("let through a sentence that goes on with such a word", () => {
    const text =
      "// It is not known\n// whether it is open, nor\n// Who asks.\nexport const a = 1;\n";
    expect(runScript("check-words.mjs", { "src/core/a.ts": text })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

describe("the structure of src", () => {
  const used = (name: string): string =>
    `import { ${name} } from "./a.js";\nexport const z = ${name};\n`;
  const entry = 'export { z } from "./core/z.js";\n';

  it.each([
    [
      "a folder of more than twenty files",
      Object.fromEntries(
        Array.from({ length: 21 }, (_, index) => [`src/core/a${index}.ts`, "const a = 1;\n"]),
      ),
      "src/core has 21 files of its own: expected at most 20",
    ],
    [
      "a class and a function of one name",
      {
        "src/core/a.ts": "export class Book {}\n",
        "src/market/b.ts":
          'import { Book as Other } from "../core/a.js";\nexport function Book() { return Other; }\n',
        "src/market/c.ts": 'import { Book } from "./b.js";\nBook();\n',
      },
      "Book stands for 2 things: src/core/a.ts, src/market/b.ts",
    ],
    [
      "a function that only its own file calls",
      {
        "src/index.ts": entry,
        "src/core/a.ts": "export function b() { return 1; }\nexport const a = b();\n",
        "src/core/z.ts": used("a"),
      },
      "src/core/a.ts:1 exports b, which nothing imports",
    ],
    [
      "a type that nothing names",
      {
        "src/index.ts": entry,
        "src/core/a.ts": "export type B = number;\nexport const a = 1;\n",
        "src/core/z.ts": used("a"),
      },
      "src/core/a.ts:1 exports B, which nothing imports",
    ],
    [
      "what only a comment imports",
      {
        "src/index.ts": entry,
        "src/core/z.ts": "export const z = 1;\n// import { z as b } from './y.js';\n",
        "src/core/y.ts": "export const z = 1;\n",
      },
      "src/core/y.ts:1 exports z, which nothing imports",
    ],
    [
      "a test whose name has underscores",
      { "src/index.ts": entry, "test/core/order_book.test.ts": "" },
      "test/core/order_book.test.ts has a name of another form",
    ],
    [
      "a test with an ending of its own",
      { "src/index.ts": entry, "test/core/book.property.test.ts": "" },
      "test/core/book.property.test.ts has a name of another form",
    ],
    [
      "a test that names a file by the folder in which it lies today",
      {
        "src/core/a/x.ts": "export const x = 1;\n",
        "test/core/x.test.ts": 'import { x } from "../../src/core/a/x.js";\n',
      },
      "test/core/x.test.ts:1 imports ../../src/core/a/x.js: expected #core/x.js",
    ],
  ])("does not let through %s", (_what, files: Readonly<Record<string, string>>, problem) => {
    const { status, stderr } = runScript("check-structure.mjs", files);
    expect(status).toBe(1);
    expect(stderr).toContain(problem);
  });

  it("lets through what an entry or a test takes, a module that is loaded while it runs, and the type of a parameter", () => {
    const { status, stderr } = runScript("check-structure.mjs", {
      "src/index.ts": entry,
      "src/core/a.ts":
        "export interface Options { readonly a: number }\nexport function a(options: Options) { return options; }\n",
      "src/core/z.ts": used("a"),
      "src/core/lazy.ts": "export const lazy = 1;\n",
      "src/core/tested.ts": "export const tested = 1;\n",
      "src/cli/main.ts": 'await import("../core/lazy.js");\n',
      "test/core/tested.test.ts": 'import { tested } from "#core/tested.js";\n',
    });
    expect([stderr, status]).toEqual(["", 0]);
  });

  it("is kept to by this project", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(PROJECT_ROOT, "scripts/check-structure.mjs")],
      { encoding: "utf8" },
    );
    expect([stderr, status]).toEqual(["", 0]);
  });
});

describe("what comments cite", () => {
  const page = "# Rules\n\n## Worst case\n\nAll orders fill.\n\n```\n# no heading\n```\n";
  const check = (...comments: readonly string[]) =>
    runScript("check-citations.mjs", {
      "docs/ideas/rules.md": page,
      "README.md": "# A project\n",
      ...Object.fromEntries(
        comments.map((comment, index) => [
          numbered("src/a.ts", index),
          `/**\n * ${comment}\n */\nexport const a = 1;\n`,
        ]),
      ),
    });

  const wrong = [
    ["a page that is not there", "See docs/rules.md.", "cites docs/rules.md, which does not exist"],
    [
      "a heading that its page does not have",
      "As in docs/ideas/rules.md#best-case.",
      "docs/ideas/rules.md has no such heading",
    ],
    [
      "a line of an example, taken for a heading",
      "As in docs/ideas/rules.md#no-heading.",
      "docs/ideas/rules.md has no such heading",
    ],
    ["a rule of a page that no reader has", "Brings it in (design, rule 2).", "(design, rule"],
    ["one that a line break parts", "Brings it in (design,\n * rules 2 and 3).", "(design, rules"],
    ["a section by its number", "The margin (protocol 7.3).", "(protocol 7"],
    ["a section within a sentence", "By the form of protocol 7.7, exact.", "protocol 7"],
    ["a chapter by its title", 'A list (specification, "Limits").', '(specification, "'],
    ["a page by a name alone", "The rules are in exchange-spec.md.", "cites exchange-spec.md"],
  ] as const;
  const planted = wrong.map(
    ([what, , problem], index) => [what, problem, numbered("src/a.ts", index)] as const,
  );
  let found: ReturnType<typeof runScript>;
  beforeAll(() => {
    found = check(...wrong.map(([, comment]) => comment));
  });

  it.each(planted)("does not let through %s", (_what, problem, path) => {
    expect(found.status).toBe(1);
    const lines = linesOf(found.stderr, path);
    expect(lines).toEqual([expect.stringMatching(/^[^:]+:[12] /)]);
    expect(lines[0]).toContain(problem);
  });

  it("finds such a page behind code, between two slashes, in a message and on a page", () => {
    const { status, stderr } = runScript("check-citations.mjs", {
      "docs/page.md": "# Page\n\nThe margin\n(protocol 7.3) is exact.\n",
      "src/a.ts": "const a = 1; // (design, rule 2)\n  // By the design,\n  // rule 3.\n",
      "src/b.ts": 'export const b = "docs/other.md has each";\n',
    });
    expect(status).toBe(1);
    expect(stderr.trim().split("\n")).toEqual([
      'src/a.ts:1 cites "(design, rule": name a page of docs by its heading',
      'src/a.ts:2 cites "design, rule 3": name a page of docs by its heading',
      "src/b.ts:1 cites docs/other.md, which does not exist",
      'docs/page.md:3 cites "(protocol 7": name a page of docs by its heading',
    ]);
  });

  it("lets through pages and headings that are there, and the words in a sentence", () => {
    const right = check(
      "At full size (docs/ideas/rules.md#worst-case), as README.md says.",
      "The specification does not say which; a protocol of its own, by design.",
    );
    expect(right).toMatchObject({ stderr: "", status: 0 });
  });

  it("is kept to by this project", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(PROJECT_ROOT, "scripts/check-citations.mjs")],
      { encoding: "utf8" },
    );
    expect([stderr, status]).toEqual(["", 0]);
  });
});

/** The path of one of several files that differ only by a number. */
function numbered(path: string, index: number): string {
  return path.replace(/\.ts$/, `${index}.ts`);
}

/** The lines of an output that begin with a file. */
function linesOf(output: string, path: string): readonly string[] {
  return output.split("\n").filter((line) => line.startsWith(`${path}:`));
}

/** Runs a check of scripts/ on a project of these files. */
function runScript(
  script: string,
  files: Readonly<Record<string, string>>,
): { readonly status: number | null; readonly stderr: string } {
  const root = mkdtempSync(join(tmpdir(), "marketwright-structure-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return spawnSync(process.execPath, [join(PROJECT_ROOT, "scripts", script), root], {
      encoding: "utf8",
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe("time, timers and randomness", () => {
  function lint(files: Readonly<Record<string, string>>) {
    const checkout = new Checkout(files);
    const { status, stdout, stderr } = checkout.run(join(PROJECT_ROOT, "node_modules/.bin/biome"), [
      "lint",
      "--colors=off",
      "--max-diagnostics=none",
      "src",
    ]);
    checkout.dispose();
    const report = stdout + stderr;
    /** The problems of one file: each begins with its path. */
    const of = (path: string): readonly string[] =>
      report.split(/^(?=src\/)/m).filter((problem) => problem.startsWith(`${path}:`));
    return { status, of };
  }

  const wrong = [
    ["the wall clock", "export const now = Date.now();"],
    ["a date", "export const now = new Date();"],
    ["the steady clock", "export const now = performance.now();"],
    ["a timer", "setTimeout(() => undefined, 5);"],
    ["a repeating timer", "setInterval(() => undefined, 5);"],
    ["an immediate", "setImmediate(() => undefined);"],
    ["process.hrtime", "export const now = process.hrtime.bigint();"],
    ["Math.random", "export const draw = Math.random();"],
    ["a global by the back door", "globalThis.setTimeout(() => undefined, 5);"],
    [
      "the machine's randomness",
      'import { randomBytes } from "node:crypto";\nexport const nonce = randomBytes(8);',
    ],
    ["the browser's randomness", "export const id = crypto.randomUUID();"],
    [
      "timers by module",
      'import { setTimeout as sleep } from "node:timers/promises";\nawait sleep(5);',
    ],
    [
      "clocks by module",
      'import { performance as clock } from "node:perf_hooks";\nexport const now = clock.now();',
    ],
    [
      "a scheduler of RxJS",
      'import { asyncScheduler } from "rxjs";\nexport const scheduler = asyncScheduler;',
    ],
    [
      "an operator without a scheduler",
      'import { interval } from "rxjs";\nexport const ticks = interval(5);',
    ],
  ] as const;
  const planted = wrong.map(
    ([what, text], index) => [what, numbered("src/risk/planted.ts", index), `${text}\n`] as const,
  );
  let found: ReturnType<typeof lint>;
  beforeAll(() => {
    found = lint(Object.fromEntries(planted.map(([, path, text]) => [path, text])));
  });

  it.each(planted)("does not let through %s", (_what, path) => {
    expect(found.status).toBe(1);
    expect(found.of(path).join("")).toMatch(/runtime/);
  });

  it("lets the live runtime, and nothing beside it, name them", () => {
    const now = "export const now = Date.now();\n";
    const { of } = lint({ "src/core/runtime/live-runtime.ts": now, "src/core/other.ts": now });
    expect(of("src/core/runtime/live-runtime.ts")).toEqual([]);
    expect(of("src/core/other.ts")).not.toEqual([]);
  });

  it("lets nobody but the commands print", () => {
    const loud = 'console.log("filled");\n';
    const { of } = lint({ "src/account/loud.ts": loud, "src/cli/loud.ts": loud });
    expect(of("src/account/loud.ts").join("")).toContain("noConsole");
    expect(of("src/cli/loud.ts")).toEqual([]);
  });

  it("minds neither hashes nor operators that are given a scheduler", () => {
    const text =
      'import { createHash } from "node:crypto";\nimport { debounceTime, interval, type SchedulerLike } from "rxjs";\n' +
      'export const digest = createHash("sha256");\nexport const ticks = (scheduler: SchedulerLike) => interval(5, scheduler).pipe(debounceTime(2, scheduler));\n';
    expect(lint({ "src/risk/fine.ts": text })).toMatchObject({ status: 0 });
  });
});

describe("the end of a test run", () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-last-line-")));
    symlinkSync(join(PROJECT_ROOT, "node_modules"), join(root, "node_modules"));
    const reporters = ["last-line-reporter.ts", "failures-reporter.ts"].map((name) =>
      join(PROJECT_ROOT, "test/support", name),
    );
    writeFileSync(
      join(root, "vitest.config.mjs"),
      `export default { test: { reporters: ${JSON.stringify(["default", ...reporters])} } };\n`,
    );
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function lastLine(files: Readonly<Record<string, string>>): {
    status: number | null;
    last: string | undefined;
    failures: string;
  } {
    for (const [name, body] of Object.entries(files)) {
      writeFileSync(join(root, name), `import { expect, it } from "vitest";\n${body}\n`);
    }
    const vitest = join(PROJECT_ROOT, "node_modules/vitest/vitest.mjs");
    const record = join(root, "failures");
    const { status, stdout } = spawnSync(process.execPath, [vitest, "run", "--root", root], {
      encoding: "utf8",
      env: { ...process.env, [FAILURES_VARIABLE]: record },
    });
    const failures = existsSync(record) ? readFileSync(record, "utf8") : "";
    return { status, last: stdout.trimEnd().split("\n").at(-1), failures };
  }

  it("counts what passed, and not what was skipped", () => {
    const files = {
      "a.test.ts": 'it("a", () => {}); it("b", () => {}); it.skip("c", () => {}); it.todo("d");',
    };
    expect(lastLine(files)).toEqual({ status: 0, last: "2 passed, 0 failed", failures: "" });
  });

  it("counts and names a failing test, a file that cannot be loaded and an error outside any test", () => {
    const files = {
      "a.test.ts": 'it("a", () => {}); it("b", () => expect(1).toBe(2));',
      "b.test.ts": 'import "./missing.js";\nit("c", () => {});',
      "c.test.ts": 'it("d", () => { void Promise.reject(new Error("nobody waits for this")); });',
    };
    const { failures, ...counts } = lastLine(files);
    expect(counts).toEqual({ status: 1, last: "2 passed, 3 failed" });
    for (const [name, error] of [
      ["a.test.ts > b", "expected 1 to be 2"],
      ["b.test.ts", "missing.js"],
      ["outside any test", "nobody waits for this"],
    ] as const)
      expect(failures).toMatch(new RegExp(`^FAILED on Node \\S+: ${name}\\n {4}.*${error}`, "m"));
  });
});
