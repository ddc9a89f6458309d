import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { of, toArray } from "rxjs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadStrategy } from "../../src/bot/strategy/load-strategy.js";
import { bundleStrategy } from "../../src/bot/strategy/strategy-bundle.js";
import { strategyPlace, strategyStack } from "../../src/bot/strategy/strategy-stack.js";
import { ConfigError } from "../../src/core/errors.js";
import type { Intent } from "../../src/strategies/intent.js";
import type { Strategy } from "../../src/strategies/strategy.js";
import { testContext, testView } from "../strategies/fixtures.js";

const WHOLE = `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({ halfSpreadBps: z.number().positive(), sizeBase: z.number().positive() }),
  create: ({ halfSpreadBps, sizeBase }) => (view$) =>
    view$.pipe(map((view) => quoteAround(view, view.microPrice, { halfSpreadBps, sizeBase }))),
});
`;

const FIELD = "markets.ethusdc.strategy";
const PLACE = { at: ["markets", "ethusdc", "params"] };

let folder: string;

beforeEach(() => {
  // Far from this checkout: nothing of ours is above it to be found by accident.
  folder = realpathSync(mkdtempSync(join(tmpdir(), "strategy-")));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function answersOf(strategy: Strategy, params: unknown): Intent[] {
  let intents: Intent[] = [];
  of(testView())
    .pipe(strategy.bind(params, PLACE)(testContext()), toArray())
    .subscribe((all) => {
      intents = all;
    });
  return intents;
}

async function failure(name: string): Promise<ConfigError> {
  const error = await loadStrategy(name, folder, FIELD).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${String(error)}`);
  return error;
}

describe("somebody's own strategy file", () => {
  it.each(["mine.ts", "mine.mts", "mine.js", "mine.mjs"])("quotes as %s from a folder outside the checkout", async (name) => {
    write(name, WHOLE);
    const { strategy, warnings, name: loaded } = await loadStrategy(`./${name}`, folder, FIELD);
    expect(loaded).toBe(join(folder, name));
    expect(warnings).toEqual([]);
    const [intent] = answersOf(strategy, { halfSpreadBps: 4, sizeBase: 0.5 });
    expect(intent).toMatchObject({
      kind: "quotes",
      viewSequence: 1,
      quotes: [
        { side: "BUY", level: 0, ticks: 9996, lots: 500 },
        { side: "SELL", level: 0, ticks: 10004, lots: 500 },
      ],
    });
  });

  it("prints by its console to whoever takes it, its own files too, and never to stdout", async () => {
    write("neighbour.ts", 'export const told = (): void => console.warn("of the neighbour");\n');
    write(
      "mine.ts",
      WHOLE.replace("export default", 'import { told } from "./neighbour.js";\nexport default').replace(
        "map((view) =>",
        'map((view) => (console.log("at %d", view.midTicks), told(), view)), map((view) =>',
      ),
    );
    const { strategy, routePrints } = await loadStrategy("./mine.ts", folder, FIELD);
    const printed: unknown[] = [];
    routePrints((text, isError) => printed.push([text, isError]));
    expect(answersOf(strategy, { halfSpreadBps: 4, sizeBase: 0.5 })).toHaveLength(1);
    expect(printed).toEqual([
      ["at 10000\n", false],
      ["of the neighbour\n", true],
    ]);
  });

  it("brings its own files, TypeScript types and packages along", async () => {
    write("node_modules/wide/package.json", '{ "name": "wide", "main": "index.js" }');
    write("node_modules/wide/index.js", "exports.wide = 8;");
    write("own/spread.ts", 'import { wide } from "wide";\nexport const spread: number = wide as number;\n');
    write(
      "mine.ts",
      `import { spread } from "./own/spread.js";\n${WHOLE.replace("{ halfSpreadBps, sizeBase }))", "{ halfSpreadBps: spread as number, sizeBase }))")}`,
    );
    const { strategy } = await loadStrategy("./mine.ts", folder, FIELD);
    expect(answersOf(strategy, { halfSpreadBps: 4, sizeBase: 0.5 })[0]).toMatchObject({ quotes: [{ ticks: 9992 }, { ticks: 10008 }] });
  });

  it("is found by an absolute path, and beside the YAML whatever the working folder", async () => {
    write("deep/mine.js", WHOLE);
    expect((await loadStrategy(join(folder, "deep/mine.js"), "/", FIELD)).name).toBe(join(folder, "deep/mine.js"));
    expect((await loadStrategy("../mine.js", join(folder, "deep/other"), FIELD)).name).toBe(join(folder, "deep/mine.js"));
  });

  it("shares rxjs with the bot, so that an Observable of one is an Observable of the other", async () => {
    write("mine.js", `import { Observable } from "rxjs";\nglobalThis.strategyObservable = Observable;\n${WHOLE}`);
    await loadStrategy("./mine.js", folder, FIELD);
    const { Observable } = await import("rxjs");
    expect((globalThis as { strategyObservable?: unknown }).strategyObservable).toBe(Observable);
  });
});

const BUILT = fileURLToPath(new URL("../../dist/bot/strategy/load-strategy.js", import.meta.url));

describe.skipIf(!existsSync(BUILT))("the built package (skipped where there is no build)", () => {
  it("loads a strategy under plain node, with its own copies of marketwright, rxjs and zod, and leaves nothing running", () => {
    write(
      "mine.ts",
      `import { ConfigError } from "marketwright";\nimport { Observable } from "rxjs";\n(globalThis as any).seen = [ConfigError, Observable, z];\n${WHOLE}`,
    );
    const script = `
      import { z } from "zod";
      import { Observable } from "rxjs";
      const { loadStrategy } = await import(${JSON.stringify(BUILT)});
      const { ConfigError } = await import("marketwright");
      const { strategy } = await loadStrategy("./mine.ts", ${JSON.stringify(folder)}, "strategy");
      strategy.bind({ halfSpreadBps: 4, sizeBase: 0.5 });
      const [error, observable, zod] = globalThis.seen;
      process.stdout.write(JSON.stringify([error === ConfigError, observable === Observable, zod === z]));`;
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: root, encoding: "utf8" });
    expect(JSON.parse(said)).toEqual([true, true, true]);
  });
});

describe("parameters", () => {
  async function paramsError(params: unknown): Promise<string> {
    write("mine.js", WHOLE);
    const { strategy } = await loadStrategy("./mine.js", folder, FIELD);
    try {
      strategy.bind(params, PLACE);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
    }
    throw new Error("nothing was wrong with them");
  }

  it("of the wrong type, missing or unknown are named with their path, value and what would be right", async () => {
    expect(await paramsError({ halfSpreadBps: "wide", sizeBase: 0.5 })).toMatch(
      /^markets\.ethusdc\.params\.halfSpreadBps: .*"wide".*a number/,
    );
    expect(await paramsError({ halfSpreadBps: 4 })).toMatch(/^markets\.ethusdc\.params\.sizeBase: is missing/);
    expect(await paramsError({ halfSpreadBps: 4, sizeBase: 0 })).toMatch(/^markets\.ethusdc\.params\.sizeBase: must not be zero/);
    expect(await paramsError({ halfSpreadBps: 4, sizeBase: 1, skewBps: 2 })).toMatch(/^markets\.ethusdc\.params\.skewBps: unknown key/);
    expect(await paramsError(undefined)).toMatch(/^markets\.ethusdc\.params\./);
  });
});

describe("an error of a strategy file", () => {
  /** The frames that lie in the author's folder. */
  const places = (stack: string | undefined) =>
    (stack ?? "")
      .split("\n")
      .flatMap((line) => /^ +at .*?([\w./-]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? [])
      .filter((at) => at.startsWith(folder));

  it("is told with the lines that its author wrote, in the files that it imports too, and with what caused it", async () => {
    write(
      "lib/depth.ts",
      `interface Level { readonly lots: number }

export function depth(levels: readonly Level[]): number {
  if (levels.length > 0) throw new RangeError("too deep");
  return 0;
}
`,
    );
    write(
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
    const { strategy } = await loadStrategy("./deep.ts", folder, FIELD);
    let thrown: unknown;
    of(testView())
      .pipe(strategy.bind({}, PLACE)(testContext()))
      .subscribe({
        error: (error: unknown) => {
          thrown = error;
        },
      });
    const stack = strategyStack(thrown);
    expect(stack).toMatch(/^Error: no quotes\n/);
    expect(stack).toContain("\ncaused by RangeError: too deep\n");
    expect(places(stack)).toEqual([join(folder, "deep.ts:16:17"), join(folder, "lib/depth.ts:4:32"), join(folder, "deep.ts:14:11")]);
    expect(stack, "nothing of the bundle's own address").not.toContain("base64");
  });

  it("names the line of one that throws as it loads", async () => {
    write("late.ts", `import { z } from "zod";\ninterface A { a: number }\n\nconst a: A = JSON.parse("{");\nexport default z.object(a);\n`);
    await expect(loadStrategy("./late.ts", folder, FIELD)).rejects.toThrow(/fails as it loads: .* \(late\.ts:4:19\)/);
  });

  it("is led back from the address that stacks name a bundle by under plain node", async () => {
    write("mine.ts", WHOLE.replace("create:", "\n\n  create:"));
    const { code } = await bundleStrategy(join(folder, "mine.ts"), FIELD);
    const address = /\n\/\/# sourceURL=(\S+)$/.exec(code)?.[1] ?? "";
    const lines = code.split("\n");
    const at = lines.findIndex((line) => line.includes("quoteAround(view, view.microPrice"));
    const error = new Error("x");
    error.stack = `Error: x\n    at ${address}:${at + 1}:${(lines[at] ?? "").indexOf("quoteAround(view") + 1}\n    at node:internal/x:1:1`;
    expect(strategyStack(error)).toBe(`Error: x\n    at ${join(folder, "mine.ts")}:10:30\n    at node:internal/x:1:1`);
    expect(strategyPlace(error, folder)).toBe("mine.ts:10:30");
    error.stack = error.stack?.replace(/bundle=\w{8}/, "bundle=00000000");
    expect(strategyStack(error), "of a bundle that nobody knows").toContain("the strategy's bundle:");
  });

  it("is nothing where nothing can be said of it", () => {
    const hostile = new Error("x");
    Object.defineProperty(hostile, "stack", {
      get: () => {
        throw new Error("not to be looked at");
      },
    });
    for (const thrown of ["a text", undefined, null, Object.create(null), hostile]) expect(strategyStack(thrown)).toBeUndefined();
    expect(strategyStack(Object.assign(new Error("bare"), { stack: undefined }))).toBe("Error: bare");
  });
});

describe("a strategy that can not be loaded", () => {
  it("is an unknown name, with the one that was meant", async () => {
    expect((await failure("lader")).message).toMatch(
      /^markets\.ethusdc\.strategy: .*did you mean ladder\?.*"lader".*avellaneda-stoikov, glft, ladder/,
    );
  });

  it("is a file that is not there, or of another kind", async () => {
    expect((await failure("./none.ts")).message).toContain(join(folder, "none.ts"));
    write("mine.py", "pass");
    expect((await failure("./mine.py")).expected).toContain(".ts");
    mkdirSync(join(folder, "dir.js"));
    expect((await failure("./dir.js")).message).toContain("no file");
  });

  it("is one that does not parse: its line is named", async () => {
    write("broken.ts", "export default 1;\nconst = 3;\n");
    expect((await failure("./broken.ts")).message).toMatch(/broken\.ts:2:\d+: /);
  });

  it("is one whose import is not there", async () => {
    write("lonely.js", 'import { gone } from "no-such-package-of-anyone";\nexport default gone;\n');
    expect((await failure("./lonely.js")).message).toMatch(/lonely\.js:1:.*no-such-package-of-anyone/);
  });

  it("is one that reaches into this package past its entries", async () => {
    write("deep.js", 'import { x } from "marketwright/dist/bot/run.js";\nexport default x;\n');
    expect((await failure("./deep.js")).message).toContain('marketwright has no entry "marketwright/dist/bot/run.js"');
  });

  it("is one that throws as it loads", async () => {
    write("thrower.js", 'throw new Error("out of luck");');
    expect((await failure("./thrower.js")).message).toContain("out of luck");
  });

  it("is one without a default export, or whose default export is something else", async () => {
    write("empty.js", "export const strategy = 1;");
    expect((await failure("./empty.js")).message).toContain("no default export");
    write("plain.js", "export default { params: {}, create() {} };");
    expect((await failure("./plain.js")).message).toContain("is no strategy");
    write("nothing.js", "export default null;");
    expect((await failure("./nothing.js")).message).toContain("is no strategy");
  });

  it("is one without a schema or a factory", async () => {
    write("half.js", 'import { defineStrategy } from "marketwright";\nexport default defineStrategy({ create: () => (v) => v });');
    expect((await failure("./half.js")).message).toContain("schema");
    write(
      "other.js",
      'import { defineStrategy } from "marketwright";\nimport { z } from "zod";\nexport default defineStrategy({ params: z.object({}) });',
    );
    expect((await failure("./other.js")).message).toContain("factory");
  });
});

describe("real time and randomness in a strategy file", () => {
  it("are told with file and line, also in the files that it imports", async () => {
    write("noise.ts", "export const noise = (): number => Math.random();\n");
    write(
      "mine.ts",
      `${WHOLE}// Date in a comment is no use of it\nimport { noise } from "./noise.js";\nexport const started = Date.now() + noise();\nexport const said = "setTimeout";\nsetTimeout(() => {}, 1);\n`,
    );
    const { warnings } = await loadStrategy("./mine.ts", folder, FIELD);
    const lines = WHOLE.split("\n").length;
    expect(warnings.map(({ file, line, name }) => [file, line, name])).toEqual([
      [join(folder, "mine.ts"), lines + 2, "Date"],
      [join(folder, "mine.ts"), lines + 4, "setTimeout"],
      [join(folder, "noise.ts"), 1, "Math.random"],
    ]);
    expect(warnings.every(({ advice }) => advice.startsWith("use "))).toBe(true);
  });
});

describe("built-in strategies", () => {
  it.each(["ladder", "avellaneda-stoikov"])("%s is called by its name", async (name) => {
    const loaded = await loadStrategy(name, folder, FIELD);
    expect(loaded).toMatchObject({ name, warnings: [] });
  });
});
