import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { of, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { loadStrategy } from "#bot/load-strategy.js";
import type { Intent } from "#strategies/intent.js";
import type { Strategy } from "#strategies/strategy.js";
import { testContext, testView } from "../strategies/fixtures.js";
import { FIELD, PLACE, StrategyFolder, WHOLE } from "./strategy-folder.js";

const at = new StrategyFolder();

function answersOf(strategy: Strategy, params: unknown): Intent[] {
  let intents: Intent[] = [];
  of(testView())
    .pipe(strategy.bind(params, PLACE)(testContext()), toArray())
    .subscribe((all) => {
      intents = all;
    });
  return intents;
}

describe("a user's own strategy file", () => {
  it.each(["mine.ts", "mine.mts", "mine.js", "mine.mjs"])(
    "quotes as %s from a folder outside the checkout",
    async (name) => {
      at.write(name, WHOLE);
      const {
        strategy,
        warnings,
        name: loaded,
      } = await loadStrategy(`./${name}`, at.folder, FIELD);
      expect(loaded).toBe(join(at.folder, name));
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
    },
  );

  it("prints through the redirected console, also from its imports, and never to stdout", async () => {
    at.write("neighbour.ts", 'export const told = (): void => console.warn("of the neighbour");\n');
    at.write(
      "mine.ts",
      WHOLE.replace(
        "export default",
        'import { told } from "./neighbour.js";\nexport default',
      ).replace(
        "map((view) =>",
        'map((view) => (console.log("at %d", view.midTicks), told(), view)), map((view) =>',
      ),
    );
    const { strategy, redirectConsole } = await loadStrategy("./mine.ts", at.folder, FIELD);
    const printed: unknown[] = [];
    redirectConsole((text, isError) => printed.push([text, isError]));
    expect(answersOf(strategy, { halfSpreadBps: 4, sizeBase: 0.5 })).toHaveLength(1);
    expect(printed).toEqual([
      ["at 10000\n", false],
      ["of the neighbour\n", true],
    ]);
  });

  it("can import its own files, TypeScript types and packages", async () => {
    at.write("node_modules/wide/package.json", '{ "name": "wide", "main": "index.js" }');
    at.write("node_modules/wide/index.js", "exports.wide = 8;");
    at.write(
      "own/spread.ts",
      'import { wide } from "wide";\nexport const spread: number = wide as number;\n',
    );
    at.write(
      "mine.ts",
      `import { spread } from "./own/spread.js";\n${WHOLE.replace("{ halfSpreadBps, sizeBase }))", "{ halfSpreadBps: spread as number, sizeBase }))")}`,
    );
    const { strategy } = await loadStrategy("./mine.ts", at.folder, FIELD);
    expect(answersOf(strategy, { halfSpreadBps: 4, sizeBase: 0.5 })[0]).toMatchObject({
      quotes: [{ ticks: 9992 }, { ticks: 10008 }],
    });
  });

  it("is found by an absolute path, and relative to the YAML in any working folder", async () => {
    at.write("deep/mine.js", WHOLE);
    expect((await loadStrategy(join(at.folder, "deep/mine.js"), "/", FIELD)).name).toBe(
      join(at.folder, "deep/mine.js"),
    );
    expect((await loadStrategy("../mine.js", join(at.folder, "deep/other"), FIELD)).name).toBe(
      join(at.folder, "deep/mine.js"),
    );
  });

  it("shares rxjs with the bot, so that an Observable of one is an Observable of the other", async () => {
    at.write(
      "mine.js",
      `import { Observable } from "rxjs";\nglobalThis.strategyObservable = Observable;\n${WHOLE}`,
    );
    await loadStrategy("./mine.js", at.folder, FIELD);
    const { Observable } = await import("rxjs");
    expect((globalThis as { strategyObservable?: unknown }).strategyObservable).toBe(Observable);
  });
});

const BUILT = fileURLToPath(new URL("../../dist/bot/strategy/load-strategy.js", import.meta.url));

describe.skipIf(!existsSync(BUILT))("the built package (skipped without a build)", () => {
  it("loads a strategy under plain node, with its own copies of marketwright, rxjs and zod, and leaves nothing running", () => {
    at.write(
      "mine.ts",
      `import { ConfigError } from "marketwright";\nimport { Observable } from "rxjs";\n(globalThis as any).seen = [ConfigError, Observable, z];\n${WHOLE}`,
    );
    const script = `
      import { z } from "zod";
      import { Observable } from "rxjs";
      const { loadStrategy } = await import(${JSON.stringify(BUILT)});
      const { ConfigError } = await import("marketwright");
      const { strategy } = await loadStrategy("./mine.ts", ${JSON.stringify(at.folder)}, "strategy");
      strategy.bind({ halfSpreadBps: 4, sizeBase: 0.5 });
      const [error, observable, zod] = globalThis.seen;
      process.stdout.write(JSON.stringify([error === ConfigError, observable === Observable, zod === z]));`;
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: root,
      encoding: "utf8",
    });
    expect(JSON.parse(said)).toEqual([true, true, true]);
  });
});

describe("real time and randomness in a strategy file", () => {
  it("are reported with file and line, also in imported files", async () => {
    at.write("noise.ts", "export const noise = (): number => Math.random();\n");
    at.write(
      "mine.ts",
      `${WHOLE}// Date in a comment is no use of it\nimport { noise } from "./noise.js";\nexport const started = Date.now() + noise();\nexport const said = "setTimeout";\nsetTimeout(() => {}, 1);\n`,
    );
    const { warnings } = await loadStrategy("./mine.ts", at.folder, FIELD);
    const lines = WHOLE.split("\n").length;
    expect(warnings.map(({ file, line, name }) => [file, line, name])).toEqual([
      [join(at.folder, "mine.ts"), lines + 2, "Date"],
      [join(at.folder, "mine.ts"), lines + 4, "setTimeout"],
      [join(at.folder, "noise.ts"), 1, "Math.random"],
    ]);
    expect(warnings.every(({ advice }) => advice.startsWith("use "))).toBe(true);
  });
});

describe("built-in strategies", () => {
  it.each(["ladder", "avellaneda-stoikov"])("%s is loaded by its name", async (name) => {
    const loaded = await loadStrategy(name, at.folder, FIELD);
    expect(loaded).toMatchObject({ name, warnings: [] });
  });
});
