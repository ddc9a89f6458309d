import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadStrategy } from "#bot/load-strategy.js";
import { ConfigError } from "#core/errors.js";
import { FIELD, PLACE, StrategyFolder, WHOLE } from "./strategy-folder.js";

const at = new StrategyFolder();

async function failure(name: string): Promise<ConfigError> {
  const error = await loadStrategy(name, at.folder, FIELD).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError))
    throw new Error(`expected a ConfigError, got ${String(error)}`);
  return error;
}

describe("the error of a strategy that cannot be loaded", () => {
  it("names an unknown name, and the one that was probably meant", async () => {
    expect((await failure("lader")).message).toMatch(
      /^markets\.ethusdc\.strategy: .*did you mean ladder\?.*"lader".*avellaneda-stoikov, funding, glft, grid, imbalance, ladder/,
    );
  });

  it("names a file that does not exist, or has another extension", async () => {
    expect((await failure("./none.ts")).message).toContain(join(at.folder, "none.ts"));
    at.write("mine.py", "pass");
    expect((await failure("./mine.py")).expected).toContain(".ts");
    mkdirSync(join(at.folder, "dir.js"));
    expect((await failure("./dir.js")).message).toContain("is not a file");
  });

  it("names the line of a file that does not parse", async () => {
    at.write("broken.ts", "export default 1;\nconst = 3;\n");
    expect((await failure("./broken.ts")).message).toMatch(/broken\.ts:2:\d+: /);
  });

  it("names an import that does not exist", async () => {
    at.write(
      "lonely.js",
      'import { gone } from "no-such-package-of-anyone";\nexport default gone;\n',
    );
    expect((await failure("./lonely.js")).message).toMatch(
      /lonely\.js:1:.*no-such-package-of-anyone/,
    );
  });

  it("names an import of this package beside its entries", async () => {
    at.write("deep.js", 'import { x } from "marketwright/dist/bot/run.js";\nexport default x;\n');
    expect((await failure("./deep.js")).message).toContain(
      'marketwright has no entry "marketwright/dist/bot/run.js"',
    );
  });

  it("names the exception of a file that throws while loading", async () => {
    at.write("thrower.js", 'throw new Error("out of luck");');
    expect((await failure("./thrower.js")).message).toContain("out of luck");
  });

  it("names a missing default export, or one that is not a strategy", async () => {
    at.write("empty.js", "export const strategy = 1;");
    expect((await failure("./empty.js")).message).toContain("no default export");
    at.write("plain.js", "export default { params: {}, create() {} };");
    expect((await failure("./plain.js")).message).toContain("is not a strategy");
    at.write("nothing.js", "export default null;");
    expect((await failure("./nothing.js")).message).toContain("is not a strategy");
  });

  it("names a missing schema or factory", async () => {
    at.write(
      "half.js",
      'import { defineStrategy } from "marketwright";\nexport default defineStrategy({ create: () => (v) => v });',
    );
    expect((await failure("./half.js")).message).toContain("schema");
    at.write(
      "other.js",
      'import { defineStrategy } from "marketwright";\nimport { z } from "zod";\nexport default defineStrategy({ params: z.object({}) });',
    );
    expect((await failure("./other.js")).message).toContain("factory");
  });
});

describe("parameters", () => {
  async function paramsError(params: unknown): Promise<string> {
    at.write("mine.js", WHOLE);
    const { strategy } = await loadStrategy("./mine.js", at.folder, FIELD);
    try {
      strategy.bind(params, PLACE);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
    }
    throw new Error("nothing was wrong with them");
  }

  it("of the wrong type, missing or unknown are reported with their path, value and the expected value", async () => {
    expect(await paramsError({ halfSpreadBps: "wide", sizeBase: 0.5 })).toMatch(
      /^markets\.ethusdc\.params\.halfSpreadBps: .*"wide".*a number/,
    );
    expect(await paramsError({ halfSpreadBps: 4 })).toMatch(
      /^markets\.ethusdc\.params\.sizeBase: is missing/,
    );
    expect(await paramsError({ halfSpreadBps: 4, sizeBase: 0 })).toMatch(
      /^markets\.ethusdc\.params\.sizeBase: must not be zero/,
    );
    expect(await paramsError({ halfSpreadBps: 4, sizeBase: 1, skewBps: 2 })).toMatch(
      /^markets\.ethusdc\.params\.skewBps: unknown key/,
    );
    expect(await paramsError(undefined)).toMatch(/^markets\.ethusdc\.params\./);
  });
});
