import { join } from "node:path";
import { of } from "rxjs";
import { describe, expect, it } from "vitest";
import { loadStrategy } from "#bot/load-strategy.js";
import { bundleStrategy } from "#bot/strategy-bundle.js";
import { findStrategyLocation, mapStrategyStack } from "#bot/strategy-stack.js";
import { testContext, testView } from "../strategies/fixtures.js";
import { FIELD, PLACE, StrategyFolder, WHOLE } from "./strategy-folder.js";

const at = new StrategyFolder();

describe("an error of a strategy file", () => {
  /** The frames in the author's folder. */
  const places = (stack: string | undefined) =>
    (stack ?? "")
      .split("\n")
      .flatMap((line) => /^ +at .*?([\w./-]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? [])
      .filter((place) => place.startsWith(at.folder));

  it("is shown with the author's own lines, also in imported files, and with its causes", async () => {
    at.write(
      "lib/depth.ts",
      `interface Level { readonly lots: number }

export function depth(levels: readonly Level[]): number {
  if (levels.length > 0) throw new RangeError("too deep");
  return 0;
}
`,
    );
    at.write(
      "deep.ts",
      `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
import { depth } from "./lib/depth.js";

type Unused = { a: number };

export default defineStrategy({
  params: z.object({}),
  create: () => (view$) =>
    view$.pipe(
      map((view) => {
        try {
          depth([{ lots: 1 }]);
        } catch (cause) {
          throw new Error("no quotes", { cause });
        }
        return quoteAround(view, view.microPrice, { halfSpreadBps: 1, sizeBase: 1 });
      }),
    ),
});
`,
    );
    const { strategy } = await loadStrategy("./deep.ts", at.folder, FIELD);
    let thrown: unknown;
    of(testView())
      .pipe(strategy.bind({}, PLACE)(testContext()))
      .subscribe({
        error: (error: unknown) => {
          thrown = error;
        },
      });
    const stack = mapStrategyStack(thrown);
    expect(stack).toMatch(/^Error: no quotes\n/);
    expect(stack).toContain("\ncaused by RangeError: too deep\n");
    expect(places(stack)).toEqual([
      join(at.folder, "deep.ts:16:17"),
      join(at.folder, "lib/depth.ts:4:32"),
      join(at.folder, "deep.ts:14:11"),
    ]);
    expect(stack, "nothing of the bundle's own address").not.toContain("base64");
  });

  it("names the line of a file that throws while loading", async () => {
    at.write(
      "late.ts",
      `import { z } from "zod";\ninterface A { a: number }\n\nconst a: A = JSON.parse("{");\nexport default z.object(a);\n`,
    );
    await expect(loadStrategy("./late.ts", at.folder, FIELD)).rejects.toThrow(
      /fails as it loads: .* \(late\.ts:4:19\)/,
    );
  });

  it("is mapped from the bundle's address to the author's file under plain node", async () => {
    at.write("mine.ts", WHOLE.replace("create:", "\n\n  create:"));
    const { code } = await bundleStrategy(join(at.folder, "mine.ts"), FIELD);
    const address = /\n\/\/# sourceURL=(\S+)$/.exec(code)?.[1] ?? "";
    const lines = code.split("\n");
    const row = lines.findIndex((line) => line.includes("quoteAround(view, view.microPrice"));
    const error = new Error("x");
    error.stack = `Error: x\n    at ${address}:${row + 1}:${(lines[row] ?? "").indexOf("quoteAround(view") + 1}\n    at node:internal/x:1:1`;
    expect(mapStrategyStack(error)).toBe(
      `Error: x\n    at ${join(at.folder, "mine.ts")}:10:30\n    at node:internal/x:1:1`,
    );
    expect(findStrategyLocation(error, at.folder)).toBe("mine.ts:10:30");
    error.stack = error.stack?.replace(/bundle=\w{8}/, "bundle=00000000");
    expect(mapStrategyStack(error), "of a bundle that nobody knows").toContain(
      "the strategy's bundle:",
    );
  });

  it("is undefined if nothing is known about it", () => {
    const hostile = new Error("x");
    Object.defineProperty(hostile, "stack", {
      get: () => {
        throw new Error("not to be looked at");
      },
    });
    for (const thrown of ["a text", undefined, null, Object.create(null), hostile])
      expect(mapStrategyStack(thrown)).toBeUndefined();
    expect(mapStrategyStack(Object.assign(new Error("bare"), { stack: undefined }))).toBe(
      "Error: bare",
    );
  });
});
