import { describe, expect, it } from "vitest";
import { type Break, placesOf } from "./break.js";
import { BREAKS } from "./breaks.js";
import { type Checked, problemsOf } from "./check.js";
import { conformanceDocument } from "./document.js";
import type { Proof } from "./proof.js";
import { drawRules } from "./prove.js";
import type { ConformanceRecord, RecordedTest } from "./record.js";
import { RULES, type Rule, sidesOf } from "./rules.js";

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
const BREAK: Break = {
  rule: "P3",
  side: "exchange",
  what: "takes any limit",
  file: "src/a.ts",
  find: "limit > 5",
  replace: "limit > 6",
};
const PROOF: Proof = {
  seed: 1,
  rules: 1,
  breaks: [
    {
      rule: "P3",
      side: "exchange",
      what: "takes any limit",
      file: "src/a.ts",
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
    textOf: () => "if (limit > 5) {",
    ...change,
  };
}

const withTests = (...tests: RecordedTest[]): Partial<Checked> => ({
  record: { tests, brokenFiles: [] },
});
const [CLIENT, EXCHANGE, CHAIN] = HELD as [RecordedTest, RecordedTest, RecordedTest];

describe("the conformance check", () => {
  it("finds nothing where every rule is held, each test asserts, each break finds its text, and the page is the run's", () => {
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
      "a break whose text is gone",
      { textOf: () => "" },
      "the break of P3 on the exchange finds its text 0 times in src/a.ts, not once",
    ],
    [
      "a break whose text is there twice",
      { textOf: () => "limit > 5 || limit > 5" },
      "finds its text 2 times",
    ],
    [
      "a break of a file that is gone",
      { textOf: () => null },
      "names src/a.ts, which does not exist",
    ],
    [
      "a break that changes nothing",
      { breaks: [{ ...BREAK, replace: BREAK.find }] },
      "the break of P3 on the exchange changes nothing",
    ],
    [
      "a break of a side that the rule does not concern",
      { breaks: [BREAK, { ...BREAK, rule: "RA2" }] },
      "the break of RA2 on the exchange breaks no rule of that side",
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
      "docs/conformance.md does not exist",
    ],
    [
      "a page that is stale",
      { document: { expected: "a\nb", found: "a\nc" } },
      'docs/conformance.md is stale: npm run conformance writes it (line 2: "c" should be "b")',
    ],
  ])("finds %s", (_what, change, problem) => {
    expect(problemsOf(checked(change)).join("\n")).toContain(problem);
  });
});

describe("the place of a break in its file", () => {
  const of = (piece: string, text: string) =>
    placesOf(piece, text).map(([start, end]) => text.slice(start, end));

  it("is found however the file is formatted, so that a line that is broken breaks no proof", () => {
    expect(of("take(limit, 5)", "if (x) take(\n  limit,\n  5,\n);")).toEqual([
      "take(\n  limit,\n  5,\n)",
    ]);
    expect(of("  names.sort();\n", "{ names.sort(); }")).toEqual(["names.sort();"]);
    expect(of("  b: 2,\n", "{ a: 1, b: 2 }")).toEqual(["b: 2"]);
    expect(of("  b: 2,\n", "{\n  a: 1,\n  b: 2,\n}")).toEqual(["b: 2,"]);
    expect(of("[a, b]", "const list = [\n a,\n b,\n];")).toEqual(["[\n a,\n b,\n]"]);
  });

  it("is none where a character is another, and each where it comes again", () => {
    expect(of("limit > 5", "limit >= 5")).toEqual([]);
    expect(of("limit > 5", "limit > 5 || limit>5")).toEqual(["limit > 5", "limit>5"]);
    expect(of(" ", "a b")).toEqual([]);
  });
});

describe("docs/conformance.md", () => {
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
    expect(lines).toContain("| P3 | exchange | takes any limit (`src/a.ts`) | takes six limits |");
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

  it("draw the same rules by the same seed, others by another, and never more than there are", () => {
    const drawn = drawRules(BREAKS, 30, 1);
    expect(new Set(drawn).size).toBe(30);
    expect(drawRules(BREAKS, 30, 1)).toEqual(drawn);
    expect(drawRules(BREAKS, 30, 2)).not.toEqual(drawn);
    expect(drawRules(BREAKS, 1000, 1)).toHaveLength(RULES.length);
  });
});
