import { describe, expect, it } from "vitest";
import { findStrategyWarnings } from "#bot/strategy-warnings.js";

/** Start of an expression in a template, kept out of our own templates. */
const OPEN = "$" + "{";

const named = (source: string) =>
  findStrategyWarnings(source, "s.ts").map(({ line, name }) => `${line} ${name}`);

describe("names of real time, timers and randomness", () => {
  it("are found with their lines", () => {
    expect(
      named(
        "const a = 1;\nconst t = new Date();\nconst r = Math\n  .random();\nconst q = Math . random();",
      ),
    ).toEqual(["2 Date", "3 Math.random", "5 Math.random"]);
    expect(named("setInterval(f, 1); setTimeout(f, 2); performance.now();")).toEqual([
      "1 setInterval",
      "1 setTimeout",
      "1 performance",
    ]);
    expect(named("globalThis.Date.now(); window.setTimeout(f)")).toEqual([
      "1 Date",
      "1 setTimeout",
    ]);
  });

  it("are not found in comments, texts, other names or properties", () => {
    expect(
      named("// Date\n/* setTimeout\n performance */ const s = \"Date\" + 'Math.random';"),
    ).toEqual([]);
    expect(named("const updated = lastDate + Dated + view.performance + $Date;")).toEqual([]);
    expect(named(`const s = \`now Date ${OPEN}1 + 1} setTimeout\`;`)).toEqual([]);
  });

  it("are found inside the expressions of a template, and after it", () => {
    expect(named(`const s = \`at ${OPEN} { a: Date.now() }.a } Date\`;\nsetTimeout(f);`)).toEqual([
      "1 Date",
      "2 setTimeout",
    ]);
    expect(
      named(`const s = \`a ${OPEN}\`b ${OPEN}Date.now()} Date\`} Date\`; performance`),
    ).toEqual(["1 Date", "1 performance"]);
  });

  it("are found after an escaped quote and an apostrophe in a pattern", () => {
    expect(named("const s = 'it\\'s'; Date.now();")).toEqual(["1 Date"]);
    expect(named("const p = /it's/;\nDate.now();")).toEqual(["2 Date"]);
  });

  it("are found, and so are reads of own data: a look-ahead check cannot cut a file that a strategy opens", () => {
    expect(
      named(
        'const a = readFileSync("future.csv");\nconst b = await fs.promises.readFile(p);\nfs.createReadStream(p); fetch(u);',
      ),
    ).toEqual(["1 readFileSync", "2 readFile", "3 createReadStream", "3 fetch"]);
    expect(named("view.fetch(); const readFileSyncOnce = refetch; // readFile")).toEqual([]);
  });

  it("are not found in types, keys, members and variables of the strategy's own", () => {
    expect(named("interface Bar { Date: Date; fetch(): void }\nlet at: Date | undefined;")).toEqual(
      [],
    );
    expect(named("const o = { Date: 1, setTimeout() {} };\nclass C { performance = 1 }")).toEqual(
      [],
    );
    expect(
      named("function f(Date) { return Date.now(); }\n{ const performance = 1; performance; }"),
    ).toEqual([]);
    expect(named("const readFile = (at) => at;\nreadFile(1);")).toEqual([]);
    expect(named('import { Date } from "./clock.js";\nDate.now();')).toEqual([]);
    expect(named("function f(Math) { return Math.random(); }\nMath.random();")).toEqual([
      "2 Math.random",
    ]);
  });

  it("are found behind patterns, divisions and multi-line texts", () => {
    expect(named('const p = /[`"]/;\nDate.now(); const s = `x`;')).toEqual(["2 Date"]);
    expect(named("const p = /\\/*/;\nDate.now();")).toEqual(["2 Date"]);
    expect(named("const q = a / b; setTimeout(f); const r = c / d; // Date")).toEqual([
      "1 setTimeout",
    ]);
    expect(named("const s = 'a\\\nDate';\nfetch(u);")).toEqual(["3 fetch"]);
  });

  it("are found under every alias", () => {
    expect(named('Math["random"]();\nglobalThis?.setTimeout(f);\nglobalThis["Date"]')).toEqual([
      "1 Math.random",
      "2 setTimeout",
      "3 Date",
    ]);
    expect(
      named("globalThis.Math.random();\nconst { random } = Math;\nconst { Date: D } = global;"),
    ).toEqual(["1 Math.random", "2 Math.random", "3 Date"]);
    expect(
      named('import { setTimeout as sleep } from "node:timers/promises";\nawait sleep(5);'),
    ).toEqual(["2 setTimeout"]);
    expect(
      named('import { readFileSync as load } from "node:fs";\nimport fs from "fs";\nload("f");'),
    ).toEqual(["3 readFileSync"]);
    expect(
      named(
        'const { readFile } = await import("node:fs/promises");\nconst r = promisify(fs.readFile);',
      ),
    ).toEqual(["1 readFile", "2 readFile"]);
  });

  it("are found at their line of the source, also below TypeScript types", () => {
    const source = "enum Side {\n  Buy,\n}\nabstract class A {\n  abstract f(): void;\n}\n";
    expect(named(`${source}export const at = (x: number): Date => new Date(x as number);`)).toEqual(
      ["7 Date"],
    );
  });

  it("are only searched in code, not in a data file", () => {
    expect(findStrategyWarnings('{ "Date": [', "levels.json")).toEqual([]);
    expect(findStrategyWarnings("const at: Date = 1", "s.txt")).toEqual([]);
  });
});
