import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import type { Break } from "./break.js";
import { placeName, readTable, type WrittenBreak } from "./break-table.js";
import { BREAKS } from "./breaks.js";
import { breakProblems, type Checked, problemsOf } from "./check.js";
import { conformanceDocument } from "./document.js";
import type { Proof } from "./proof.js";
import { drawRules } from "./prove.js";
import type { ConformanceRecord, RecordedTest } from "./record.js";
import { RULES, type Rule, sidesOf } from "./rules.js";
import { wrapped } from "./wrapped-source.js";

const RULE: Rule = { id: "P3", rule: "a book has a limit | of six" };
const ONE_SIDED: Rule = {
  id: "RA2",
  rule: "asks the chain",
  adopted: true,
  only: ["client", "the server only points"],
};
const HELD: readonly RecordedTest[] = [
  {
    rule: "P3",
    side: "client",
    title: "asks for a book",
    file: "test/conformance/client/a.test.ts",
    state: "passed",
    assertions: 3,
  },
  {
    rule: "P3",
    side: "exchange",
    title: "takes six limits",
    file: "test/simulator/b.test.ts",
    state: "passed",
    assertions: 5,
  },
  {
    rule: "RA2",
    side: "client",
    title: "asks first",
    file: "test/conformance/client/a.test.ts",
    state: "passed",
    assertions: 1,
  },
];
const WRITTEN: WrittenBreak = {
  place: { file: "src/a.ts", name: "isLimit" },
  wrap: "() => () => true",
  imports: [],
};
const BREAK: Break = {
  rule: "P3",
  side: "exchange",
  what: "takes any limit",
  place: "isLimit",
  file: "src/a.ts",
  change: (text) => wrapped(text, WRITTEN),
};
const PROOF: Proof = {
  seed: 1,
  rules: 1,
  breaks: [
    {
      rule: "P3",
      side: "exchange",
      what: "takes any limit",
      place: "isLimit",
      failed: ["takes six limits"],
    },
  ],
};

function checked(change: Partial<Checked> = {}): Checked {
  const record: ConformanceRecord = change.record ?? { tests: HELD, brokenFiles: [] };
  const document = conformanceDocument([RULE, ONE_SIDED], record, PROOF);
  return {
    rules: [RULE, ONE_SIDED],
    record,
    breaks: [BREAK],
    proof: PROOF,
    document: { expected: document, found: document },
    textOf: () => "function isLimit(limit: number) { return limit < 6; }",
    ...change,
  };
}

const withTests = (...tests: RecordedTest[]): Partial<Checked> => ({
  record: { tests, brokenFiles: [] },
});
const [CLIENT, EXCHANGE, CHAIN] = HELD as [RecordedTest, RecordedTest, RecordedTest];

describe("the conformance check", () => {
  it("finds nothing where every rule is held, each test asserts, each break finds its place, and the page is the run's", () => {
    expect(problemsOf(checked())).toEqual([]);
  });

  it.each<[string, Partial<Checked>, string]>([
    [
      "a rule without a test of one side",
      withTests(CLIENT, CHAIN),
      "rule P3 has no passing test of the exchange",
    ],
    [
      "a skipped test",
      withTests(CLIENT, CHAIN, { ...EXCHANGE, state: "skipped" }),
      "test/simulator/b.test.ts: [P3 exchange] takes six limits is skipped",
    ],
    [
      "a failing test",
      withTests(...HELD, { ...EXCHANGE, title: "another", state: "failed" }),
      "[P3 exchange] another fails",
    ],
    [
      "a test that asserts nothing",
      withTests(CLIENT, CHAIN, { ...EXCHANGE, assertions: 0 }),
      "takes six limits asserts nothing",
    ],
    [
      "a test of no rule",
      withTests(...HELD, { ...EXCHANGE, rule: "P99" }),
      "[P99 exchange] takes six limits names no rule",
    ],
    ["two tests of one name", withTests(...HELD, EXCHANGE), "takes six limits is there twice"],
    [
      "a file that could not be read",
      { record: { tests: HELD, brokenFiles: ["test/x.test.ts"] } },
      "test/x.test.ts could not be run",
    ],
    [
      "a break of what has another name now",
      { textOf: () => "function isTaken() {}" },
      'the break of P3 on the exchange ("takes any limit") is nowhere to be made: src/a.ts declares isLimit 0 times, not once. Name what keeps it now',
    ],
    [
      "a break of a file that is gone",
      { textOf: () => null },
      "names src/a.ts, which does not exist",
    ],
    [
      "a break that changes nothing",
      { breaks: [{ ...BREAK, change: (text) => text }] },
      'the break of P3 on the exchange ("takes any limit") changes nothing',
    ],
    [
      "a break of a side that the rule does not concern",
      { breaks: [BREAK, { ...BREAK, rule: "RA2" }] },
      'the break of RA2 on the exchange ("takes any limit") breaks no rule of that side',
    ],
    [
      "a proof of what no break does",
      { breaks: [] },
      "the proof switches off what no break does: P3, takes any limit",
    ],
    [
      "a proof by a test that is gone",
      { proof: { ...PROOF, breaks: PROOF.breaks.map((one) => ({ ...one, failed: ["gone"] })) } },
      "names a test that does not exist: gone",
    ],
    [
      "a page that is missing",
      { document: { expected: "a", found: null } },
      "docs/reference/conformance.md does not exist",
    ],
    [
      "a page that is stale",
      { document: { expected: "a\nb", found: "a\nc" } },
      'conformance.md is stale: npm run conformance writes it (line 2: "c" should be "b")',
    ],
  ])("finds %s", (_what, change, problem) => {
    expect(problemsOf(checked(change)).join("\n")).toContain(problem);
  });
});

describe("a source where a declaration is wrapped", () => {
  const TWICE = "(kept) => (...given) => 2 * kept(...given)";
  /** The value of a module's `answer` once one of its declarations is wrapped. */
  async function answerOf(text: string, name: string, wrap: string, owner?: string) {
    const place = { file: "src/a.ts", name, ...(owner !== undefined && { owner }) };
    const { code } = await transform(wrapped(text, { place, wrap, imports: [] }), { loader: "ts" });
    const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    return module.answer();
  }

  it.each<[what: string, text: string, name: string, wrap: string, owner?: string]>([
    [
      "a function, under all its signatures",
      "export function f(a: string): number; export function f(a: number): number; export function f(a: any) { return 21; } export const answer = () => f(1);",
      "f",
      TWICE,
    ],
    [
      "a function of the module's own",
      "function f() { return 21; } export const answer = () => f();",
      "f",
      TWICE,
    ],
    [
      "a constant",
      "const C: number = 21; export const answer = () => C;",
      "C",
      "(kept) => 2 * kept",
    ],
    [
      "a method, which keeps its object",
      "export class A { n = 21; m() { return this.n; } } export const answer = () => new A().m();",
      "m",
      TWICE,
      "A",
    ],
    [
      "a private method",
      "class A { #m(n: number) { return n; } n() { return this.#m(21); } } export const answer = () => new A().n();",
      "#m",
      TWICE,
      "A",
    ],
    [
      "a getter, whose object the wrap has too",
      "class A { n = 40; get m() { return 2; } } export const answer = () => new A().m;",
      "m",
      "(kept, self) => kept + self.n",
      "A",
    ],
    [
      "a static method",
      "class A { static m() { return 21; } } export const answer = () => A.m();",
      "m",
      TWICE,
      "A",
    ],
  ])("has under its name what the wrap makes of it: %s", async (_what, text, name, wrap, owner) => {
    expect(await answerOf(text, name, wrap, owner)).toBe(42);
  });

  it("imports what the wrap uses, once, from where the table has it", () => {
    const imports = [{ local: "ApiError", name: "ApiError", from: "src/b/api-error.ts" }];
    const of = (text: string) =>
      wrapped(text, { place: { file: "src/c/a.ts", name: "C" }, wrap: "() => ApiError", imports });
    const line = 'import { ApiError } from "../b/api-error.js";\n';
    expect(of("const C = 1;")).toBe(`${line}const C = (() => ApiError)(1);`);
    expect(of(`${line}const C = 1;`)).toBe(`${line}const C = (() => ApiError)(1);`);
    expect(() => of('import { ApiError } from "./other.js"; const C = 1;')).toThrow(
      "ApiError is another thing in src/c/a.ts than in the table of breaks",
    );
  });

  it("is refused where no declaration has the name, or two have", () => {
    const of = (text: string) => () => wrapped(text, WRITTEN);
    expect(of("const isLimits = 1;")).toThrow("src/a.ts declares isLimit 0 times, not once");
    expect(of("{ const isLimit = 1; }")).toThrow("0 times");
    expect(() =>
      wrapped("class A { m() {} } class B {}", {
        ...WRITTEN,
        place: { file: "src/a.ts", owner: "B", name: "m" },
      }),
    ).toThrow("src/a.ts declares B.m 0 times, not once");
  });
});

describe("a table of breaks", () => {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-breaks-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const IMPORTS =
    'import { f as renamed, A } from "./a.js"; import { other } from "./b.js"; import type { T } from "./c.js";';
  function read(...rows: readonly string[]) {
    const path = join(folder, "table.ts");
    writeFileSync(path, `${IMPORTS} export const B = [${rows.join(",")}];`);
    return readTable(pathToFileURL(path).href)("P3", "what");
  }

  it.each([
    ["() => renamed", "f"],
    ["() => A.prototype.m", "A.m"],
    ["() => A.s", "A.s"],
    ['hidden<() => T>(() => A, "#m")', "A.#m"],
    ['hidden(() => renamed, "own")', "own"],
  ])("says what %s wraps by the name that its import has: %s", (at, name) => {
    const { place, wrap, imports } = read(`broken("P3", "what", ${at}, (x: T) => other)`);
    expect(placeName(place)).toBe(name);
    expect(basename(place.file)).toBe("a.ts");
    expect(wrap).toBe("(x: T) => other");
    expect(imports.map(({ local }) => local)).toEqual(["other"]);
  });

  it("is refused where it wraps what it does not import, or has no such break, or two", () => {
    expect(() => read('broken("P3", "what", () => unknown, () => 1)')).toThrow(
      'does not say by an imported name what "what" of P3 wraps',
    );
    expect(() => read()).toThrow('has "what" of P3 0 times in words, not once');
    const twice = 'broken("P3", "what", () => renamed, () => 1)';
    expect(() => read(twice, twice)).toThrow('has "what" of P3 2 times in words, not once');
  });
});

describe("docs/reference/conformance.md", () => {
  it("has a row for each rule with the tests of both sides, one side only and why, and the proof", () => {
    const lines = conformanceDocument(
      [RULE, ONE_SIDED],
      { tests: HELD, brokenFiles: [] },
      PROOF,
    ).split("\n");
    expect(lines).toContain(
      "| P3 | a book has a limit \\| of six | `client/a.test.ts`: asks for a book (3) | `test/simulator/b.test.ts`: takes six limits (5) |",
    );
    expect(lines).toContain(
      "| RA2\\* | asks the chain | `client/a.test.ts`: asks first (1) | one side only: the server only points |",
    );
    expect(lines).toContain("| P3 | exchange | takes any limit (`isLimit`) | takes six limits |");
  });
});

describe("the tables of rules and breaks", () => {
  it("name each rule once, with a reason where it concerns one side", () => {
    const ids = RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const rule of RULES as readonly Rule[])
      if (rule.only !== undefined) expect(rule.only[1]).not.toBe("");
  });

  it("break every rule on every side that it concerns", () => {
    for (const rule of RULES) {
      for (const side of sidesOf(rule))
        expect([
          rule.id,
          side,
          BREAKS.some((one) => one.rule === rule.id && one.side === side),
        ]).toEqual([rule.id, side, true]);
    }
  });

  it("change exactly one declaration of the sources each", () => {
    const textOf = (file: string) =>
      readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    expect(breakProblems({ rules: RULES, breaks: BREAKS, textOf })).toEqual([]);
  });

  it("draw the same rules by the same seed, others by another, and never more than there are", () => {
    const drawn = drawRules(BREAKS, 30, 1);
    expect(new Set(drawn).size).toBe(30);
    expect(drawRules(BREAKS, 30, 1)).toEqual(drawn);
    expect(drawRules(BREAKS, 30, 2)).not.toEqual(drawn);
    expect(drawRules(BREAKS, 1000, 1)).toHaveLength(RULES.length);
  });
});
