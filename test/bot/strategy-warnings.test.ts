import { describe, expect, it } from "vitest";
import { strategyWarnings } from "../../src/bot/strategy/strategy-warnings.js";

/** What opens an expression in a template, kept out of our own templates. */
const OPEN = "$" + "{";

const named = (source: string) =>
  strategyWarnings(source, "s.ts").map(({ line, name }) => `${line} ${name}`);

describe("names of real time, timers and randomness", () => {
  it("are found with their lines", () => {
    expect(
      named(
        "const a = 1;\nconst t = new Date();\nconst r = Math\n  .random();\nconst q = Math . random();",
      ),
    ).toEqual(["2 Date", "5 Math.random"]);
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

  it("are found in what a template computes, and after one", () => {
    expect(named(`const s = \`at ${OPEN} { a: Date.now() }.a } Date\`;\nsetTimeout(f);`)).toEqual([
      "1 Date",
      "2 setTimeout",
    ]);
    expect(
      named(`const s = \`a ${OPEN}\`b ${OPEN}Date.now()} Date\`} Date\`; performance`),
    ).toEqual(["1 Date", "1 performance"]);
  });

  it("are found after an escaped quote, an apostrophe in a pattern and a comment that does not end", () => {
    expect(named("const s = 'it\\'s'; Date.now();")).toEqual(["1 Date"]);
    expect(named("const p = /it's/;\nDate.now();")).toEqual(["2 Date"]);
    expect(named("Date.now(); /* setTimeout")).toEqual(["1 Date"]);
  });

  it("are found beside what reads data by itself: no check for look-ahead can cut a file that a strategy opens", () => {
    expect(
      named(
        'const a = readFileSync("future.csv");\nconst b = await fs.promises.readFile(p);\nfs.createReadStream(p); fetch(u);',
      ),
    ).toEqual(["1 readFileSync", "2 readFile", "3 createReadStream", "3 fetch"]);
    expect(named("view.fetch(); const readFileSyncOnce = refetch; // readFile")).toEqual([]);
  });
});
